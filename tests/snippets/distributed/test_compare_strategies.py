"""Every strategy trains as one process does; what each keeps and sends is counted."""

import math
import os
import socket
import struct
from pathlib import Path

import pytest
import torch
import torch.distributed as dist
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.fsdp import fully_shard
from torch.distributed.run import config_from_args, get_args_parser
from torch.distributed.tensor import DTensor
from torch.nn.parallel import DistributedDataParallel as DDP
from torch.optim import Adam

import compare_strategies
import measure_step
import small_model
import strategy_pp
from compare_strategies import ALONE, STRATEGIES
from measure_step import Traffic, count_bytes, held, measure, share
from ranks import run_ranks
from small_model import make_batch, make_model, on_one_device, train
from strategy_dp import with_data_parallel
from strategy_fsdp import with_fsdp
from strategy_pp import with_pipeline
from strategy_zero import with_zero
from wrong_fsdp_optimizer import sharded_too_late

SNIPPETS = [
    "distributed/small_model.py",
    "distributed/measure_step.py",
    "distributed/strategy_dp.py",
    "distributed/strategy_ddp.py",
    "distributed/strategy_zero.py",
    "distributed/strategy_fsdp.py",
    "distributed/strategy_tp.py",
    "distributed/strategy_pp.py",
    "distributed/compare_strategies.py",
    "distributed/wrong_fsdp_optimizer.py",
]
OUT = Path(compare_strategies.__file__).with_suffix(".out")
NAMES = ["DDP", "ZeRO-1", "FSDP2", "TP", "PP"]
PSI, WEIGHTS = 132352, 16  # parameters: elements, tensors
S = 4 * PSI  # bytes
ACTIVATION = 4 * 256 * 64  # a batch between two blocks


def prepare(strategy, dtype=torch.float32):
    """Set a strategy up; return a function that trains and returns the losses, and its parts."""
    setup, trainer, split = strategy
    batch = [share(t) if split else t for t in make_batch(dtype)]
    parts = setup(make_model(dtype))
    return (lambda: trainer(*parts, *batch)), parts


def full(parameter):
    tensor = parameter.full_tensor() if isinstance(parameter, DTensor) else parameter
    return tensor.detach().clone()


# ---------------------------------------------------------------- one run for all tests


class Watched(Traffic):
    """Counts as Traffic does, and what the kernel saw arrive meanwhile; notes the calls."""

    arrived, names = [], []

    def __enter__(self):
        self.before = received()
        self.names.append([])
        dist.barrier()
        return super().__enter__()

    def __exit__(self, *error):
        super().__exit__(*error)
        after = received()  # without connections of an earlier group
        self.arrived.append(sum(n - self.before.get(name, 0) for name, n in after.items()))
        dist.barrier()

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        self.names[-1].append(func.overloadpacket.__name__)
        return super().__torch_dispatch__(func, types, args, kwargs)


def everything(rank, path):
    """All that the tests want to know of a group of four, and then of two of its ranks.

    The processes start once: to import what the strategies need is most of the work.
    """
    measure_step.Traffic = Watched
    of_four = compare() | {"trained": trained()}
    take_steps(1)
    of_four["hybrid"] = hybrid()
    take_steps(3)
    dist.barrier()
    dist.destroy_process_group()
    if rank > 1:
        return of_four, None
    dist.init_process_group("gloo", f"file://{path}", rank=rank, world_size=2)
    Watched.arrived, Watched.names = [], []
    of_two = compare() | {"too late": too_late(), "buckets": buckets()}
    take_steps(2)  # in its second step DDP sends its new buckets too
    of_two["grown"] = grown()
    return of_four, of_two | {"accumulated": accumulated(), "unsaved": unsaved()}


def compare():
    answer = {"measured": [measure(*s) for s in STRATEGIES.values()]}
    return answer | {"arrived": Watched.arrived, "names": Watched.names}


def take_steps(number):
    """Most of the work is DTensor's, in Python: no more steps than are looked at."""
    small_model.STEPS = strategy_pp.STEPS = measure_step.STEPS = number


