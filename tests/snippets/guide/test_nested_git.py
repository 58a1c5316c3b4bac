"""wrong_nested_git.sh: a nested repository is committed as a link to nowhere."""

import pytest

from snippets import section

SNIPPETS = ["guide/wrong_nested_git.sh", "guide/right_nested_git.sh"]


@pytest.mark.claim(
    zh="嵌套的 .git 不会让提交失败：主题记成 160000（gitlink），克隆里 0 个文件，也无处下载",
    en="A nested .git does not make the commit fail: the theme goes in as a gitlink (mode 160000), "
       "the clone holds 0 files of it and cannot fetch them",
    against_zh="git 自己的退出码、ls-files --stage 与克隆里的文件",
    against_en="Git's own exit codes, ls-files --stage, and the files in the clone",
    snippets=["guide/wrong_nested_git.sh"],
)
def test_the_commit_succeeds_and_the_clone_lacks_the_theme(shell, tmp_path, compare, enter):
    done = enter(shell, section("guide/wrong_nested_git.sh", None), tmp_path, TMPDIR=str(tmp_path))
    assert done.returncode == 128
    fatal = "".join(f"{line}\n" for line in done.stderr.splitlines() if line.startswith("fatal"))
    compare("wrong_nested_git.out", done.stdout + fatal)
    (folder,) = tmp_path.glob("tmp.*")
    assert shell.git("log", "--format=%s", cwd=folder / "blog") == "Add the theme\n"
    assert list((folder / "copy/themes/plain").iterdir()) == []


@pytest.mark.claim(
    zh="改用子模块，克隆带着主题的文件，版本就是记下的那个提交",
    en="As a submodule, the clone has the theme's files, at the commit that was recorded",
    against_zh="主题仓库自己的 HEAD",
    against_en="the theme repository's own HEAD",
    snippets=["guide/right_nested_git.sh"],
)
def test_a_submodule_arrives_with_the_clone(shell, tmp_path, compare, enter):
    done = enter(shell, section("guide/right_nested_git.sh", None), tmp_path, TMPDIR=str(tmp_path))
    assert done.returncode == 0 and "fatal" not in done.stderr, done.stderr
    compare("right_nested_git.out", done.stdout)
    (folder,) = tmp_path.glob("tmp.*")
    heads = [shell.git("rev-parse", "HEAD", cwd=folder / name)
             for name in ("theme", "copy/themes/plain")]
    assert heads[0] == heads[1]
    assert shell.git("ls-files", "--stage", "themes",
                     cwd=folder / "blog").startswith(f"160000 {heads[0].strip()} 0")


def test_both_start_from_the_same_folder():
    """The page shows the set-up once."""
    setups = {section(name, "setup") for name in SNIPPETS}
    assert len(setups) == 1
