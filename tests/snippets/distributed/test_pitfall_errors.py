"""Errors and wrong numbers of distributed/pitfalls, in one process or two."""

import pytest
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import DataLoader

import batch_parts
import epoch_order
import no_sync_count
import right_ready_once
import right_wrapper_attribute
import wrong_ready_once
import wrong_wrapper_attribute
from ranks import run_ranks

SNIPPETS = [
    "distributed/wrong_wrapper_attribute.py",
    "distributed/right_wrapper_attribute.py",
    "distributed/batch_parts.py",
    "distributed/wrong_ready_once.py",
    "distributed/right_ready_once.py",
    "distributed/epoch_order.py",
    "distributed/no_sync_count.py",
]
torch.set_num_threads(1)


def test_dataparallel_hides_attributes(capsys):
    with pytest.raises(AttributeError) as error:
        wrong_wrapper_attribute.main()
    text = "'DataParallel' object has no attribute 'img_size'"
    assert str(error.value) == text
    assert capsys.readouterr().out == "torch.Size([3, 2])\n"


def ddp_attribute(rank):
    ddp = DDP(wrong_wrapper_attribute.Classifier())
    try:
        return ddp.img_size
    except AttributeError as error:
        return str(error)


def test_ddp_hides_attributes_too():
    (text,) = run_ranks(ddp_attribute, 1)
    wrapper = "'DistributedDataParallel' object has no attribute 'img_size'"
    assert text == wrapper


def test_the_attribute_is_on_the_module(capsys):
    right_wrapper_attribute.main()
    assert capsys.readouterr().out == "torch.Size([3, 2])\n224\n"


def gradients(rank, inside):
    """The gradient after a step on data that differ by rank."""
    torch.manual_seed(0)
    ddp = DDP(nn.Linear(2, 1))
    net = ddp.module if inside else ddp
    net(torch.full((3, 2), rank + 1.0)).sum().backward()
    return ddp.module.weight.grad


@pytest.mark.claim(
    zh="ddp.module(x) 绕过同步：各 rank 的梯度不同；ddp(x) 之后相同",
    en="ddp.module(x) bypasses synchronisation: the ranks' gradients differ; after ddp(x) they are equal",
    against_zh="手算：3 与 6，平均 4.5",
    against_en="by hand: 3 and 6, mean 4.5",
    tolerance="0",
    snippets=["distributed/right_wrapper_attribute.py"],
)
def test_module_bypasses_synchronisation():
    a, b = run_ranks(gradients, 2, True)
    assert a.tolist() == [[3.0, 3.0]]
    assert b.tolist() == [[6.0, 6.0]]
    for mean in run_ranks(gradients, 2, False):
        assert mean.tolist() == [[4.5, 4.5]]


def pretend(devices, model):
    """DataParallel's own forward, with `devices` copies all on the CPU."""
    net, used = nn.DataParallel(model), []
    net.device_ids = list(range(devices))
    net.src_device_obj = torch.device("cpu")
    net.output_device = 0

    def scatter(inputs, kwargs, ids):
        chunks = inputs[0].chunk(len(ids))
        return [(c,) for c in chunks], [{} for _ in chunks]

    def replicate(module, ids):
        used.extend(ids)
        return [module for _ in ids]

    net.scatter, net.replicate = scatter, replicate
    net.parallel_apply = lambda copies, inputs, kwargs: [
        copy(*args) for copy, args in zip(copies, inputs, strict=True)
    ]
    net.gather = lambda outputs, device: torch.cat(outputs)
    return net, used


@pytest.mark.claim(
    zh="最后一批比设备少，DataParallel 不会卡死：3 个样本、4 个设备，只用 3 个副本",
    en="A last batch smaller than the number of devices does not hang DataParallel: 3 samples on 4 devices use 3 replicas",
    against_zh="在 CPU 上执行 DataParallel 自己的前向（切分、复制用替身），输出与单卡比较",
    against_en="DataParallel's own forward on the CPU (stand-ins split and copy), its output compared with one device's",
    tolerance="1e-6",
    snippets=["distributed/batch_parts.py"],
)
@pytest.mark.parametrize("samples, replicas", [(8, 4), (5, 3), (3, 3), (1, 1)])
def test_a_small_batch_uses_fewer_replicas(samples, replicas):
    torch.manual_seed(0)
    model, x = nn.Linear(2, 1), torch.randn(samples, 2)
    net, used = pretend(4, model)
    torch.testing.assert_close(net(x), model(x), atol=1e-6, rtol=0)
    assert used == list(range(replicas))
    assert len(batch_parts.parts(samples)) == replicas