@pytest.fixture(scope="module")
def of_both(tmp_path_factory):
    path = tmp_path_factory.mktemp("groups") / "store"
    of_four, of_two = zip(*run_ranks(everything, 4, str(path), timeout=150), strict=True)
    return {2: of_two[:2], 4: of_four}


@pytest.fixture(scope="module")
def of_two(of_both):
    return of_both[2]


@pytest.fixture(scope="module", params=[2, 4])
def ranks(request, of_both):
    return of_both[request.param]


@pytest.fixture
def measured(ranks):
    return len(ranks), dict(zip(NAMES, ranks[0]["measured"], strict=True))


# ---------------------------------------------------------------- the same training


def trained():
    """Each strategy's losses and whole parameters after three steps in float64."""
    answers = []
    for strategy in STRATEGIES.values():
        go, (*_, optimizer) = prepare(strategy, torch.float64)
        losses = go()
        dist.all_reduce(losses)
        params = [full(p) for group in optimizer.param_groups for p in group["params"]]
        answers.append((losses.numpy(), [p.numpy() for p in params]))
    return answers


@pytest.mark.claim(
    zh="DDP、ZeRO-1、FSDP2、张量并行、流水线并行，在 4 个进程上训练三步，损失和每个参数都与单进程相同",
    en="DDP, ZeRO-1, FSDP2, tensor and pipeline parallelism on 4 processes: after three steps the losses and every parameter are those of one process",
    against_zh="单进程训练，float64",
    against_en="training in one process, float64",
    tolerance="1e-12",
)
def test_every_strategy_trains_like_one_process(of_both):
    ranks, world_size = of_both[4], 4
    model, optimizer = on_one_device(make_model(torch.float64))
    before = [p.detach().clone() for p in model.parameters()]
    losses = train(model, optimizer, *make_batch(torch.float64))
    after = [p.detach() for p in model.parameters()]
    assert all((a - b).abs().max() > 5e-3 for a, b in zip(after, before, strict=True))
    for i, name in enumerate(NAMES):
        whole = []
        for rank in range(world_size):
            got, params = ranks[rank]["trained"][i]
            params = [torch.from_numpy(p) for p in params]
            got = torch.from_numpy(got) / (1 if name == "PP" else world_size)
            torch.testing.assert_close(got, losses, rtol=0, atol=1e-12)
            if name == "PP":  # a rank has some of the blocks
                whole += params
                continue
            torch.testing.assert_close(params, after, rtol=0, atol=1e-12)
        if name == "PP":
            torch.testing.assert_close(whole, after, rtol=0, atol=1e-12)


def test_one_process_is_adam():
    """`train` against Kingma and Ba's Algorithm 1, with gradients by hand."""
    x, y = make_batch(torch.float64)
    weights = [p.detach().clone() for p in make_model(torch.float64).parameters()]
    first, second = ([torch.zeros_like(w) for w in weights] for _ in range(2))
    expected = []
    for t in (1, 2, 3):
        inputs, h = [], x
        for i in range(0, WEIGHTS, 4):
            a, b, c, d = weights[i : i + 4]
            z = h @ a.T + b
            inputs.append((h, z))
            h = z.clamp(min=0) @ c.T + d
        expected.append(((h - y) ** 2).mean())
        grads, g = [], 2 * (h - y) / y.numel()
        for i, (h, z) in zip(range(WEIGHTS - 4, -1, -4), reversed(inputs), strict=True):
            gz = (g @ weights[i + 2]) * (z > 0)
            grads = [gz.T @ h, gz.sum(0), g.T @ z.clamp(min=0), g.sum(0)] + grads
            g = gz @ weights[i]
        for k, g in enumerate(grads):
            first[k] = 0.9 * first[k] + 0.1 * g
            second[k] = 0.999 * second[k] + 0.001 * g * g
            root = (second[k] / (1 - 0.999**t)).sqrt() + 1e-8
            weights[k] = weights[k] - 0.003 * first[k] / (1 - 0.9**t) / root
    model, optimizer = on_one_device(make_model(torch.float64))
    losses = train(model, optimizer, x, y)
    torch.testing.assert_close(losses, torch.stack(expected), rtol=1e-12, atol=0)
    for p, w in zip(model.parameters(), weights, strict=True):
        torch.testing.assert_close(p.detach(), w, rtol=0, atol=1e-10)


