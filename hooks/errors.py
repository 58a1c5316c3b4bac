"""List every error that an article explains on one page, each with its fix.

An article shows an error in a `<div class="wrong" markdown>` with its .out;
the prose under the same heading quotes it between backticks. The page that
holds PLACE gets these texts, by track, each with a link to that heading. An
.out that does not speak of an error shows a wrong number, and is left out.
"""

import re
from pathlib import Path
from typing import NamedTuple

from mkdocs.exceptions import PluginError
from mkdocs.utils import meta

from snippets import INCLUDE, ROOT, fences

PAGE, PLACE = "errors.md", "<!-- errors -->"
HEADING = re.compile(r"^#{2,6} +(.*?) *\{ *#([\w-]+)[^}]*\}$", re.M)
CODE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")
SAYS_SO = re.compile(r"(?i)\b(\w*error|\w*exception|warning|fatal|failed|must|needs)\b(?! [\d.])")
WRONG = re.compile(r'^<div class="wrong" markdown>$.*?^</div>$', re.M | re.S)


class Error(NamedTuple):
    text: str  # as the prose quotes it
    heading: str
    anchor: str


def quotes(prose: str, out: str) -> list[str]:
    """Return the texts between backticks that quote an output, the closest first.

    A quotation is part of the output, or shares three of its words, as where
    it leaves out the middle.
    """
    words = set(re.findall(r"[A-Za-z_`'.-]{3,}", out))
    shared = {span: len(words & set(re.findall(r"[A-Za-z_'.-]{3,}", span)))
              for _, span in CODE.findall(prose) if len(span) > 8}
    return sorted((s for s in shared if shared[s] >= 3 or s in out), key=lambda s: -shared[s])


def prose(text: str) -> str:
    """Return a page's text without its blocks of code."""
    lines = text.split("\n")
    for fence in fences(text):
        lines[fence.line - 1:fence.last] = [""] * (fence.last - fence.line + 1)
    return "\n".join(lines)


def read_errors(path: Path, where: str, snippets: Path = ROOT / "snippets") -> list[Error]:
    """Return an article's errors, or raise naming the pair that lacks its heading or text."""
    text, found = path.read_text("utf-8"), {}
    blank = prose(text)
    for match in WRONG.finditer(text):
        outputs = [included[1] for fence in fences(match[0])
                   if (included := INCLUDE.match(fence.body[0])) and included[1].endswith(".out")]
        if not outputs:
            continue
        out = (snippets / outputs[-1]).read_text("utf-8")
        if not SAYS_SO.search(out):
            continue
        line = text[:match.start()].count("\n") + 1
        above = [h for h in HEADING.finditer(blank) if blank[:h.start()].count("\n") < line]
        if not above:
            raise PluginError(f"{where}:{line}: the error needs a heading with an id above it")
        below = HEADING.search(blank, above[-1].end())
        own = blank[above[-1].end():below and below.start()]
        if not (texts := quotes(own, out) or quotes(blank, out)):
            raise PluginError(f"{where}:{line}: the text of the error in {outputs[-1]} "
                              "is not in the prose, between backticks")
        found[texts[0], above[-1][2]] = Error(texts[0], *above[-1].groups())
    return list(found.values())


def on_config(config):
    page = Path(config.docs_dir, PAGE)
    if page.is_file():  # its title names it where other pages link to it
        config.extra["ui"]["errors"] = meta.get_data(page.read_text("utf-8"))[1].get("title")


def on_page_markdown(markdown, page, config, files):
    if PLACE not in markdown:
        return markdown
    rows = []
    for track in config.extra["tracks"]:
        listed = []
        for article in track["articles"]:
            path = Path(config.docs_dir, article["src"])
            for error in read_errors(path, path.relative_to(ROOT).as_posix()):
                ticks = "``" if "`" in error.text else "`"
                link = f"[{article['title']} › {error.heading}]({article['src']}#{error.anchor})"
                listed.append(f"- {ticks}{error.text}{ticks}<br>{link}")
        if listed:
            rows += [f"## {track['title']} {{#{track['slug']}}}", "", *listed, ""]
    return markdown.replace(PLACE, "\n".join(rows))