@pytest.mark.gpu
def test_a_small_batch_on_gpus():
    devices = torch.cuda.device_count()
    if devices < 2:
        pytest.skip("fewer than two CUDA GPUs here")
    model = nn.Linear(2, 1).cuda()
    x = torch.ones(devices - 1, 2).cuda()
    torch.testing.assert_close(nn.DataParallel(model)(x), model(x))


def test_one_sample_is_too_few():
    assert batch_parts.parts(5) == [2, 2, 1]
    samples = torch.randn(21, 2)
    assert str(batch_parts.wrong(samples)) == (
        "Expected more than 1 value per channel when training, "
        "got input size torch.Size([1, 2])"
    )
    assert batch_parts.right(samples) == "passed"
    assert batch_parts.wrong(samples[:16]) == "passed"


def test_one_sample_everywhere():
    """At inference, after global pooling, and where drop_last does harm."""
    norm, x = nn.BatchNorm2d(4), torch.randn(1, 4, 1, 1)
    with pytest.raises(ValueError, match="Expected more than 1 value per"):
        norm(x)
    assert norm.eval()(x).shape == nn.GroupNorm(2, 4)(x).shape == x.shape
    assert list(DataLoader(range(7), batch_size=8, drop_last=True)) == []


def once(rank, module, **options):
    printed = []
    module.print = lambda text, flush: printed.append(text)
    wrapper = DDP
    if options:
        module.DDP = lambda net, **_: wrapper(net, **options)
    try:
        module.train(rank)
    except RuntimeError as error:
        return str(error)
    return printed


def ready_twice(rank):
    return once(rank, wrong_ready_once)


def ready_once(rank):
    return once(rank, right_ready_once)


def ready_static(rank):
    return once(rank, wrong_ready_once, static_graph=True)


def ready_without_the_flag(rank):
    return once(rank, wrong_ready_once, find_unused_parameters=False)


def ready_with_the_flag(rank):
    return once(rank, right_ready_once, find_unused_parameters=True)


def test_a_parameter_is_ready_twice():
    for error in run_ranks(ready_twice, 1):
        assert "Expected to mark a variable ready only once." in error
        assert (
            "Parameter at index 1 with name layer.bias "
            "has been marked as ready twice" in error
        )


@pytest.mark.parametrize(
    "way",
    [ready_once, ready_static, ready_without_the_flag, ready_with_the_flag],
)
def test_ways_to_be_ready_once(way):
    assert run_ranks(way, 1) == [["step passed"]]


def test_order_of_the_epochs(capsys):
    orders = [
        torch.randperm(10, generator=torch.Generator().manual_seed(seed))
        for seed in range(3)
    ]
    orders = [order[0::2].tolist() for order in orders]
    epoch_order.wrong()
    expected = [f"{e} {orders[0]}" for e in range(3)]
    assert capsys.readouterr().out.splitlines() == expected
    assert orders[0] == [4, 7, 3, 0, 6]
    epoch_order.right()
    expected = [f"{e} {order}" for e, order in enumerate(orders)]
    assert capsys.readouterr().out.splitlines() == expected


def accumulated(rank, accumulate):
    torch.manual_seed(0)
    ddp = DDP(nn.Linear(4, 1))
    accumulate(ddp, torch.full((2, 4), rank + 1.0))
    return no_sync_count.count(accumulate), ddp.module.weight.grad


def test_all_reduces_are_counted():
    for accumulate, calls in (
        (no_sync_count.wrong, 4),
        (no_sync_count.right, 1),
    ):
        for counted, gradient in run_ranks(accumulated, 2, accumulate):
            assert counted == calls
            assert gradient.tolist() == [[3.0] * 4]  # 2 samples, mean 1.5


def test_there_is_no_group_before_init():
    for call in (
        lambda: dist.all_reduce(torch.ones(1)),
        lambda: DDP(nn.Linear(1, 1)),
    ):
        with pytest.raises(ValueError) as error:
            call()
        assert str(error.value) == (
            "Default process group has not been initialized, "
            "please make sure to call init_process_group."
        )


def test_no_group_is_left_open():
    assert not dist.is_initialized()