# ---------------------------------------------------------------- what a rank keeps and sends


@pytest.mark.claim(
    zh="单进程每个 float32 参数占 16 字节：参数 4、梯度 4、Adam 状态 8",
    en="In one process a float32 parameter takes 16 bytes: itself 4, its gradient 4, Adam's state 8",
    against_zh="张量的字节数；另有每个张量 4 字节的步数计数",
    against_en="the tensors' bytes; besides, a step counter of 4 bytes a tensor",
    tolerance="0",
)
def test_sixteen_bytes_a_parameter():
    model, optimizer = on_one_device(make_model())
    assert sum(p.numel() for p in model.parameters()) == PSI
    train(model, optimizer, *make_batch())
    params, grads, state = held(optimizer)
    assert (params, grads, state - 4 * WEIGHTS) == (4 * PSI, 4 * PSI, 8 * PSI)


@pytest.mark.claim(
    zh="每个 rank 保存的字节：DDP 是全部；ZeRO-1 把 Adam 状态分成 W 份；FSDP2 与流水线并行全部分成 W 份；张量并行只有行切分层的偏置不分",
    en="Bytes a rank keeps: with DDP all; ZeRO-1 splits Adam's state by W; FSDP2 and the pipeline split everything by W; tensor parallelism all but the row-split layers' bias",
    against_zh="由层的形状写出的算式，2 和 4 个进程",
    against_en="formulas from the layers' shapes, 2 and 4 processes",
    tolerance="0",
)
def test_what_a_rank_keeps(measured):
    w, rows = measured
    kept = {name: row[1][:3] for name, row in rows.items()}
    counters = 4 * WEIGHTS
    assert kept["DDP"] == [S, S, 2 * S + counters]
    assert kept["FSDP2"] == [S / w, S / w, 2 * S / w + counters]
    assert kept["PP"] == [S / w, S / w, 2 * S / w + counters / w]
    bias = 4 * 4 * 64  # four blocks, 64 values
    slice_ = (S - bias) / w + bias
    assert kept["TP"] == [slice_, slice_, 2 * slice_ + counters]
    # ZeRO deals whole tensors out: 4 big ones of each block and their biases
    state = {2: 2 * S / 2 + counters / 2, 4: 2 * S / 4 + counters / 4}[w]
    assert kept["ZeRO-1"][:2] == [S, S]
    assert kept["ZeRO-1"][2] == state


@pytest.mark.claim(
    zh="每步每个 rank 交给集合通信的字节：DDP 是参数量 S，ZeRO-1 2 S，FSDP2 3 S；张量并行是 7 次激活，流水线中间的 rank 是 2 次激活，与参数量无关",
    en="Bytes a rank hands to collectives in a step: DDP the parameters' S, ZeRO-1 2 S, FSDP2 3 S; tensor parallelism 7 activations and a pipeline's middle rank 2, whatever the number of parameters",
    against_zh="算式，2 和 4 个进程",
    against_en="formulas, 2 and 4 processes",
    tolerance="0",
)
def test_what_a_rank_hands_to_collectives(measured):
    w, rows = measured
    calls, payload, sent = (
        {name: row[1][i] for name, row in rows.items()} for i in (3, 4, 5)
    )
    assert list(calls.values()) == [1, 17, 12, 7, 4 if w == 2 else 8]
    pipe = ACTIVATION * (1 if w == 2 else 2)
    assert list(payload.values()) == [S, 2 * S, 3 * S, 7 * ACTIVATION, pipe]
    part = (w - 1) / w
    expected = [2 * part * S, 3 * part * S, 3 * part * S, 14 * part * ACTIVATION, pipe]
    assert list(sent.values()) == pytest.approx(expected, rel=1e-6)


