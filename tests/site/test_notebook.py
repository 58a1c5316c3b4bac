"""A notebook's page: as light and as closed as any other, and what a reader downloads runs."""

import re
import shutil

import nbformat
import pytest

from contract import ROOT
from pages import outputs
from process import run_notebook

NOTEBOOKS = [p.relative_to(ROOT / "docs/zh").with_suffix("").as_posix()
             for p in (ROOT / "docs/zh").glob("*/*.ipynb")]
LANGUAGES = ("", "en/")


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("article", NOTEBOOKS)
def test_the_page_is_light_and_holds_nothing_of_the_plugin(site, language, article):
    page = (site / language / article / "index.html").read_bytes()
    assert len(page) < 150_000
    assert not re.search(rb"(?i)mermaid|mathjax|requirejs|jupyter-wrapper|ipynb-|jp-", page)
    assert page.count(b'class="snippet python"') > 3 and b"<math" in page
    text = (site / language / article / "index.md").read_text("utf-8")
    assert "<!-- output" not in text and "--8<--" not in text and "```text\n" in text
    figures = re.findall(r"!\[[^\]]{30,}\]\((\w+\.svg)\)", text)
    assert figures and all((site / language / article / name).is_file() for name in figures)


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("article", NOTEBOOKS)
def test_what_the_page_offers_runs_in_an_empty_folder(
        site, language, article, tmp_path):
    page = (site / language / article / "index.html").read_text("utf-8")
    offered = re.search(r'<p class="downloads">.*?</p>', page, re.S)[0]
    names = re.findall(r'<a href="([^"]+)" download>', offered)
    for name in names:
        shutil.copy(site / language / article / name, tmp_path / name)
    done = run_notebook(names[0], tmp_path)
    assert done.returncode == 0, done.stderr
    book, ran = [nbformat.read(tmp_path / name, 4) for name in (names[0], "done.ipynb")]
    assert book.cells[0].cell_type == "markdown" and book.cells[0].source.startswith("# ")
    assert not re.search(r"\{ *#|\]\([^:)]*\.(md|ipynb)", "".join(
        c.source for c in book.cells if c.cell_type == "markdown"))
    texts = ["".join(text for c in b.cells if c.cell_type == "code" for kind, text in outputs(c)
                     if kind == "text") for b in (book, ran)]
    assert texts[0] == texts[1] != ""


@pytest.mark.parametrize("article", NOTEBOOKS)
def test_a_cell_is_copied_as_it_stands_and_the_language_switches(open_page, address, article):
    page = open_page(f"{article}/", permissions=["clipboard-read", "clipboard-write"])
    page.locator(".snippet.python [data-copy]").first.click()
    book = nbformat.read(ROOT / f"docs/zh/{article}.ipynb", 4)
    first = next(c.source for c in book.cells if c.cell_type == "code")
    assert page.evaluate("navigator.clipboard.readText()").rstrip("\n") == first
    assert page.locator(".snippet.text [data-copy]").count() == 0
    assert all(len(label) > 20 for label in page.locator("figure svg[role=img]").evaluate_all(
        "all => all.map(svg => svg.getAttribute('aria-label'))"))
    page.locator("[data-language]").click()
    assert page.url.startswith(f"{address}en/{article}/")
