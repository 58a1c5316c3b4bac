"""preview.sh: a saved edit is on screen without a restart."""

import contextlib
import os
import signal
import socket
import time
import urllib.request

import pytest

from reader import SNIPPETS as FOLDER

SNIPPETS = ["guide/preview.sh"]
LIMIT = 90  # seconds, for the first build and for each rebuild


def wait_for(url: str, text: str, process) -> None:
    end = time.monotonic() + LIMIT
    page = ""
    while time.monotonic() < end:
        assert process.poll() is None, process.communicate()
        with contextlib.suppress(OSError):
            page = urllib.request.urlopen(url, timeout=LIMIT).read().decode()
            if text in page:
                return
        time.sleep(0.1)
    pytest.fail(f"{url} does not show {text!r} after {LIMIT} s: {page[:500]}")


@pytest.mark.claim(
    zh="`make serve` 同时提供两种语言；保存中文页、英文页或代码之后，不用重启就能看到改动",
    en="`make serve` shows both languages; a saved edit of either page or of the code shows up "
       "without a restart",
    against_zh="浏览器会取到的 HTML",
    against_en="the HTML that a browser gets",
)
def test_saved_edits_show_up(shell, clone):
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    base = f"http://127.0.0.1:{port}"
    with shell.popen(["bash", str(FOLDER / "preview.sh")], clone, PORT=str(port)) as process:
        try:
            wait_for(f"{base}/guide/hello-world/", "</html>", process)
            for file, url, old, new in (
                ("docs/zh/guide/hello-world.md", "/guide/hello-world/", " {#", "改好了 {#"),
                ("docs/en/guide/hello-world.md", "/en/guide/hello-world/", " {#", " Edited {#"),
                ("snippets/guide/hello.py", "/guide/hello-world/", "cancels", "vanishes"),
            ):
                text = (clone / file).read_text("utf-8")
                (clone / file).write_text(text.replace(old, new, 1), "utf-8")
                wait_for(base + url, new.removesuffix("{#").strip(), process)
        finally:
            os.killpg(process.pid, signal.SIGINT)  # Ctrl-C: mkdocs removes its folder
            try:
                process.communicate(timeout=15)
            finally:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
