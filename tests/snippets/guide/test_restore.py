"""restore.sh: the bare repository alone gives the published site again."""

import gzip
import shutil
from pathlib import Path

import pytest

from pages import page_files
from snippets import section

SNIPPETS = ["guide/restore.sh"]


@pytest.mark.claim(
    zh="只凭裸仓库，在另一个目录里克隆并构建，得到的站点与发布的逐字节相同",
    en="Cloned from the bare repository alone and built in another folder, the site equals the "
       "published one byte for byte",
    against_zh="diff --recursive 比较重建的 site/ 与发布分支",
    against_en="diff --recursive of the rebuilt site/ and the published branch",
    tolerance="0",
)
def test_the_restored_site_is_the_published_one(published, tmp_path, compare, addresses):
    remote = str(published.folder / "remote.git")
    done = published.script("restore.sh", tmp_path, REMOTE=remote, **addresses)
    compare("restore.out", done.stdout)
    page = tmp_path / "restored/site/guide/deploy/index.html"
    assert page.read_bytes() == (
        published.folder / "notes/site/guide/deploy/index.html").read_bytes()


def different(old: Path, new: Path) -> list[str]:
    return sorted(p.relative_to(new).as_posix() for p in new.rglob("*") if p.is_file()
                  and p.read_bytes() != (old / p.relative_to(new)).read_bytes())


@pytest.mark.claim(
    zh="REPOSITORY_URL 只影响文章页：有它才有编辑链接，指向这个仓库",
    en="REPOSITORY_URL changes the articles' pages only: with it they have edit links to that "
       "repository",
    against_zh="不设 REPOSITORY_URL 再构建一次，与发布的站点比较",
    against_en="one more build without REPOSITORY_URL, compared with the published site",
    snippets=["guide/publish.sh"],
)
def test_only_articles_name_the_repository(published, tmp_path, addresses):
    published.git("clone", "--quiet", str(published.folder / "remote.git"), "notes", cwd=tmp_path)
    build = section("guide/restore.sh", "build")
    done = published(["bash", "-euc", build], tmp_path / "notes", SITE_URL=addresses["SITE_URL"])
    assert done.returncode == 0, done.stderr
    old, new = published.folder / "notes/site", tmp_path / "notes/site"
    link = f'<a href="{addresses["REPOSITORY_URL"]}/edit/main/docs/zh/guide/deploy.md" rel="edit">'
    assert link in (old / "guide/deploy/index.html").read_text("utf-8")
    assert 'rel="edit"' not in (new / "guide/deploy/index.html").read_text("utf-8")
    assert different(old, new) == sorted(
        f"{prefix}{page.parent.name}/{page.stem}/index.html" for prefix in ("", "en/")
        for page in page_files(tmp_path / "notes/docs/zh", "*/*") if page.stem != "index")


@pytest.mark.claim(
    zh="提交时间不同，只有两种语言的 sitemap.xml.gz 不同；其余文件逐字节相同",
    en="Another commit time changes the sitemap.xml.gz of each language and no other file",
    against_zh="以 1970-01-02 为提交时间再构建一次，与发布的站点比较",
    against_en="one more build, as if committed on 1970-01-02, compared with the published site",
    tolerance="0",
    snippets=["guide/publish.sh"],
)
def test_only_the_archives_carry_a_time(published, tmp_path, addresses):
    published.git("clone", "--quiet", str(published.folder / "remote.git"), "notes", cwd=tmp_path)
    done = published(["make", "build"], tmp_path / "notes", **addresses, SOURCE_DATE_EPOCH="86400")
    assert done.returncode == 0, done.stderr
    old, new = published.folder / "notes/site", tmp_path / "notes/site"
    assert different(old, new) == ["en/sitemap.xml.gz", "sitemap.xml.gz"]
    for name in ("en/sitemap.xml.gz", "sitemap.xml.gz"):
        assert gzip.decompress((new / name).read_bytes()) == gzip.decompress(
            (old / name).read_bytes())


def test_a_difference_would_be_seen(published, tmp_path, enter):
    notes = tmp_path / "notes"
    published.git("clone", "--quiet", str(published.folder / "remote.git"), "notes", cwd=tmp_path)
    shutil.copytree(published.folder / "notes/site", notes / "site")
    with (notes / "site/guide/deploy/index.html").open("a") as page:
        page.write(" ")
    done = enter(published, section("guide/restore.sh", "compare"), notes)
    assert done.returncode == 1
    assert "guide/deploy/index.html" in done.stdout and "is the published" not in done.stdout
