"""Photograph the site: the card that others show for a link, and the README's picture.

    mkdocs build && python figures/pictures.py

Needs Chromium and a Chinese font. Writes docs/shared/images/social.png and docs/page.png.
"""

import functools
import shutil
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parents[1]
IMAGES = ROOT / "docs/shared/images"
CARD = """<style>
body { margin: 0; width: 1200px; height: 630px; box-sizing: border-box; padding: 90px;
  font: 34px/1.5 system-ui, "Noto Sans CJK SC", sans-serif; color: #1c2730; background: #fff;
  border-bottom: 24px solid #0b7285; }
svg { width: 120px } h1 { font-size: 76px; line-height: 1.2; margin: 24px 0 }
p { margin: 0; color: #52616b }
</style>%s<h1>可运行笔记<br>Runnable Notes</h1>
<p>页面上的每一段代码都由测试运行过。</p><p>Tests run every block of code on every page.</p>"""


def main() -> None:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=shutil.which("chromium"),
            args=["--no-sandbox", "--disable-gpu"],
        )
        page = browser.new_page(viewport={"width": 1200, "height": 630})
        page.set_content(CARD % (IMAGES / "logo.svg").read_text("utf-8"))
        page.screenshot(path=IMAGES / "social.png")
        page.set_viewport_size({"width": 1280, "height": 860})
        handler = functools.partial(SimpleHTTPRequestHandler, directory=ROOT / "site")
        with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
            Thread(target=server.serve_forever, daemon=True).start()
            page.goto(f"http://127.0.0.1:{server.server_port}/en/distributed/quickstart/")
            page.screenshot(path=ROOT / "docs/page.png")
            server.shutdown()
        browser.close()


if __name__ == "__main__":
    main()
