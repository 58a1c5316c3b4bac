"""SyncBatchNorm against nn.BatchNorm over the joined batch, and its wrong relatives."""

import inspect
import warnings

import numpy as np
import pytest
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

import right_sync_bn_cpu
import sync_bn_compare
import wrong_sync_bn_cpu
import wrong_sync_bn_gradient
from ranks import run_ranks
from sync_batch_norm import Standardise, SyncBatchNorm

SNIPPETS = [
    "distributed/sync_batch_norm.py",
    "distributed/sync_bn_compare.py",
    "distributed/right_sync_bn_cpu.py",
    "distributed/wrong_sync_bn_cpu.py",
    "distributed/wrong_sync_bn_gradient.py",
]
torch.set_num_threads(1)
OFFICIAL = {2: nn.BatchNorm1d, 3: nn.BatchNorm1d, 4: nn.BatchNorm2d, 5: nn.BatchNorm3d}
CASES = [  # samples a rank, the rest of the shape, options
    ((3, 5), (4,), {}),
    ((3, 5), (4, 6), {"momentum": None}),
    ((7, 1), (2, 3, 4), {"momentum": 0.3, "eps": 0.1}),
    ((2, 2), (3, 1, 2, 2), {"affine": False}),
    ((0, 6), (4,), {}),
    ((6, 0), (2, 3), {}),
    ((1, 1), (4,), {}),
]
THREE = [((2, 0, 5), (3,), {}), ((4, 1, 1), (2, 5), {"momentum": None})]


def inputs(sizes, rest, step):
    """The joined batch, and what its outputs are weighted with in the loss."""
    gen = torch.Generator().manual_seed(step)
    shape = (2, sum(sizes), *rest)
    x, weights = torch.randn(shape, generator=gen, dtype=torch.float64)
    return 3 * x + 1, weights


def prepare(layer):
    layer = layer.double()
    if layer.affine:
        gen = torch.Generator().manual_seed(9)
        with torch.no_grad():
            for p in layer.parameters():
                p += torch.randn(p.shape, generator=gen, dtype=torch.float64)
    return layer


def three_steps(layer, case, part):
    """Outputs and gradients of three steps, then the state and an evaluation."""
    sizes, rest, _ = case
    results = []
    for step in range(3):
        layer.zero_grad()
        x, weights = (part(t, sizes) for t in inputs(sizes, rest, step))
        x.requires_grad_()
        y = layer(x)
        (y * weights).sum().backward()
        grads = [p.grad for p in layer.parameters()]
        results += [("joined", y.detach()), ("joined", x.grad)] + [("added", g) for g in grads]
    results += [("same", t) for t in (layer.running_mean, layer.running_var)]
    results.append(("same", layer.num_batches_tracked))
    layer.eval()
    results.append(("joined", layer(part(inputs(sizes, rest, 7)[0], sizes)).detach()))
    return results


def on_a_rank(rank, cases):
    return [
        three_steps(
            prepare(SyncBatchNorm(rest[0], **options)),
            (sizes, rest, options),
            lambda t, sizes: t.split(sizes)[rank],
        )
        for sizes, rest, options in cases
    ]


