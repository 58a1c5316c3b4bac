"""Find pages and read them as Markdown: `.md` files, and executed notebooks.

A notebook's first cell is raw and holds the front matter. Its code cells are
the sections of one snippet, docs/<language>/<track>/a-b.ipynb of
snippets/<track>/a_b.py; a cell's id is the section's name. Its outputs are
left out here and put in by hooks/notebooks.py.
"""

import functools
import json
import re
from pathlib import Path

import yaml
from mkdocs.utils import meta

SUFFIXES = {".md", ".ipynb"}
PLACE = re.compile(r"<!-- output ([\w-]+) (\d+) -->")


def page_files(docs: Path, pattern: str = "**/*") -> list[Path]:
    return sorted(p for p in docs.glob(pattern) if p.suffix in SUFFIXES and p.is_file())


def snippet_of(notebook: Path) -> str:
    return f"{notebook.parent.name}/{notebook.stem.replace('-', '_')}.py"


def cells(notebook: Path) -> list[dict]:
    return json.loads(notebook.read_text("utf-8"))["cells"]


def source(cell: dict) -> str:
    return "".join(cell["source"])


def outputs(cell: dict) -> list[tuple[str, str]]:
    """Return what a code cell shows: ("text" or "svg", content) in order."""
    shown = []
    for output in cell["outputs"]:
        if output["output_type"] == "stream" and output["name"] == "stdout":
            shown.append(("text", "".join(output["text"])))
        elif svg := output.get("data", {}).get("image/svg+xml"):
            shown.append(("svg", "".join(svg)))
        else:
            what = output.get("ename") or output.get("name") or output["output_type"]
            raise ValueError(f"cell {cell['id']}: an output that is neither text nor SVG: {what}")
    return shown


def as_markdown(notebook: Path) -> str:
    """Return a notebook as an article, each line of text at its line of the file."""
    starts = [n for n, line in enumerate(notebook.read_text("utf-8").split("\n"), 1)
              if line.startswith('   "source": [')]
    out = []
    for cell, start in zip(cells(notebook), starts, strict=True):
        if cell["cell_type"] == "code":
            out += ["", "```python", f'--8<-- "{snippet_of(notebook)}:{cell["id"]}"', "```", ""]
            for i in range(len(outputs(cell))):
                out += [f"<!-- output {cell['id']} {i} -->", ""]
            continue
        if out:
            out += [""] * (start - len(out))
        out += [*source(cell).split("\n"), ""]
    return "\n".join(out)


def sources_of(docs: Path) -> dict:
    """Return docs/sources.yml: the old posts and the articles that mirror them."""
    return _yaml((docs / "sources.yml").read_text("utf-8"))


@functools.cache
def _yaml(text: str):
    return yaml.safe_load(text)


@functools.lru_cache(1024)
def head_of(text: str) -> tuple[str, dict]:
    """Return a page's text without its front matter, and the front matter; {} if broken."""
    return meta.get_data(text)


def page_text(path: Path) -> str:
    return as_markdown(path) if path.suffix == ".ipynb" else path.read_text("utf-8")
