"""The language model, split over ranks, against NumPy without a cache."""

import functools
import os
import re
from pathlib import Path

import numpy as np
import pytest
import torch
import torch.distributed as dist
from scipy.special import erf, softmax
from torch.distributed.device_mesh import init_device_mesh
from torch.distributed.tensor import Replicate
from torch.distributed.tensor.debug import CommDebugMode
from torch.distributed.tensor.parallel import (
    ColwiseParallel,
    RowwiseParallel,
    parallelize_module,
)

import right_tp_heads
import right_tp_sampling
import tp_cost
import tp_generate
import tp_lm
import tp_meta
import wrong_tp_heads
import wrong_tp_sampling
from launch import launch
from ranks import run_ranks

SNIPPETS = [
    "distributed/tp_lm.py",
    "distributed/tp_generate.py",
    "distributed/tp_cost.py",
    "distributed/tp_meta.py",
    "distributed/wrong_tp_heads.py",
    "distributed/right_tp_heads.py",
    "distributed/wrong_tp_sampling.py",
    "distributed/right_tp_sampling.py",
]
PROMPT = [5, 6, 7]
GREEDY = [184, 90, 166, 56, 223, 180, 102, 177, 53, 71, 117, 118]
SAMPLED = [251, 180, 216, 139, 8, 55, 40, 71, 225]
NUMBERS = (48, 4096, 100_000)
VOCABULARY = {
    "tokens": RowwiseParallel(input_layouts=Replicate()),
    "head": ColwiseParallel(output_layouts=Replicate()),
}


def norm(x, w, b):
    x = x - x.mean(-1, keepdims=True)
    return x / np.sqrt((x * x).mean(-1, keepdims=True) + 1e-5) * w + b


@functools.cache
def weights():
    state = tp_lm.make_model().state_dict()
    return {name: value.numpy() for name, value in state.items()}


def reference(tokens):
    """Logits after the last of all tokens, in NumPy, without a cache."""
    p = weights()
    x = p["tokens.weight"][tokens] + p["positions.weight"][: len(tokens)]
    for i in range(2):

        def layer(name, x, i=i):
            w, b = (p[f"layers.{i}.{name}.{part}"] for part in ("weight", "bias"))
            return norm(x, w, b) if "norm" in name else x @ w.T + b

        h = layer("norm1", x)
        q, k, v = (layer(f"attention.{n}", h) for n in "qkv")
        out = np.empty_like(q)
        for head in range(4):
            at = slice(12 * head, 12 * head + 12)
            scores = q[:, at] @ k[:, at].T / np.sqrt(12)
            scores[np.triu_indices(len(tokens), 1)] = -np.inf
            out[:, at] = softmax(scores, -1) @ v[:, at]
        x = x + layer("attention.out", out)
        up = layer("up", layer("norm2", x))
        x = x + layer("down", up * (1 + erf(up / np.sqrt(2))) / 2)
    return x[-1] @ p["head.weight"].T


@functools.cache
def greedy():
    tokens, logits = list(PROMPT), []
    for _ in range(12):
        logits.append(reference(tokens))
        tokens.append(int(logits[-1].argmax()))
    return tokens[3:], np.array(logits)


def plain_print(module):
    printed = []
    module.print = lambda text, **_: printed.append(text)
    return printed


def sent_by_this_process():
    """Bytes that the kernel was given to write, gloo's sockets included."""
    return int(re.search(r"wchar: (\d+)", Path("/proc/self/io").read_text())[1])


def kernel_count(numbers):
    """Bytes written for one all-reduce of so many float64."""
    x = torch.zeros(numbers, dtype=torch.float64)
    dist.all_reduce(x)
    dist.barrier()
    before = sent_by_this_process()
    for _ in range(4):
        dist.all_reduce(x)
    after = sent_by_this_process()
    dist.barrier()
    return (after - before) / 4


