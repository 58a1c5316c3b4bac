"""What the site knows about its articles: front matter, order, counts.

An article is a Markdown file or a notebook in a track's folder; a track is a folder with
an `index.md`. The navigation, home, indexes, archive, feed and counts all
come from here, so a new article only adds files.
"""

import datetime
import json
import math
import re
from email.utils import format_datetime
from pathlib import Path

from mkdocs.exceptions import PluginError

from pages import head_of, page_files, page_text, sources_of

ROOT = Path(__file__).parent.parent
REQUIRED = {
    "title": str, "description": str, "created": datetime.date,
    "updated": datetime.date, "order": int, "tags": list,
}
FENCED = re.compile(r"^( *)```.*?^\1```", re.M | re.S)


def reading_minutes(text: str) -> int:
    """Minutes at 400 Han characters or 220 words a minute, code left out."""
    prose = FENCED.sub("", text)
    han = len(re.findall(r"[\u4e00-\u9fff]", prose))
    words = len(re.findall(r"[A-Za-z]+", prose))
    return max(1, math.ceil(han / 400 + words / 220))


def front_matter(path: Path, where: str) -> tuple[str, dict]:
    """Return a page's text and head; MkDocs takes a broken head for none."""
    body, head = head_of(page_text(path))
    if not head:
        raise PluginError(f"{where}: the page needs front matter that is valid YAML "
                          "(a text with a colon in it needs quotes)")
    return body, head


def read_article(path: Path, docs: Path, sources: dict) -> dict:
    """Return one article's facts, or raise naming what its head lacks."""
    where = f"{path.relative_to(docs.parent.parent).as_posix()}:1"
    body, head = front_matter(path, where)
    for name, kind in REQUIRED.items():
        if not isinstance(head.get(name), kind):
            raise PluginError(
                f"{where}: the front matter needs `{name}` "
                f"({kind.__name__}); found {head.get(name)!r}"
            )
    for name in head.get("mirrors", []):
        if name not in sources:
            raise PluginError(f"{where}: no source {name!r} in docs/sources.yml")
    if not body.strip():
        raise PluginError(f"{where}: the article has no text yet")
    slug = path.relative_to(docs).with_suffix("").as_posix()
    noon = datetime.datetime.combine(
        head["created"], datetime.time(12), datetime.UTC)
    return head | {
        "slug": slug, "src": slug + path.suffix, "url": slug + "/",
        "track": path.parent.name, "minutes": reading_minutes(body),
        "rfc822": format_datetime(noon),
        "sources": [sources[name] | {"id": name}
                    for name in head.get("mirrors", [])],
    }


def read_track(index: Path, docs: Path, articles: list, sources: dict) -> dict:
    """Return a track's head, its articles, and the titles of those to come."""
    slug = index.parent.name
    own = [a for a in articles if a["track"] == slug]
    written = {a["slug"] for a in own}
    titles = {name: titles[docs.name] for source in sources.values()
              for name, titles in source["articles"].items()}
    planned = [title for name, title in titles.items()
               if name.startswith(slug + "/") and name not in written]
    where = f"{index.relative_to(ROOT).as_posix()}:1"
    _, head = front_matter(index, where)
    if missing := {"title", "description", "order", "picture"} - head.keys():
        raise PluginError(f"{where}: the track's front matter needs {', '.join(sorted(missing))}")
    return head | {"slug": slug, "url": slug + "/", "articles": own,
                   "planned": planned}


def counts(articles: list) -> dict:
    snippets = [f for f in (ROOT / "snippets").rglob("*")
                if f.suffix in {".py", ".sh", ".cpp"}]
    records = [json.loads(f.read_text(encoding="utf-8"))
               for f in (ROOT / "snippets").glob("*/verified.json")]
    claims = {claim["test"] for r in records for entry in r.values()
              for claim in entry["claims"]}
    return {"articles": len(articles), "snippets": len(snippets), "claims": len(claims)}


def navigation(tracks: list, about: str, docs: Path) -> list:
    sections = [
        {t["title"]: [t["url"] + "index.md"] + [a["src"] for a in t["articles"]]}
        for t in tracks
    ]
    errors = ["errors.md"] if (docs / "errors.md").is_file() else []
    return ["index.md", *sections,
            {about: ["about.md", *errors, "tags.md", "archive.md"]}]


def on_config(config):
    docs = Path(config.docs_dir)
    sources = sources_of(ROOT / "docs")
    articles = [read_article(p, docs, sources)
                for p in page_files(docs, "*/*") if p.name != "index.md"]
    articles.sort(key=lambda a: (a["order"], a["slug"]))
    tracks = [read_track(p, docs, articles, sources)
              for p in docs.glob("*/index.md")]
    tracks.sort(key=lambda t: t["order"])
    config.nav = navigation(tracks, config.extra["ui"]["about"], docs)
    latest = sorted(articles, key=lambda a: a["created"], reverse=True)
    config.extra.update(
        articles={a["src"]: a for a in articles}, latest=latest, tracks=tracks,
        counts=counts(articles))