def counters():
    """Tell whether the kernel counts a connection's bytes."""
    try:
        with socket.create_server(("127.0.0.1", 0)) as a:
            with socket.create_connection(a.getsockname()) as b:
                return len(b.getsockopt(socket.IPPROTO_TCP, 11, 256)) >= 136
    except OSError:
        return False


def received():
    """Bytes that each of this process's TCP connections received, by the kernel's count."""
    found = {}
    if not counters():
        return found
    for fd in os.listdir("/proc/self/fd"):
        try:
            if not (name := os.readlink(f"/proc/self/fd/{fd}")).startswith("socket:"):
                continue
            copy = socket.socket(fileno=os.dup(int(fd)))
        except OSError:
            continue  # listdir's own
        with copy:
            if copy.family in (socket.AF_INET, socket.AF_INET6) and copy.type & 0xF == 1:
                info = copy.getsockopt(socket.IPPROTO_TCP, 11, 256)  # TCP_INFO
                found[name] = struct.unpack_from("<Q", info, 128)[0]
    return found


@pytest.mark.claim(
    zh="按环形公式算出的发送量，就是 TCP 连接上真实流过的字节；只有 FSDP2 在 gloo 上更多：它的 reduce-scatter 是用 all-reduce 做的",
    en="What the ring formula says is sent is what really flows through TCP; only FSDP2 sends more over gloo, which does its reduce-scatter as an all-reduce",
    against_zh="Linux 内核对每个连接的计数（TCP_INFO），各 rank 之和",
    against_en="the Linux kernel's count for each connection (TCP_INFO), all ranks together",
    tolerance="2 %",
)
def test_the_kernel_counts_the_same_bytes(ranks, measured):
    if not counters():
        pytest.skip("no TCP_INFO counters here | 这里没有 TCP_INFO 计数")
    w, rows = measured
    for i, name in enumerate(NAMES):
        seen = sum(answer["arrived"][i] for answer in ranks) / w / small_model.STEPS
        sent = rows[name][1][5]
        if name == "PP":  # the ends send one activation, the others two
            sent = (2 * (w - 1)) * ACTIVATION / w
        if name == "FSDP2":  # one more (W − 1)/W S
            sent += (w - 1) / w * S
            assert seen / S == pytest.approx({2: 2, 4: 3}[w], rel=1e-2)
        assert seen == pytest.approx(sent, rel=2e-2), name


def grown():
    """Payload of a step with a batch twice as large."""
    small_model.BATCH *= 2
    payloads = [measure(*strategy)[1][4] for strategy in STRATEGIES.values()]
    small_model.BATCH //= 2
    return payloads


@pytest.mark.claim(
    zh="批次加倍：张量并行和流水线并行的通信量加倍，DDP、ZeRO-1、FSDP2 不变",
    en="Twice the batch: tensor and pipeline parallelism send twice as much, DDP, ZeRO-1 and FSDP2 the same",
    against_zh="两种批次的计数相除",
    against_en="the counts of both batches divided",
    tolerance="0",
)
def test_what_grows_with_the_batch(of_two):
    once = [costs[4] for _, costs in of_two[0]["measured"]]
    twice = of_two[0]["grown"]
    assert [b / a for a, b in zip(once, twice, strict=True)] == [1, 1, 1, 2, 2]


def test_the_break_even_in_the_text():
    """7 activations are as large as the gradients at 295 samples; about 4 d without the ends."""
    assert 7 * ACTIVATION < S < 7 * ACTIVATION * 296 / 256
    assert math.isclose(8 * 4 * 64**2 / (2 * 4 * 64), 4 * 64)


# ---------------------------------------------------------------- the table


