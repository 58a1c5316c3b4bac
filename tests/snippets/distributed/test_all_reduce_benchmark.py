"""benchmarks/all_reduce.py runs, and its saved table has every row."""

import importlib.util
import re
import sys
from pathlib import Path

from ranks import run_ranks

ROOT = Path(__file__).parents[3]
TABLE = ROOT / "snippets/distributed/all_reduce_benchmark.out"
ROW = re.compile(
    r"\| (\d) \| (4\u00a0KB|1\u00a0MB|16\u00a0MB) \|( \d+\.\d\d \|){5}"
)


def load():
    spec = importlib.util.spec_from_file_location(
        "all_reduce_timing", ROOT / "benchmarks/all_reduce.py"
    )
    module = importlib.util.module_from_spec(spec)
    before = list(sys.path)
    spec.loader.exec_module(module)
    sys.path[:] = before
    return module


def measured(rank):
    benchmark, rows = load(), []
    benchmark.SIZES = {"4\u00a0KB": (1 << 10, 3)}
    benchmark.print = lambda row, flush: rows.append(row)
    benchmark.measure(rank, 1)
    return rows


def test_it_times_each_algorithm():
    (row,), nothing = run_ranks(measured, 2)
    assert ROW.fullmatch(row)
    assert nothing == []


def test_the_saved_table_has_every_row():
    head, rule, *rows = TABLE.read_text("utf-8").splitlines()
    for word in (r"\1", r"\2"):  # as the two pages show it
        shown = re.sub(r"\{\{(.*?)\|(.*?)\}\}", word, head)
        assert shown.count("|") == rule.count("|") == 8
    found = [ROW.fullmatch(row).groups()[:2] for row in rows]
    assert found == [(w, s) for w in "234" for s in load().SIZES]
