"""Time the build on synthetic articles: ours, and plain Material on the same pages.

    python benchmarks/build.py                        all sizes, about ten minutes
    python benchmarks/build.py --sizes 50 --repeat 1  a quick look

Needs requirements-site.txt. Each number is the least of --repeat runs, start-up
(imports, jieba's dictionary) included for both. Seconds are processor time, user
and system, so other programs on the machine disturb them little. "further" is what
each article beyond the previous size costs: start-up cannot hide growth there.
Plain Material has the same theme features, extensions and plugins, but no hooks,
no overrides, and takes code in with pymdownx.snippets; its two languages are two
builds, whose seconds add up and whose memory is the larger.
"""

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import yaml
from mkdocs.utils.yaml import yaml_load

ROOT = Path(__file__).parent.parent
sys.path.insert(0, str(ROOT / "hooks"))
from verified import content_hash  # noqa: E402

MACHINE = ["docs", "hooks", "overrides", "*.yml", "requirements-site.txt"]
FLAT, PLAIN = 1.2, 1.5  # the budgets
TIMEOUT = 600  # seconds, of one build
TAGS = ["DDP", "PyTorch", "torchrun", "gloo", "MkDocs", "pytest", "Git", "CI"]
WORDS = {
    "zh": "每个 进程 都 保存 一份 完整 的 模型 ， 反向 传播 时 梯度 "
          "在 进程 之间 求 平均 。 数据 加载器 按 rank 切分 样本 ， "
          "学习率 随 批大小 调整 。",
    "en": "every process keeps a whole copy of the model and averages gradients with "
          "its peers while backward is still running , so that all copies stay equal .",
}
ARTICLE = """---
title: {title}
description: {description}
created: 2026-{month:02}-{day:02}
updated: 2026-{month:02}-{day:02}
order: {order}
tags: {tags}
mirrors: [B1]
---
{p}

```python hl_lines="2-3"
--8<-- "{track}/demo_{n}.py:model"
```

{p} The loss is $L_{{{order}}} = \\frac{{1}}{{N}} \\sum_{{i=1}}^{{N}} \\ell(x_i)$.

## Train {{#train}}

{p}

```python
--8<-- "{track}/demo_{n}.py:train"
```

```text
--8<-- "{track}/demo_{n}.out"
```

{p}

![A bar for each rank, number {order}](../figures/{track}/bars-{n}.svg)

## Why {{#why}}

{p} With $g_k \\in \\mathbb{{R}}^d$ for rank $k$:

$$\\bar g = \\frac{{1}}{{K}} \\sum_{{k=1}}^{{K}} g_k
  = \\nabla \\left( \\frac{{1}}{{N}} \\sum_{{i=1}}^{{N}} \\ell(x_i, \\theta) \\right)$$

!!! note "Note"
    {p}

| a | b |
| - | - |
| $a_{{1}}$ | `demo_{n}` |

## `RuntimeError: shape {order}` {{#shape}}

<div class="pair" markdown>
<div class="wrong" markdown>

```python
--8<-- "{track}/wrong_{n}.py:main"
```

```text
--8<-- "{track}/wrong_{n}.out"
```
</div>
<div class="right" markdown>

```python
--8<-- "{track}/demo_{n}.py:main"
```
</div>
</div>

{p}

## Sources {{#sources}}

[Tracks](index.md), [Manual](https://docs.pytorch.org/). {p}
"""
DEMO = '''"""Train number {n}."""

import torch
from common import mean


# --8<-- [start:model]
def model(width: int = {order}) -> torch.nn.Module:
    """Return two layers."""
    return torch.nn.Sequential(
        torch.nn.Linear(16, width), torch.nn.ReLU(), torch.nn.Linear(width, 2)
    )


# --8<-- [end:model]


# --8<-- [start:train]
def train(epochs: int = 3) -> list[float]:
    """Return the mean loss of each epoch."""
    net, losses = model(), []
    optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
    for epoch in range(epochs):
        x = torch.randn(64, 16)
        loss = torch.nn.functional.cross_entropy(net(x), (x[:, 0] > 0).long())
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(mean([loss.item()]))
        print(f"epoch {{epoch}}: loss {{losses[-1]:.4f}}", flush=True)
    return losses


# --8<-- [end:train]


if __name__ == "__main__":
    # --8<-- [start:main]
    train()
    # --8<-- [end:main]
'''
WRONG = '''"""Number {n}, wrong."""

import torch

# --8<-- [start:main]
layer = torch.nn.Linear(16, {order})
layer(torch.randn(2, 15))
# --8<-- [end:main]
'''
COMMON = '''"""What the track shares."""


def mean(values: list[float]) -> float:
    return sum(values) / len(values)
'''