def test_the_table_shows_what_was_measured(measured):
    w, rows = measured
    lines = OUT.read_text("utf-8").splitlines()
    assert lines[0] == "| Ranks | Strategy | Params | Grads | Adam | Calls | Sent |"
    shown = [[cell.strip() for cell in line.split("|")[1:-1]] for line in lines[2:]]
    table = [row for row in shown if row[0] == str(w)]
    assert len(table) == len(NAMES) == 5 and len(shown) == 11
    assert [row[1] for row in table] == NAMES == list(STRATEGIES)
    for row, (losses, costs) in zip(table, rows.values(), strict=True):
        numbers = [f"{n / 1024:.1f}" for n in costs]
        numbers[3] = f"{costs[3]:.0f}"
        assert row[2:] == [*numbers[:4], numbers[5]]
        assert [f"{loss:.4f}" for loss in losses] == ["0.4347", "0.4315", "0.4294"]
    assert shown[0] == ["1", "none", "517.0", "517.0", "1034.1", "0", "0.0"]


def test_one_process_sends_nothing():
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    try:
        (strategy,) = ALONE.values()
        losses, costs = measure(*strategy)
    finally:
        dist.destroy_process_group()
    assert costs == [S, S, 2 * S + 4 * WEIGHTS, 0, 0, 0]
    assert [f"{loss:.4f}" for loss in losses] == ["0.4347", "0.4315", "0.4294"]


# ---------------------------------------------------------------- what is refused


def test_what_does_not_divide_is_refused(monkeypatch):
    monkeypatch.setattr(dist, "get_world_size", lambda: 3)
    monkeypatch.setattr(dist, "get_rank", lambda: 0)
    with pytest.raises(ValueError, match="3 ranks cannot share 256"):
        share(torch.zeros(256))
    with pytest.raises(ValueError, match="3 ranks for 4 blocks"):
        with_pipeline(make_model())


def test_a_collective_without_a_formula_is_refused():
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    try:
        with pytest.raises(NotImplementedError, match="no formula for c10d.gather_"):
            with Traffic():
                dist.gather(torch.zeros(1), [torch.zeros(1)])
    finally:
        dist.destroy_process_group()


def test_lists_are_counted_and_other_values_are_not():
    assert count_bytes([torch.zeros(3), (torch.zeros(2, dtype=torch.int64), None)]) == 28
    assert count_bytes("text") == 0


# ---------------------------------------------------------------- single facts of the text


def too_late():
    model, optimizer = sharded_too_late(make_model())
    x, y = (share(t) for t in make_batch())
    before = [full(p) for p in model.parameters()]
    losses = train(model, optimizer, x, y)
    moved = max((full(p) - b).abs().max().item() for p, b in zip(model.parameters(), before, strict=True))
    return losses.tolist(), moved, held(optimizer)


@pytest.mark.claim(
    zh="先建优化器、后 fully_shard：不报错，参数一个也不更新，损失不变，优化器还占着整份参数",
    en="The optimizer before fully_shard: no error, not one parameter is updated, the loss stays, and the optimizer still holds all parameters",
    against_zh="训练前后的参数逐位比较",
    against_en="the parameters before and after, bit by bit",
    tolerance="0",
)
def test_an_optimizer_made_too_early_updates_nothing(of_two):
    for answer in of_two:
        losses, moved, (params, grads, state) = answer["too late"]
        assert len(set(losses)) == 1 and moved == 0
        assert (params, grads, state) == (S, 0, 0)


def test_data_parallel_passes_through_on_a_cpu():
    if torch.cuda.is_available():
        pytest.skip("here DataParallel would use the GPUs")
    model, optimizer = with_data_parallel(make_model())
    assert model.device_ids == []
    seen = []
    model.module.register_forward_hook(lambda module, args, output: seen.append((args[0], output)))
    x, y = make_batch()
    output = model(x)
    assert seen[0][0] is x and seen[0][1] is output
    losses = train(model, optimizer, x, y)
    assert torch.equal(losses, train(*on_one_device(make_model()), x, y))


