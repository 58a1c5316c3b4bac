"""Errors and wrong numbers of distributed/pitfalls, in one process or two."""

import pytest
import torch
import torch.distributed as dist
from torch import nn
from torch.nn.parallel import DistributedDataParallel as DDP

import batch_parts
import epoch_order
import no_sync_count
import pitfall_syncbn
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
    "distributed/pitfall_syncbn.py",
    "distributed/epoch_order.py",
    "distributed/no_sync_count.py",
]
torch.set_num_threads(1)


@pytest.mark.claim(
    zh="DataParallel 不转发属性：'DataParallel' object has no attribute 'img_size'",
    en="DataParallel does not pass attributes on: 'DataParallel' object has no attribute 'img_size'",
    against_zh="真实报错",
    against_en="the error itself",
    snippets=["distributed/wrong_wrapper_attribute.py"],
)
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
@pytest.mark.claim(
    zh="真正的多块 GPU 上也是如此",
    en="The same on several real GPUs",
    against_zh="DataParallel 与单卡的输出",
    against_en="DataParallel's output and one device's",
    tolerance="1e-5",
    snippets=["distributed/batch_parts.py"],
)
def test_a_small_batch_on_gpus():
    devices = torch.cuda.device_count()
    if devices < 2:
        pytest.skip("fewer than two CUDA GPUs here")
    model = nn.Linear(2, 1).cuda()
    x = torch.ones(devices - 1, 2).cuda()
    torch.testing.assert_close(nn.DataParallel(model)(x), model(x))


@pytest.mark.claim(
    zh="5 个样本分给 4 个设备是 2、2、1：只有 1 个样本的 BatchNorm 报 Expected more than 1 value per channel",
    en="5 samples on 4 devices are 2, 2, 1: the BatchNorm with one sample raises Expected more than 1 value per channel",
    against_zh="真实报错；drop_last=True 通过",
    against_en="the error itself; drop_last=True passes",
    snippets=["distributed/batch_parts.py"],
)
def test_one_sample_is_too_few():
    assert batch_parts.parts(5) == [2, 2, 1]
    samples = torch.randn(21, 2)
    assert str(batch_parts.wrong(samples)) == (
        "Expected more than 1 value per channel when training, "
        "got input size torch.Size([1, 2])"
    )
    assert batch_parts.right(samples) == "passed"
    assert batch_parts.wrong(samples[:16]) == "passed"


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


@pytest.mark.claim(
    zh="可重入检查点加 find_unused_parameters：Expected to mark a variable ready only once",
    en="Reentrant checkpointing with find_unused_parameters: Expected to mark a variable ready only once",
    against_zh="真实报错",
    against_en="the error itself",
    snippets=["distributed/wrong_ready_once.py"],
)
def test_a_parameter_is_ready_twice():
    for error in run_ranks(ready_twice, 2):
        assert "Expected to mark a variable ready only once." in error
        assert "with name layer.bias has been marked as ready twice" in error


@pytest.mark.claim(
    zh="use_reentrant=False，或者 static_graph=True：通过",
    en="use_reentrant=False, or static_graph=True: it passes",
    against_zh="两个 rank",
    against_en="two ranks",
    snippets=["distributed/right_ready_once.py"],
)
def test_two_ways_to_be_ready_once():
    assert run_ranks(ready_once, 2) == [["step passed"]] * 2
    assert run_ranks(ready_static, 2) == [["step passed"]] * 2


def sync_bn(rank):
    x = torch.randn(2, 4)
    right = pitfall_syncbn.right()(x)
    evaluated = pitfall_syncbn.wrong().eval()(x)
    try:
        pitfall_syncbn.wrong()(x)
    except ValueError as error:
        return str(error), right.shape, evaluated.shape


@pytest.mark.claim(
    zh="CPU 上的 SyncBatchNorm：训练时报 expected input tensor to be on GPU，eval() 下不报",
    en="SyncBatchNorm on the CPU: in training it raises expected input tensor to be on GPU, in eval() it does not",
    against_zh="真实报错",
    against_en="the error itself",
    snippets=["distributed/pitfall_syncbn.py"],
)
def test_sync_batch_norm_refuses_the_cpu():
    for error, right, evaluated in run_ranks(sync_bn, 2):
        assert error.startswith(
            "SyncBatchNorm expected input tensor to be on GPU"
        )
        assert right == evaluated == (2, 4)


@pytest.mark.claim(
    zh="不调用 set_epoch：三个 epoch 的顺序相同；调用之后各不相同",
    en="Without set_epoch three epochs have the same order; with it they differ",
    against_zh="torch.randperm(10, seed + epoch)[0::2]",
    against_en="torch.randperm(10, seed + epoch)[0::2]",
    tolerance="0",
    snippets=["distributed/epoch_order.py"],
)
def test_order_of_the_epochs(capsys):
    orders = [
        torch.randperm(10, generator=torch.Generator().manual_seed(seed))
        for seed in range(3)
    ]
    orders = [order[0::2].tolist() for order in orders]
    epoch_order.wrong()
    expected = [f"epoch {e}: {orders[0]}" for e in range(3)]
    assert capsys.readouterr().out.splitlines() == expected
    assert orders[0] == [4, 7, 3, 0, 6]
    epoch_order.right()
    expected = [f"epoch {e}: {order}" for e, order in enumerate(orders)]
    assert capsys.readouterr().out.splitlines() == expected


def accumulated(rank, accumulate):
    torch.manual_seed(0)
    ddp = DDP(nn.Linear(4, 1))
    accumulate(ddp, torch.full((2, 4), rank + 1.0))
    return no_sync_count.count(accumulate), ddp.module.weight.grad


@pytest.mark.claim(
    zh="4 个微批次：前向在 no_sync 外面 4 次 all-reduce，在里面 1 次，梯度相同",
    en="4 micro-batches: forward outside no_sync 4 all-reduces, inside it 1, with the same gradient",
    against_zh="通信钩子计数；手算的梯度 3",
    against_en="counted by a communication hook; the gradient 3 by hand",
    tolerance="0",
    snippets=["distributed/no_sync_count.py"],
)
def test_all_reduces_are_counted():
    for accumulate, calls in (
        (no_sync_count.wrong, 4),
        (no_sync_count.right, 1),
    ):
        for counted, gradient in run_ranks(accumulated, 2, accumulate):
            assert counted == calls
            assert gradient.tolist() == [[3.0] * 4]  # 2 samples, mean 1.5


def test_no_group_is_left_open():
    assert not dist.is_initialized()
