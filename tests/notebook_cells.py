"""Compare a notebook's cells with their snippet, and their outputs with a new run."""

import re
from pathlib import Path

import nbformat
import pytest

from contract import ROOT
from pages import outputs
from process import run_notebook
from snippets import MARKER, section

NUMBER = re.compile(r"-?\d+\.\d+")


def where(path: Path) -> str:
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.name


def code_cells(book) -> list:
    return [cell for cell in book.cells if cell.cell_type == "code"]


def typed(path: Path, snippet: Path) -> list[str]:
    """Name each code cell that is not its section, and sections out of place."""
    book, root = nbformat.read(path, 4), snippet.parent.parent
    lines = snippet.read_text("utf-8").splitlines()
    names = [m[2] for m in map(MARKER.match, lines) if m and m[1] == "start"]
    ids = [cell.id for cell in code_cells(book)]
    if ids != names:
        return [f"{where(path)}: the code cells are {ids}, the sections of {snippet.name} {names}"]
    return [f"{where(path)}: cell {cell.id} differs from {snippet.name}:{cell.id}; run make outputs"
            for cell in code_cells(book)
            if cell.source != section(f"{snippet.parent.name}/{snippet.name}", cell.id, root)]


def execute(book, folder: Path):
    """Run a notebook in a folder and return it."""
    nbformat.write(book, folder / "book.ipynb")
    done = run_notebook("book.ipynb", folder)
    assert done.returncode == 0, done.stderr
    return nbformat.read(folder / "done.ipynb", 4)


def lean(ran, book):
    """Return the notebook with the outputs of a run: text, and SVG without its repr."""
    for cell, now in zip(code_cells(book), code_cells(ran), strict=True):
        cell.execution_count, cell.outputs = now.execution_count, []
        for output in now.outputs:
            last = cell.outputs[-1] if cell.outputs else {}
            if output.output_type == "stream" and last.get("name") == output.name:
                last.text += output.text  # a busy machine hands text out in pieces
                continue
            cell.outputs.append(output)
            if "image/svg+xml" in output.get("data", {}):
                output.data = {"image/svg+xml": output.data["image/svg+xml"]}
    return book


def differences(path: Path, before, now) -> list[str]:
    """Name each cell that shows nothing, an error, or something else than before."""
    problems = []
    for old, new in zip(code_cells(before), code_cells(now), strict=True):
        shown = [outputs(cell) for cell in (old, new)]
        if not shown[1] or not all(text.strip() for _, text in shown[1]):
            problems.append(f"{where(path)}: cell {new.id} shows nothing")
        elif not same(*shown):
            problems.append(f"{where(path)}: cell {new.id} is stale: run make outputs")
    return problems


def same(old: list, new: list) -> bool:
    """Text must be equal; a figure's numbers may differ in their last digit."""
    def parts(shown):
        return [(kind, NUMBER.sub("#", text) if kind == "svg" else text) for kind, text in shown]

    def numbers(shown):
        return [float(n) for kind, text in shown if kind == "svg" for n in NUMBER.findall(text)]

    return parts(old) == parts(new) and numbers(old) == pytest.approx(numbers(new), abs=0.11)