@pytest.mark.gpu
@pytest.mark.claim(
    zh="DataParallel 在两块 GPU 上训练，损失与单卡相同",
    en="DataParallel on two GPUs trains with the losses of one",
    against_zh="单卡训练",
    against_en="training on one GPU",
    tolerance="1e-5",
)
def test_data_parallel_on_two_gpus():
    if torch.cuda.device_count() < 2:
        pytest.skip("fewer than two CUDA GPUs here | 这里的 CUDA GPU 不足两块")
    batch = [t.cuda() for t in make_batch()]
    losses = train(*with_data_parallel(make_model().cuda()), *batch)
    torch.testing.assert_close(losses, train(*on_one_device(make_model().cuda()), *batch), rtol=0, atol=1e-5)


def test_autocast_keeps_sixteen_bytes():
    """Parameters, gradients and Adam's state stay float32 under torch.autocast.

    For backward it keeps copies of the weights besides, two bytes each.
    """
    model, optimizer = on_one_device(make_model())
    x, y = (t[:100] for t in make_batch())
    copies = {}

    def note(tensor):
        if tensor.dtype == torch.bfloat16 and len(tensor) != len(x):
            copies[tensor.untyped_storage().data_ptr()] = tensor.nbytes
        return tensor

    hooks = torch.autograd.graph.saved_tensors_hooks(note, lambda tensor: tensor)
    with hooks, torch.autocast("cpu", torch.bfloat16):
        output = model(x)
        loss = torch.nn.functional.mse_loss(output, y)
    assert output.dtype == torch.bfloat16
    weights = sum(p.numel() for p in model.parameters() if p.dim() == 2)
    assert weights < PSI < weights * 1.02
    first = 64 * 256  # the batch needs no gradient, so backward does not need this one
    assert sum(copies.values()) == 2 * (weights - first)
    loss.backward()
    optimizer.step()
    assert sum(held(optimizer)) - 4 * WEIGHTS == 16 * PSI


@pytest.mark.parametrize("stages, micro, idle", [(4, 4, "43%"), (4, 32, "9%")])
def test_the_pipeline_bubble(stages, micro, idle):
    """Brute force: a stage starts a micro-batch when it and the stage before are done."""
    done = [[0] * micro for _ in range(stages)]
    for s in range(stages):
        for m in range(micro):
            done[s][m] = 1 + max(done[s - 1][m] if s else 0, done[s][m - 1] if m else 0)
    total = done[-1][-1]
    assert f"{(total - micro) / total:.0%}" == f"{(stages - 1) / (micro + stages - 1):.0%}" == idle


def buckets():
    """Do the gradients lie in DDP's buckets, or are there two copies?"""
    answers = []
    for view in (False, True):
        model = DDP(make_model(), gradient_as_bucket_view=view)
        regions = []

        def hook(state, bucket, regions=regions):
            start = bucket.buffer().data_ptr()
            regions.append((start, start + bucket.buffer().nbytes))
            future = torch.futures.Future()
            future.set_result(bucket.buffer())
            return future

        model.register_comm_hook(None, hook)
        model(make_batch()[0]).sum().backward()
        inside = [any(a <= p.grad.data_ptr() < b for a, b in regions) for p in model.parameters()]
        answers.append((sum(b - a for a, b in regions), all(inside), any(inside)))
    return answers


def hybrid():
    """Payloads of one step of fully_shard on two nodes of two."""
    mesh = init_device_mesh("cpu", (2, 2), mesh_dim_names=("replicate", "shard"))
    model = make_model()
    for block in model:
        fully_shard(block, mesh=mesh)
    fully_shard(model, mesh=mesh)
    optimizer = Adam(model.parameters(), lr=0.003)
    with PayloadByName() as seen:
        train(model, optimizer, *(share(t) for t in make_batch()))
    kept = held(optimizer)[:2]
    return seen.sizes, kept


