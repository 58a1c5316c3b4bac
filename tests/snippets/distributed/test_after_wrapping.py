"""after_wrapping.py: which gradients DDP still averages after a change."""

import pytest
import torch
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

import after_wrapping
from ranks import run_ranks


def data(rank):
    return torch.randn(8, 4, generator=torch.Generator().manual_seed(rank))


def train(rank):
    changes = after_wrapping.CHANGES
    return {name: after_wrapping.train(changes[name]) for name in changes}


def all_first_gradients(rank):
    return {name: first_gradients(rank, name) for name in after_wrapping.CHANGES}


def first_gradients(rank, name):
    """DDP's gradients after one backward, and this rank's own without DDP."""
    change, result = after_wrapping.CHANGES[name], []
    for wrap in (DDP, lambda model: model):
        model = after_wrapping.make_model()
        wrapped = wrap(model)
        change(model)
        x = data(rank).to(model[0].weight.dtype)
        wrapped(x).square().mean().backward()
        result.append({n: p.grad for n, p in model.named_parameters()})
    return result


def averaged(zero, one):
    """The parameters whose gradient is the mean of the ranks' own."""
    (a, own_a), (b, own_b) = zero, one
    found = set()
    for key, mine in own_a.items():
        if mine is None:
            continue
        mean = (mine + own_b[key]) / 2
        if torch.equal(a[key], b[key]) and torch.allclose(a[key], mean):
            found.add(key)
        else:  # nobody touched it
            assert torch.equal(a[key], mine)
            assert torch.equal(b[key], own_b[key])
    return sorted(found)


def node(p):
    """Where autograd adds to .grad; DDP hooks into it."""
    return p.view_as(p).grad_fn.next_functions[0][0]


def objects(rank):
    """What `.to` keeps, and whether DDP's hook is still on the parameter."""
    model = nn.BatchNorm1d(2)
    ddp = DDP(model)
    parameter, buffer = model.weight, model.running_mean

    rows, hooked = [], node(parameter)
    for change in (lambda m: m._apply(torch.clone), lambda m: m.double()):
        place = parameter.data_ptr()
        change(ddp)
        rows.append(
            {
                "parameter": model.weight is parameter,
                "storage": model.weight.data_ptr() == place,
                "buffer": model.running_mean is buffer,
                "hook": node(model.weight) is hooked,
            }
        )
        buffer = model.running_mean
    return rows


PLACES = ("before", "after", "then replaced")


def with_optimizers(rank):
    return [with_optimizer(rank, when) for when in PLACES]


def with_optimizer(rank, when):
    """Train three steps; the optimizer is made before or after DDP(…)."""
    model = after_wrapping.make_model()
    if when == "before":
        optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
    if when == "then replaced":
        optimizer = torch.optim.Adam(model.parameters(), lr=0.1)
        model[2] = nn.Linear(3, 2)
    ddp = DDP(model)
    if when == "after":
        optimizer = torch.optim.Adam(ddp.parameters(), lr=0.1)
    start = model[2].weight.detach().clone()
    for _ in range(3):
        optimizer.zero_grad()
        ddp(data(rank)).square().mean().backward()
        optimizer.step()
    return model[0].weight.detach(), torch.equal(start, model[2].weight)


def wrapped_again(rank, keep):
    """Wrap again after the frozen case; is the old wrapper still there?"""
    ddp = DDP(after_wrapping.make_model())
    ddp.module[0].requires_grad_(False)
    ddp(data(rank)).square().mean().backward()  # it waits for a gradient
    held = [ddp] if keep else []
    try:
        ddp = DDP(ddp.module)
        for _ in range(2):
            ddp.zero_grad()
            ddp(data(rank)).square().mean().backward()
    except RuntimeError as error:
        return str(error).partition(". ")[0]
    assert len(held) == keep
    return ddp.module[2].weight.grad