def write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def copy_machine(to: Path) -> list[str]:
    """Copy the repository without its articles and snippets; return the tracks."""
    listed = subprocess.run(["git", "ls-files", *MACHINE], cwd=ROOT, check=True,
                            capture_output=True, text=True).stdout.split("\n")
    for name in filter(None, listed):
        parts = Path(name).parts
        if parts[1:2] and parts[1] in ("zh", "en"):
            if len(parts) == 4 and parts[3] != "index.md":
                continue  # an article
            text = (ROOT / name).read_text("utf-8")
            _, head, body = text.split("---\n", 2)
            body = body if parts[-1] == "tags.md" else "\nText.\n"
            write(to / name, f"---\n{head}---\n{body}")
        else:
            (to / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, to / name)
    return sorted(path.parent.name for path in to.glob("docs/zh/*/index.md"))


def figure(number: int) -> str:
    bars = "".join(
        f'<rect x="{20 * k}" y="{(k * number) % 90}" width="14" height="9" '
        f'fill="var(--fig-1)"/><text x="{20 * k}" y="140" class="zh">进程</text>'
        f'<text x="{20 * k}" y="140" class="en">rank</text>' for k in range(20))
    return f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 480 160">{bars}</svg>'


def paragraph(language: str, dice: random.Random) -> str:
    """Return some 200 Chinese characters, or English words that fill as much."""
    if language == "zh":
        return "".join(dice.choices(WORDS["zh"].split(), k=110)) + "。"
    return " ".join(dice.choices(WORDS["en"].split(), k=120)).capitalize() + "."


