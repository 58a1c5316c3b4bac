"""The site in a real browser: requests, copying, languages, figures, layout."""

import hashlib
import re

import pytest
from test_files import ADDRESSES, ROOT

from pages import page_files, page_text
from snippets import runnable, section

ARTICLE = "distributed/quickstart/"
LANGUAGES = ("", "en/")
CLIPBOARD = {"permissions": ["clipboard-read", "clipboard-write"]}
PHONE = {"viewport": {"width": 390, "height": 844}}


def pages(language: str) -> list[str]:
    return [f"{language}{a}/" if a else language for a in ADDRESSES]


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_page_asks_another_host_or_is_wider_than_a_phone(open_page, address, language):
    page = open_page(language, **PHONE)
    for path in pages(language) + [language + "404.html"]:
        page.goto(address + path)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390, path
    assert not [r for r in page.requested if "search_index" in r or "sitemap" in r]


@pytest.mark.parametrize("language", LANGUAGES)
def test_copy_gives_the_section_and_copy_runnable_the_whole(open_page, language):
    page = open_page(language + ARTICLE, **CLIPBOARD)
    block = page.locator(".snippet.python").first
    block.locator("[data-copy]").first.click()
    shown = page.evaluate("navigator.clipboard.readText()").rstrip("\n")
    source = (ROOT / "docs" / (language.strip("/") or "zh") / "distributed/quickstart.md")
    name, _, part = re.search(r'```python.*\n--8<-- "([^"]+)"', source.read_text("utf-8"))[1] \
        .partition(":")
    assert shown == section(name, part or None)

    block.locator("[data-copy]").nth(1).click()
    text, _, end = page.evaluate("navigator.clipboard.readText()").partition("\n# Source: ")
    assert text == runnable(ROOT / "snippets" / name)
    assert hashlib.sha256(text.encode()).hexdigest()[:12] in end
    with page.expect_download() as download:
        block.locator("a[download]").click()
    assert download.value.path().read_text("utf-8") == f"{text}\n# Source: {end}"


def test_prompts_and_output_are_never_copied(open_page):
    page = open_page(ARTICLE, **CLIPBOARD)
    shell = page.locator(".snippet.bash").first
    shell.locator("[data-copy]").click()
    assert not page.evaluate("navigator.clipboard.readText()").lstrip().startswith("$")
    assert page.locator(".snippet.text").count() > 0
    assert page.locator(".snippet.text [data-copy]").count() == 0


def test_long_lines_wrap_on_demand(open_page):
    page = open_page(ARTICLE, **PHONE)
    block = page.locator(".snippet.python").first
    code = block.locator("pre code")
    overflow = "e => e.scrollWidth - e.clientWidth"
    assert code.evaluate(overflow) > 0
    block.locator("[data-wrap]").click()
    assert code.evaluate(overflow) <= 0
    assert block.locator("[data-wrap]").get_attribute("aria-pressed") == "true"


@pytest.mark.parametrize("path, other", [
    (ARTICLE, "en/" + ARTICLE), ("en/" + ARTICLE, ARTICLE), ("", "en/"), ("en/tags/", "tags/")])
def test_language_switch_works_without_javascript(open_page, address, path, other):
    page = open_page(path, java_script_enabled=False)
    page.locator("[data-language]").click()
    assert page.url == address + other
    page.wait_for_load_state()
    assert page.locator("[data-copy]").filter(visible=True).count() == 0


def test_language_switch_keeps_the_place(open_page, address):
    page = open_page(ARTICLE)
    heading = page.locator("article h2[id]").nth(2)
    anchor = heading.get_attribute("id")
    heading.evaluate("e => scrollTo(0, e.getBoundingClientRect().top + scrollY - 80)")
    page.locator("[data-language]").click()
    assert page.url == f"{address}en/{ARTICLE}#{anchor}"


@pytest.mark.parametrize("article", [
    path.relative_to(ROOT / "docs/en").with_suffix("") for path in page_files(ROOT / "docs/en")
    if "../figures/" in page_text(path) or path.suffix == ".ipynb"], ids=str)
def test_figures_open_large_and_close(open_page, article):
    page = open_page(f"en/{article}/")
    figures = page.locator(".figure > a")
    assert page.locator(".figure svg .zh").filter(visible=True).count() == 0
    figures.first.click()
    box = page.locator("dialog.lightbox")
    assert box.locator("svg").bounding_box()["width"] > 300
    page.keyboard.press("Escape")
    box.wait_for(state="detached", timeout=2000)