def everything(rank):
    """All that the tests ask of one group, or each would start its own."""
    world_size = dist.get_world_size()
    prompt = torch.tensor([PROMPT])
    model = tp_generate.split(tp_lm.make_model())
    tokens, logits = tp_lm.generate(model, prompt, 12)
    caches = [[], []]
    with torch.no_grad(), CommDebugMode() as comm:
        model(prompt, caches)
    answer = {
        "tokens": tokens,
        "logits": logits.numpy(),
        "calls": comm.get_total_counts(),
        "cache": [tuple(part.shape) for part in caches[1]],
    }
    printed = plain_print(tp_generate)
    tp_generate.compare(rank)
    answer["compare"] = printed
    printed = plain_print(tp_cost)
    tp_cost.measure(rank)
    answer["cost"] = printed
    if world_size > 1:
        answer["vocabulary"] = vocabulary(prompt)
        answer["meta"] = from_meta(rank, prompt)
        if world_size == 2:
            answer["seeds"] = seeds(rank, prompt)
            answer["global heads"] = global_heads(model)
        if os.access("/proc/self/io", os.R_OK):
            answer["kernel"] = [kernel_count(n) for n in NUMBERS]
    return answer


def vocabulary(prompt):
    """Split the embedding and the head as well; then forget to gather."""
    mesh = init_device_mesh("cpu", (dist.get_world_size(),))
    plan = tp_generate.PLAN | VOCABULARY
    model = parallelize_module(tp_lm.make_model(), mesh, plan)
    with torch.no_grad(), CommDebugMode() as comm:
        model(prompt, [[], []])
    counts = {op.__name__: n for op, n in comm.get_comm_counts().items()}
    whole = tp_lm.generate(model, prompt, 12)[0], tp_cost.held_bytes(model)
    plan = tp_generate.PLAN | {"head": ColwiseParallel()}
    model = parallelize_module(tp_lm.make_model(), mesh, plan)
    return *whole, counts, tp_lm.generate(model, prompt, 1)[0][0]


def seeds(rank, prompt):
    """Initialise each rank's model with a seed of its own."""
    torch.manual_seed(rank)
    model = tp_generate.split(tp_lm.LanguageModel().double())
    split = model.layers[0].attention.q.weight.full_tensor().detach().numpy()
    kept = model.tokens.weight.detach().numpy()
    return split, kept, tp_lm.generate(model, prompt, 4)[0]


def from_meta(rank, prompt):
    """Only rank 0 ever holds the whole weights."""
    model = tp_meta.load_split(tp_lm.make_model().state_dict() if rank == 0 else {})
    tokens = tp_lm.generate(model, prompt, 12)[0]
    printed = plain_print(tp_meta)
    tp_meta.load_split = lambda state: model
    tp_meta.run(rank)
    return tokens, tp_cost.held_bytes(model), printed


def global_heads(model):
    """The usual code, with the number of all heads."""
    q = model.layers[0].attention.q(torch.zeros(1, 3, 48, dtype=torch.float64))
    try:
        q.view(1, 3, tp_lm.HEADS, tp_lm.HEAD)
    except RuntimeError as error:
        return str(error)


@functools.cache
def on(world_size):
    return run_ranks(everything, world_size)


def three(rank):
    """Both versions on three ranks."""
    printed = plain_print(right_tp_heads)
    right_tp_heads.refused_or_run(rank)
    with pytest.raises(RuntimeError) as error:
        wrong_tp_heads.run(rank)
    return printed, str(error.value)


def two(rank):
    printed = plain_print(right_tp_heads)
    right_tp_heads.refused_or_run(rank)
    return printed


def wrong(rank):
    dist.destroy_process_group()
    with pytest.raises(RuntimeError) as error:
        launch(wrong_tp_sampling.sample, timeout=2)
    return str(error.value)


def sampled(rank):
    """Sampled tokens: rank 0's broadcast; then one seed for all, no broadcast."""
    printed = []
    right_tp_sampling.print_in_turn = printed.append
    right_tp_sampling.sample(rank)
    broadcast, real = [], dist.broadcast
    dist.broadcast = lambda token, src: broadcast.append(src)
    torch.Generator = Seed0
    right_tp_sampling.sample(rank)
    dist.broadcast = real
    return printed, broadcast


