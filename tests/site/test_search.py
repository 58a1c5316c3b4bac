"""Search in a real browser: each query finds its page among the first three results."""

import re

import pytest

from contract import ROOT
from errors import read_errors

QUICKSTART, HELLO, DEPLOY = "distributed/quickstart/", "guide/hello-world/", "guide/deploy/"
DDP, INSIDE, PRACTICE = "distributed/ddp/", "distributed/ddp-inside/", "distributed/ddp-practice/"
PITFALLS, STORE = "distributed/pitfalls/", "distributed/init-and-store/"
RING, TENSOR = "distributed/all-reduce/", "distributed/tensor-parallel/"
OVERVIEW, CONCEPTS = "distributed/overview/", "distributed/concepts/"
ELASTIC = "distributed/elastic-and-multinode/"
# What several articles explain:
BEGINNERS, SAMPLERS = (QUICKSTART, PITFALLS), (QUICKSTART, INSIDE)
AVERAGES, SAVES = (QUICKSTART, INSIDE, DDP), (QUICKSTART, PRACTICE, ELASTIC)
STARTS, GROUPS = (QUICKSTART, DDP, ELASTIC), (QUICKSTART, STORE, CONCEPTS)
TRACK = ("distributed/", OVERVIEW, PITFALLS)
WAITS = (QUICKSTART, PITFALLS, RING, CONCEPTS)
RIGID, LIE, GRAPH = "slam/rigid-motion/", "slam/lie-groups/", "slam/pose-graph/"
DERIVATIVES, REGISTRATION = "slam/derivatives/", "slam/registration/"
BUILD, MIGRATION = "deployment/tensorrt-build/", "deployment/tensorrt-migration/"
INFERENCE, PRECISION = "deployment/tensorrt-inference/", "deployment/precision/"
QUERIES = {
    "": [
        ("分布式训练", TRACK), ("梯度同步", AVERAGES), ("采样器", SAMPLERS),
        ("检查点", SAVES), ("端口被占用", BEGINNERS), ("卡在最后一批", BEGINNERS),
        ("平均梯度", AVERAGES), ("init_process_group", GROUPS), ("set_epoch", BEGINNERS),
        ("DistributedSampler", SAMPLERS), ("EADDRINUSE", BEGINNERS), ("torchrun", STARTS),
        ("unrecognized arguments: --local-rank", BEGINNERS),
        ("Expected to have finished reduction", BEGINNERS),
        ("Missing key(s) in state_dict", BEGINNERS), ("Timed out waiting", WAITS),
        ("流式均值", HELLO), ("写测试", HELLO), ("子路径 部署", DEPLOY),
        ("adding embedded git repository", DEPLOY),
        ("李代数", LIE), ("万向锁", RIGID), ("左扰动", DERIVATIVES), ("配准", REGISTRATION),
        ("假回环", GRAPH), ("umeyama", REGISTRATION), ("binding_is_input", MIGRATION),
        ("no optimization profile has been defined", BUILD), ("shiftIsAllZeros", PRECISION),
        ("has no attribute 'create_execution_context'", INFERENCE),
        ("手写 SyncBN", PRACTICE), ("no_sync 累积", PRACTICE), ("张量并行", TENSOR),
        ("FSDP2", OVERVIEW), ("TCPStore", STORE), ("max-restarts", ELASTIC),
        ("find_unused_parameters", INSIDE), ("device_ids", DDP),
        ("GradScaler", CONCEPTS), ("monitored_barrier", PITFALLS),
        ("ring_all_reduce", RING), ("exitcode -9", PITFALLS),
    ],
    "en/": [
        ("distributed training", TRACK), ("gradient average", AVERAGES),
        ("sampler", SAMPLERS), ("checkpoint", SAVES), ("port is taken", BEGINNERS),
        ("stuck on the last batch", BEGINNERS), ("unequal batches", (QUICKSTART, PRACTICE, INSIDE)),
        ("init_process_group", GROUPS), ("set_epoch", BEGINNERS),
        ("DistributedSampler", SAMPLERS), ("EADDRINUSE", BEGINNERS), ("torchrun", STARTS),
        ("unrecognized arguments: --local-rank", BEGINNERS),
        ("Expected to have finished reduction", BEGINNERS),
        ("Missing key(s) in state_dict", BEGINNERS), ("Timed out waiting", WAITS),
        ("write an article", HELLO), ("the heading needs an id", HELLO), ("base path", DEPLOY),
        ("adding embedded git repository", DEPLOY),
        ("Lie algebra", LIE), ("gimbal lock", RIGID), ("left perturbation", DERIVATIVES),
        ("closed form SVD", REGISTRATION), ("false loop closure", GRAPH), ("umeyama", REGISTRATION),
        ("binding_is_input", MIGRATION), ("no optimization profile has been defined", BUILD),
        ("shiftIsAllZeros", PRECISION), ("has no attribute 'create_execution_context'", INFERENCE),
        ("SyncBN by hand", PRACTICE), ("no_sync accumulation", PRACTICE),
        ("tensor parallelism", TENSOR), ("FSDP2", OVERVIEW), ("TCPStore", STORE),
        ("max-restarts", ELASTIC), ("find_unused_parameters", INSIDE), ("device_ids", DDP),
        ("GradScaler", CONCEPTS), ("monitored_barrier", PITFALLS),
        ("ring_all_reduce", RING), ("exitcode -9", PITFALLS),
    ],
}


@pytest.mark.parametrize("language", QUERIES)
def test_queries_find_their_pages(open_page, address, language):
    assert len(QUERIES[language]) >= 30
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
        expected = [expected] if isinstance(expected, str) else expected
        if not {language + page for page in expected} & set(found):
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
    root = address + language
    quoted = {}  # the same message may be on several pages, with other numbers in it
    for article in docs.glob("*/*.md"):
        for error in read_errors(article, article.name):
            own = root + article.relative_to(docs).with_suffix("").as_posix() + "/"
            quoted.setdefault(re.sub(r"\d+", "N", error.text), set()).add(own)
    for article in sorted(docs.glob("*/*.md")):
        for error in [e for e in read_errors(article, article.name) if e.shown][:1]:
            found = ask(page, error.text)
            pages = {own for text, owners in quoted.items() for own in owners
                     if re.sub(r"\d+", "N", error.text) in text}
            assert pages & set(found[:3]) and found[0] != f"{root}errors/", error.text


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
