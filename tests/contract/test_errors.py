"""The page of errors: each wrong/right pair of an article is on it, with its fix."""

import re

import pytest
from mkdocs.exceptions import PluginError

from contract import ROOT
from errors import SAYS_SO, Error, bullets, quotes, read_errors, reads_like_one

OUT = "step 1\nValueError: expected 2 columns, found 3 in shape (4, 3)\n"
PAIR = """## A wrong shape {#shape}

`ValueError: expected 2 columns, found 3`: pass the transpose.

<div class="pair" markdown>
<div class="wrong" markdown>

```text
--8<-- "guide/wrong_shape.out"
```

</div>
</div>
"""


@pytest.fixture
def article(tmp_path):
    (tmp_path / "guide").mkdir()
    (tmp_path / "guide/wrong_shape.out").write_text(OUT)

    def read(text):
        page = tmp_path / "page.md"
        page.write_text(text, "utf-8")
        return read_errors(page, "docs/en/page.md", tmp_path)

    return read


def test_an_error_is_found_with_its_heading(article):
    assert article("---\ntitle: x\n---\n\nText.\n\n" + PAIR) == [
        Error("ValueError: expected 2 columns, found 3", "A wrong shape", "shape")]


def test_the_text_is_that_of_the_section(article):
    """Another section quotes the same output; a pair below has its own heading."""
    other = PAIR.replace("#shape", "#other").replace("2 columns, found", "… found")
    assert [(e.text, e.anchor) for e in article(PAIR + other)] == [
        ("ValueError: expected 2 columns, found 3", "shape"),
        ("ValueError: expected … found 3", "other")]


@pytest.mark.parametrize("old, new, message", [
    ("## A wrong shape {#shape}\n", "", "docs/en/page.md:5: the error needs a heading with an id"),
    (" {#shape}", "", "docs/en/page.md:6: the error needs a heading with an id above it"),
    ("`ValueError: expected 2 columns, found 3`", "An error",
     "docs/en/page.md:6: the text of the error in guide/wrong_shape.out is not in the prose"),
    ("`ValueError: expected 2 columns, found 3`", "`KeyError: nothing`",
     "docs/en/page.md:6: the text of the error in guide/wrong_shape.out is not in the prose"),
])
def test_a_broken_pair_is_named(article, old, new, message):
    assert old in PAIR
    with pytest.raises(PluginError, match=re.escape(message)):
        article(PAIR.replace(old, new, 1))


def test_a_quotation_shares_words_or_is_part_of_the_output():
    prose = "`ValueError: expected … found 3`, `in shape (4, 3)`, `shape`, `KeyError: no text`"
    assert quotes(prose, OUT) == ["ValueError: expected … found 3", "in shape (4, 3)"]


def test_what_else_a_section_quotes_is_listed(article):
    """Errors in prose and tables too, once each; not code, commands or wrong numbers."""
    more = ("\n| `The profile must have a shape` | give one |\n\nNot `for name in engine:` nor "
            "`pip install one two three`; `expected 2 columns, found` is listed already.\n"
            "\n## Others {#others}\n\n`No driver was found for it`, "
            "`The profile must have a shape`")
    assert [(e.text, e.anchor, e.shown) for e in article(PAIR + more)] == [
        ("ValueError: expected 2 columns, found 3", "shape", True),
        ("The profile must have a shape", "shape", False),
        ("No driver was found for it", "others", False)]


def test_a_wrong_number_s_text_is_not_an_error(article, tmp_path):
    (tmp_path / "guide/wrong_shape.out").write_text("the arm turned by 3, not by 5\n")
    assert article(PAIR.replace("ValueError: expected 2 columns, found 3",
                                "the arm turned by 3, not by 5")) == []


@pytest.mark.parametrize("text, like", [
    ("Network must have at least one output", True), ("must be a real number", True),
    ("has 4 dimensions but profile 0 has 3 dimensions", True), ("must fail", False),
    ("OutOfMemory (Requested size was 7864319 bytes.)", True), ("x = not a or not b(c)", False),
    ("git submodule update --init path", False), ("Timed out waiting for the operation", True)])
def test_a_sentence_of_trouble_reads_like_an_error(text, like):
    assert reads_like_one(text) is like


@pytest.mark.parametrize("language", ["zh", "en"])
def test_errors_without_a_pair_are_listed(language):
    """What a reader of these two articles searches for, written by hand."""
    listed = {e.text for page in ("tensorrt-build", "onnx-export") for e in read_errors(
        ROOT / f"docs/{language}/deployment/{page}.md", page)}
    for text in ("no optimization profile has been defined", "Could not guard on data-dependent",
                 "is missing dimensions in profile 0", "Network must have at least one output",
                 "Requested size was", "Input file cannot be found", "asked for opset 11, got 18",
                 "CUDA driver version is insufficient"):
        assert any(text in each for each in listed), text


