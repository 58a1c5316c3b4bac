"""quickstart.py: the same numbers as one process, however it is started."""

import contextlib
import io
import shutil
import sys
from pathlib import Path

import pytest
import torch
import torch.distributed as dist
from torch.distributed.algorithms.ddp_comm_hooks.default_hooks import (
    allreduce_hook,
)
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.utils.data import TensorDataset, random_split

import quickstart
import single
from process import run
from ranks import run_ranks

torch.set_num_threads(1)  # as torchrun does; more only wait for each other
SNIPPETS = ["distributed/quickstart.py"]
FOLDER = Path(quickstart.__file__).parent


def captured(train, *args):
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        model = train(*args)
    return model.state_dict(), printed.getvalue()


def ddp_training(rank):
    state, printed = captured(quickstart.train, "cpu")
    return {k.removeprefix("module."): v for k, v in state.items()}, printed


def regression(module):
    """Replace the three things that the page says are yours."""

    def make_dataset():  # 500 = 7 * 64 + 52: the last batch is a short one
        x = torch.randn(500, 8, generator=torch.Generator().manual_seed(0))
        return TensorDataset(x, x.sum(1, keepdim=True))

    def make_model():
        torch.manual_seed(0)
        return torch.nn.Linear(8, 1)

    module.make_dataset, module.make_model = make_dataset, make_model
    module.loss_fn = torch.nn.functional.mse_loss


def ddp_regression(rank):
    regression(quickstart)
    return ddp_training(rank)


def losses(printed):
    return [float(line.split()[-1]) for line in printed.splitlines()]


def split_data(rank, seeded):
    """The half of ten dozen samples that this rank would train on."""
    if seeded:
        options = {"generator": torch.Generator().manual_seed(0)}
    else:
        torch.seed()  # as in a process that sets no seed
        options = {}
    return random_split(range(120), [0.5, 0.5], **options)[0].indices


def buffers_after_forward(rank):
    """Evaluation of a BatchNorm whose statistics were edited on each rank."""
    ddp = DDP(torch.nn.BatchNorm1d(2)).eval()
    ddp.module.running_mean += rank + 1
    with torch.no_grad():
        ddp(torch.ones(3, 2))
    return ddp.module.running_mean.tolist()


def unlike_models(rank):
    torch.manual_seed(rank)
    model = torch.nn.Linear(3, 2)
    before = model.weight.detach().clone()
    return before, DDP(model).module.weight.detach()


def count_buckets(rank):
    """How many buckets DDP fills in one step, and the bytes in them."""
    sizes = []

    def hook(state, bucket):
        sizes.append(bucket.buffer().nbytes)
        return allreduce_hook(None, bucket)

    ddp = DDP(quickstart.make_model())
    ddp.register_comm_hook(None, hook)
    ddp(torch.ones(1, 16)).sum().backward()
    return sizes, ddp.bucket_bytes_cap, dist._DEFAULT_FIRST_BUCKET_BYTES


def unlike_rates(rank):
    ddp = DDP(torch.nn.Linear(3, 2))
    optimizer = torch.optim.SGD(ddp.parameters(), lr=0.1 * (rank + 1))
    for _ in range(2):
        ddp(torch.ones(1, 3)).sum().backward()
        optimizer.step()
    return ddp.module.weight.detach()


@pytest.mark.claim(
    zh="W = 1、2、4 个进程训练出的损失与权重，和单进程相同",
    en="Losses and weights after training on W = 1, 2 and 4 processes are those of one process",
    against_zh="single.py：同样的批次，一个进程",
    against_en="single.py: the same batches in one process",
    tolerance="1e-6",
)
@pytest.mark.parametrize("world_size", [1, 2, 4])
def test_same_result_as_one_process(world_size):
    alone, printed_alone = captured(single.train, "cpu")
    for rank, (state, printed) in enumerate(
        run_ranks(ddp_training, world_size)
    ):
        for name, weight in alone.items():
            torch.testing.assert_close(state[name], weight, rtol=0, atol=1e-6)
        assert printed == (printed_alone if rank == 0 else "")