@pytest.mark.claim(
    zh="手写 SyncBatchNorm 的输出、输入与参数的梯度、运行统计量，等于一个 nn.BatchNorm 对合并批次的结果；各 rank 批次不等、有一个为空时也成立",
    en="SyncBatchNorm's output, gradients of input and parameters, and running statistics are those of one nn.BatchNorm over the joined batch, also for unequal batches and an empty one",
    against_zh="PyTorch 的 nn.BatchNorm1d、2d、3d，float64，9 种情形各三步，W = 2、3",
    against_en="PyTorch's nn.BatchNorm1d, 2d and 3d in float64; nine cases of three steps, W = 2, 3",
    tolerance="1e-12",
    snippets=["distributed/sync_batch_norm.py"],
)
@pytest.mark.parametrize("cases", [CASES, THREE], ids=["W=2", "W=3"])
def test_equal_to_one_batch_norm_over_everything(cases):
    ranks = run_ranks(on_a_rank, len(cases[0][0]), cases)
    for case, *parts in zip(cases, *ranks, strict=True):
        layer = prepare(OFFICIAL[len(case[1]) + 1](case[1][0], **case[2]))
        whole = three_steps(layer, case, lambda t, sizes: t)
        for (kind, expected), *found in zip(whole, *parts, strict=True):
            values = [value for _, value in found]
            if kind == "joined":
                torch.testing.assert_close(torch.cat(values), expected, rtol=0, atol=1e-12)
            elif kind == "added":
                torch.testing.assert_close(sum(values), expected, rtol=0, atol=1e-12)
            else:
                for value in values:
                    torch.testing.assert_close(value, expected, rtol=0, atol=1e-12)
                    assert torch.equal(value, values[0])


