"""publish.sh, publish.yml: what is built is what is published, at any address."""

import html.parser
import shutil
from pathlib import Path
from urllib.parse import unquote, urljoin, urlsplit

import pytest
import yaml

from reader import ROOT, SITE_URL
from snippets import section

SNIPPETS = ["guide/publish.sh"]


def files(folder: Path) -> dict[str, bytes]:
    return {p.relative_to(folder).as_posix(): p.read_bytes() for p in folder.rglob("*")
            if p.is_file() and ".git" not in p.relative_to(folder).parts}


class Addresses(html.parser.HTMLParser):
    """Collects what a page links to and loads."""

    def __init__(self, text: str):
        super().__init__()
        self.found = set()
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        self.found |= {v for k, v in attributes if k in ("href", "src") and v}


def broken(site: Path, base: str) -> list[str]:
    """Name every address of ours that leaves the base path or has no file behind it."""
    problems = []
    for page in site.rglob("*.html"):
        url = base + page.relative_to(site).as_posix().removesuffix("index.html")
        for address in Addresses(page.read_text("utf-8")).found:
            target = urlsplit(urljoin(url, address))
            if address.startswith("//"):
                problems.append(f"{page.relative_to(site)}: {address} is another host")
            if target.netloc != urlsplit(base).netloc:
                continue
            path = unquote(target.path)
            inside = path.startswith(urlsplit(base).path)
            file = site / path.removeprefix(urlsplit(base).path)
            file = file / "index.html" if path.endswith("/") else file
            if not inside or "//" in path or not file.is_file():
                problems.append(f"{page.relative_to(site)}: {address}")
    return problems


@pytest.mark.claim(
    zh="发布分支与构建结果逐字节相同，旧站点的文件一个不剩，分支只有一个提交",
    en="The published branch holds the built files, byte for byte, in a single commit, "
       "and none of the older site",
    against_zh="从本地裸仓库检出发布分支，与 site/ 比较",
    against_en="the branch checked out of a local bare repository, compared with site/",
    tolerance="0",
)
def test_the_branch_is_the_build(published, tmp_path):
    published.git("clone", "--quiet", "--template=", "--branch", "gh-pages",
                  str(published.folder / "remote.git"), "copy", cwd=tmp_path)
    found, built = files(tmp_path / "copy"), files(published.folder / "notes/site")
    assert found.pop(".nojekyll") == b""
    assert found == built
    assert "guide/deploy/index.html" in built and "en/guide/deploy/index.html" in built
    assert published.git("rev-list", "--count", "gh-pages",
                         cwd=published.folder / "remote.git") == "1\n"


@pytest.mark.claim(
    zh="以 https://example.org/some/notes/ 构建，每页的链接、脚本、样式、图片都在此路径下且存在",
    en="Built for https://example.org/some/notes/, every link, script, style and image of every "
       "page lies under that path and has its file",
    against_zh="按 URL 规则解析每个 href 与 src，逐个查文件",
    against_en="each href and src resolved by the rules for URLs, and its file looked up",
)
def test_the_site_works_under_a_base_path(published):
    site = published.folder / "notes/site"
    assert broken(site, SITE_URL) == []
    assert broken(site, "https://example.org/") != []  # 404.html names the path itself
    page = (site / "guide/deploy/index.html").read_text("utf-8")
    assert f'<link rel="canonical" href="{SITE_URL}guide/deploy/">' in page


@pytest.mark.claim(
    zh="构建失败时什么也不发布：发布分支停在原来的提交",
    en="A build that fails publishes nothing: the branch stays at its commit",
    against_zh="运行前后裸仓库里 gh-pages 的提交号",
    against_en="the commit of gh-pages in the bare repository before and after",
)
def test_a_failed_build_publishes_nothing(published, tmp_path, enter, addresses):
    remote = published.folder / "remote.git"
    before = published.git("rev-parse", "gh-pages", cwd=remote)
    published.git("clone", "--quiet", str(remote), "broken", cwd=tmp_path)
    (tmp_path / "broken/docs/en/guide/deploy.md").unlink()
    shutil.copytree(published.folder / "notes/site", tmp_path / "broken/site")  # could be pushed
    done = enter(published, section("guide/publish.sh", None), tmp_path / "broken", **addresses)
    assert done.returncode != 0 and "no counterpart docs/en/guide/deploy.md" in done.stderr
    assert published.git("rev-parse", "gh-pages", cwd=remote) == before