def drift(rank):
    """The same gradients, another learning rate on rank 1."""
    ddp = DDP(after_wrapping.make_model())
    optimizer = torch.optim.SGD(ddp.parameters(), lr=0.1 * (rank + 1))
    ddp(data(rank)).square().mean().backward()
    optimizer.step()
    ddp(data(rank)).square().mean().backward()  # nothing complains
    return ddp.module[0].weight.detach()


def printed(rank):
    lines = []
    after_wrapping.print = lambda text, flush: lines.append(text)
    after_wrapping.main(rank)
    return lines


OLD = ["0.bias", "0.weight", "2.bias", "2.weight"]


@pytest.mark.claim(
    zh="包装之后换层、冻结或 .to(float64)：第 0 步一个梯度也没平均；追加或解冻的层从不平均；只换存储（同 dtype）照常平均",
    en="After wrapping, a layer replaced or frozen, or .to(float64): nothing is averaged in step 0; a layer appended or unfrozen never is; new storage of the same dtype changes nothing",
    against_zh="不包 DDP 时各 rank 自己的梯度",
    against_en="each rank's own gradients without DDP",
    tolerance="1e-5",
)
def test_what_is_still_averaged():
    zero, one = run_ranks(all_first_gradients, 2)
    assert {name: averaged(zero[name], one[name]) for name in zero} == {
        "nothing": OLD,
        "layer replaced": [],
        "layer appended": OLD,
        "layer frozen": [],
        "layer unfrozen": OLD,
        ".to(torch.float64)": [],
        "storage replaced": OLD,
    }


@pytest.mark.gpu
def test_another_device_replaces_the_node():
    model = nn.Linear(2, 2)
    before = node(model.weight)
    parameter = model.weight
    model.cuda()
    assert model.weight is parameter
    assert node(model.weight) is not before


def test_which_changes_raise():
    """Of these only replacing and freezing raise Expected to have
    finished reduction, in step 1; appending, unfreezing and
    .to(float64) drift apart in silence.
    """
    found = [item for answer in run_ranks(train, 2) for item in answer.items()]
    for name, (apart, error) in found:
        raises = name in ("layer replaced", "layer frozen")
        text = "step 1: Expected to have finished reduction in the prior iteration"
        assert error == (text if raises else "no error")
        assert (apart > 1e-3) == (name not in ("nothing", "storage replaced"))
        assert apart > 1e-3 or apart == 0


def test_what_apply_keeps():
    (clone, double) = run_ranks(objects, 1)[0]
    same = {"parameter": True, "storage": False, "buffer": False}
    assert clone == {**same, "hook": True}
    assert double == {**same, "hook": False}


def test_the_optimizer_s_place():
    """An optimizer made before or after DDP(…) gives the same bits; a
    layer replaced after the optimizer was made does not train.
    """
    results = list(zip(*run_ranks(with_optimizers, 2), strict=True))
    weights = [w for answer in results[:2] for w, _ in answer]
    assert all(torch.equal(weights[0], w) for w in weights)
    assert [still for answer in results for _, still in answer] == [
        *[False] * 4,
        *[True] * 2,
    ]


def test_wrapping_again():
    """Averaged again, if nothing holds the old wrapper."""
    a, b = run_ranks(wrapped_again, 2, False)
    assert torch.equal(a, b)
    text = "Expected to mark a variable ready only once"
    assert run_ranks(wrapped_again, 2, True) == [text] * 2


def test_parameters_stay_equal_only_with_equal_optimizers():
    """Parameters do not stay equal by themselves: with another learning
    rate on rank 1 they differ after one step, without an error.
    """
    a, b = run_ranks(drift, 2)
    assert (a - b).abs().max() > 1e-3


def test_the_shown_lines():
    lines, nothing = run_ranks(printed, 2)
    assert nothing == []
    assert len(lines) == 7
    for line in lines:
        raises = line.startswith(("layer replaced", "layer frozen"))
        apart = not line.startswith(("nothing", "storage replaced"))
        assert ("no error" in line) != raises
        assert ("apart 0.0000" in line) != apart
