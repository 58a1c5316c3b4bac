"""The built site behind a base path, and a real browser that may go nowhere else."""

import functools
import http.server
import os
import shutil
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from filelock import FileLock

ROOT = Path(__file__).parent.parent.parent
BASE = "/some/base/"
CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")


@pytest.fixture(scope="session")
def site(tmp_path_factory, worker_id) -> Path:
    """Build the site once for all workers of this run."""
    shared = tmp_path_factory.getbasetemp()
    if worker_id != "master":
        shared = shared.parent
    folder, failure = shared / "site", shared / "build-failure"
    with FileLock(f"{folder}.lock"):
        if not folder.exists() and not failure.exists():
            done = subprocess.run(
                [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", folder],
                cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                timeout=120, env={**os.environ, "SITE_URL": f"https://runnable-notes.example{BASE}"})
            if done.returncode:
                failure.write_text(done.stdout)
    assert not failure.exists(), f"mkdocs build --strict failed:\n{failure.read_text()}"
    return folder


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves the site under the base path as a static host does."""

    def translate_path(self, path):
        if not path.startswith(BASE):
            return os.path.join(self.directory, "no such file")
        return super().translate_path("/" + path.removeprefix(BASE))

    def send_error(self, code, *args):
        body = Path(self.directory, "404.html").read_bytes()
        self.send_response(code)
        self.send_header("Content-Type", "text/html")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    def log_message(self, *args):
        pass


@pytest.fixture(scope="session")
def address(site):
    """Serve the site; the address ends with the base path."""
    handler = functools.partial(Handler, directory=str(site))
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        yield f"http://127.0.0.1:{server.server_port}{BASE}"
        server.shutdown()
        thread.join()


@pytest.fixture(scope="session")
def browser():
    if CHROMIUM is None and not os.environ.get("CI"):
        pytest.skip("no Chromium here: apt install chromium fonts-noto-cjk")
    from playwright.sync_api import sync_playwright
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
        yield browser
        browser.close()


@pytest.fixture
def open_page(browser, address):
    """Return a function that opens a page; foreign requests are refused and fail the test."""
    foreign, broken, contexts = [], [], []

    def guard(route):
        if route.request.url.startswith((address, "data:", "blob:")):
            route.continue_()
        else:
            foreign.append(route.request.url)
            route.abort()

    def open_(path="", *, allow_missing=False, **options):
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        context.set_default_timeout(15_000)
        contexts.append(context)
        context.route("**/*", guard)
        page = context.new_page()
        page.requested = []
        page.on("request", lambda r: page.requested.append(r.url.removeprefix(address)))
        page.on("pageerror", lambda error: broken.append(str(error)))
        if not allow_missing:
            page.on("response", lambda r: r.status >= 400 and broken.append(f"{r.status} {r.url}"))
        page.goto(address + path, wait_until="load")
        if options.get("java_script_enabled", True):
            page.locator("html[data-ready]").wait_for()
        return page

    yield open_
    for context in contexts:
        context.close()
    assert foreign == [], "requests to other hosts"
    assert broken == [], "errors in the page"
