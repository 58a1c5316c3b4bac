"""restore.sh: the bare repository alone gives the published site again."""

import gzip
import shutil

import pytest

from reader import SITE_URL
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
def test_the_restored_site_is_the_published_one(published, tmp_path, compare):
    remote = str(published.folder / "remote.git")
    done = published.script("restore.sh", tmp_path, REMOTE=remote, SITE_URL=SITE_URL)
    compare("restore.out", done.stdout)
    page = tmp_path / "restored/site/guide/deploy/index.html"
    assert page.read_bytes() == (
        published.folder / "notes/site/guide/deploy/index.html").read_bytes()


@pytest.mark.claim(
    zh="提交时间不同，只有两种语言的 sitemap.xml.gz 不同；其余文件逐字节相同",
    en="Another commit time changes the sitemap.xml.gz of each language and no other file",
    against_zh="以 1970-01-02 为提交时间再构建一次，与发布的站点比较",
    against_en="one more build, as if committed on 1970-01-02, compared with the published site",
    tolerance="0",
    snippets=["guide/publish.sh"],
)
def test_only_the_archives_carry_a_time(published, tmp_path):
    published.git("clone", "--quiet", str(published.folder / "remote.git"), "notes", cwd=tmp_path)
    done = published(["make", "build"], tmp_path / "notes", SITE_URL=SITE_URL,
                     SOURCE_DATE_EPOCH="86400")
    assert done.returncode == 0, done.stderr
    old, new = published.folder / "notes/site", tmp_path / "notes/site"
    assert sorted(p.relative_to(new).as_posix() for p in new.rglob("*") if p.is_file()
                  and p.read_bytes() != (old / p.relative_to(new)).read_bytes()) == [
        "en/sitemap.xml.gz", "sitemap.xml.gz"]
    for name in ("en/sitemap.xml.gz", "sitemap.xml.gz"):
        assert gzip.decompress((new / name).read_bytes()) == gzip.decompress(
            (old / name).read_bytes())


def test_a_difference_would_be_seen(published, tmp_path):
    notes = tmp_path / "notes"
    published.git("clone", "--quiet", str(published.folder / "remote.git"), "notes", cwd=tmp_path)
    shutil.copytree(published.folder / "notes/site", notes / "site")
    with (notes / "site/guide/deploy/index.html").open("a") as page:
        page.write(" ")
    compare = ["bash", "-euo", "pipefail", "-c", section("guide/restore.sh", "compare")]
    done = published(compare, notes)
    assert done.returncode == 1
    assert "guide/deploy/index.html" in done.stdout and "is the published" not in done.stdout
