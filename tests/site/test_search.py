"""Search in a real browser: each query finds its page among the first three results."""

import pytest

from contract import ROOT
from errors import read_errors

QUICKSTART, HELLO, DEPLOY = "distributed/quickstart/", "guide/hello-world/", "guide/deploy/"
RIGID, LIE, GRAPH = "slam/rigid-motion/", "slam/lie-groups/", "slam/pose-graph/"
DERIVATIVES, REGISTRATION = "slam/derivatives/", "slam/registration/"
BUILD, MIGRATION = "deployment/tensorrt-build/", "deployment/tensorrt-migration/"
INFERENCE, PRECISION = "deployment/tensorrt-inference/", "deployment/precision/"
QUERIES = {
    "": [
        ("分布式训练", "distributed/"), ("梯度同步", QUICKSTART), ("采样器", QUICKSTART),
        ("检查点", QUICKSTART), ("端口被占用", QUICKSTART), ("卡在最后一批", QUICKSTART),
        ("平均梯度", QUICKSTART), ("init_process_group", QUICKSTART), ("set_epoch", QUICKSTART),
        ("DistributedSampler", QUICKSTART), ("EADDRINUSE", QUICKSTART), ("torchrun", QUICKSTART),
        ("unrecognized arguments: --local-rank", QUICKSTART),
        ("Expected to have finished reduction", QUICKSTART),
        ("Missing key(s) in state_dict", QUICKSTART), ("Timed out waiting", QUICKSTART),
        ("流式均值", HELLO), ("写测试", HELLO), ("子路径 部署", DEPLOY),
        ("adding embedded git repository", DEPLOY),
        ("李代数", LIE), ("万向锁", RIGID), ("左扰动", DERIVATIVES), ("配准", REGISTRATION),
        ("假回环", GRAPH), ("umeyama", REGISTRATION), ("binding_is_input", MIGRATION),
        ("no optimization profile has been defined", BUILD), ("shiftIsAllZeros", PRECISION),
        ("has no attribute 'create_execution_context'", INFERENCE),
    ],
    "en/": [
        ("distributed training", "distributed/"), ("gradient average", QUICKSTART),
        ("sampler", QUICKSTART), ("checkpoint", QUICKSTART), ("port is taken", QUICKSTART),
        ("stuck on the last batch", QUICKSTART), ("unequal batches", QUICKSTART),
        ("init_process_group", QUICKSTART), ("set_epoch", QUICKSTART),
        ("DistributedSampler", QUICKSTART), ("EADDRINUSE", QUICKSTART), ("torchrun", QUICKSTART),
        ("unrecognized arguments: --local-rank", QUICKSTART),
        ("Expected to have finished reduction", QUICKSTART),
        ("Missing key(s) in state_dict", QUICKSTART), ("Timed out waiting", QUICKSTART),
        ("write an article", HELLO), ("the heading needs an id", HELLO), ("base path", DEPLOY),
        ("adding embedded git repository", DEPLOY),
        ("Lie algebra", LIE), ("gimbal lock", RIGID), ("left perturbation", DERIVATIVES),
        ("closed form SVD", REGISTRATION), ("false loop closure", GRAPH), ("umeyama", REGISTRATION),
        ("binding_is_input", MIGRATION), ("no optimization profile has been defined", BUILD),
        ("shiftIsAllZeros", PRECISION), ("has no attribute 'create_execution_context'", INFERENCE),
    ],
}


@pytest.mark.parametrize("language", QUERIES)
def test_queries_find_their_pages(open_page, address, language):
    assert len(QUERIES[language]) == 30
    page = open_page(language)
    box = page.locator("[data-md-component=search-query]")
    first = page.locator(".md-search-result__item > a.md-search-result__link").first
    missed = []
    for query, expected in QUERIES[language]:
        for text in ("", query):  # Material listens to keys
            box.fill(text)
            box.press("End")
            page.wait_for_timeout(50)
            if not text:
                page.wait_for_function("!document.querySelector('.md-search-result__item')")
        try:
            first.wait_for()
        except Exception:
            missed.append((query, []))
            continue
        links = page.locator(".md-search-result__item > a.md-search-result__link").evaluate_all(
            "all => all.slice(0, 3).map(a => a.href)")
        found = [link.split("?")[0].split("#")[0].removeprefix(address) for link in links]
        if language + expected not in found:
            missed.append((query, found))
        assert all(f.startswith(language) and f.startswith("en/") == (language == "en/")
                   for f in found), f"{query} leaves its language: {found}"
    assert missed == []


def ask(page, query: str) -> list[str]:
    """Type a query; return the pages found, without their anchors."""
    box = page.locator("[data-md-component=search-query]")
    results = page.locator(".md-search-result__item > a.md-search-result__link")
    for text in ("", query):  # Material listens to keys
        box.fill(text)
        box.press("End")
        page.wait_for_timeout(50)
        if not text:
            page.wait_for_function("!document.querySelector('.md-search-result__item')")
    results.first.wait_for()
    return [link.split("?")[0].split("#")[0]
            for link in results.evaluate_all("all => all.map(a => a.href)")]


@pytest.mark.parametrize("language", QUERIES)
def test_the_text_of_an_error_finds_the_article_that_explains_it(open_page, address, language):
    """One error that each article shows, as the page of errors has it; that page is not first."""
    docs = ROOT / "docs" / (language.strip("/") or "zh")
    page = open_page(language + "errors/")
    for article in sorted(docs.glob("*/*.md")):
        for error in [e for e in read_errors(article, article.name) if e.shown][:1]:
            found = ask(page, error.text)
            own = address + language + article.relative_to(docs).with_suffix("").as_posix() + "/"
            assert own in found[:3] and found[0] != f"{address}{language}errors/", error.text


@pytest.mark.parametrize("language", QUERIES)
def test_the_index_is_fetched_only_when_search_is_used(open_page, language):
    page = open_page(language + QUICKSTART)
    page.wait_for_load_state("networkidle")
    assert not [r for r in page.requested if r.endswith("search_index.json")]
    page.keyboard.press("/")
    page.locator("[data-md-component=search-query]").press_sequentially("torchrun")
    page.locator(".md-search-result__item").first.wait_for()
    assert [r for r in page.requested if r.endswith("search_index.json")] == [
        language + "search/search_index.json"]
