"""The built files: what each page and language comes with."""

import hashlib
import json
import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urljoin

import pytest
import yaml

from contract import ROOT
from pages import page_files

LANGUAGES = ("", "en/")
SITE = "https://runnable-notes.example/some/base/"
PAGES = sorted(p.relative_to(ROOT / "docs/zh").with_suffix("").as_posix()
               for p in page_files(ROOT / "docs/zh"))
ADDRESSES = [re.sub(r"(^|/)index$", r"\1", p).rstrip("/") for p in PAGES]
ARTICLES = [a for a, p in zip(ADDRESSES, PAGES, strict=True)
            if "/" in p and not p.endswith("/index")]


def folder(site: Path, language: str, page: str) -> Path:
    return site / language / page


class Links(HTMLParser):
    """Collects a page's links, the ids that they may point at, and its code."""

    def __init__(self, text: str):
        super().__init__()
        self.links, self.ids = [], set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        attributes = dict(attributes)
        self.ids |= {v for k, v in attributes.items() if k in ("id", "name") and v}
        if tag == "a" and attributes.get("href"):
            self.links.append(attributes["href"])


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_page_is_built_with_a_description_and_social_tags(site, language):
    for page in ADDRESSES:
        text = (folder(site, language, page) / "index.html").read_text("utf-8")
        for needed in ('<meta name="description"', 'property="og:title"', 'property="og:url"',
                       'property="og:image"', 'rel="canonical"', "application/rss+xml"):
            assert needed in text, f"{language}{page} lacks {needed}"
        assert not re.search(r"--8(<|&lt;)--", re.sub(r"(?s)<code.*?</code>", "", text))
        assert not re.search(r"<code>\s*</code>", text), f"{language}{page}: empty code"
        assert " markdown>" not in text and 'markdown="' not in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_link_inside_the_site_is_dead(site, language):
    pages = {}
    for path in (site / language).rglob("*.html"):
        if path.name == "404.html" or (language == "" and path.is_relative_to(site / "en")):
            continue
        pages[path] = Links(path.read_text("utf-8"))
    for path, page in pages.items():
        for link in page.links:
            if re.match(r"[a-z]+:", link):
                continue
            target, _, anchor = link.partition("#")
            file = path.parent / unquote(target) if target else path
            file = (file / "index.html" if file.is_dir() else file).resolve()
            assert file.is_file(), f"{path.relative_to(site)} links to {link}"
            if anchor and file in pages:
                assert unquote(anchor) in pages[file].ids, f"{path.relative_to(site)}: {link}"


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_page_has_its_markdown_with_the_code_folded_in(site, language):
    for page in ADDRESSES:
        text = (folder(site, language, page) / "index.md").read_text("utf-8")
        assert text.startswith("# ")
    text = (folder(site, language, "distributed/quickstart") / "index.md").read_text("utf-8")
    assert "```python\ndef train(device):\n" in text and "--8<--" not in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_llms_txt_lists_every_article(site, language):
    text = (site / language / "llms.txt").read_text("utf-8")
    for article in ARTICLES:
        assert f"({SITE}{language}{article}/index.md)" in text


@pytest.mark.parametrize("language", LANGUAGES)
def test_feed_holds_every_article_with_its_date(site, language):
    root = ET.parse(site / language / "feed.xml").getroot()
    links = [item.findtext("link") for item in root.iter("item")]
    assert sorted(links) == sorted(f"{SITE}{language}{a}/" for a in ARTICLES)
    assert all(re.fullmatch(r"\w{3}, \d\d \w{3} \d{4} 12:00:00 \+0000", i.findtext("pubDate"))
               for i in root.iter("item"))


@pytest.mark.parametrize("language", LANGUAGES)
def test_sitemap_names_each_page_in_both_languages(site, language):
    root = ET.parse(site / language / "sitemap.xml").getroot()
    names = {"s": "http://www.sitemaps.org/schemas/sitemap/0.9",
             "x": "http://www.w3.org/1999/xhtml"}
    found = {}
    for url in root.findall("s:url", names):
        found[url.findtext("s:loc", namespaces=names)] = {
            link.get("hreflang"): link.get("href") for link in url.findall("x:link", names)}
    pages = {f"{a}/" if a else "" for a in ADDRESSES}
    assert found == {f"{SITE}{language}{p}": {"zh": SITE + p, "en": f"{SITE}en/{p}"}
                     for p in pages}


def test_each_of_the_23_old_addresses_leads_to_its_article_or_track(site):
    sources = yaml.safe_load((ROOT / "docs/sources.yml").read_text("utf-8"))
    old = [s for s in sources.values() if "path" in s]
    assert len(old) == 23
    for source in old:
        text = (site / source["path"] / "index.html").read_text("utf-8")
        link = re.search(r'http-equiv="refresh" content="0; url=([^"]+)"', text)[1]
        target = unquote(urljoin("http://x/" + source["path"], link)).removeprefix("http://x/")
        assert (site / target / "index.html").is_file()
        ready = [a for a in source["articles"] if a in ARTICLES]
        assert target.strip("/") == (ready[0] if ready else min(source["articles"]).split("/")[0])


@pytest.mark.parametrize("language", LANGUAGES)
def test_each_runnable_copy_is_signed(site, language):
    copies = [p for p in (site / language).rglob("*.py")
              if language or not p.is_relative_to(site / "en")]
    assert copies
    for path in copies:
        text, _, end = path.read_text("utf-8").partition("\n# Source: ")
        page, digest = re.fullmatch(r"(\S+)\n# sha256 of the text above: (\w+)\n", end).groups()
        assert page == SITE + path.parent.relative_to(site).as_posix() + "/"
        assert hashlib.sha256(text.encode()).hexdigest().startswith(digest)


@pytest.mark.parametrize("language", LANGUAGES)
def test_home_counts_what_there_is(site, language):
    text = (site / language / "index.html").read_text("utf-8")
    articles, snippets, claims = map(int, re.findall(r"<li><strong>(\d+)</strong>", text))
    files = [p for p in (ROOT / "snippets").rglob("*") if p.suffix in (".py", ".sh", ".cpp")]
    assert (articles, snippets) == (len(ARTICLES), len(files))
    records = [json.loads(p.read_text("utf-8")) for p in ROOT.glob("snippets/*/verified.json")]
    assert claims == len({c["test"] for r in records for e in r.values() for c in e["claims"]})
