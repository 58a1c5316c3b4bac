"""Lead the original blog's addresses to the articles that mirror its posts."""

import html
from pathlib import Path
from urllib.parse import quote

from pages import sources_of

ROOT = Path(__file__).parent.parent
PAGE = """<!doctype html>
<html lang="zh">
<meta charset="utf-8">
<title>{title}</title>
<meta name="robots" content="noindex">
<meta http-equiv="refresh" content="0; url={link}">
<p><a href="{link}">{title}</a></p>
</html>
"""


def target(source: dict, written: set) -> str:
    """Return the first article of a post that is written, else its track."""
    ready = [slug for slug in source["articles"] if slug in written]
    return ready[0] if ready else next(iter(source["articles"])).partition("/")[0]


def on_post_build(config):
    if config.extra["language"] != "zh":
        return
    sources = sources_of(ROOT / "docs")
    written = {a["slug"] for a in config.extra["articles"].values()}
    for source in sources.values():
        if "path" not in source:
            continue
        up = "../" * source["path"].count("/")
        link = quote(up + target(source, written) + "/")
        folder = Path(config.site_dir) / source["path"]
        folder.mkdir(parents=True)
        (folder / "index.html").write_text(
            PAGE.format(title=html.escape(source["title"]), link=link), "utf-8")