class Seed0(torch.Generator):
    def manual_seed(self, seed):
        return super().manual_seed(0)


@pytest.mark.claim(
    zh="1、2、4 个 rank 贪心生成的 12 个 token 相同，每一步的 logits 也相同",
    en="On 1, 2 and 4 ranks the 12 greedy tokens are the same, and so are the logits of each step",
    against_zh="NumPy 重写的模型，不用缓存、不切分",
    against_en="the model written again in NumPy, without a cache and not split",
    tolerance="1e-12",
    snippets=["distributed/tp_lm.py", "distributed/tp_generate.py"],
)
@pytest.mark.parametrize("world_size", [1, 2, 4])
def test_the_same_tokens(world_size):
    tokens, logits = greedy()
    assert tokens == GREEDY
    top = np.sort(logits)[:, -2:]
    assert (top[:, 1] - top[:, 0]).min() > 1e-4  # no tie that rounding decides
    for rank, answer in enumerate(on(world_size)):
        assert answer["tokens"] == tokens
        np.testing.assert_allclose(answer["logits"], logits, rtol=0, atol=1e-12)
        calls = 4 if world_size > 1 else 0
        shown = [
            f"W = {world_size}: {tokens}",
            "  tokens of one process: True",
            "  logits to 1e-12: True",
            f"  all-reduces a pass: {calls}",
        ]
        assert answer["compare"] == (shown if rank == 0 else [])


@pytest.mark.claim(
    zh="两层的模型每次前向恰好 4 次 all-reduce，没有别的通信",
    en="A forward pass of the two layers makes exactly 4 all-reduces and no other communication",
    against_zh="CommDebugMode 计数（W = 2、4）",
    against_en="the count of CommDebugMode (W = 2, 4)",
    snippets=["distributed/tp_generate.py"],
)
@pytest.mark.parametrize("world_size", [2, 4])
def test_four_all_reduces(world_size):
    for answer in on(world_size):
        assert answer["calls"] == 4
        heads = 4 // world_size
        assert answer["cache"] == [(1, heads, 3, 12)] * 2