def test_a_quotation_may_hold_backticks():
    assert quotes("``'a' must be `b c d` here``", "x: 'a' must be `b c d` here") == [
        "'a' must be `b c d` here"]


@pytest.mark.parametrize("out, listed", [
    ("position error 3.96 m\n", False), ("det R = -1.00\n", False), ("got opset 18\n", False),
    ("fatal: No url found for submodule path\n", True), ("ValueError: no path\n", True),
    ("WARNING -  Doc file has no path\n", True), ("x.cpp:203: Failed to open file\n", True),
    ("[ONNXRuntimeError] : 2 : INVALID\n", True), ("page.md:3: the heading needs an id\n", True)])
def test_a_wrong_number_is_not_an_error(article, tmp_path, out, listed):
    (tmp_path / "guide/wrong_shape.out").write_text(out)
    page = PAIR.replace("ValueError: expected 2 columns, found 3", out.strip())
    assert [e.text for e in article(page)] == ([out.strip()] if listed else [])


@pytest.mark.parametrize("language", ["zh", "en"])
def test_every_wrong_snippet_of_this_site_is_listed(language):
    docs = ROOT / "docs" / language
    for page in docs.glob("*/*.md"):
        text = page.read_text("utf-8")
        shown = set(re.findall(r'--8<-- "([\w-]+/wrong_\w+)\.out"', text))
        outs = [(ROOT / f"snippets/{name}.out").read_text("utf-8") for name in shown]
        errors = read_errors(page, page.as_posix())
        assert bool(errors) >= any(SAYS_SO.search(out) for out in outs), page
        anchors = set(re.findall(r"\{ *#([\w-]+)", text))
        assert {e.anchor for e in errors} <= anchors


def test_a_text_that_two_sections_quote_is_listed_once():
    """First the one that reproduces it, then the longest; times may differ."""
    texts = [("Timed out waiting … for recv", False), ("ValueError: no path is given", False),
             ("Timed out waiting 1000ms for recv", True), ("no path is given.", False),
             ("Timed out waiting 2 s for send", True), ("no path is given in x", False)]
    found = [(Error(text, "h", "a", shown), f"[{i}](x)") for i, (text, shown) in enumerate(texts)]
    assert bullets(found) == [
        "- `Timed out waiting 1000ms for recv`<br>[2](x)<br>[0](x)",
        "- `ValueError: no path is given`<br>[1](x)<br>[5](x)<br>[3](x)",
        "- `Timed out waiting 2 s for send`<br>[4](x)"]


@pytest.mark.parametrize("text", [
    "exitcode  : -9", "Signal 9 (SIGKILL) received by PID", "CUDA error: invalid device ordinal",
    "Duplicate GPU detected : rank 1 and rank 0 both on CUDA device",
    "error: unrecognized arguments: --local-rank=0"])
def test_what_pitfalls_quotes_reads_like_an_error(text):
    assert reads_like_one(text)


def test_both_languages_list_the_same_errors():
    for page in (ROOT / "docs/zh").glob("*/*.md"):
        other = ROOT / "docs/en" / page.relative_to(ROOT / "docs/zh")
        anchors = [[e.anchor for e in read_errors(p, p.as_posix())] for p in (page, other)]
        assert anchors[0] == anchors[1], page


def test_the_built_page_lists_an_error_and_a_broken_pair_stops_the_build(project):
    (project.root / "snippets/guide/wrong_shape.out").write_text(OUT)
    for language in ("zh", "en"):
        (project.root / f"docs/{language}/errors.md").write_text(
            (ROOT / f"docs/{language}/errors.md").read_text("utf-8"), "utf-8")
        page = project.page(language)
        page.write_text(page.read_text("utf-8") + "\n" + PAIR, "utf-8")
    done = project.build()
    assert done.returncode == 0, done.stdout
    for folder in ("errors", "en/errors"):
        html = (project.root / "site" / folder / "index.html").read_text("utf-8")
        assert re.search(r'<h2 id="guide">.*?<code>ValueError: expected 2 columns, found 3</code>'
                         r'<br\s?/?><a href="\.\./guide/sample/#shape">', html, re.S)
        text = (project.root / "site" / folder / "index.md").read_text("utf-8")
        assert "`ValueError: expected 2 columns, found 3`" in text
    for language in ("zh", "en"):
        page = project.page(language)
        page.write_text(page.read_text("utf-8").replace("`ValueError:", "`KeyError").replace(
            "columns, found", "a, b"), "utf-8")
    failed = project.build()
    assert failed.returncode != 0
    assert "docs/zh/guide/sample.md:" in failed.stdout
    assert "the text of the error in guide/wrong_shape.out is not in the prose" in failed.stdout