@pytest.mark.parametrize("shape", [(5, 3), (2, 3, 4)], ids=str)
def test_the_backward_is_the_derivative(shape):
    """Without a process group, too: a script in one process may use the layer."""
    x = torch.randn(shape, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    unit = lambda x: Standardise.apply(x, 0.1, None)[0]
    assert torch.autograd.gradcheck(unit, x.requires_grad_(), atol=1e-6)


def in_pairs(rank):
    groups = [dist.new_group([0, 1]), dist.new_group([2, 3])]
    layer = SyncBatchNorm(3, process_group=groups[rank // 2]).double()
    x = inputs((8,), (3,), 0)[0].split(2)[rank].requires_grad_()
    layer(x).pow(3).sum().backward()
    return layer.running_mean, x.grad


def test_statistics_stay_in_the_process_group():
    results = run_ranks(in_pairs, 4)
    for pair, x in enumerate(inputs((8,), (3,), 0)[0].split(4)):
        whole = nn.BatchNorm1d(3).double()
        x = x.clone().requires_grad_()
        whole(x).pow(3).sum().backward()
        (mean, first), (other, second) = results[2 * pair : 2 * pair + 2]
        assert torch.equal(mean, other)
        torch.testing.assert_close(mean, whole.running_mean, rtol=0, atol=1e-12)
        torch.testing.assert_close(torch.cat([first, second]), x.grad, rtol=0, atol=1e-12)


def network(norm):
    torch.manual_seed(0)
    return nn.Sequential(nn.Linear(5, 4), norm(4), nn.Tanh(), nn.Linear(4, 2)).double()


def under_ddp(rank):
    ddp = DDP(right_sync_bn_cpu.convert(network(nn.BatchNorm1d)))
    assert isinstance(ddp.module[1], SyncBatchNorm)
    x = inputs((8,), (5,), 0)[0].split(4)[rank]
    ddp(x).square().mean().backward()
    return [p.grad for p in ddp.parameters()]


def test_ddp_has_the_gradient_of_the_whole_batch():
    model = network(nn.BatchNorm1d)
    model(inputs((8,), (5,), 0)[0]).square().mean().backward()
    for grads in run_ranks(under_ddp, 2):
        for grad, p in zip(grads, model.parameters(), strict=True):
            torch.testing.assert_close(grad, p.grad, rtol=0, atol=1e-12)


def sizes_sent(rank):
    """Sizes of what one step in no_sync communicates, forward and backward."""
    ddp = DDP(network(SyncBatchNorm))
    gather, reduce, sizes = dist.all_gather, dist.all_reduce, []
    dist.all_gather = lambda out, x, g: sizes.append(x.numel()) or gather(out, x, g)
    dist.all_reduce = lambda x, group: sizes.append(x.numel()) or reduce(x, group=group)
    with ddp.no_sync():
        ddp(inputs((8,), (5,), 0)[0]).sum().backward()
    dist.all_gather, dist.all_reduce = gather, reduce
    return sizes


def test_what_a_layer_sends():
    assert run_ranks(sizes_sent, 2) == [[9, 8]] * 2


def low_precision(rank, dtype):
    x, weights = (t.split([3, 5])[rank].to(dtype) for t in inputs((3, 5), (4,), 0))
    layer = SyncBatchNorm(4)
    y = layer(x.requires_grad_())
    (y * weights).sum().backward()
    return y.detach(), x.grad, layer.weight.grad, layer.running_var


@pytest.mark.parametrize(
    "dtype, limit", [(torch.float32, 1e-5), (torch.float16, 5e-3), (torch.bfloat16, 4e-2)], ids=str
)
def test_low_precision_inputs(dtype, limit):
    """Statistics in float32, as of nn.BatchNorm with half inputs."""
    (y, grad, weight, var), (y1, grad1, weight1, var1) = run_ranks(low_precision, 2, dtype)
    assert y.dtype == grad.dtype == dtype and weight.dtype == var.dtype == torch.float32
    x, weights = (t.to(dtype).double() for t in inputs((3, 5), (4,), 0))
    whole = nn.BatchNorm1d(4).double()
    expected = whole(x.requires_grad_())
    (expected * weights).sum().backward()
    close = {"rtol": 0, "atol": limit, "check_dtype": False}
    torch.testing.assert_close(torch.cat([y, y1]), expected, **close)
    torch.testing.assert_close(torch.cat([grad, grad1]), x.grad, **close)
    torch.testing.assert_close(weight + weight1, whole.weight.grad, **close)
    torch.testing.assert_close(var, whole.running_var.float(), rtol=0, atol=1e-5)
    assert torch.equal(var, var1)


def far_from_zero(rank, norm):
    x = 1e4 + inputs((16,), (4,), 0)[0]
    return norm(4)(x.float().split(8)[rank]).detach()


def test_a_large_mean():
    x = (1e4 + inputs((16,), (4,), 0)[0]).float().double()
    expected = nn.BatchNorm1d(4).double()(x).detach()
    raw = x.float()  # the variance alone, of the first feature
    by_squares = (raw.square().sum(0) / 16 - (raw.sum(0) / 16).square())[0].item()
    assert by_squares % 8 == 0 and f"{x.var(0, correction=0)[0]:.2f}" == "11.00"
    assert np.spacing(np.float32(1e8)) == 8
    ours = torch.cat(run_ranks(far_from_zero, 2, SyncBatchNorm))
    sums = torch.cat(run_ranks(far_from_zero, 2, wrong_sync_bn_gradient.SummedStatistics))
    assert (ours - expected).abs().max() < 2e-3
    assert not (sums - expected).abs().max() < 0.1  # NaN counts as off


def only_rank_0_evaluates(rank):
    layer = SyncBatchNorm(4).eval()
    return layer(torch.ones(2, 4)) if rank == 0 else None


def test_evaluation_does_not_communicate():
    y, _ = run_ranks(only_rank_0_evaluates, 2)
    torch.testing.assert_close(y, nn.BatchNorm1d(4).eval()(torch.ones(2, 4)))


def test_state_dicts_fit_both_ways():
    ours, theirs = SyncBatchNorm(4), nn.BatchNorm2d(4)
    theirs(torch.randn(2, 4, 3, 3))
    assert list(ours.state_dict()) == list(theirs.state_dict())
    ours.load_state_dict(theirs.state_dict())
    nn.BatchNorm1d(4).load_state_dict(ours.state_dict())
    assert torch.equal(ours.running_var, theirs.running_var)
    assert ours.num_batches_tracked == 1
    names = list(inspect.signature(SyncBatchNorm).parameters)
    assert names == ["num_features", "eps", "momentum", "affine", "process_group"]


def test_conversion_keeps_parameters_buffers_options_and_mode():
    groups = "a group"
    old = nn.BatchNorm2d(4, 0.5, None)
    model = nn.Sequential(nn.Sequential(nn.Conv2d(2, 4, 1), old), nn.BatchNorm1d(3, affine=False))
    model.eval()
    keys = list(model.state_dict())
    assert right_sync_bn_cpu.convert(model, groups) is model
    new = model[0][1]
    assert (new.eps, new.momentum, new.process_group) == (0.5, None, groups)
    assert new.weight is old.weight and new.bias is old.bias
    assert new.running_mean is old.running_mean and new.running_var is old.running_var
    assert new.num_batches_tracked is old.num_batches_tracked
    assert not new.training and model[1].weight is None
    assert list(model.state_dict()) == keys


def test_a_layer_that_is_used_twice_stays_one_layer():
    shared = nn.BatchNorm1d(4)
    model = nn.Sequential(shared, nn.Tanh(), shared, nn.Sequential(shared))
    model.register_module("nothing", None)
    right_sync_bn_cpu.convert(model)
    assert isinstance(model[0], SyncBatchNorm)
    assert model[0] is model[2] is model[3][0]
    assert isinstance(right_sync_bn_cpu.convert(shared), SyncBatchNorm)


def test_a_layer_without_running_statistics_is_refused():
    """Ours has them: in eval() it would give other outputs."""
    with pytest.raises(ValueError, match="expected track_running_stats=True"):
        right_sync_bn_cpu.convert(nn.Sequential(nn.BatchNorm1d(4, track_running_stats=False)))


@pytest.mark.parametrize(
    "options", [{"num_features": 0}, {"eps": -1.0}, {"momentum": 1.5}, {"momentum": -0.1}], ids=str
)
def test_bad_arguments(options):
    with pytest.raises(ValueError, match="expected num_features >= 1, eps >= 0"):
        SyncBatchNorm(**({"num_features": 4} | options))


@pytest.mark.parametrize("train", [True, False])
@pytest.mark.parametrize(
    "x",
    [torch.ones(4), torch.ones(2, 3), torch.ones(2, 4).double(), torch.ones(2, 4).long()],
    ids=["1d", "3 features", "double", "long"],
)
def test_bad_inputs(x, train):
    with pytest.raises(ValueError, match="expected"):
        SyncBatchNorm(4).train(train)(x)


def too_few(rank):
    layer = SyncBatchNorm(4)
    with pytest.raises(ValueError, match="expected 2 or more values, got 1 in all"):
        layer(torch.ones(1 - rank, 4))
    return layer.num_batches_tracked.item()


def test_one_value_in_all_is_refused_on_every_rank():
    assert run_ranks(too_few, 2) == [0, 0]


def official(rank):
    with pytest.raises(ValueError) as error:
        wrong_sync_bn_cpu.train(rank)
    nn.SyncBatchNorm(4).eval()(torch.ones(2, 4))
    return str(error.value)


def test_the_official_one_wants_a_gpu():
    for world_size in (1, 2):
        for error in run_ranks(official, world_size):
            assert error.startswith("SyncBatchNorm expected input tensor to be on GPU")
    x = torch.randn(5, 4)
    torch.testing.assert_close(nn.SyncBatchNorm(4)(x), nn.BatchNorm1d(4)(x))


def errors_of(rank, make):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        result = sync_bn_compare.errors(make(4))
    return result, [str(w.message) for w in caught]


@pytest.mark.claim(
    zh="只对统计量求和、不管梯度：输出准确，BN 自己的参数也对，输入的梯度偏 5.015；各算各的 BN 偏 2.049",
    en="Statistics summed without their gradient: output and BN's own parameters exact, the input's gradient 5.015 off; local BN 2.049",
    against_zh="nn.BatchNorm1d 对合并批次（3 + 5 个样本）",
    against_en="nn.BatchNorm1d over the joined batch (3 + 5 samples)",
    snippets=["distributed/wrong_sync_bn_gradient.py", "distributed/sync_bn_compare.py"],
)
def test_the_gradient_of_the_statistics_counts():
    found, texts = run_ranks(errors_of, 2, wrong_sync_bn_gradient.SummedStatistics)[0]
    output, grad, weight, _ = found
    assert output < 1e-12 and weight < 1e-12 and f"{grad:.3f}" == "5.015"
    assert any(
        t.startswith("c10d::allreduce_: an autograd kernel was not registered") for t in texts
    )
    local = run_ranks(errors_of, 2, nn.BatchNorm1d)[0][0]
    assert [f"{e:.3f}" for e in local] == ["1.500", "2.049", "4.541", "0.097"]
    ours, texts = run_ranks(errors_of, 2, SyncBatchNorm)[0]
    assert max(ours) < 1e-12 and not texts


def buffers(rank):
    torch.manual_seed(0)
    ddp = DDP(network(SyncBatchNorm), forward_sync_buffers=False)
    for step in range(3):
        ddp(inputs((8,), (5,), step)[0].split([3, 5])[rank]).sum().backward()
    return list(ddp.module[1].buffers())


def test_buffers_need_no_broadcast():
    first, second = run_ranks(buffers, 2)
    for a, b in zip(first, second, strict=True):
        assert torch.equal(a, b)
    assert first[2] == 3


def buffer_of_rank_0(rank, name):
    layer = nn.BatchNorm1d(4)
    layer.running_mean.fill_(rank)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        DDP(layer, **{name: False})
    return layer.running_mean[0].item()


def test_only_the_new_name_sends_buffers_at_the_start():
    assert run_ranks(buffer_of_rank_0, 2, "forward_sync_buffers") == [0, 0]
    assert run_ranks(buffer_of_rank_0, 2, "broadcast_buffers") == [0, 1]


def rows_of_the_batch(rank):
    layer = SyncBatchNorm(4, momentum=1.0)
    layer(torch.full((2, 4), float(rank)))
    return layer.running_mean


def test_batch_norm_joins_samples_not_features():
    """Two samples a rank: four samples in the mean, four features as before."""
    for mean in run_ranks(rows_of_the_batch, 2):
        assert mean.tolist() == [0.5] * 4


def test_what_the_right_one_prints():
    results = run_ranks(run_right, 2)
    (first,), (second,) = results
    assert first.removeprefix("rank 0") == second.removeprefix("rank 1")
    models, data = [], []
    for rank in range(2):
        torch.manual_seed(rank)
        models.append(nn.Sequential(nn.Linear(3, 4), nn.BatchNorm1d(4)))
        data.append(torch.randn(8, 3))
    models[0](torch.cat(data))
    assert first == f"rank 0: {models[0][1].running_mean[0]:.6f}"


def run_right(rank):
    lines = []
    right_sync_bn_cpu.print_in_turn = lines.append
    right_sync_bn_cpu.train(rank)
    return lines


def on_gpus(rank):
    torch.cuda.set_device(rank)
    group, results = dist.new_group(backend="nccl"), []
    for make in (SyncBatchNorm, nn.SyncBatchNorm):
        layer = make(4, process_group=group).cuda()
        x = inputs((3, 5), (4, 6), 0)[0].split([3, 5])[rank].float().cuda()
        y = layer(x.requires_grad_())
        y.pow(3).sum().backward()
        results.append([t.detach().cpu() for t in (y, x.grad, layer.running_var)])
    return results


@pytest.mark.gpu
@pytest.mark.claim(
    zh="在两块 GPU 上经由 NCCL，手写的与官方的 SyncBatchNorm 结果相同",
    en="On two GPUs over NCCL, SyncBatchNorm and the official one agree",
    against_zh="torch.nn.SyncBatchNorm，float32",
    against_en="torch.nn.SyncBatchNorm in float32",
    tolerance="1e-4",
    snippets=["distributed/sync_batch_norm.py"],
)
def test_the_official_one_on_gpus():
    if torch.cuda.device_count() < 2:
        pytest.skip("two GPUs are needed | 需要两块 GPU")
    for ours, theirs in run_ranks(on_gpus, 2):
        for a, b in zip(ours, theirs, strict=True):
            torch.testing.assert_close(a, b, rtol=0, atol=1e-4)
