"""Each figure is what its script draws from the snippets' numbers today."""

import importlib.util
import re

import pytest

from contract import ROOT

SCRIPTS = sorted((ROOT / "figures").glob("*/*.py"))
FIGURES = sorted((ROOT / "docs/shared/figures").rglob("*.svg"))


def load(path):
    spec = importlib.util.spec_from_file_location(f"figure_{path.stem}", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda p: p.stem)
def test_figure_is_up_to_date(path):
    figure = load(path)
    assert figure.draw() == figure.OUT.read_text("utf-8"), "run make figures"


def test_every_figure_has_a_script_and_a_page():
    drawn = {load(path).OUT for path in SCRIPTS}
    assert drawn == set(FIGURES)
    pages = "".join(p.read_text("utf-8") for p in (ROOT / "docs/zh").rglob("*.md"))
    for path in FIGURES:
        assert path.relative_to(ROOT / "docs/shared").as_posix() in pages, f"{path.name} is unused"


@pytest.mark.parametrize("path", FIGURES, ids=lambda p: p.stem)
def test_figure_follows_the_page(path):
    """Colours are the page's variables, words are in both languages, no script."""
    svg = path.read_text("utf-8")
    assert "viewBox=" in svg and not re.search(r"<svg[^>]* (width|height)=", svg)
    assert not re.search(r"<(style|script|image)|#[0-9a-fA-F]{3,6}\b(?!\))|rgb\(", svg)
    assert svg.count('class="zh"') == svg.count('class="en"') > 0
    words = re.findall(r"<text(?![^>]*class=)[^>]*>([^<]*)<", svg)
    assert not [w for w in words if re.search(r"[\u4e00-\u9fff]", w)]
