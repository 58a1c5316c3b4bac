"""Check what both languages' sources promise, before anything is built.

Pure text checks: each problem is one line, `docs/zh/page.md:12: what is wrong`.
`mkdocs build` stops on any. `mkdocs serve` goes on where only the languages
differ, since an author saves one before the other.
"""

import functools
import re
import sys
from pathlib import Path

import yaml
from mkdocs.exceptions import Abort, PluginError

from pages import head_of, page_files, page_text
from snippets import fences

ROOT = Path(__file__).parent.parent
HEADING = re.compile(r"^(#{1,6}) +(.*?)(?: *\{ *#([\w-]+)[^}]*\})?$")
LINK = re.compile(r"(?<!!)\[[^\]]*\]\(([^)\s]+\.(?:md|ipynb))?(?:#([\w-]+))?\)")
IMAGE = re.compile(r"!\[[^\]]*\]\(([^)\s]+)\)")
FORMULA = re.compile(r"\$\$(.+?)\$\$|(?<![\\$\w])\$(?=\S)([^$\n]+?)(?<=\S)\$(?![\d$])", re.S)
FOREIGN = re.compile(
    r'(?is)<(?:script|img|iframe|source|video|audio|object|embed|link(?![^>]*rel="(?:canonical|next|prev)"))'
    r'\b[^>]*?\s(?:src|srcset|href|data)=["\']((?:https?:)?//[^"\']+)')
INLINE_CODE = re.compile(r"(`+)(?!`).+?(?<!`)\1(?!`)")


def prose(text: str) -> str:
    """Blank out code and front matter, keeping every line where it is."""
    lines = text.split("\n")
    for fence in fences(text):
        lines[fence.line - 1:fence.last] = [""] * (min(fence.last, len(lines)) - fence.line + 1)
    if lines[0] == "---" and "---" in lines[1:]:
        end = lines.index("---", 1)
        lines[:end + 1] = [""] * (end + 1)
    return "\n".join(INLINE_CODE.sub(lambda m: " " * len(m[0]), line) for line in lines)


@functools.lru_cache(1024)  # of a page that has not changed, the same
def parts(text: str) -> dict[str, list[tuple[str, int]]]:
    """List what must be equal in both languages, each with its line."""
    body = prose(text)
    at = lambda match: body[:match.start()].count("\n") + 1
    headings = [(HEADING.match(line), n) for n, line in enumerate(body.split("\n"), 1)]
    return {
        "heading": [(m[3] or "", n) for m, n in headings if m],
        "section": [("".join(f.body).strip(), f.line) for f in fences(text)],
        "figure": [(m[1], at(m)) for m in IMAGE.finditer(body)],
        "formula": [((m[1] or m[2]).strip(), at(m)) for m in FORMULA.finditer(body)],
    }


def same(zh: Path, en: Path) -> list[str]:
    """Compare the two pages of an article part by part."""
    problems = []
    ours, theirs = parts(page_text(zh)), parts(page_text(en))
    for kind in ours:
        for i in range(max(len(ours[kind]), len(theirs[kind]))):
            (a, line), (b, other) = [
                x[kind][i] if i < len(x[kind]) else (None, 0) for x in (ours, theirs)]
            if a != b:
                where = f"{zh.as_posix()}:{line}" if a is not None else f"{en.as_posix()}:{other}"
                problems.append(f"{where}: {kind} {i + 1} differs between the languages: "
                                f"zh has {a!r}, en has {b!r}")
                break
    return problems


def page_problems(path: Path, docs: Path, tags: list) -> list[str]:
    """Check one page by itself: heading ids, links, images, tags."""
    text, problems = page_text(path), []
    body, where = prose(text), path.as_posix()
    seen = set()
    for name, line in parts(text)["heading"]:
        if body.split("\n")[line - 1].startswith("# "):
            problems.append(f"{where}:{line}: the page's title stands in its front matter")
        elif not name:
            problems.append(f"{where}:{line}: the heading needs an id: ## Title {{#id}}")
        elif name in seen:
            problems.append(f"{where}:{line}: the id #{name} is taken by an earlier heading")
        seen.add(name)
    for match in LINK.finditer(body):
        line = body[:match.start()].count("\n") + 1
        file, anchor = match.groups()
        target = (path.parent / file).resolve() if file else path.resolve()
        if not target.is_file():
            problems.append(f"{where}:{line}: dead link to {file}")
        elif anchor and anchor not in dict(parts(page_text(target))["heading"]):
            problems.append(f"{where}:{line}: no heading #{anchor} in {target.name}")
    for name, line in parts(text)["figure"]:
        folder = docs / path.relative_to(docs).parent
        if not any((root / name).resolve().is_file() for root in
                   (folder, docs.parent / "shared" / folder.relative_to(docs))):
            problems.append(f"{where}:{line}: there is no image {name}")
    for tag in head_of(text)[1].get("tags", []):
        if tag not in tags:
            line = next((n for n, row in enumerate(text.split("\n"), 1) if str(tag) in row), 1)
            problems.append(f"{where}:{line}: unknown tag {tag!r}; known: {', '.join(tags)}")
    return problems


def faults(docs: Path, tags: dict[str, list]) -> list[str]:
    """Return what is wrong with single pages under docs/zh and docs/en."""
    return [problem for language in ("zh", "en")
            for page in page_files(docs / language)
            for problem in page_problems(page, docs / language, tags[language])]


def mismatches(docs: Path) -> list[str]:
    """Return where the two languages do not say the same."""
    problems = []
    pages = {language: {p.relative_to(docs / language) for p in page_files(docs / language)}
             for language in ("zh", "en")}
    for page in sorted(pages["zh"] ^ pages["en"]):
        has, lacks = ("zh", "en") if page in pages["zh"] else ("en", "zh")
        problems.append(f"{(docs / has / page).as_posix()}:1: the page has no "
                        f"counterpart docs/{lacks}/{page.as_posix()}")
    for page in sorted(pages["zh"] & pages["en"]):
        problems += same(docs / "zh" / page, docs / "en" / page)
    return problems


class Loader(yaml.SafeLoader):
    """Reads a configuration's plain values; `!ENV` tags count as nothing."""


Loader.add_multi_constructor("!", lambda loader, suffix, node: None)


def allowed_tags(root: Path = ROOT) -> dict[str, list]:
    files = {"zh": "mkdocs.yml", "en": "mkdocs.en.yml"}
    return {language: yaml.load((root / file).read_text("utf-8"), Loader)
            ["plugins"]["tags"]["tags_allowed"] for language, file in files.items()}


def on_startup(command, dirty):
    on_pre_build.stop = command != "serve"


def on_pre_build(config):
    if config.extra["language"] == "en" and config.extra.get("half") and on_pre_build.stop:
        return
    wrong, unequal = faults(ROOT / "docs", allowed_tags()), mismatches(ROOT / "docs")
    for problem in wrong + unequal:
        print(problem.replace(f"{ROOT.as_posix()}/", ""), file=sys.stderr)
    if wrong or (unequal and on_pre_build.stop):
        raise Abort(f"{len(wrong + unequal)} problem(s) in the pages, named above")


def on_post_page(output, page, config):
    """No page may make a browser ask another host for anything."""
    if match := FOREIGN.search(output):
        raise PluginError(f"docs/{config.extra['language']}/{page.file.src_uri}: "
                          f"the page loads {match[1]} from another host")
    return output


on_pre_build.stop = True
