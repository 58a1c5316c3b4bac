"""Build both languages as one site, and publish it only when it is whole.

`mkdocs build` and `mkdocs serve` read mkdocs.yml, the Chinese site. Its
build goes to a folder beside `site/`; the English one is then built inside
it, and the two replace `site/` together. Under `mkdocs serve` a language is
rebuilt only when one of its inputs changed.
"""

import logging
import os
import shutil
import sys
from pathlib import Path

from mkdocs.commands.build import build
from mkdocs.config import load_config
from mkdocs.structure.files import File

log = logging.getLogger("mkdocs.hooks.languages")
ROOT = Path(__file__).parent.parent
SHARED = ROOT / "docs/shared"
INPUTS = {
    "zh": ["docs/zh"],
    "en": ["docs/en", "mkdocs.en.yml"],
    "both": ["docs/shared", "docs/sources.yml", "docs/terms.txt", "snippets", "overrides",
             "mkdocs.yml"],
}
state = {"command": "build", "failed": False, "config": None, "site": None}


def staging(site: Path) -> Path:
    return site.with_name(site.name + ".partial")


def publish(site: Path, keep: str | None = None) -> None:
    """Put the staged site in the old one's place, keeping one subfolder."""
    new, old = staging(site), site.with_name(site.name + ".old")
    if keep and (site / keep).exists():
        os.replace(site / keep, new / keep)
    if site.exists():
        os.replace(site, old)
    os.replace(new, site)
    shutil.rmtree(old, ignore_errors=True)


def build_half(language: str, site: Path, url: str, serve_url=None, **options):
    """Build one language into `staging(site)`."""
    name = "mkdocs.yml" if language == "zh" else "mkdocs.en.yml"
    config = load_config(str(ROOT / name), site_dir=str(site), **options)
    config.site_url = url
    config.extra["half"] = True
    try:
        build(config, serve_url=serve_url)
    except BaseException:
        shutil.rmtree(staging(site), ignore_errors=True)
        raise


def on_startup(command, dirty):
    state["command"] = command


def on_config(config):
    site, language = Path(config.site_dir), Path(config.docs_dir).name
    config.site_dir = str(staging(site))
    shutil.rmtree(config.site_dir, ignore_errors=True)
    config.extra["language"] = language
    if "half" not in config.extra:
        state.update(config=config, site=site)
        if language == "en":
            config.site_url += "en/"


def on_files(files, config):
    """Lay docs/shared over the root of both sites."""
    for path in sorted(SHARED.rglob("*")):
        if path.is_file() and path.suffix != ".py":
            files.append(File(
                path.relative_to(SHARED).as_posix(), str(SHARED),
                config.site_dir, config.use_directory_urls,
            ))
    return files


def on_post_build(config):
    if "half" in config.extra or config.extra["language"] != "zh":
        return
    english = Path(config.site_dir) / "en"
    build_half("en", english, config.site_url + "en/", strict=config.strict,
               serve_url=config.site_url if state["command"] == "serve" else None)
    os.replace(staging(english), english)
    if state["command"] == "serve":
        publish(state["site"])


def on_build_error(error):
    state["failed"] = True


def on_shutdown():
    """`mkdocs build` ends here, strict mode's verdict included."""
    site = state["site"]
    if site is None or not staging(site).exists():
        return
    if state["failed"]:
        shutil.rmtree(staging(site))
    else:
        publish(site)
        state["config"].site_dir = str(site)


def stamp(name: str) -> dict:
    """Return the modification time of each input file of that name."""
    roots = [ROOT / path for path in INPUTS[name]]
    files = [f for r in roots for f in (r.rglob("*") if r.is_dir() else [r])]
    return {f: f.stat().st_mtime_ns for f in files
            if f.is_file() and "__pycache__" not in f.parts}


def on_serve(server, config, builder):
    for paths in INPUTS.values():
        for path in paths:
            server.watch(str(ROOT / path))
    site, url = state["site"], config.site_url
    seen = {name: stamp(name) for name in INPUTS}
    pending = set()  # languages that changed and are not built yet

    def rebuild():
        now = {name: stamp(name) for name in INPUTS}
        both = now["both"] != seen["both"]
        pending.update(n for n in ("zh", "en") if both or now[n] != seen[n])
        seen.update(now)
        for name in sorted(pending, reverse=True):
            at = site if name == "zh" else site / "en"
            address = url if name == "zh" else url + "en/"
            try:
                build_half(name, at, address, serve_url=url)
            except (Exception, SystemExit) as error:  # the server would stop answering
                print(f"{error.__cause__ or error.__context__ or error}\n"
                      "The last good pages stay; save again to retry.", file=sys.stderr)
            else:
                publish(at, keep="en" if name == "zh" else None)
                pending.discard(name)
                print(f"Rebuilt {address}", file=sys.stderr)

    server.builder = rebuild
    log.info(f"English at {url}en/; after a change to hooks/, start again")