def test_math_is_mathml_in_our_own_font(open_page):
    page = open_page(ARTICLE)
    assert page.locator("math").count() > 0
    assert page.evaluate("document.fonts.ready.then(() => document.fonts.check("
                         "'16px \"Runnable Notes Math\"'))")
    assert any(r == "fonts/math.woff2" for r in page.requested)


# The mark after a formula, where it begins a line: it lies left of the formula's end.
STRAY_MARKS = """[...document.querySelectorAll("span.math")].filter(math => {
  const text = math.nextSibling || math.parentNode.nextSibling
  if (text?.nodeType !== Node.TEXT_NODE) return false
  if (!"，。；：、？！）,.;:)".includes(text.data[0])) return false
  const mark = document.createRange()
  mark.setStart(text, 0)
  mark.setEnd(text, 1)
  return mark.getBoundingClientRect().left < math.lastElementChild.getBoundingClientRect().right - 2
}).map(math => math.textContent + math.nextSibling.data[0])"""


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_line_begins_with_the_mark_after_a_formula(open_page, language):
    page = open_page(language + "slam/pose-graph/")
    for width in (360, 390, 768, 1280, 1440):
        page.set_viewport_size({"width": width, "height": 900})
        assert page.evaluate(STRAY_MARKS) == [], width


@pytest.mark.parametrize("language", LANGUAGES)
def test_only_a_file_that_prints_says_how_to_run_it(open_page, language):
    page = open_page(language + "slam/pose-graph/")
    for block in page.locator(".snippet.python").all():
        name = block.locator(".snippet__name").inner_text()
        prints = (ROOT / "snippets/slam" / name).with_suffix(".out").exists()
        assert block.locator(".snippet__run").count() == prints, name
        assert block.locator("[data-copy]").count() == 2, name
    assert page.locator(".snippet__run").count() > 0


def test_an_unknown_address_shows_the_way_home(open_page):
    page = open_page("no/such/page/", allow_missing=True)
    assert page.locator("h1").inner_text().startswith("404")
    page.locator("article a").first.click()
    assert page.locator("h1").inner_text() != ""
    assert "404" not in page.locator("h1").inner_text()


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("width", [390, 1440])
def test_nothing_shifts_while_an_article_loads(open_page, address, language, width):
    page = open_page(language, viewport={"width": width, "height": 900})
    page.add_init_script(
        "window.shifts = []; new PerformanceObserver(list => list.getEntries().forEach(e =>"
        " shifts.push([e.value, ...e.sources.map(s => s.node?.className ?? s.node?.nodeName)])"
        ")).observe({type: 'layout-shift', buffered: true})")
    page.goto(address + language + ARTICLE, wait_until="networkidle")
    assert page.evaluate("shifts") == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_axe_finds_nothing(open_page, address, language, scheme):
    from axe_playwright_python.sync_playwright import Axe
    page = open_page(language, color_scheme=scheme)
    options = {"resultTypes": ["violations"], "iframes": False, "preload": False}
    if scheme == "dark":  # all that differs
        options["runOnly"] = ["color-contrast"]
    alike = {"deployment/", "slam/", "parallel/", "vision/", "foundations/"}
    for path in [p for p in pages(language) if p.removeprefix(language) not in alike]:
        page.goto(address + path)
        page.locator("html[data-ready]").wait_for()
        page.locator(".verified details").evaluate_all("all => all.forEach(d => d.open = true)")
        results = Axe().run(page, options=options)
        assert results.violations_count == 0, f"{path}: {results.generate_report()}"


def test_light_and_dark_follow_the_system_until_the_reader_chooses(open_page):
    page = open_page(ARTICLE, color_scheme="dark")
    shows = "colour => getComputedStyle(document.body).backgroundColor === colour"
    night, day = "rgb(21, 29, 35)", "rgb(255, 255, 255)"
    page.wait_for_function(shows, arg=night)
    page.locator("[data-scheme]").click()
    page.wait_for_function(shows, arg=day)
    page.reload()
    page.wait_for_function(shows, arg=day)
    page.locator("[data-scheme]").click()
    page.wait_for_function(shows, arg=night)
    page.emulate_media(color_scheme="light")
    page.wait_for_function(shows, arg=day)


@pytest.mark.parametrize("path", ["", "en/"])
def test_print_leaves_out_what_paper_cannot_do(open_page, path):
    page = open_page(path + ARTICLE)
    page.emulate_media(media="print")
    assert page.locator("[data-copy]").filter(visible=True).count() == 0
    closed = page.locator(".verified details:not([open]) li").first
    assert closed.count() == 0 or closed.bounding_box()["height"] > 0
