"""comm_hooks.py and wrong_hook_name.py: what is sent, and how exactly."""

import pytest
import torch
import torch.distributed as dist
from torch import nn
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import (
    allreduce_hook,
    bf16_compress_hook,
    fp16_compress_hook,
)
from torch.distributed.algorithms.ddp_comm_hooks.powerSGD_hook import PowerSGDState, powerSGD_hook
from torch.nn.parallel import DistributedDataParallel as DDP

import comm_hooks
import wrong_hook_name
from ranks import run_ranks

SNIPPETS = ["distributed/comm_hooks.py", "distributed/wrong_hook_name.py"]
torch.set_num_threads(1)
NUMBERS = 64 * 256 + 256 + 256 * 10 + 10  # 19210 parameters


def own_gradient(rank):
    """This rank's gradient without DDP."""
    torch.manual_seed(0)
    net = nn.Sequential(nn.Linear(64, 256), nn.Tanh(), nn.Linear(256, 10))
    x = torch.randn(256, 64, generator=torch.Generator().manual_seed(7 + rank))
    nn.functional.cross_entropy(net(x), x[:, :10].argmax(1)).backward()
    return torch.cat([p.grad.flatten() for p in net.parameters()])


def exact():
    return (own_gradient(0) + own_gradient(1)) / 2


def power(rank):
    state = PowerSGDState(None, matrix_approximation_rank=rank, start_powerSGD_iter=2)
    grads, size = comm_hooks.gradients(state, powerSGD_hook)
    return grads, size, state.compression_stats()


def several(rank):
    plain = comm_hooks.gradients(None, allreduce_hook)
    half = comm_hooks.gradients(None, fp16_compress_hook)
    brain = comm_hooks.gradients(None, comm_hooks.bf16_hook)
    return {"plain": plain, "fp16": half, "bf16": brain, 1: power(1), 4: power(4)}


@pytest.fixture(scope="module")
def measured():
    first, second = run_ranks(several, 2)
    for name, (grads, size, *_) in first.items():
        assert torch.equal(grads, second[name][0]) and size == second[name][1]
        assert len(grads) == 10
    return first


def off(grad):
    return f"{(grad - exact()).norm() / exact().norm():.2%}"


def test_without_compression(measured):
    grads, size = measured["plain"]
    assert size == 4 * NUMBERS
    torch.testing.assert_close(grads, exact().expand(10, -1), rtol=0, atol=1e-7)


def test_half_the_bytes(measured):
    for name, error in [("fp16", "0.03%"), ("bf16", "0.23%")]:
        grads, size = measured[name]
        assert size == 2 * NUMBERS
        assert off(grads[0]) == off(grads.mean(0)) == error


def test_the_bf16_hook(measured):
    a, b = ((own_gradient(rank) / 2).bfloat16() for rank in range(2))
    assert torch.equal(measured["bf16"][0][0], (a + b).float())


def test_power_sgd(measured):
    for r, ratio, step, mean in [(1, "22.5", "92.16%", "63.43%"), (4, "7.4", "72.84%", "14.03%")]:
        grads, size, (_, before, after) = measured[r]
        elements = r * (64 + 256) + r * (256 + 10) + 256 + 10  # P and Q, and the biases
        assert size == 4 * elements
        assert f"{NUMBERS / elements:.1f}" == ratio
        assert (before, after) == (10 * NUMBERS, 10 * elements)
        assert (off(grads[0]), off(grads.mean(0))) == (step, mean)
        weight = grads[0][: 64 * 256].view(256, 64)
        assert torch.linalg.matrix_rank(weight, rtol=1e-4) == r


def default_power(rank):
    state = PowerSGDState(None)
    return comm_hooks.gradients(state, powerSGD_hook)[1]


def test_power_sgd_does_nothing_for_a_thousand_steps():
    assert run_ranks(default_power, 2) == [4 * NUMBERS] * 2
    assert PowerSGDState(None).start_powerSGD_iter == 1000
    with pytest.raises(ValueError, match="Expect `start_powerSGD_iter` > 1 if `use_error"):
        PowerSGDState(None, start_powerSGD_iter=1)


def large_gradients(rank):
    """Each rank's gradient is 1e5, more than float16 can hold."""
    found = []
    for hook in (fp16_compress_hook, comm_hooks.bf16_hook):
        ddp = DDP(nn.Linear(1, 1, bias=False))
        ddp.register_comm_hook(None, hook)
        (1e5 * ddp(torch.ones(1, 1))).sum().backward()
        found.append(ddp.module.weight.grad.item())
    return found


def test_float16_overflows():
    for half, brain in run_ranks(large_gradients, 2):
        assert half == float("inf")
        assert brain == pytest.approx(1e5, rel=4e-3)


def register(rank):
    errors = []
    try:
        wrong_hook_name.train(rank)
    except KeyError as error:
        errors.append(repr(error))
    hook = lambda group, bucket: wrong_hook_name.average(group, bucket)
    ddp = DDP(nn.Linear(8, 1))
    ddp.register_comm_hook(None, hook)
    ddp(torch.full((1, 8), 1.0 + rank)).sum().backward()
    try:
        DDP(nn.Linear(8, 1)).register_comm_hook(None, bf16_compress_hook)
    except TypeError as error:
        errors.append(str(error))
    return errors, ddp.module.weight.grad


def test_the_argument_is_named_bucket():
    for (name, official), grad in run_ranks(register, 2):
        assert name == "KeyError('bucket')"
        assert official.startswith("BF16 all reduce communication hook required CUDA 11+ and NCCL")
        assert torch.equal(grad, torch.full((1, 8), 1.5))


def printed(rank):
    lines, real = [], dist.all_reduce
    comm_hooks.print = lambda text, end="\n", flush=False: lines.append(text + end)
    comm_hooks.compare(rank)
    assert dist.all_reduce is real
    return "".join(lines)


def test_what_is_printed():
    first, second = run_ranks(printed, 2)
    assert not second
    rows = [" ".join(line.split()) for line in first.splitlines()]
    assert rows == [
        "hook sends one step mean of 10",
        "float16 1/2.0 0.03% 0.03%",
        "bfloat16 1/2.0 0.23% 0.23%",
        "PowerSGD 1 1/22.5 92.16% 63.43%",
        "PowerSGD 4 1/7.4 72.84% 14.03%",
    ]
