"""Put sections of snippets into pages, with what a reader copies beside them."""

import re
import textwrap
from pathlib import Path

from mkdocs.exceptions import PluginError

from pages import page_text
from snippets import INCLUDE, ROOT, fences, runnable, section, signed

BLOCK = re.compile(r'<div class="highlight" data-snippet="(\d+)">.*?</div>', re.S)
PLAIN = re.compile(r'<span class="(?:n|o|p|w)">([^<]*)</span>')  # tokens left uncoloured
WORDS = re.compile(r"\{\{(.*?)\|(.*?)\}\}")  # {{zh|en}} in a table
NOT_RUN = re.compile(r"# not run: (?P<en>.*) \| (?P<zh>.*)")


def embed(text: str, where: str, offset: int = 0):
    """Fold a page's code in, and as tables what ```table blocks name.

    Returns the plain text, the text whose blocks carry their number, and a
    list of (language, file, section). Raises PluginError with page and line.
    """
    lines, plain, marked, blocks, at = text.split("\n"), [], [], [], 0
    for fence in fences(text):
        line = f"{where}:{fence.line + offset}"
        match = len(fence.body) == 1 and INCLUDE.match(fence.body[0])
        if not match:
            raise PluginError(
                f"{line}: code is typed into the page; put it into a file under "
                'snippets/ and include it: --8<-- "track/name.py:section"')
        try:
            code = section(*match.groups())
        except ValueError as error:
            raise PluginError(f"{line}: {error}") from None
        if fence.language == "table":  # Markdown that a snippet printed
            if not match[1].endswith(".out"):
                raise PluginError(f"{line}: a table must be what a snippet printed, its .out")
            word = r"\1" if where.startswith("docs/zh/") else r"\2"
            table = textwrap.indent(WORDS.sub(word, code), fence.indent).split("\n")
            for out in (plain, marked):
                out += lines[at:fence.line - 1] + table
            at = fence.last
            continue
        longest = max(map(len, re.findall("`+", code)), default=0)
        ticks = "`" * max(3, longest + 1)  # code may hold fences of its own
        code = textwrap.indent(code, fence.indent).split("\n")
        number = f'{{.{fence.language} data-snippet="{len(blocks)}" {fence.options}}}'
        for out, opening in ((plain, fence.language), (marked, number)):
            out += lines[at:fence.line - 1]
            out += [f"{fence.indent}{ticks}{opening}", *code, f"{fence.indent}{ticks}"]
        blocks.append((fence.language, *match.groups()))
        at = fence.last
    return "\n".join(plain + lines[at:]), "\n".join(marked + lines[at:]), blocks


def on_config(config):
    on_page_content.template = config.theme.get_env().get_template("partials/snippet.html")


def on_page_markdown(markdown, page, config, files):
    path = Path(page.file.abs_src_path)
    head = page_text(path).count("\n") - markdown.count("\n")
    where = path.relative_to(ROOT).as_posix()
    page.plain, marked, page.blocks = embed(markdown, where, max(head, 0))
    page.runnables = {} if path.suffix == ".ipynb" else {
        name: signed(runnable(ROOT / "snippets" / name), page.canonical_url)
        for name in dict.fromkeys(name for _, name, _ in page.blocks) if name.endswith(".py")
    }
    return marked


def on_page_content(content, page, config, files):
    def frame(match):
        language, name, _ = page.blocks[int(match[1])]
        first, _, _ = (ROOT / "snippets" / name).read_text("utf-8").partition("\n")
        reason = NOT_RUN.match(first)
        return on_page_content.template.render(
            code=PLAIN.sub(r"\1", match[0]), language=language, file=Path(name).name,
            cell=page.file.src_uri.endswith(".ipynb") and int(match[1]) + 1,
            runs=name in page.runnables, reason=reason and reason[config.extra["language"]],
            prints=(ROOT / "snippets" / name).with_suffix(".out").is_file(), ui=config.extra["ui"])

    content, framed = BLOCK.subn(frame, content)
    if framed != len(page.blocks) or content.count("<pre") != framed:
        raise PluginError(f"{page.file.src_uri}: a block of code is not an embedded "
                          "section (is it indented by four spaces?)")
    for name, text in page.runnables.items():
        if "</script" in text.lower():
            raise PluginError(f"snippets/{name} may not hold the text </script")
        content += f'<script type="text/plain" data-file="{Path(name).name}">{text}</script>'
    return content


def on_post_page(output, page, config):
    """Write the downloads beside the page."""
    if page.file.src_uri.endswith(".ipynb"):
        return output  # see hooks/notebooks.py
    folder = Path(config.site_dir) / page.url
    for name in {name for _, name, _ in page.blocks if not name.endswith((".out", ".diff", ".sh"))}:
        folder.mkdir(parents=True, exist_ok=True)
        text = page.runnables.get(name) or (ROOT / "snippets" / name).read_text("utf-8")
        (folder / Path(name).name).write_text(text, "utf-8")
    return output
