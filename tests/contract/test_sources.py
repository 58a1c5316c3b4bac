"""Clauses 1, 6 and 8 on the pages' sources: what `contract.check` must catch."""

import re

import pytest

import contract
from contract import check
from snippets import fences

LANGUAGES = ("zh", "en")


def problems(project) -> list[str]:
    root = project.root.as_posix() + "/"
    return [p.replace(root, "") for p in check(project.root / "docs", contract.allowed_tags())]


def test_the_sample_project_has_no_problem(project):
    assert problems(project) == []


def test_this_site_has_no_problem():
    assert check(contract.ROOT / "docs", contract.allowed_tags()) == []


def test_missing_translation(project):
    project.page("en").unlink()
    assert problems(project)[0].startswith("docs/zh/guide/sample.md:1: ")
    assert "docs/en/guide/sample.md" in problems(project)[0]


@pytest.mark.parametrize("kind, old, new", [
    ("heading", "{#first}\n", "{#first}\n\n### More {#more}\n"),
    ("section", "guide/sample.py:main", "guide/sample.py"),
    ("figure", "guide/sample.svg", "guide/../guide/sample.svg"),
    ("formula", "$a + b$", "$a - b$"),
    ("formula", "\\frac{a}{b}", "\\frac{b}{a}"),
])
def test_a_part_in_one_language_only(project, kind, old, new):
    line = project.edit(project.page("zh"), old, new)
    assert any(re.match(rf"docs/zh/guide/sample\.md:({line}|{line + 1}|{line + 2}|{line - 1}): "
                        f"{kind} \\d+ differs", p) for p in problems(project)), problems(project)


@pytest.mark.parametrize("old, new, message", [
    (" {#first}", "", "the heading needs an id"),
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


def test_code_in_prose_is_not_taken_for_links_or_formulas(project):
    project.edit_both("\n## ", "\n`[a](gone.md) $x$` costs $5 and $6\n\n## ")
    assert problems(project) == []


def test_fences_nest_and_keep_their_lines():
    text = "a\n\n````text\n```\n````\n  ```python hl_lines=\"1\"\n  x\n  ```\n"
    first, second = fences(text)
    assert (first.line, first.last, first.body) == (3, 5, ["```"])
    assert (second.line, second.indent, second.options) == (6, "  ", 'hl_lines="1"')
