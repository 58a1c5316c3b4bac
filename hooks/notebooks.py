"""Make an article of an executed notebook.

mkdocs-jupyter makes the notebook a page. Its own rendering, over 600 KB with
scripts from other hosts, is set aside: the page goes the way of every article
(hooks/pages.py), and its committed outputs are put in here. Beside the page
lie the notebook as a reader wants it, and the modules that it imports.
"""

import html
import json
import re
from pathlib import Path
from urllib.parse import urljoin

from mkdocs.exceptions import PluginError

from pages import PLACE, as_markdown, cells, outputs, snippet_of, source
from snippets import ROOT, modules, runnable, signed, two_blank_lines

LINK = re.compile(r"\]\(([^)#:\s]*)\.(?:md|ipynb)(#[\w-]+)?\)")


def is_notebook(page) -> bool:
    return page.file.src_uri.endswith(".ipynb")


def for_readers(notebook: Path, page, ui: dict) -> str:
    """Return the notebook with its head as text and its links whole."""
    book = json.loads(notebook.read_text("utf-8"))
    needed = ui["comma"].join(f"`{name}`" for name in page.downloads[1:])
    lines = [f"# {page.title}", "", f"{page.canonical_url}", "",
             f"{ui['notebook_needs']}{ui['colon']}{needed}"]

    def absolute(match):
        folder = re.sub(r"(^|/)index/$", r"\1", f"{match[1]}/")
        return f"]({urljoin(page.canonical_url, '../' + folder)}{match[2] or ''})"

    book["cells"][0].update(cell_type="markdown", source="\n".join(lines))
    for cell in book["cells"][1:]:
        if cell["cell_type"] == "markdown":
            text = re.sub(r"^(#+ .*?) *\{ *#[\w-]+ *\}$", r"\1", source(cell), flags=re.M)
            cell["source"] = LINK.sub(absolute, text)
    return json.dumps(book, ensure_ascii=False, indent=1) + "\n"


def on_config(config):
    on_page_content.template = config.theme.get_env().get_template("partials/snippet.html")


def on_pre_page(page, config, files):
    if is_notebook(page):
        del page.render  # the plugin's, set on this page: Page.render is ours again
    return page


def on_page_read_source(page, config):
    return as_markdown(Path(page.file.abs_src_path)) if is_notebook(page) else None


def on_page_markdown(markdown, page, config, files):
    """After hooks/code_blocks.py: what the page shows, and what comes beside it."""
    if not is_notebook(page):
        return
    notebook = Path(page.file.abs_src_path)
    page.cells = {cell["id"]: cell for cell in cells(notebook)}
    page.figures = {}
    page.modules = {path.name: signed(runnable(path), page.canonical_url)
                    for path in modules(ROOT / "snippets" / snippet_of(notebook))}
    page.downloads = [notebook.name, *page.modules]

    def plain(match):
        kind, text = outputs(page.cells[match[1]])[int(match[2])]
        if kind == "text":
            return f"```text\n{text.rstrip()}\n```"
        alt = page.cells[match[1]]["metadata"].get("alt", "")
        if len(alt) < 10:
            raise PluginError(f"docs/{config.extra['language']}/{page.file.src_uri}: cell "
                              f"{match[1]}: metadata.alt must say what the figure shows")
        page.figures[f"{match[1]}.svg"] = (alt, text)
        return f"![{alt}]({match[1]}.svg)"

    page.plain = two_blank_lines(PLACE.sub(plain, page.plain))


def on_page_content(content, page, config, files):
    def show(match):
        kind, text = outputs(page.cells[match[1]])[int(match[2])]
        if kind == "svg":
            alt = html.escape(page.figures[f"{match[1]}.svg"][0])
            svg = text.replace("<svg ", f'<svg role="img" aria-label="{alt}" ', 1)
            return (f'<figure class="figure" data-search-exclude><a href="{match[1]}.svg" '
                    f'title="{config.extra["ui"]["enlarge"]}">{svg}</a></figure>')
        code = f"<pre><span></span><code>{html.escape(text, quote=False)}</code></pre>"
        return on_page_content.template.render(
            code=f'<div class="highlight">{code}</div>', language="text", ui=config.extra["ui"])

    return PLACE.sub(show, content) if is_notebook(page) else content


def on_post_page(output, page, config):
    """Write what a reader downloads beside the page."""
    if is_notebook(page):
        folder = Path(config.site_dir) / page.url
        folder.mkdir(parents=True, exist_ok=True)
        notebook = Path(page.file.abs_src_path)
        files = {name: svg for name, (_, svg) in page.figures.items()} | page.modules
        files[notebook.name] = for_readers(notebook, page, config.extra["ui"])
        for name, text in files.items():
            (folder / name).write_text(text, "utf-8")
    return output