class PayloadByName(Traffic):
    def __init__(self):
        super().__init__()
        self.sizes = {}

    def __torch_dispatch__(self, func, types, args=(), kwargs=None):
        before = self.payload
        answer = super().__torch_dispatch__(func, types, args, kwargs)
        if self.payload > before:
            name = func.overloadpacket.__name__
            self.sizes[name] = self.sizes.get(name, 0) + self.payload - before
        return answer


def test_a_hybrid_mesh_crosses_the_slow_link_with_a_shard(of_both):
    """Shards over 2 ranks, replicas over 2: what crosses is an all-reduce of S / 2."""
    for answer in of_both[4]:
        payloads, kept = answer["hybrid"]
        assert payloads == {
            "_allgather_base_": 2 * S,
            "_reduce_scatter_base_": S,
            "allreduce_": S / 2,
        }
        assert kept == (S / 2, S / 2)


def accumulated():
    """FSDP2, two micro-batches for a step: its calls, and a block's activations."""
    model, _ = with_fsdp(make_model())
    shapes = []
    model[0][0].register_forward_hook(lambda *args: shapes.append(tuple(args[2].shape)))
    with Watched():
        for part in share(make_batch()[0]).chunk(2):
            model(part).sum().backward()
    return Watched.names.pop(), shapes


def test_fsdp_gathers_for_every_micro_batch_and_splits_no_activation(of_two):
    for answer in of_two:
        names, shapes = answer["accumulated"]
        assert names.count("_allgather_base_") == 2 * 8
        assert shapes == [(256 // 2 // 2, 256)] * 2  # all of the width of its own samples


def unsaved():
    """What ZeRO-1's state_dict says before and after consolidate_state_dict."""
    model, optimizer = with_zero(make_model())
    train(model, optimizer, *(share(t) for t in make_batch()))
    with pytest.raises(RuntimeError) as error:
        optimizer.state_dict()
    optimizer.consolidate_state_dict(to=0)
    if dist.get_rank() == 1:
        return str(error.value), None
    state = optimizer.state_dict()["state"].values()
    return str(error.value), sum(count_bytes(list(part.values())) for part in state)


def test_zero_1_must_be_consolidated_before_it_is_saved(of_two):
    (first, whole), (second, _) = (answer["unsaved"] for answer in of_two)
    for text in first, second:
        assert text.startswith("Optimizer state has not been consolidated on this rank.")
    assert whole == 2 * S + 4 * WEIGHTS


def test_ddp_keeps_a_second_copy_of_the_gradients(of_two):
    """By default the buckets are S more bytes; gradient_as_bucket_view=True saves them."""
    for answer in of_two:
        default, view = answer["buckets"]
        assert default == (S, False, False)
        assert view == (S, True, True)


def test_the_calls_named_in_the_text(ranks):
    """FSDP2: 8 all-gathers and 4 reduce-scatters; TP: 7 all-reduces."""
    _, _, fsdp, tp, _ = ranks[0]["names"][:5]
    assert fsdp.count("_allgather_base_") == 3 * 8
    assert fsdp.count("_reduce_scatter_base_") == 3 * 4
    assert tp.count("all_reduce") == 3 * 7


def test_elastic_training_is_built_in():
    """torchrun reads a range of nodes and restarts workers without another package."""
    args = get_args_parser().parse_args(
        ["--nnodes=2:4", "--max-restarts=3", "--rdzv-backend=c10d", "train.py"]
    )
    config, _, _ = config_from_args(args)
    assert (config.min_nodes, config.max_nodes, config.max_restarts) == (2, 4, 3)
    assert config.rdzv_backend == "c10d"


def test_torch_distributed_pipeline_is_gone():
    from importlib.util import find_spec

    assert find_spec("torch.distributed.pipeline") is None
    assert find_spec("torch.distributed.pipelining") and find_spec("torch.distributed.rpc")


def test_seven_billion_parameters():
    """16 bytes each; what eight ranks hold of it with ZeRO-1 and with FSDP2."""
    assert 16 * 7e9 / 1e9 == 112
    assert (8 + 8 / 8) * 7e9 / 1e9 == 63 and 16 / 8 * 7e9 / 1e9 == 14
