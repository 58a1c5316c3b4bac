"""Clauses 4 and 5: the record says what the tests prove now; wrongs are shown."""

import ast
import json
from pathlib import Path

import pytest

from contract import ROOT
from errors import quotes
from snippets import fences
from verified import content_hash

SNIPPETS = ROOT / "snippets"
WRONG = sorted(p.relative_to(SNIPPETS).as_posix() for p in SNIPPETS.glob("*/wrong_*.py"))


def claimed(tests: Path) -> dict[str, dict]:
    """Read the `claim` marks of all tests: test id -> the mark's arguments."""
    found = {}
    for path in sorted(tests.glob("*/test_*.py")):
        for node in ast.parse(path.read_text("utf-8")).body:
            for mark in getattr(node, "decorator_list", []):
                if isinstance(mark, ast.Call) and ast.unparse(mark.func) == "pytest.mark.claim":
                    test = f"tests/snippets/{path.parent.name}/{path.name}::{node.name}"
                    found[test] = {k.arg: ast.literal_eval(k.value) for k in mark.keywords}
    return found


def recorded(snippets: Path) -> dict[str, dict]:
    """Read the records: test id -> the claim as it was recorded."""
    return {claim["test"]: claim
            for path in snippets.glob("*/verified.json")
            for entry in json.loads(path.read_text("utf-8")).values()
            for claim in entry["claims"] + entry["not_verified"]}


def differences(claims: dict, records: dict) -> list[str]:
    """Name each claim without a test, test without a record, and changed text."""
    problems = [f"{t}: the record has a claim that no test makes" for t in records.keys() - claims]
    problems += [f"{t}: not in the record; run make verify" for t in claims.keys() - records]
    for test in claims.keys() & records:
        for name in ("zh", "en", "against_zh", "against_en", "tolerance"):
            if claims[test].get(name, "") != records[test][name]:
                problems.append(f"{test}: `{name}` has changed; run make verify")
    return problems


def stale(root: Path) -> list[str]:
    return [f"snippets/{name} has changed since it was verified"
            for path in (root / "snippets").glob("*/verified.json")
            for name, entry in json.loads(path.read_text("utf-8")).items()
            if entry["hash"] != content_hash(name, root)]


def test_the_record_is_what_the_tests_claim():
    assert differences(claimed(ROOT / "tests/snippets"), recorded(SNIPPETS)) == []


def test_no_snippet_has_changed_since_it_was_verified():
    assert stale(ROOT) == []


def test_a_claim_without_a_test_is_caught():
    claims = claimed(ROOT / "tests/snippets")
    invented = {"tests/snippets/x/test_y.py::test_z": {"zh": "", "en": ""}}
    assert differences(claims, recorded(SNIPPETS) | invented) == [
        "tests/snippets/x/test_y.py::test_z: the record has a claim that no test makes"]


def test_a_reworded_claim_is_caught():
    claims = claimed(ROOT / "tests/snippets")
    test = min(claims)
    reworded = claims | {test: claims[test] | {"en": "Something else."}}
    assert differences(reworded, recorded(SNIPPETS)) == [
        f"{test}: `en` has changed; run make verify"]


def test_a_changed_snippet_is_caught(project):
    name = "guide/sample.py"
    (project.root / "snippets/guide/verified.json").write_text(
        json.dumps({name: {"hash": content_hash(name, project.root)}}))
    assert stale(project.root) == []
    project.edit(project.root / "snippets" / name, "41", "42")
    assert stale(project.root) == [f"snippets/{name} has changed since it was verified"]


def test_every_snippet_has_a_test_module():
    tests = "\n".join(p.read_text("utf-8") for p in (ROOT / "tests/snippets").glob("*/test_*.py"))
    names = {p.relative_to(ROOT / "tests/snippets").as_posix()
             for p in (ROOT / "tests/snippets").glob("*/test_*.py")}
    for path in SNIPPETS.glob("*/*.py"):
        own = f"{path.parent.name}/test_{path.stem}.py"
        named = f"{path.parent.name}/{path.name}"
        assert own in names or named in tests, f"no test for snippets/{named}"


@pytest.mark.parametrize("name", WRONG)
def test_a_wrong_version_shows_its_symptom_on_a_page(name):
    """Its output is shown, and its error text is also in the prose, to be found."""
    out = (SNIPPETS / name).with_suffix(".out")
    assert out.exists(), f"snippets/{name} needs an .out that shows its symptom"
    pages = [p for p in (ROOT / "docs").rglob("*.md")
             if any(f'"{name.removesuffix(".py")}.out"' in "".join(f.body)
                    for f in fences(p.read_text("utf-8")))]
    assert {p.relative_to(ROOT / "docs").parts[0] for p in pages} == {"zh", "en"}
    for page in pages:
        assert quotes(page.read_text("utf-8"), out.read_text("utf-8")), (
            f"{page}: the text of the error in {out.name} is not in the prose")