@pytest.mark.claim(
    zh="W = 3 不整除批次 64：每步 63 个样本，第一个 epoch 的损失是 0.5506",
    en="W = 3 does not divide the batch of 64: 63 samples a step, and a first loss of 0.5506",
    against_zh="单进程的 0.5537",
    against_en="0.5537 in one process",
)
def test_three_ranks_do_not_divide_the_batch():
    _, printed = run_ranks(ddp_training, 3)[0]
    assert 3 * (quickstart.BATCH // 3) == 63
    assert printed.startswith("epoch 0: loss 0.5506\n")
    _, alone = captured(single.train, "cpu")
    assert alone.startswith("epoch 0: loss 0.5537\n")


@pytest.mark.claim(
    zh="只替换数据集、模型、损失这三样，就能训练别的任务：一个输出的回归，W = 2、4",
    en="Dataset, model and loss are all there is to replace: regression with one output, W = 2, 4",
    against_zh="single.py 替换同样三样，一个进程；500 个样本，最后一批不满",
    against_en="single.py with the same three replaced, one process; 500 samples, a short last batch",
    tolerance="1e-6",
)
@pytest.mark.parametrize("world_size", [2, 4])
def test_another_dataset_model_and_loss(monkeypatch, world_size):
    for name in ("make_dataset", "make_model", "loss_fn"):
        monkeypatch.setattr(single, name, None)  # put back after the test
    regression(single)
    alone, printed_alone = captured(single.train, "cpu")
    state, printed = run_ranks(ddp_regression, world_size)[0]
    for name, weight in alone.items():
        torch.testing.assert_close(state[name], weight, rtol=0, atol=1e-6)
    assert losses(printed) == pytest.approx(losses(printed_alone), abs=2e-4)
    assert losses(printed)[0] > 10 * losses(printed)[-1] > 0


@pytest.mark.claim(
    zh="make_dataset 里不设种子的随机划分，各 rank 不同；用同一个种子就相同",
    en="A random split without a seed differs from rank to rank; with one seed it is the same",
    against_zh="两个 rank 分到的下标",
    against_en="the indices on two ranks",
    tolerance="0",
)
def test_a_random_split_needs_one_seed():
    a, b = run_ranks(split_data, 2, False)
    assert a != b
    a, b = run_ranks(split_data, 2, True)
    assert a == b


@pytest.mark.claim(
    zh="每次前向，DDP 用 rank 0 的缓冲区覆盖其他 rank，eval() 时也是",
    en="In every forward DDP overwrites the ranks' buffers with rank 0's, in eval() too",
    against_zh="两个 rank 上改成不同的 BatchNorm 均值",
    against_en="BatchNorm means set to unlike values on two ranks",
    tolerance="0",
)
def test_each_forward_broadcasts_buffers():
    assert run_ranks(buffers_after_forward, 2) == [[1, 1], [1, 1]]


@pytest.mark.claim(
    zh="训练后每个 rank 的权重逐位相同",
    en="After training, the weights are equal bit for bit on every rank",
    against_zh="rank 0 的权重",
    against_en="rank 0's weights",
    tolerance="0",
)
def test_ranks_end_bit_equal():
    first, *others = [state for state, _ in run_ranks(ddp_training, 4)]
    for state in others:
        assert all(torch.equal(state[name], first[name]) for name in first)


@pytest.mark.claim(
    zh="DDP(...) 用 rank 0 的参数覆盖其他 rank：种子不同也从同一点出发",
    en="DDP(...) overwrites every rank's parameters with rank 0's: unlike seeds start alike",
    against_zh="构造之前 rank 0 的参数",
    against_en="rank 0's parameters before construction",
    tolerance="0",
)
def test_construction_broadcasts_rank_0():
    (first, after_0), (second, after_1) = run_ranks(unlike_models, 2)
    assert not torch.equal(first, second)
    assert torch.equal(after_0, first)
    assert torch.equal(after_1, first)


@pytest.mark.claim(
    zh="`torchrun` 启动与 `python` 直接启动，打印的内容相同，不留下进程",
    en="Started by `torchrun` it prints what it prints started by `python`, and leaves no process",
    against_zh="页面上 `python quickstart.py` 的输出",
    against_en="the output of `python quickstart.py` on the page",
    tolerance="0",
)
def test_torchrun_prints_the_same(tmp_path):
    for name in ("quickstart.py", "run_quickstart.sh"):
        shutil.copy(FOLDER / name, tmp_path)
    done = run(["bash", "-euo", "pipefail", "run_quickstart.sh"], tmp_path)
    assert done.returncode == 0, done.stderr
    printed = done.stdout
    if torch.cuda.is_available():  # as many ranks as there are GPUs
        assert "rank 1 on cuda:1" in printed or torch.cuda.device_count() == 1
    else:
        assert printed == (FOLDER / "quickstart.out").read_text()


@pytest.mark.claim(
    zh="DDP 不同步参数：各 rank 学习率不同，权重就分开，不报错",
    en="DDP does not synchronise parameters: with unlike learning rates the ranks part, without an error",
    against_zh="两个 rank 的权重",
    against_en="the weights of both ranks",
)
def test_unlike_optimizers_drift_apart():
    a, b = run_ranks(unlike_rates, 2)
    assert not torch.equal(a, b)


def test_the_bucket_sizes_in_the_text():
    sizes, cap, first_cap = run_ranks(count_buckets, 2)[0]
    assert len(sizes) == 1
    assert round(sizes[0] / 1024, 1) == 4.8
    assert (cap, first_cap) == (25 * 2**20, 2**20)


def test_a_notebook_cell_has_no_file(monkeypatch):
    monkeypatch.delenv("RANK", raising=False)
    source = Path(quickstart.__file__).read_text("utf-8")
    with pytest.raises(NameError, match="__file__"):
        exec(source, {"__name__": "__main__"})


@pytest.mark.claim(
    zh="每个进程都有 GPU 才用 GPU，否则全用 CPU",
    en="GPUs are used when each process has one, otherwise all use the CPU",
    against_zh="0、1、2 块 GPU 与 1、2 个进程的每种搭配",
    against_en="each combination of 0, 1 or 2 GPUs with 1 or 2 processes",
)
@pytest.mark.parametrize("gpus, processes, device", [
    (0, 1, "cpu"), (0, 2, "cpu"), (1, 2, "cpu"),
    (1, 1, "cuda:0"), (2, 1, "cuda:0"), (2, 2, "cuda:1"),
])
def test_device_of_the_last_rank(monkeypatch, gpus, processes, device):
    monkeypatch.setattr(torch.cuda, "device_count", lambda: gpus)
    monkeypatch.setenv("LOCAL_WORLD_SIZE", str(processes))
    monkeypatch.setenv("LOCAL_RANK", str(processes - 1))
    assert quickstart.pick_device() == device


@pytest.mark.gpu
@pytest.mark.claim(
    zh="同一个文件在两块 GPU 上以 NCCL 运行，每个 rank 一块",
    en="The same file runs on two GPUs over NCCL, one for each rank",
    against_zh="CPU 上的单进程损失",
    against_en="the losses of one process on the CPU",
    tolerance="2e-3",
)
def test_two_gpus(tmp_path):
    if torch.cuda.device_count() < 2:
        pytest.skip("fewer than two CUDA GPUs here")
    shutil.copy(FOLDER / "quickstart.py", tmp_path)
    done = run([sys.executable, "quickstart.py"], tmp_path)
    assert done.returncode == 0, done.stderr
    printed = done.stdout.splitlines()
    _, expected = captured(single.train, "cpu")
    for ours, theirs in zip(printed, expected.splitlines(), strict=False):
        assert abs(float(ours.split()[-1]) - float(theirs.split()[-1])) < 2e-3
    assert "rank 1 on cuda:1" in printed[-1]
