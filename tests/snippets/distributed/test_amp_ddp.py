"""amp_ddp.py: what autocast and the GradScaler do on two ranks."""

import sys
import warnings

import pytest
import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

import amp_ddp
from ranks import run_ranks


def lines(rank):
    printed = []
    amp_ddp.print = lambda text, flush: printed.append(text)
    amp_ddp.main(rank)
    return printed


def test_the_numbers_in_the_text():
    first, second = run_ranks(lines, 2)
    assert first == [
        "torch.bfloat16: weight torch.float32, gradient torch.float32, scale 1",
        "torch.float16: weight torch.float32, gradient torch.float32, scale 32768",
        "torch.bfloat16, scale 1: 8 of 8 gradients are not 0",
        "torch.float16, scale 1: 0 of 8 gradients are not 0",
        "torch.float16, scale 65536: 8 of 8 gradients are not 0",
    ]
    assert second == []


def step(rank, dtype):
    """One step's gradient, the moved weight, and what DDP put on the wire."""
    torch.manual_seed(0)
    ddp, sent = DDP(nn.Linear(8, 1)), []

    def hook(state, bucket):
        sent.append(bucket.buffer().dtype)
        future = torch.distributed.all_reduce(
            bucket.buffer().div_(2), async_op=True).get_future()
        return future.then(lambda done: done.value()[0])

    ddp.register_comm_hook(None, hook)
    optimizer = torch.optim.SGD(ddp.parameters(), lr=0.1)
    before = ddp.module.weight.detach().clone()
    scaler = torch.amp.GradScaler("cpu", enabled=False)
    x, y = amp_ddp.make_batch(rank)
    amp_ddp.train_step(ddp, optimizer, scaler, x, y, dtype)
    moved = ddp.module.weight.detach() - before
    return ddp.module.weight.grad, moved, set(sent), (x, y)


def reference(*batches):
    """float32, one process, both ranks' samples."""
    torch.manual_seed(0)
    model = nn.Linear(8, 1)
    x, y = (torch.cat(t) for t in zip(*batches, strict=True))
    (model(x) - y).square().mean().backward()
    return model.weight.grad


def test_gradients_stay_close_and_in_float32():
    """bfloat16 autocast with DDP: the gradient is within 1% of one float32
    process's, equal bit for bit on the ranks, and DDP still sends float32.
    """
    (a, moved, sent, mine), (b, _, _, its) = run_ranks(step, 2, torch.bfloat16)
    want = reference(mine, its)
    assert torch.equal(a, b) and sent == {torch.float32}
    error = ((a - want).norm() / want.norm()).item()
    assert 0 < error < 0.01
    torch.testing.assert_close(moved, -0.1 * a)


def overflow_on_rank_1(rank):
    ddp = DDP(nn.Linear(8, 1))
    before = ddp.module.weight.detach().clone()
    optimizer = torch.optim.SGD(ddp.parameters(), lr=0.1)
    scaler = torch.amp.GradScaler("cpu", init_scale=1024.0)
    x, y = amp_ddp.make_batch(rank)
    if rank == 1:
        y = y * 1e3  # its float16 gradients, times 1024, are beyond 65504
    amp_ddp.train_step(ddp, optimizer, scaler, x, y, torch.float16)
    return scaler.get_scale(), torch.equal(before, ddp.module.weight)


@pytest.mark.claim(
    zh="float16 溢出只发生在 rank 1，两个 rank 却一起跳过这一步、一起把缩放减半",
    en="float16 overflows on rank 1 alone, yet both ranks skip the step and halve the scale together",
    against_zh="两个 rank 的权重与 GradScaler 的状态",
    against_en="weights and GradScaler state of both ranks",
    tolerance="0",
)
def test_both_ranks_skip_together():
    assert run_ranks(overflow_on_rank_1, 2) == [(512.0, True)] * 2


def test_why_float16_needs_a_scale():
    """A gradient of 1e-9: bfloat16 can hold it, float16 makes it 0, and times
    65536 it fits again.
    """
    assert torch.finfo(torch.float16).smallest_normal * torch.finfo(torch.float16).eps == 2**-24
    tiny = torch.tensor(1e-9)
    assert tiny.half() == 0 and (tiny * 2**16).half() > 0
    assert tiny.bfloat16() > 0
    assert not amp_ddp.torch.amp.GradScaler("cpu", enabled=False).is_enabled()


OLD = {
    "autocast": "`torch.cuda.amp.autocast(args...)` is deprecated. "
                "Please use `torch.amp.autocast('cuda', args...)` instead.",
    "GradScaler": "`torch.cuda.amp.GradScaler(args...)` is deprecated. "
                  "Please use `torch.amp.GradScaler('cuda', args...)` instead.",
}


@pytest.mark.parametrize("name", OLD)
def test_the_old_names_warn(name):
    """torch.cuda.amp.autocast and torch.cuda.amp.GradScaler give a FutureWarning
    that names torch.amp.
    """
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        getattr(torch.cuda.amp, name)()
    assert OLD[name] in [str(w.message) for w in caught if w.category is FutureWarning]


def without_apex(rank):
    sys.modules["apex"] = None  # importing it would fail
    return lines(rank)[0]


def test_torch_amp_needs_no_apex():
    """Mixed precision trains with torch.amp alone, without Apex."""
    assert run_ranks(without_apex, 1)[0].startswith("torch.bfloat16: weight")


def test_autocast_defaults():
    assert torch.get_autocast_dtype("cpu") == torch.bfloat16
    assert torch.get_autocast_dtype("cuda") == torch.float16
