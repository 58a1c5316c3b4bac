"""Clauses 1, 2 and 3 on notebooks: their cells, and what they print when run again.

`pytest tests/contract/test_notebooks.py --update` (`make outputs`) puts the
snippet's sections into the code cells, runs them and rewrites the outputs.
"""

import re
from pathlib import Path

import nbformat
import pytest

from contract import ROOT, allowed_tags, faults
from notebook_cells import code_cells, differences, execute, lean, same, typed, where
from pages import outputs, snippet_of
from snippets import modules, runnable, section

NOTEBOOKS = sorted((ROOT / "docs").glob("*/*/*.ipynb"))


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


def test_a_fault_is_named_with_the_notebook_s_own_line(project):
    head = project.page("zh").read_text("utf-8").split("---\n")[1]
    cells = [nbformat.v4.new_raw_cell(f"---\n{head}---"),
             nbformat.v4.new_markdown_cell("Text\n\n[gone](gone.md)\n\n```python\nx = 1\n```")]
    for language in ("zh", "en"):
        page = project.page(language).with_name("sum-up.ipynb")
        nbformat.write(nbformat.v4.new_notebook(cells=cells), page)
    line = project.edit(page, "[gone](gone.md)", "[gone](lost.md)")
    found = faults(project.root / "docs", allowed_tags())
    assert [p.partition("/docs/")[2] for p in found] == [
        f"zh/guide/sum-up.ipynb:{line}: dead link to gone.md",
        f"en/guide/sum-up.ipynb:{line}: dead link to lost.md"]
    for language in ("zh", "en"):
        page = project.page(language).with_name("sum-up.ipynb")
        page.write_text(re.sub(r"\[gone\]\(\w+\.md\)", "there", page.read_text("utf-8")), "utf-8")
    done = project.build()
    assert done.returncode != 0
    assert f"docs/zh/guide/sum-up.ipynb:{line + 2}: code is typed into the page" in done.stdout


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


def test_text_that_came_in_pieces_is_one_output(small):
    pieces = [nbformat.v4.new_output("stream", text=text) for text in ("2\n", "4\n")]
    book = lean(changed(small[0], outputs=pieces), changed(small[0]))
    assert outputs(book.cells[0]) == [("text", "2\n4\n")]


def test_a_figure_that_moved_is_noticed():
    old = [("svg", '<path d="M1.0 2.0"/>')]
    assert same(old, [("svg", '<path d="M1.1 2.0"/>')])
    assert not same(old, [("svg", '<path d="M1.3 2.0"/>')])
    assert not same(old, [("svg", '<path d="M1.0 2.0" fill="red"/>')])


def test_a_cell_that_fails_fails_the_test(small, tmp_path):
    (tmp_path / "run").mkdir()
    with pytest.raises(AssertionError, match=r"NameError.*name 'x' is not defined"):
        execute(changed(small[0], source="x"), tmp_path / "run")
