"""Write what the tests prove: `pytest tests/snippets --verify` (`make verify`).

A test marked `claim` states in both languages what it proves of its snippet.
When it passes, the claim goes into snippets/<track>/verified.json, from which
the build makes the Verified box; when it cannot run here, into `not_verified`.
"""

import ast
import datetime
import functools
import json
import platform
import sys
from collections import defaultdict
from importlib.metadata import packages_distributions, version
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "hooks"))
from snippets import runnable  # noqa: E402
from verified import content_hash  # noqa: E402

FIELDS = ("zh", "en", "against_zh", "against_en")


def pytest_addoption(parser):
    parser.addoption("--verify", action="store_true",
                     help="write snippets/*/verified.json from the claims that passed")
    parser.addoption("--update", action="store_true",
                     help="rewrite the shown outputs instead of comparing them")


def snippets_of(item, marker) -> list[str]:
    """Return the snippets that a claim is about."""
    named = marker.kwargs.get("snippets") or getattr(item.module, "SNIPPETS", None)
    path = Path(item.path).relative_to(ROOT / "tests/snippets")
    return named or [f"{path.parent.name}/{path.stem.removeprefix('test_')}.py"]


def pytest_collection_modifyitems(items):
    """Hand each claim to its report; user_properties travel between workers."""
    for item in items:
        if marker := item.get_closest_marker("claim"):
            missing = [name for name in FIELDS if not marker.kwargs.get(name)]
            if missing:
                raise pytest.UsageError(f"{item.nodeid}: the claim lacks {missing}")
            item.user_properties.append(("claim", {
                "test": item.nodeid.split("[")[0], "snippets": snippets_of(item, marker),
                **{name: marker.kwargs[name] for name in FIELDS},
                "tolerance": marker.kwargs.get("tolerance", "")}))


def device() -> str:
    import torch
    if torch.cuda.is_available():
        return f"{torch.cuda.device_count()} × {torch.cuda.get_device_name(0)}"
    return f"CPU ({platform.machine()})"


@functools.cache
def libraries(text: str) -> set[str]:
    """Return the distributions that a Python text imports, pytest left out."""
    nodes = list(ast.walk(ast.parse(text)))
    names = [alias.name for node in nodes if isinstance(node, ast.Import) for alias in node.names]
    names += [node.module for node in nodes if isinstance(node, ast.ImportFrom) and node.module]
    known = packages_distributions()
    if "import_module" in text:  # what is imported by its name
        names += [node.value for node in nodes if isinstance(node, ast.Constant)
                  and node.value in known]
    found = (known.get(name.split(".")[0]) for name in names)
    return {names[0] for names in found if names} - {"pytest"}


def versions(snippet: str, tests: set[str]) -> dict[str, str]:
    """Return the versions of Python and of what a snippet and its tests import."""
    path = ROOT / "snippets" / snippet
    texts = [runnable(path)] if path.suffix == ".py" else []
    texts += [(ROOT / test).read_text("utf-8") for test in sorted(tests)]
    names = sorted(set().union(*map(libraries, texts)), key=str.lower)
    return {"Python": platform.python_version()} | {name: version(name) for name in names}


class Recorder:
    """Collects the reports of one session; lives in the process that runs it."""

    def __init__(self):
        self.results = defaultdict(lambda: {"passed": True, "seconds": 0.0, "reason": ""})
        self.claims = {}
        self.modules = set()

    def pytest_runtest_logreport(self, report):
        self.modules.add(report.nodeid.split("::")[0])
        claim = dict(report.user_properties).get("claim")
        if claim is None:
            return
        self.claims[claim["test"]] = claim
        result = self.results[claim["test"]]
        result["seconds"] += report.duration
        if report.outcome != "passed":
            result["passed"] = False
        if report.skipped:
            result["reason"] = report.longrepr[2].removeprefix("Skipped: ")

    def rerun(self, entry: dict) -> bool:
        """Tell whether a recorded entry's tests are gone or were part of this session."""
        claims = entry["claims"] + entry["not_verified"]
        modules = {claim["test"].split("::")[0] for claim in claims}
        return any(module in self.modules or not (ROOT / module).exists() for module in modules)

    def pytest_sessionfinish(self, session, exitstatus):
        if exitstatus != 0:
            print("\nNothing recorded: a test failed.", file=sys.stderr)
            return
        tracks = defaultdict(dict)
        for test, claim in sorted(self.claims.items()):
            for name in claim.pop("snippets"):
                entry = tracks[name.split("/")[0]].setdefault(name, {
                    "hash": content_hash(name), "date": str(datetime.date.today()),
                    "device": device(), "seconds": 0.0, "claims": [], "not_verified": []})
                result = self.results[test]
                entry["seconds"] = round(entry["seconds"] + result["seconds"], 1)
                if result["passed"]:
                    entry["claims"].append(claim)
                else:
                    english, _, chinese = result["reason"].partition(" | ")
                    entry["not_verified"].append(
                        claim | {"reason_en": english, "reason_zh": chinese or english})
        for track, entries in tracks.items():
            for name, entry in entries.items():
                claims = entry["claims"] + entry["not_verified"]
                entry["versions"] = versions(name, {c["test"].split("::")[0] for c in claims})
            path = ROOT / "snippets" / track / "verified.json"
            kept = json.loads(path.read_text("utf-8")) if path.exists() else {}
            kept = {name: entry for name, entry in kept.items() if not self.rerun(entry)}
            text = json.dumps(kept | entries, ensure_ascii=False, indent=1, sort_keys=True)
            path.write_text(text + "\n", "utf-8")


def pytest_configure(config):
    if config.getoption("--verify") and not hasattr(config, "workerinput"):
        config.pluginmanager.register(Recorder())
