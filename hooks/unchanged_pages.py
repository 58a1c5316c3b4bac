"""Under `mkdocs serve`, convert and index only the pages that changed.

Both take a third of a build each. The Markdown compared has its code folded in
already, so a changed snippet counts as a change of the pages that show it.
"""

from pathlib import Path

RESULTS = ("content", "toc", "_title_from_render", "present_anchor_ids")
state = {"serving": False, "configs": None, "pages": {}, "entries": {}}


def on_startup(command, dirty):
    state["serving"] = command == "serve"


def on_config(config):
    """Forget everything when a configuration changed."""
    folder = Path(config.config_file_path).parent
    configs = {path: path.stat().st_mtime_ns for path in folder.glob("mkdocs*.yml")}
    if configs != state["configs"]:
        state.update(configs=configs, pages={}, entries={})


def on_page_markdown(markdown, page, config, files):
    """After all hooks that change the Markdown."""
    if not state["serving"]:
        return
    convert = page.render

    def render(config, files):
        text, results = state["pages"].get(page.file.abs_src_path, (None, {}))
        if text != page.markdown:
            convert(config, files)
            results = {name: getattr(page, name) for name in RESULTS}
            state["pages"][page.file.abs_src_path] = page.markdown, results
        vars(page).update(results)

    page.render = render


def on_env(env, config, files):
    """Let Material's search take an unchanged page's entries from the last build."""
    index = next((plugin.search_index for plugin in config.plugins.values()
                  if hasattr(plugin, "search_index")), None)
    if index is None or not state["serving"]:
        return
    add = index.add_entry_from_context

    def add_entry(page):
        now = page.content, page.title, page.url, repr(page.meta)
        then, entries = state["entries"].get(page.file.abs_src_path, (None, []))
        if now != then:
            before = len(index.entries)
            add(page)
            entries = index.entries[before:]
            state["entries"][page.file.abs_src_path] = now, entries
        else:
            index.entries.extend(entries)

    index.add_entry_from_context = add_entry
