"""Clauses 1, 2 and 3 on notebooks: their cells, and what they print when run again.

`pytest tests/contract/test_notebooks.py --update` (`make outputs`) puts the
snippet's sections into the code cells, runs them and rewrites the outputs.
"""

import re
from pathlib import Path

import nbformat
import pytest

from contract import ROOT
from pages import outputs, snippet_of
from process import run_notebook
from snippets import MARKER, modules, runnable, section

NOTEBOOKS = sorted((ROOT / "docs").glob("*/*/*.ipynb"))
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
        cell.execution_count, cell.outputs = now.execution_count, now.outputs
        for output in cell.outputs:
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


@pytest.mark.parametrize("path", NOTEBOOKS, ids=where)
def test_a_notebook_shows_what_it_prints_today(path, tmp_path, request):
    before, name, update = nbformat.read(path, 4), snippet_of(path), request.config.getoption
    snippet = ROOT / "snippets" / name
    book = nbformat.read(path, 4)
    if update("--update"):
        for cell in code_cells(book):
            cell.source = section(name, cell.id)
    assert update("--update") or typed(path, snippet) == []
    for module in modules(snippet):
        (tmp_path / module.name).write_text(runnable(module), "utf-8")
    book = lean(execute(book, tmp_path), book)
    problems = differences(path, before, book)
    left = {p.name for p in tmp_path.iterdir()} - {m.name for m in modules(snippet)}
    assert left == {"book.ipynb", "done.ipynb"}, "the notebook leaves files behind"
    if update("--update"):
        assert not [p for p in problems if "shows nothing" in p], problems
        sources = [c.source for c in before.cells] != [c.source for c in book.cells]
        if problems or sources:
            path.write_text(nbformat.writes(book) + "\n", "utf-8")
    else:
        assert problems == []
        assert path.read_text("utf-8") == nbformat.writes(before) + "\n", "write it with nbformat"


@pytest.mark.parametrize("path", [p for p in NOTEBOOKS if "/zh/" in p.as_posix()], ids=where)
def test_both_languages_have_the_same_cells_and_outputs(path):
    books = [nbformat.read(p, 4) for p in
             (path, ROOT / "docs/en" / path.relative_to(ROOT / "docs/zh"))]
    zh, en = [[(c.id, c.source, outputs(c)) for c in code_cells(b)] for b in books]
    assert zh == en
    assert [c.cell_type for c in books[0].cells] == [c.cell_type for c in books[1].cells]
    assert all(c.source.count("\n") < 40 for c in code_cells(books[0])), "a cell fits a screen"


@pytest.fixture
def small(tmp_path):
    """A notebook of one cell, and the snippet that it shows."""
    snippet = tmp_path / "snippets/guide/sum_up.py"
    snippet.parent.mkdir(parents=True)
    snippet.write_text("# --8<-- [start:total]\nprint(2 + 2)\n# --8<-- [end:total]\n")
    cell = nbformat.v4.new_code_cell("print(2 + 2)")
    cell.id = "total"
    cell.outputs = [nbformat.v4.new_output("stream", text="4\n")]
    nbformat.write(nbformat.v4.new_notebook(cells=[cell]), tmp_path / "sum-up.ipynb")
    return tmp_path / "sum-up.ipynb", snippet


def changed(path: Path, **cell):
    book = nbformat.read(path, 4)
    book.cells[0].update(cell)
    return book


def test_a_cell_that_is_not_its_section_is_named(small):
    path, snippet = small
    assert typed(path, snippet) == []
    nbformat.write(changed(path, source="print(2 + 3)"), path)
    assert typed(path, snippet) == [
        "sum-up.ipynb: cell total differs from sum_up.py:total; run make outputs"]
    nbformat.write(changed(path, id="sum"), path)
    assert typed(path, snippet) == [
        "sum-up.ipynb: the code cells are ['sum'], the sections of sum_up.py ['total']"]


def test_a_stale_or_empty_output_is_named(small):
    path, _ = small
    new = nbformat.v4.new_output
    before = changed(path)
    for outs, problem in (([new("stream", text="4\n")], []), ([], ["shows nothing"]),
                          ([new("stream", text=" \n")], ["shows nothing"]),
                          ([new("stream", text="5\n")], ["is stale: run make outputs"])):
        assert differences(path, before, changed(path, outputs=outs)) == [
            f"sum-up.ipynb: cell total {p}" for p in problem]
    with pytest.raises(ValueError, match="cell total: .*neither text nor SVG: NameError"):
        differences(path, before, changed(path, outputs=[
            new("error", ename="NameError", evalue="x", traceback=[])]))


def test_a_figure_that_moved_is_noticed():
    old = [("svg", '<path d="M1.0 2.0"/>')]
    assert same(old, [("svg", '<path d="M1.1 2.0"/>')])
    assert not same(old, [("svg", '<path d="M1.3 2.0"/>')])
    assert not same(old, [("svg", '<path d="M1.0 2.0" fill="red"/>')])


def test_a_cell_that_fails_fails_the_test(small, tmp_path):
    (tmp_path / "run").mkdir()
    with pytest.raises(AssertionError, match=r"NameError.*name 'x' is not defined"):
        execute(changed(small[0], source="x"), tmp_path / "run")
