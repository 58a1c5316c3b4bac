"""List every error that an article quotes on one page, each with its fix.

An article shows an error in a `<div class="wrong" markdown>` with its .out;
the prose under the same heading quotes it between backticks. The page with
PLACE gets these texts and others that read like errors, by track, linked to
their headings, once each. An .out without an error shows a wrong number: left out.
"""

import re
from pathlib import Path
from typing import NamedTuple

from mkdocs.exceptions import PluginError

from pages import head_of
from snippets import INCLUDE, ROOT, fences

PAGE, PLACE = "errors.md", "<!-- errors -->"
HEADING = re.compile(r"^#{2,6} +(.*?) *\{ *#([\w-]+)[^}]*\}$", re.M)
CODE = re.compile(r"(?<!`)(`+)(?!`)(.+?)(?<!`)\1(?!`)")
SAYS_SO = re.compile(r"(?i)\b(\w*error|\w*exception|warning|fatal|failed|must|needs|signal \d+)"
                     r"\b(?! [\d.])")
PLAIN = re.compile(r"(?<![\w/.-])[A-Za-z']{2,}(?![\w(=/])")  # a word, no code
TROUBLE = re.compile(
    r"(?i)\b(\w*error|\w*warning|fatal|failed|must|needs|no|not|cannot|could|invalid|but|missing"
    r"|insufficient|inconsistent|expected|unexpected(ly)?|terminate|time(d )?out|may|closed"
    r"|detected|signal \d+|\w*OutOfMemory)\b")
CODED = re.compile(r"exitcode +: -?\d+|CUDA error: |error: unrecognized ")  # few words
VARIES = re.compile(r"\b\d+ ?m?s\b|^(\w+\.)*\w+Error: |[.`]$")  # not what the error is
WRONG = re.compile(r'^<div class="wrong" markdown>$.*?^</div>$', re.M | re.S)


class Error(NamedTuple):
    text: str  # as the prose quotes it
    heading: str
    anchor: str
    shown: bool = True  # by a pair; else only quoted


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


def reads_like_one(text: str) -> bool:
    """Tell whether a text between backticks is a sentence of an error."""
    return len(PLAIN.findall(text)) > 3 and bool(TROUBLE.search(text)) or bool(CODED.match(text))


def read_errors(path: Path, where: str, snippets: Path = ROOT / "snippets") -> list[Error]:
    """Return an article's errors, or raise naming the pair that lacks its heading or text.

    Of each heading first what its pairs print, then what else its prose quotes.
    """
    text, numbers = path.read_text("utf-8"), ""
    blank = prose(text)
    headings = list(HEADING.finditer(blank))
    ends = [*(h.start() for h in headings[1:]), len(blank)]
    own = {h[2]: blank[h.end():end] for h, end in zip(headings, ends, strict=False)}
    found: dict[str, list[str]] = {anchor: [] for anchor in own}
    for match in WRONG.finditer(text):
        outputs = [included[1] for fence in fences(match[0])
                   if (included := INCLUDE.match(fence.body[0])) and included[1].endswith(".out")]
        if not outputs:
            continue
        out = (snippets / outputs[-1]).read_text("utf-8")
        if not SAYS_SO.search(out):
            numbers += out
            continue
        line = text[:match.start()].count("\n") + 1
        above = [h[2] for h in headings if blank[:h.start()].count("\n") < line]
        if not above:
            raise PluginError(f"{where}:{line}: the error needs a heading with an id above it")
        if not (texts := quotes(own[above[-1]], out) or quotes(blank, out)):
            raise PluginError(f"{where}:{line}: the text of the error in {outputs[-1]} "
                              "is not in the prose, between backticks")
        found[above[-1]].append(texts[0])
    shown = {(anchor, span) for anchor, spans in found.items() for span in spans}
    for anchor, section in own.items():
        for _, span in CODE.findall(section):
            listed = [numbers, *(text for texts in found.values() for text in texts)]
            if reads_like_one(span) and not any(span in text for text in listed):
                found[anchor].append(span)
    return [Error(span, h[1], h[2], (h[2], span) in shown)
            for h in headings for span in dict.fromkeys(found[h[2]])]


def bullets(found: list[tuple[Error, str]]) -> list[str]:
    """Return a bullet for each text, with the links of all sections that quote it.

    First the sections that reproduce it, then those that quote more of it.
    """
    alike: dict[str, list[tuple[Error, str]]] = {}
    for error, link in found:
        key = VARIES.sub("…", error.text).strip("… ")
        near = next((k for k in alike if k.startswith(key) or key.startswith(k)), key)
        alike.setdefault(near, []).append((error, link))
    listed = []
    for group in alike.values():
        group.sort(key=lambda pair: (not pair[0].shown, -len(pair[0].text)))
        text = group[0][0].text
        ticks = "``" if "`" in text else "`"
        links = "<br>".join(dict.fromkeys(link for _, link in group))
        listed.append(f"- {ticks}{text}{ticks}<br>{links}")
    return listed


def on_config(config):
    page = Path(config.docs_dir, PAGE)
    if page.is_file():  # its title names it where other pages link to it
        config.extra["ui"]["errors"] = head_of(page.read_text("utf-8"))[1].get("title")


def on_page_markdown(markdown, page, config, files):
    if PLACE not in markdown:
        return markdown
    rows = []
    for track in config.extra["tracks"]:
        found = []
        for article in track["articles"]:
            path = Path(config.docs_dir, article["src"])
            for error in read_errors(path, path.relative_to(ROOT).as_posix()):
                link = f"[{article['title']} › {error.heading}]({article['src']}#{error.anchor})"
                found.append((error, link))
        if found:
            rows += [f"## {track['title']} {{#{track['slug']}}}", "", *bullets(found), ""]
    return markdown.replace(PLACE, "\n".join(rows))
