"""Time the hand-written all-reduces beside gloo's own, as a Markdown table.

    python benchmarks/all_reduce.py > snippets/distributed/all_reduce_benchmark.out

Ranks are processes of this machine, one thread each. A round runs every
algorithm once; its time is that of the slowest rank, from a barrier on. The
table shows the median of the rounds in ms. Run it on an idle machine.
"""

import argparse
import statistics
import sys
import time
from pathlib import Path

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "snippets/distributed"))
import torch
import torch.distributed as dist

from all_reduce_by_hand import ALGORITHMS
from launch import launch

SIZES = {  # float32 numbers, rounds; the space does not break
    "4\u00a0KB": (1 << 10, 200), "1\u00a0MB": (1 << 18, 40), "16\u00a0MB": (1 << 22, 12)}
WORDS = {"star": "{{主从|star}}", "everyone": "{{两两互发|everyone}}",
         "tree": "{{树|tree}}", "ring": "{{环|ring}}"}


def slowest(all_reduce, tensor):
    """Seconds until the last rank is done."""
    dist.barrier()
    start = time.perf_counter()
    all_reduce(tensor)
    seconds = torch.tensor(time.perf_counter() - start)
    dist.all_reduce(seconds, dist.ReduceOp.MAX)
    return seconds.item()


def measure(rank, repeat):
    runs = {"ring": ALGORITHMS["ring"], "gloo": dist.all_reduce, **ALGORITHMS}
    for size, (count, rounds) in SIZES.items():
        times = {name: [] for name in runs}
        for _ in range(max(3, round(rounds * repeat))):
            for name, all_reduce in runs.items():
                tensor = torch.ones(count)
                times[name].append(slowest(all_reduce, tensor))
                assert (tensor == dist.get_world_size()).all(), name
        if rank == 0:
            cells = (f"{1e3 * statistics.median(t[1:]):.2f}" for t in times.values())
            print(f"| {dist.get_world_size()} | {size} | {' | '.join(cells)} |", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--repeat", type=float, default=1, help="times as many rounds")
    repeat = parser.parse_args().repeat
    names = [WORDS["ring"], "gloo", *(WORDS[name] for name in ALGORITHMS if name != "ring")]
    print(f"| W | S | {' | '.join(names)} |")
    print("| ---: | ---: |" + " ---: |" * len(names), flush=True)
    launch(measure, (2, 3, 4), repeat, backend="gloo")


if __name__ == "__main__":
    main()
