"""Measure an article page as a reader's browser meets it: weight, shifts, Lighthouse.

    python benchmarks/page.py                         builds the site and measures
    python benchmarks/page.py --site site --runs 1    a built site, one Lighthouse run

The site is built into a temporary folder and served with gzip under a base path.
Needs requirements.txt and Chromium (CHROME_PATH, or /usr/bin/chromium). Lighthouse
runs with its mobile defaults, from npm; where npx is missing it is skipped. Bytes and
requests are what the server sent on a first visit, headers included, up to two seconds
after the page went quiet: search is not opened. Layout shift is the largest of a
phone's and a desktop's, the page scrolled to its end, once at full speed and once on
slow 4G with the processor slowed down four times. Lighthouse's performance means
something only on a machine that is idle: the load average is printed with it.
"""

import argparse
import gzip
import json
import mimetypes
import os
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from urllib.parse import unquote, urlsplit

from playwright.sync_api import sync_playwright

ROOT = Path(__file__).parent.parent
CHROME = os.environ.get("CHROME_PATH", "/usr/bin/chromium")
LIGHTHOUSE = "lighthouse@12.2.3"
BASE = "/notes/"
PAGES = ["distributed/quickstart/", "en/distributed/quickstart/"]
BUDGET = {"performance": 98, "accessibility": 100, "best-practices": 100, "seo": 100}
WEIGHT = 200 * 1024
SLOW_4G = {"offline": False, "latency": 150, "downloadThroughput": 1.6e6 / 8,
           "uploadThroughput": 750e3 / 8}
PACKED = {".html", ".css", ".js", ".json", ".svg", ".xml", ".txt", ".md", ".map"}
WATCH_SHIFTS = """
window.shifts = []
new PerformanceObserver(list => list.getEntries().forEach(shift => shifts.push({
  value: shift.value,
  nodes: shift.sources.map(s => s.node?.nodeName + "." + (s.node?.className ?? "")),
}))).observe({ type: "layout-shift", buffered: true })
"""
SCROLL = """async () => {
  for (let y = 0; y < document.documentElement.scrollHeight; y += 600) {
    scrollTo(0, y)
    await new Promise(done => setTimeout(done, 60))
  }
}"""


class Handler(BaseHTTPRequestHandler):
    """Serves server.site with gzip and notes in server.sent what went out."""

    protocol_version = "HTTP/1.1"

    def do_GET(self):
        path = unquote(urlsplit(self.path).path)
        file = self.server.site / path.removeprefix(BASE)
        if file.is_dir():
            file = file / "index.html"
        found = path.startswith(BASE) and file.is_file()
        body = file.read_bytes() if found else b"not found"
        head = [f"HTTP/1.1 {'200 OK' if found else '404 Not Found'}",
                f"Content-Type: {mimetypes.guess_type(file.name)[0]}"]
        if file.suffix in PACKED:
            body = gzip.compress(body, 6)
            head.append("Content-Encoding: gzip")
        head.append(f"Content-Length: {len(body)}")
        sent = "\r\n".join(head).encode() + b"\r\n\r\n" + body
        self.server.sent.append((path, len(sent)))
        self.wfile.write(sent)

    def log_message(self, *args):
        pass


def serve(site: Path) -> ThreadingHTTPServer:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.site, server.sent = site, []
    threading.Thread(target=server.serve_forever, daemon=True).start()
    return server


def visit(browser, url: str, width: int, slow: bool) -> tuple[list, list]:
    """Open a page for the first time; return its layout shifts and foreign requests."""
    context = browser.new_context(viewport={"width": width, "height": 844})
    foreign = []
    context.on("request", lambda request: foreign.append(request.url)
               if urlsplit(request.url).hostname not in (None, "127.0.0.1") else None)
    page = context.new_page()
    page.add_init_script(WATCH_SHIFTS)
    if slow:
        session = context.new_cdp_session(page)
        session.send("Network.enable")
        session.send("Network.emulateNetworkConditions", SLOW_4G)
        session.send("Emulation.setCPUThrottlingRate", {"rate": 4})
    page.goto(url, wait_until="networkidle", timeout=60_000)
    page.wait_for_timeout(2000)
    page.evaluate(SCROLL)
    shifts = page.evaluate("shifts")
    context.close()
    return shifts, foreign


