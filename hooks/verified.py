"""Give each page the record of what its snippets' tests have proven."""

import functools
import hashlib
import html
import json
import logging
import os
import re
from pathlib import Path

from mkdocs.exceptions import Abort

from snippets import ROOT, modules, runnable

log = logging.getLogger("mkdocs.hooks.verified")


def content_hash(name: str, root: Path = ROOT) -> str:
    """Hash a snippet together with the local modules that it imports."""
    path = root / "snippets" / name
    if path.suffix == ".py":
        text = "".join(runnable(file) for file in [path, *modules(path)])
    else:
        text = path.read_text("utf-8")
    return hashlib.sha256(text.encode()).hexdigest()[:16]


@functools.cache
def records(track: Path) -> dict:
    """Read what is recorded of a track's snippets; once a build."""
    path = track / "verified.json"
    return json.loads(path.read_text("utf-8")) if path.is_file() else {}


def on_pre_build(config):
    records.cache_clear()


def shown(name: str) -> list[str]:
    """Return the snippets that a block shows: an output's or a difference's, too."""
    path = Path(name)
    if path.suffix == ".out":
        return [path.with_suffix(s).as_posix() for s in (".py", ".sh")]
    if path.suffix == ".diff":
        return [path.with_name(f"{stem}.py").as_posix() for stem in path.stem.split("-to-")]
    return [name]


def code(text: str) -> str:
    """Show what stands between backticks as code."""
    return re.sub(r"`([^`]+)`", r"<code>\1</code>", html.escape(text, quote=False))


def on_env(env, config, files):
    env.filters["code"] = code
    return env


def on_page_context(context, page, config, nav):
    entries = []
    for name in dict.fromkeys(n for _, block, _ in page.blocks for n in shown(block)):
        entry = records(ROOT / "snippets" / name.partition("/")[0]).get(name)
        if entry is None:
            continue
        stale = entry["hash"] != content_hash(name)
        if stale:
            log.warning(f"{page.file.src_uri}: snippets/{name} has changed since it was "
                        "verified; run make verify")
            if os.environ.get("CI"):
                raise Abort(f"snippets/{name} has changed since it was verified")
        entries.append(entry | {"name": name, "stale": stale})
    page.verified = entries