@pytest.mark.claim(
    zh="没有设 SITE_URL，既不构建也不发布",
    en="Without SITE_URL nothing is built and nothing published",
    against_zh="运行前后的 site/，以及裸仓库里 gh-pages 的提交号",
    against_en="site/, and the commit of gh-pages in the bare repository, before and after",
)
@pytest.mark.parametrize("unset", [{}, {"SITE_URL": ""}])
def test_an_unset_address_publishes_nothing(published, tmp_path, enter, unset):
    remote = published.folder / "remote.git"
    before = published.git("rev-parse", "gh-pages", cwd=remote)
    published.git("clone", "--quiet", str(remote), "notes", cwd=tmp_path)
    (tmp_path / "notes/site").mkdir()  # of an earlier build
    done = enter(published, section("guide/publish.sh", None), tmp_path / "notes", **unset)
    assert done.returncode != 0 and "SITE_URL: export it first" in done.stderr
    assert list((tmp_path / "notes/site").iterdir()) == []
    assert published.git("rev-parse", "gh-pages", cwd=remote) == before


@pytest.mark.claim(
    zh="域名只在发布时写了 `--cname` 才留在发布分支里；不写的那一次会删掉它",
    en="The branch holds the domain only when published with `--cname`; without, it is removed",
    against_zh="每次发布后，裸仓库 gh-pages 里的 CNAME 文件",
    against_en="the file CNAME on gh-pages of the bare repository, after each publication",
)
def test_a_domain_must_be_named_each_time(shell, remote, clone):
    (clone / "site").mkdir()
    (clone / "site/index.html").write_text("A site.\n", "utf-8")
    command = section("guide/publish.sh", None).splitlines()[-1].split()
    for option, domain in ((["--cname", "notes.example.org"], "notes.example.org"),
                           ([], None), (["--cname", "notes.example.org"], "notes.example.org")):
        done = shell(command + option, clone)
        assert done.returncode == 0, done.stderr
        found = shell(["git", "show", "gh-pages:CNAME"], remote)
        assert (found.stdout if found.returncode == 0 else None) == domain


@pytest.mark.claim(
    zh="工作流里运行的，就是 CI 的测试命令和 publish.sh 的每一行；用到的 action 都锁定到提交号",
    en="The workflow runs the CI's test command and the very lines of publish.sh; "
       "its actions are pinned to commits",
    against_zh="解析 YAML，与 publish.sh 逐行比较",
    against_en="the parsed YAML, line by line with publish.sh",
    snippets=["guide/publish.yml"],
)
def test_the_workflow_runs_the_tested_lines():
    workflow = yaml.safe_load(section("guide/publish.yml", None))
    (job,) = workflow["jobs"].values()
    runs = [step["run"].strip() for step in job["steps"] if "run" in step]
    assert [runs[0], runs[-1]] == [".ci/run", section("guide/publish.sh", None)]
    assert len(runs) == 3  # between them, the addresses
    assert (ROOT / ".ci/run").stat().st_mode & 0o100
    assert "make test" in (ROOT / ".ci/run").read_text("utf-8")
    for action in (step["uses"] for step in job["steps"] if "uses" in step):
        name, _, commit = action.partition("@")
        assert name == "actions/checkout" and len(commit) == 40
    assert workflow[True] == {"push": {"branches": ["main"]}}  # YAML 1.1 reads `on` as true
    assert workflow["permissions"] == {"contents": "write"}


@pytest.mark.claim(
    zh="工作流里的地址：项目站点带仓库名，用户站点（you.github.io）不带；仓库地址用于编辑链接",
    en="The workflow's addresses: a project's site has the repository's name in its path, a "
       "user's site (you.github.io) has not; edit links go to the repository",
    against_zh="设好 GitHub 的环境变量，执行那一步，读出它写入的值",
    against_en="that step, run with GitHub's variables set, and what it writes",
    snippets=["guide/publish.yml"],
)
@pytest.mark.parametrize("repository, site", [
    ("you/notes", "https://you.github.io/notes/"),
    ("you/you.github.io", "https://you.github.io/"),
])
def test_the_workflow_finds_the_addresses(shell, tmp_path, repository, site):
    workflow = yaml.safe_load(section("guide/publish.yml", None))
    steps = workflow["jobs"]["publish"]["steps"]
    (lines,) = (step["run"] for step in steps if step.get("name") == "addresses")
    done = shell(["sh", "-e", "-c", lines], GITHUB_REPOSITORY=repository,
                 GITHUB_REPOSITORY_OWNER="you", GITHUB_SERVER_URL="https://github.com",
                 GITHUB_ENV=str(tmp_path / "env"))
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "env").read_text("utf-8") == (
        f"SITE_URL={site}\nREPOSITORY_URL=https://github.com/{repository}\n")