def write_articles(to: Path, tracks: list[str], count: int) -> None:
    """Write pages in both languages, snippets, outputs, figures, records."""
    for i in range(count):
        dice = random.Random(i)
        n, track = f"{i:04}", tracks[i % len(tracks)]
        facts = {"n": n, "order": i + 1, "track": track, "day": i % 28 + 1,
                 "month": i // 28 % 12 + 1, "tags": dice.sample(TAGS, 3)}
        for language in ("zh", "en"):
            text = ARTICLE.format(
                **facts, p=paragraph(language, dice),
                title=f"文章 {n}" if language == "zh" else f"Article {n}",
                description=f"What article {n} says in short. " * 3)
            write(to / f"docs/{language}/{track}/article-{n}.md", text)
        code = to / "snippets" / track
        write(code / "common.py", COMMON)
        write(code / f"demo_{n}.py", DEMO.format(**facts))
        write(code / f"demo_{n}.out", "epoch 0: loss 0.6931\n" * 3)
        write(code / f"wrong_{n}.py", WRONG.format(**facts))
        write(code / f"wrong_{n}.out", "RuntimeError: shapes cannot be multiplied\n")
        write(to / f"docs/shared/figures/{track}/bars-{n}.svg", figure(i))


def write_records(to: Path) -> None:
    """Write a verification record for each snippet, as `make verify` would."""
    claim = {f"{kind}{language}": "the loss of every epoch, and the parameters, equal "
             "those of one process" for kind in ("", "against_")
             for language in ("zh", "en")} | {"tolerance": "1e-7", "test": "t.py::t"}
    for track in to.glob("snippets/*"):
        names = [f"{track.name}/{p.name}" for p in sorted(track.glob("*_*.py"))]
        write(track / "verified.json", json.dumps({name: {
            "hash": content_hash(name, to), "date": "2026-12-01", "device": "CPU",
            "seconds": 1.0, "versions": {"Python": "3.11", "torch": "2.13.0"},
            "claims": [claim] * 3, "not_verified": []} for name in names}))


def write_plain(to: Path) -> list[str]:
    """Write plain Material's pages and two configurations under to/plain."""
    names = ["plain/mkdocs.yml", "plain/mkdocs.en.yml"]
    for name in names:
        with open(to / Path(name).name, encoding="utf-8") as file:
            config = yaml_load(file)
        for key in ("hooks", "extra", "extra_css", "extra_javascript"):
            config.pop(key, None)
        for key in ("custom_dir", "static_templates", "favicon", "logo"):
            config["theme"].pop(key, None)
        config["markdown_extensions"]["pymdownx.snippets"] = {
            "base_path": [str(to / "snippets")], "check_paths": True}
        docs = to / "plain" / config["docs_dir"]
        shutil.copytree(to / config["docs_dir"], docs)
        shutil.copytree(to / "docs/shared/figures", docs / "figures")
        for page in docs.rglob("*.md"):
            text = page.read_text("utf-8")
            page.write_text(re.sub(r"^template:.*\n", "", text, flags=re.M), "utf-8")
        config["docs_dir"] = str(docs)
        write(to / name, yaml.dump(config, allow_unicode=True))
    return names


def build(folder: Path, config: str, site: Path) -> tuple[float, float]:
    """Run `mkdocs build`; return processor seconds and peak MiB."""
    command = [sys.executable, "-m", "mkdocs", "build", "-q", "-f", config]
    process = subprocess.Popen(
        [*command, "--site-dir", str(site)], cwd=folder, stderr=subprocess.PIPE,
        text=True, env=os.environ | {"NO_MKDOCS_2_WARNING": "1"})
    timer = threading.Timer(TIMEOUT, process.kill)
    timer.start()
    said = process.stderr.read()
    _, status, usage = os.wait4(process.pid, 0)
    timer.cancel()
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{said}\n{config}: mkdocs build failed or took too long")
    shutil.rmtree(site)
    return usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


def measure(count: int, repeat: int) -> dict[str, tuple[float, float]]:
    """Return seconds and peak MiB of our build and of plain Material."""
    with tempfile.TemporaryDirectory() as folder:
        to = Path(folder)
        write_articles(to, copy_machine(to), count)
        write_records(to)
        plain = write_plain(to)
        results = {"ours": [], "plain": []}
        for _ in range(repeat):
            results["ours"].append(build(to, "mkdocs.yml", to / "site"))
            halves = [build(to, name, to / "site") for name in plain]
            results["plain"].append((sum(s for s, _ in halves),
                                     max(m for _, m in halves)))
    return {name: tuple(map(min, zip(*runs, strict=True)))
            for name, runs in results.items()}


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", type=int, nargs="+", default=[50, 200, 800])
    parser.add_argument("--repeat", type=int, default=2)
    options = parser.parse_args()

    print("| Articles | Build | s | ms an article | further | peak MiB | to plain |")
    print("| -------: | ----- | -: | -: | -: | -: | -: |", flush=True)
    cost, worst, last, seen = {}, 0, {}, 0
    for count in sorted(options.sizes):
        result = measure(count, options.repeat)
        ratio = result["ours"][0] / result["plain"][0]
        cost[count], worst = result["ours"][0] / count, max(worst, ratio)
        for name, (seconds, memory) in result.items():
            more = (seconds - last.get(name, 0)) / (count - seen)
            print(f"| {count} | {name} | {seconds:.1f} | {seconds / count * 1000:.0f} "
                  f"| {more * 1000:.0f} | {memory:.0f} "
                  f"| {ratio if name == 'ours' else 1:.2f} |", flush=True)
            last[name] = seconds
        seen = count
    growth = cost[max(cost)] / cost[min(cost)]
    print(f"\nOne of {max(cost)} articles costs {growth:.2f} times one of {min(cost)} "
          f"(budget {FLAT}). Ours takes up to {worst:.2f} times as long as plain "
          f"Material (budget {PLAIN}).")
    return int(growth > FLAT or worst > PLAIN)


if __name__ == "__main__":
    raise SystemExit(main())
