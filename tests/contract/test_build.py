"""Clauses 1, 4, 7 and 8 on the build: each fault stops it and is named."""

import hashlib
import json

import pytest


def test_the_sample_project_builds_and_a_fault_leaves_the_site_as_it_was(project):
    done = project.build()
    assert done.returncode == 0, done.stdout
    site = project.root / "site"
    for page in ("guide/sample", "en/guide/sample"):
        html = (site / page / "index.html").read_text("utf-8")
        assert "<math" in html and "<svg" in html and "--8&lt;--" not in html
    copy = (site / "en/guide/sample/sample.py").read_text("utf-8")
    text, _, end = copy.partition("\n# Source: ")
    assert end.startswith("https://runnable-notes.example/en/guide/sample/\n")
    assert hashlib.sha256(text.encode()).hexdigest()[:12] in end
    before = {p: p.read_bytes() for p in site.rglob("*") if p.is_file()}

    project.edit(project.page("en"), "One sentence.", "[One](#gone) sentence.")
    failed = project.build()
    assert failed.returncode != 0
    assert "docs/en/guide/sample.md:11: no heading #gone in sample.md" in failed.stdout
    assert {p: p.read_bytes() for p in site.rglob("*") if p.is_file()} == before
    assert not list(project.root.glob("site.*"))


@pytest.mark.parametrize("old, new, message", [
    ('--8<-- "guide/sample.py:main"', "print(41)", "code is typed into the page"),
    ("guide/sample.py:main", "guide/sample.py:gone", "has no section 'gone' (it has: main)"),
    ("guide/sample.py:main", "guide/gone.py", "there is no file snippets/guide/gone.py"),
    ('"guide/sample.py:main"', "guide/sample.py:main", "code is typed into the page"),
    ("$a + b$", "$a + \\sqroot{b}$", 'Unknown command "\\sqroot"'),
    ("\n## ", "\n    indented = 'code'\n\n## ", "not an embedded section"),
    ("\n## ", '\n<script src="https://cdn.example/x.js"></script>\n\n## ',
     "the page loads https://cdn.example/x.js from another host"),
    ("order: 10", "order: first", "the front matter needs `order` (int); found 'first'"),
    ("title: ", "title: Broken: ", "front matter that is valid YAML"),
    ("[A1]", "[A99]", "no source 'A99' in docs/sources.yml"),
])
def test_fault_stops_the_build(project, old, new, message):
    line = project.edit_both(old, new)
    done = project.build()
    assert done.returncode != 0 and message in done.stdout, done.stdout
    assert "guide/sample.md" in done.stdout
    if "--8<--" in old or "sample.py" in old:
        opening = line - 1
        assert f"docs/zh/guide/sample.md:{opening}: " in done.stdout
    if "$" in old:
        assert f"docs/zh/guide/sample.md:{line}: " in done.stdout
    assert not (project.root / "site").exists()


def test_a_table_that_a_snippet_printed_is_a_table_in_the_page_s_language(project):
    out = project.root / "snippets/guide/sample.out"
    out.write_text("# --8<-- [start:t]\n| {{词|word}} |\n| --- |\n| `a` |\n# --8<-- [end:t]\n")
    project.edit_both("\n## ", '\n```table\n--8<-- "guide/sample.out:t"\n```\n\n## ')
    done = project.build()
    assert done.returncode == 0, done.stdout
    for page, word in (("guide/sample", "词"), ("en/guide/sample", "word")):
        html, text = [(project.root / "site" / page / f"index.{kind}").read_text("utf-8")
                      for kind in ("html", "md")]
        assert f"<th>{word}</th>" in html and "<td><code>a</code></td>" in html
        assert f"| {word} |\n| --- |" in text and "```table" not in text
    line = project.edit_both("guide/sample.out:t", "guide/sample.py:main") - 1
    failed = project.build()
    assert failed.returncode != 0
    assert f"docs/zh/guide/sample.md:{line}: a table must be what a snippet" in failed.stdout


def test_empty_section_stops_the_build(project):
    project.edit(project.root / "snippets/guide/sample.py",
                 "def main():\n    print(json.dumps(41))\n", "")
    done = project.build()
    assert done.returncode != 0
    assert "docs/zh/guide/sample.md:19: snippets/guide/sample.py:main is empty" in done.stdout


def record(project, digest: str) -> None:
    entry = {"hash": digest, "date": "2026-12-01", "device": "CPU", "seconds": 0.1,
             "versions": {"Python": "3"}, "claims": [], "not_verified": []}
    path = project.root / "snippets/guide/verified.json"
    path.write_text(json.dumps({"guide/sample.py": entry}))


def test_a_snippet_changed_since_it_was_verified_shows_that_and_fails_ci(project):
    record(project, "0" * 16)
    strict = project.build(CI="true")
    assert strict.returncode != 0
    assert "snippets/guide/sample.py has changed since it was verified" in strict.stdout
    project.root.joinpath("site").mkdir(exist_ok=True)
    lenient = project.build()
    assert "sample.md: snippets/guide/sample.py has changed" in lenient.stdout
    assert lenient.returncode != 0  # --strict


def test_a_missing_package_is_named(project):
    with (project.root / "requirements-site.txt").open("a") as pins:
        pins.write("no-such-package==1.0\n")
    done = project.build()
    assert done.returncode != 0
    assert "no-such-package 1.0 is not installed" in done.stdout
    assert "pip install -r requirements-site.txt" in done.stdout