@pytest.mark.claim(
    zh="每个 rank 的参数字节数：切开的部分是 1/W，嵌入、输出层、归一化与行切的偏置每份都全",
    en="Parameter bytes of a rank: 1/W of what is split; embeddings, head, norms and biases of the row splits whole",
    against_zh="按各层形状手算（W = 1、2、4）",
    against_en="the shapes of the layers, added up (W = 1, 2, 4)",
    tolerance="0",
    snippets=["distributed/tp_cost.py"],
)
@pytest.mark.parametrize("world_size", [1, 2, 4])
def test_what_a_rank_holds(world_size):
    d, v = 48, 256
    whole = v * d + 64 * d + v * d + 2 * (4 * d + 2 * d)
    split = 2 * (4 * d * d + 3 * d + 8 * d * d + 4 * d)
    held = 8 * (whole + split // world_size)
    cache = 2 * 2 * d * 8 // world_size
    calls = 4 if world_size > 1 else 0
    summed = calls * d * 8
    sent = 2 * (world_size - 1) * summed // world_size
    big = 2 * (world_size - 1) * 160 * 8192 * 2 // world_size
    shown = [
        f"W = {world_size}: parameters {held:,} B",
        f"  a token: cache {cache:,} B",
        f"  {calls} all-reduces, {summed:,} B in all",
        f"  sent on a ring {sent:,} B",
        f"  70B: {calls * 40} all-reduces, {big:,} B sent",
    ]
    assert on(world_size)[0]["cost"] == shown
    assert all(answer["cost"] == [] for answer in on(world_size)[1:])
    figures = {1: 673_536, 2: 449_664, 4: 337_728}
    assert held == figures[world_size]
    assert 8 * whole == 225_792
    assert f"{figures[4] / figures[1]:.0%}" == "50%"


@pytest.mark.claim(
    zh="一次 all-reduce 每个 rank 发出 2(W−1)/W·S 字节，外加每步不超过 288 字节的消息头（gloo）",
    en="For an all-reduce a rank sends 2(W−1)/W·S bytes, and headers of at most 288 more in each step (gloo)",
    against_zh="Linux 内核的写入计数 /proc/self/io（W = 2、4）",
    against_en="the kernel's count of bytes written, /proc/self/io (Linux; W = 2, 4)",
    snippets=["distributed/tp_cost.py"],
)
@pytest.mark.parametrize("world_size", [2, 4])
def test_what_a_rank_sends_on_the_wire(world_size):
    if "kernel" not in on(world_size)[0]:
        pytest.skip("no /proc/self/io here | 这里没有 /proc/self/io")
    for answer in on(world_size):
        for seen, numbers in zip(answer["kernel"], NUMBERS, strict=True):
            _, _, sent = tp_cost.token_traffic(1, numbers, 8, world_size)
            headers = seen - sent / 2  # of the two all-reduces of a layer
            assert 0 < headers <= 288 * 2 * (world_size - 1)


def test_traffic_of_70b():
    """80 layers of 8192 numbers in bfloat16, the figures of the text."""
    calls, summed, sent = tp_cost.token_traffic(80, 8192, 2, 8)
    assert (calls, summed, sent) == (160, 2_621_440, 4_587_520)
    assert sent == 280 * 8192 * 2  # one activation, as a pipeline sends it
    assert f"{4096 * sent / 1e9:.1f}" == "18.8"
    assert f"{4096 * sent / 450e9 * 1e3:.0f}" == "42"
    assert f"{4096 * sent / 50e9 * 1e3:.0f}" == "376"
    assert f"{4096 * sent / 1.25e9:.0f}" == "15"
    assert (steps := calls * 2 * (8 - 1)) == 2240
    assert f"{steps * 10e-6 * 1e3:.0f}" == "22"
    assert f"{2 * 128_000 * 8192 * 2 / 1e9:.1f}" == "4.2"  # embedding and head
    assert 2 * (8).bit_length() - 2 == 6  # steps of a tree, up and down
    with pytest.raises(ValueError, match="world_size must be at least 1"):
        tp_cost.token_traffic(80, 8192, 2, 0)


@pytest.mark.parametrize("world_size", [2, 4])
def test_the_vocabulary_can_be_split(world_size):
    bytes_held = {2: 351_360, 4: 190_272}[world_size]
    for answer in on(world_size):
        tokens, held, counts, _ = answer["vocabulary"]
        assert tokens == greedy()[0]
        assert held == bytes_held
        assert counts == {"all_reduce": 5, "all_gather_into_tensor": 1}


def test_argmax_over_a_slice_of_the_vocabulary():
    """Logits left split: each rank picks within its own part."""
    logits = greedy()[1][0]
    for rank, answer in enumerate(on(2)):
        local = int(np.split(logits, 2)[rank].argmax())
        assert answer["vocabulary"][3] == local
    assert [a["vocabulary"][3] for a in on(2)] == [1, 56]
    assert greedy()[0][0] == 184 == 128 + 56


@pytest.mark.claim(
    zh="各 rank 种子不同：parallelize_module 只让计划里的权重与 rank 0 一致，嵌入仍各不相同，生成的 token 不同，也不报错",
    en="Different seeds: parallelize_module gives all ranks rank 0's weights only for the modules in the plan; embeddings stay different, the tokens differ, nothing is raised",
    against_zh="rank 0 的权重逐位比较",
    against_en="rank 0's weights, bit for bit",
    tolerance="0",
    snippets=["distributed/tp_generate.py"],
)
def test_only_the_plan_is_taken_from_rank_0():
    (q0, kept0, tokens0), (q1, kept1, tokens1) = (a["seeds"] for a in on(2))
    np.testing.assert_array_equal(q0, weights()["layers.0.attention.q.weight"])
    np.testing.assert_array_equal(q0, q1)
    np.testing.assert_array_equal(kept0, weights()["tokens.weight"])
    assert np.abs(kept0 - kept1).max() > 1
    assert tokens0 != tokens1 and tokens0 != GREEDY[:4]


@pytest.mark.claim(
    zh="在 meta 设备上建模型、切开、再从 rank 0 载入：token 不变，每个 rank 只分配自己的那一段",
    en="Built on the meta device, split, then loaded from rank 0: the same tokens, and a rank allocates only its own part",
    against_zh="NumPy 参考；按各层形状手算的字节数（W = 2、4）",
    against_en="the NumPy reference; bytes added up from the shapes of the layers (W = 2, 4)",
    snippets=["distributed/tp_meta.py"],
)
@pytest.mark.parametrize("world_size", [2, 4])
def test_weights_can_come_from_rank_0_alone(world_size):
    shown = [f"W = {world_size}: {GREEDY[:4]}"]
    for rank, answer in enumerate(on(world_size)):
        tokens, held, printed = answer["meta"]
        assert tokens == greedy()[0]
        assert held == {2: 449_664, 4: 337_728}[world_size]
        assert printed == (shown if rank == 0 else [])


def test_several_tokens_may_follow_the_cached_ones():
    tokens = torch.tensor([[5, 6, 7, 8, 9, 10]])
    model, caches = tp_lm.make_model(), [[], []]
    with torch.no_grad():
        parts = [model(part, caches) for part in tokens.split([3, 2, 1], 1)]
    wanted = [reference(tokens[0, : n + 1].tolist()) for n in range(6)]
    np.testing.assert_allclose(torch.cat(parts, 1)[0], wanted, rtol=0, atol=1e-12)


def test_the_number_of_all_heads_does_not_fit():
    for answer in on(2):
        expected = "shape '[1, 3, 4, 12]' is invalid for input of size 72"
        assert answer["global heads"] == expected


def test_three_ranks_do_not_fit():
    refused = (
        "ValueError: 4 attention heads cannot be shared by 3 ranks; "
        "possible: 1, 2, 4"
    )
    for rank, (printed, error) in enumerate(run_ranks(three, 3)):
        assert error == "shape '[1, 3, -1, 12]' is invalid for input of size 48"
        assert printed == ([refused] if rank == 0 else [])


def test_heads_are_checked_first():
    for heads in range(1, 65):
        fits = [w for w in range(1, 65) if heads / w == heads // w]
        for world_size in range(1, 65):
            if world_size in fits:
                right_tp_heads.check_heads(heads, world_size)
                continue
            with pytest.raises(ValueError) as error:
                right_tp_heads.check_heads(heads, world_size)
            listed = ", ".join(map(str, fits))
            assert str(error.value) == (
                f"{heads} attention heads cannot be shared by {world_size} "
                f"ranks; possible: {listed}"
            )
    assert run_ranks(two, 2) == [[[184, 90, 166, 56]], []]


def test_own_seeds_hang():
    (error,) = run_ranks(wrong, 1)
    assert "Timed out waiting 2000ms for recv operation to complete" in error


def test_one_rank_samples():
    expected = sample_alone()
    assert expected == SAMPLED
    for rank, (printed, broadcast) in enumerate(run_ranks(sampled, 2)):
        assert printed == [f"rank {rank}: {expected}"] * 2
        assert broadcast == [0] * len(expected)


def sample_alone():
    """Draw from NumPy's logits with the generator of rank 0."""
    gen = torch.Generator().manual_seed(0)
    tokens = [5]
    while len(tokens) < 17 and right_tp_sampling.STOP not in tokens:
        p = torch.tensor(reference(tokens)).softmax(-1)
        tokens.append(torch.multinomial(p, 1, generator=gen).item())
    return tokens[1:]
