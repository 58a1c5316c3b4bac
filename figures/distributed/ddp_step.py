"""What DDP does in one step; the numbers are quickstart.py's first step."""

import sys
from pathlib import Path

import torch

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(ROOT / "snippets/distributed"), str(ROOT / "figures")]
from quickstart import BATCH, loss_fn, make_dataset, make_model
from svg import BG, BLUE, FG, GREEN, MUTED, ORANGE, text

OUT = ROOT / "docs/shared/figures/distributed/ddp-step.svg"
LEFT, RIGHT, MIDDLE = 110, 370, 240  # the middles of the columns


def first_step():
    """Each rank's loss, and its gradients of a few weights in both layers."""
    gen = torch.Generator().manual_seed(0)
    order = torch.randperm(2048, generator=gen)[:BATCH]
    x, y = make_dataset().tensors
    losses, grads = [], []
    for part in (order[0::2], order[1::2], order):
        model = make_model()
        loss = loss_fn(model(x[part]), y[part])
        loss.backward()
        losses.append(loss.item())
        last, first = model[2].weight.grad[0, :9], model[0].weight.grad[:9, 0]
        grads.append([last.tolist(), first.tolist()])
    for a, b, whole in zip(*(torch.tensor(g) for g in grads), strict=True):
        torch.testing.assert_close((a + b) / 2, whole)
    return losses, grads


def box(x, y, w, h, color, fill="none", width=2, radius=8, extra=""):
    return (
        f'<rect x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}" '
        f'rx="{radius}" fill="{fill}" stroke="{color}" '
        f'stroke-width="{width}" {extra}/>\n'
    )


def arrow(x1, y1, x2, y2, color=FG, both=False):
    start = 'marker-start="url(#ddp-step-head)" ' if both else ""
    return (
        f'<path d="M{x1:g} {y1:g}L{x2:g} {y2:g}" stroke="{color}" '
        f'stroke-width="2" fill="none" {start}'
        'marker-end="url(#ddp-step-head)"/>\n'
    )


def step(number, y, words):
    """A numbered heading across the figure."""
    return (
        f'<circle cx="18" cy="{y - 5}" r="13" fill="{FG}"/>\n'
        + text(18, y + 1, str(number), BG, 16, 700)
        + text(40, y, words, FG, 16, 600, "start")
    )


def bars(middle, y, values, color, scale):
    """Gradients as bars about a zero line at height y."""
    pitch, width = 17, 11
    left = middle - pitch * len(values) / 2
    out = (
        f'<path d="M{left - 4:g} {y}H{left + pitch * len(values) + 4:g}" '
        f'stroke="{MUTED}" stroke-width="1.5"/>\n'
    )
    for i, value in enumerate(values):
        height = abs(value) * scale
        top = y - height if value > 0 else y
        out += (
            f'<rect x="{left + pitch * i + 3:g}" y="{top:.1f}" '
            f'width="{width}" height="{height:.1f}" fill="{color}"/>\n'
        )
    return out


def samples(middle, y, colors):
    out, pitch = "", 22
    left = middle - pitch * len(colors) / 2
    for i, color in enumerate(colors):
        out += box(left + pitch * i + 2, y, 18, 18, color, color, 0, 3)
    return out


def bucket(y, grads, layer, words):
    """One bucket: both ranks' gradients, and the mean that both get."""
    a, b, mean = (g[layer] for g in grads)
    scale = 26 / max(map(abs, a + b))
    out = box(4, y, 472, 146, MUTED, width=1.5, extra='stroke-dasharray="5 4"')
    out += text(16, y + 24, words, FG, 15, 600, "start")
    out += bars(LEFT, y + 64, a, BLUE, scale)
    out += bars(RIGHT, y + 64, b, ORANGE, scale)
    out += arrow(204, y + 64, 276, y + 64, both=True)
    out += text(MIDDLE, y + 54, "all-reduce", FG, 14)
    out += text(MIDDLE, y + 86, ("求和 ÷ 2", "sum ÷ 2"), FG, 14)
    out += bars(LEFT, y + 118, mean, GREEN, scale)
    out += bars(RIGHT, y + 118, mean, GREEN, scale)
    out += text(MIDDLE, y + 123, ("平均相同", "same mean"), GREEN, 14)
    return out


def draw():
    losses, grads = first_step()
    words = (
        "批次轮流分给各 rank，各算各的损失",
        "Deal out a batch: same weights, own losses",
    )
    out = step(1, 22, words)
    out += samples(MIDDLE, 40, [BLUE, ORANGE] * 6)
    out += arrow(196, 64, 152, 86) + arrow(284, 64, 328, 86)
    for middle, color, rank in ((LEFT, BLUE, 0), (RIGHT, ORANGE, 1)):
        out += box(middle - 96, 90, 192, 92, color)
        out += text(middle, 113, f"rank {rank}", color, 16, 700)
        out += samples(middle, 122, [color] * 6)
        loss = f"{losses[rank]:.3f}"
        out += text(middle, 169, (f"损失 {loss}", f"loss {loss}"), FG, 15)
    out += text(MIDDLE, 142, "w = w", FG, 15)

    words = (
        "反向传播尚未结束，梯度已按桶求平均",
        "Average by bucket while backward goes on",
    )
    out += step(2, 218, words)
    last = ("桶 1：后面的层，梯度先算好", "Bucket 1: last layer, ready first")
    first = (
        "桶 2：前面的层；此时桶 1 已在路上",
        "Bucket 2: first layer; 1 is on its way",
    )
    out += bucket(234, grads, 0, last) + bucket(390, grads, 1, first)

    words = (
        "同样的更新，权重仍然逐位相同",
        "The same update: weights stay bit-equal",
    )
    out += step(3, 572, words)
    update = ("w ← w − lr · 平均", "w ← w − lr · mean")
    for middle, color in ((LEFT, BLUE), (RIGHT, ORANGE)):
        out += box(middle - 96, 588, 192, 40, color)
        out += text(middle, 614, update, FG, 16)
    out += text(MIDDLE, 614, "w = w", FG, 15)
    head = (
        '<defs><marker id="ddp-step-head" viewBox="0 0 8 8" refX="6" refY="4" '
        'markerWidth="6" markerHeight="6" orient="auto-start-reverse">'
        f'<path d="M0 0L8 4L0 8z" fill="{FG}"/></marker></defs>\n'
    )
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 480 636" '
        'style="max-width:560px;margin:auto">\n'
        f"{head}{out}</svg>\n"
    )


if __name__ == "__main__":
    OUT.write_text(draw(), "utf-8")
