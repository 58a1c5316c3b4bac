"""Clauses 1, 6 and 8 on the pages' sources: what `contract.check` must catch."""

import pytest

import contract
from contract import faults, mismatches
from snippets import fences

LANGUAGES = ("zh", "en")


def problems(project) -> list[str]:
    root = project.root.as_posix() + "/"
    docs = project.root / "docs"
    return [p.replace(root, "") for p in faults(docs, contract.allowed_tags()) + mismatches(docs)]


def test_the_sample_project_has_no_problem(project):
    assert problems(project) == []


def test_this_site_has_no_problem():
    assert faults(contract.ROOT / "docs", contract.allowed_tags()) == []
    assert mismatches(contract.ROOT / "docs") == []


def test_missing_translation(project):
    project.page("en").unlink()
    assert problems(project)[0].startswith("docs/zh/guide/sample.md:1: ")
    assert "docs/en/guide/sample.md" in problems(project)[0]


@pytest.mark.parametrize("kind, old, new", [
    ("heading", "{#first}", "{#second}"),
    ("section", "guide/sample.py:main", "guide/sample.py"),
    ("figure", "guide/sample.svg", "guide/../guide/sample.svg"),
    ("formula", "$a + b$", "$a - b$"),
    ("formula", "\\frac{a}{b}", "\\frac{b}{a}"),
])
def test_a_part_in_one_language_only(project, kind, old, new):
    line = project.edit(project.page("zh"), old, new)
    if kind == "section" or old.startswith("\\frac"):
        line -= 1  # the line that opens the block
    assert f"docs/zh/guide/sample.md:{line}: {kind} 1 differs" in "\n".join(
        problems(project)).replace("formula 2", "formula 1")


@pytest.mark.parametrize("old, new, message", [
    (" {#first}", "", "the heading needs an id"),
    ("## ", "# ", "the page's title stands in its front matter"),
    ("](index.md)", "](gone.md)", "dead link to gone.md"),
    ("](#first)", "](#second)", "no heading #second in sample.md"),
    ("](index.md)", "](index.md#nowhere)", "no heading #nowhere in index.md"),
    ("guide/sample.svg", "guide/gone.svg", "there is no image ../figures/guide/gone.svg"),
    ("[pytest]", "[pytset]", "unknown tag 'pytset'"),
])
def test_broken_reference(project, old, new, message):
    line = project.edit_both(old, new)
    for language in LANGUAGES:
        assert any(p.startswith(f"docs/{language}/guide/sample.md:{line}: {message}")
                   for p in problems(project)), problems(project)


def test_an_id_may_be_used_once(project):
    for language in LANGUAGES:
        page = project.page(language)
        page.write_text(page.read_text("utf-8") + "\n### Again { #first .class }\n", "utf-8")
        line = page.read_text("utf-8").count("\n")
    assert problems(project) == [
        f"docs/{language}/guide/sample.md:{line}: the id #first is taken by an earlier heading"
        for language in LANGUAGES]


def test_code_in_prose_is_not_taken_for_links_or_formulas(project):
    project.edit_both("\n## ", "\n`[a](gone.md) $x$` costs $5 and $6\n\n## ")
    assert problems(project) == []


def test_fences_nest_and_keep_their_lines():
    text = "a\n\n````text\n```\n````\n  ```python hl_lines=\"1\"\n  x\n  ```\n"
    first, second = fences(text)
    assert (first.line, first.last, first.body) == (3, 5, ["```"])
    assert (second.line, second.indent, second.options) == (6, "  ", 'hl_lines="1"')
