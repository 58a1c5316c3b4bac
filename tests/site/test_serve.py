"""`mkdocs serve`: an edit is on screen within three seconds, and only what it changes."""

import os
import re
import signal
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import pytest

LIMIT = 3.0  # seconds from saving to the new page
SVG = "docs/shared/figures/guide/sample.svg"


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Server:
    """`mkdocs serve` of a small project, stopped as Ctrl-C does."""

    def __init__(self, project, scratch: Path):
        self.project, self.port, self.scratch = project, free_port(), scratch
        self.log = project.root / "serve.log"
        scratch.mkdir()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "mkdocs", "serve", "--livereload",
             "-a", f"127.0.0.1:{self.port}"],
            cwd=project.root, env={**os.environ, "TMPDIR": str(scratch)},
            stdout=self.log.open("w"), stderr=subprocess.STDOUT)

    def read(self, path: str) -> str:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{self.port}/{path}", timeout=5) as page:
                return page.read().decode()
        except OSError:
            return ""

    def wait(self, path: str, text: str, limit: float) -> float:
        """Return after how many seconds a page shows a text."""
        start = time.monotonic()
        while text not in self.read(path):
            taken = time.monotonic() - start
            assert self.process.poll() is None and taken < limit, self.log.read_text()
            time.sleep(0.05)
        return time.monotonic() - start

    def stop(self):
        self.process.send_signal(signal.SIGINT)
        try:
            self.process.wait(10)
        finally:
            self.process.kill()


@pytest.fixture
def server(project, tmp_path):
    server = Server(project, tmp_path / "scratch")
    server.wait("en/guide/sample/", "One sentence.", 60)
    yield server
    server.stop()
    assert not [p for p in server.scratch.iterdir() if p.name.startswith("mkdocs")]


def builds(server) -> int:
    return len(re.findall("Rebuilt http", server.log.read_text()))


@pytest.mark.parametrize("name, page, old, new, expected", [
    ("docs/zh/guide/sample.md", "guide/sample/", "一句话。", "第 {} 句话。", 1),
    ("docs/en/guide/sample.md", "en/guide/sample/", "One sentence.", "Sentence {}.", 1),
    ("snippets/guide/sample.py", "en/guide/sample/sample.py", "41", "4{}4{}4", 2),
    (SVG, "en/guide/sample/", "M0 0h9", "M{} {}h9", 2),
])
def test_an_edit_is_on_screen_within_three_seconds(server, name, page, old, new, expected):
    """The best of three edits counts: other tests share the cores with this one."""
    taken = []
    for turn in "123":
        before, text = builds(server), new.replace("{}", turn)
        server.project.edit(server.project.root / name, old, text)
        taken.append(server.wait(page, text, 30))
        time.sleep(1.2)  # longer than the server's polling: a needless build would show
        assert builds(server) == before + expected, f"{builds(server) - before} builds"
        old = text
        if taken[-1] < LIMIT:
            break
    assert min(taken) < LIMIT, taken


def test_a_fault_keeps_the_last_good_page_and_says_where(server):
    project = server.project
    line = project.edit(project.page("en"), "$a + b$", "$a + \\sqroot{b}$ changed")
    deadline = time.monotonic() + 20
    while f"docs/en/guide/sample.md:{line}: " not in server.log.read_text():
        assert time.monotonic() < deadline, server.log.read_text()
        time.sleep(0.1)
    assert "One sentence." in server.read("en/guide/sample/")
    project.edit(project.page("en"), "\\sqroot{b}$ changed", "c$ mended")
    server.wait("en/guide/sample/", "mended", 20)


def test_a_fault_in_one_language_does_not_keep_the_other_stale(server):
    project = server.project
    project.edit(project.page("zh"), "$a + b$", "$a + \\sqroot{b}$")
    deadline = time.monotonic() + 20
    while "docs/zh/guide/sample.md:" not in server.log.read_text():
        assert time.monotonic() < deadline, server.log.read_text()
        time.sleep(0.1)
    project.edit(project.root / SVG, "M0 0h9", "M0 0h5")
    server.wait("en/guide/sample/", "M0 0h5", 20)
    assert "M0 0h9" in server.read("guide/sample/")
    project.edit(project.page("zh"), "\\sqroot{b}", "c")
    server.wait("guide/sample/", "M0 0h5", 20)


def test_a_port_in_use_is_named(project):
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = other.getsockname()[1]
        done = subprocess.run([sys.executable, "-m", "mkdocs", "serve", "-a", f"127.0.0.1:{port}"],
                              cwd=project.root, text=True, capture_output=True, timeout=60)
    assert done.returncode != 0
    assert f"Cannot serve on 127.0.0.1:{port}: Address already in use" in done.stdout
    assert f"make serve PORT={port + 1}" in done.stdout