def measure(browser, server, url: str) -> dict:
    """Return bytes, requests, shifts of a page, and what it asked of other hosts."""
    result = {"foreign": [], "fast": 0, "slow": 0, "moved": set()}
    for slow in (False, True):
        for width in (390, 1280):
            server.sent.clear()
            shifts, foreign = visit(browser, url, width, slow)
            if not slow and width == 390:
                result |= {"bytes": sum(size for _, size in server.sent),
                           "requests": len(server.sent), "files": list(server.sent)}
            total = round(sum(shift["value"] for shift in shifts), 4)
            kind = "slow" if slow else "fast"
            result[kind] = max(result[kind], total)
            result["moved"] |= {node for shift in shifts for node in shift["nodes"]}
            result["foreign"] += foreign
    return result


def lighthouse(url: str, folder: Path) -> dict:
    """Return the report of one run."""
    command = ["npx", "--yes", LIGHTHOUSE, url, "--quiet", "--output=json",
               f"--output-path={folder / 'report.json'}",
               "--chrome-flags=--headless=new --no-sandbox"]
    process = subprocess.Popen(
        command, start_new_session=True, stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, text=True,
        env=os.environ | {"CHROME_PATH": CHROME, "TMPDIR": str(folder)})
    try:
        _, said = process.communicate(timeout=240)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        raise SystemExit(f"Lighthouse took more than 240 s on {url}") from None
    if process.returncode:
        raise SystemExit(f"Lighthouse failed on {url}:\n{said}")
    return json.loads((folder / "report.json").read_text("utf-8"))


def faults(report: dict) -> set[str]:
    """Name each audit that costs points, with the elements that it names."""
    found = set()
    for name in BUDGET:
        for ref in report["categories"][name]["auditRefs"]:
            audit = report["audits"][ref["id"]]
            if not ref["weight"] or audit["score"] is None or audit["score"] >= 0.9:
                continue
            items = audit.get("details", {}).get("items", [])
            nodes = [item["node"]["snippet"][:120] for item in items if "node" in item]
            found.add(f"{name}/{ref['id']} {audit.get('displayValue', '')} "
                      + "; ".join(nodes[:5]))
    return found


def build(site: Path, url: str) -> None:
    subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "-q", "--site-dir", str(site)],
        cwd=ROOT, check=True, timeout=300,
        env=os.environ | {"SITE_URL": url, "NO_MKDOCS_2_WARNING": "1"})


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--site", type=Path, help="a built site; without it, build one")
    parser.add_argument("--pages", nargs="+", default=PAGES)
    parser.add_argument("--runs", type=int, default=3, help="of Lighthouse; 0 for none")
    options = parser.parse_args()
    if options.runs and not shutil.which("npx"):
        print("Lighthouse is skipped: there is no npx (it comes with Node 20).\n")
        options.runs = 0

    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        server = serve(options.site or Path(folder) / "site")
        address = f"http://127.0.0.1:{server.server_port}{BASE}"
        if not options.site:
            build(server.site, address)
        browser = playwright.chromium.launch(
            executable_path=CHROME, args=["--no-sandbox"])
        results = {p: measure(browser, server, address + p) for p in options.pages}
        browser.close()
        for page, result in results.items():
            reports = [lighthouse(address + page, Path(folder))
                       for _ in range(options.runs)]
            result["scores"] = {
                name: round(100 * statistics.median(
                    r["categories"][name]["score"] for r in reports))
                for name in BUDGET if reports}
            result["faults"] = set().union(*map(faults, reports))
        server.shutdown()

    print(f"Load average: {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores.\n")
    print("| Page | KiB | requests | other hosts | shift | shift, slow 4G | "
          + " | ".join(BUDGET) + " |")
    print("| - | -: | -: | -: | -: | -: |" + " -: |" * len(BUDGET))
    broken = []
    for page, r in results.items():
        scores = [r["scores"].get(name, "–") for name in BUDGET]
        print(f"| {page} | {r['bytes'] / 1024:.1f} | {r['requests']} | "
              f"{len(r['foreign'])} | {r['fast']:g} | {r['slow']:g} | "
              + " | ".join(map(str, scores)) + " |")
        if r["bytes"] > WEIGHT:
            broken.append(f"{page}: more than {WEIGHT // 1024} KiB: " + ", ".join(
                f"{path} {size}" for path, size in r["files"]))
        if r["foreign"]:
            broken.append(f"{page}: asks other hosts: {', '.join(r['foreign'])}")
        if r["fast"] or r["slow"]:
            broken.append(f"{page}: the layout shifts: {', '.join(sorted(r['moved']))}")
        broken += [f"{page}: {name} is {score}, the budget is {BUDGET[name]}"
                   for name, score in r["scores"].items() if score < BUDGET[name]]
        for fault in sorted(r["faults"]):
            print(f"  {page}: {fault}", file=sys.stderr)
    print("\n" + ("\n".join(broken) or "Every budget is kept."))
    return int(bool(broken))


if __name__ == "__main__":
    raise SystemExit(main())
