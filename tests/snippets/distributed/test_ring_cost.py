"""ring_cost.py: right sums, and exactly 2(W − 1)/W · S sent by each rank."""

from fractions import Fraction

import pytest
import torch
from hypothesis import given
from hypothesis import strategies as st

from ring_cost import main, ring_all_reduce


@given(world_size=st.integers(1, 9), size=st.integers(1, 40))
def test_every_rank_ends_with_the_sum(world_size, size):
    gen = torch.Generator().manual_seed(size)
    vectors = [
        torch.randint(-99, 99, (size,), generator=gen)
        for _ in range(world_size)
    ]
    total = torch.stack(vectors).sum(0)
    ring_all_reduce(vectors)
    for vector in vectors:
        assert torch.equal(vector, total)


@pytest.mark.claim(
    zh="环形 all-reduce 每个 rank 发送 2(W−1)/W·S，走 2(W−1) 步：不是与 W 无关",
    en="In a ring all-reduce a rank sends 2(W−1)/W·S in 2(W−1) steps: not independent of W",
    against_zh="逐块计数；结果与直接求和比较",
    against_en="counting chunk by chunk; the result compared with a plain sum",
    tolerance="0",
)
@given(world_size=st.integers(1, 16), parts=st.integers(1, 5))
def test_what_a_rank_sends(world_size, parts):
    size = parts * world_size
    vectors = [torch.arange(size) for _ in range(world_size)]
    sent, steps = ring_all_reduce(vectors)
    share = Fraction(2 * (world_size - 1), world_size)
    assert sent == [share * size] * world_size
    assert steps == 2 * (world_size - 1)
    assert torch.equal(vectors[-1], world_size * torch.arange(size))


def test_the_numbers_in_the_text(capsys):
    main()
    lines = capsys.readouterr().out.splitlines()
    assert "1.000 S in  2 steps and holds   3" in lines[0]
    assert "1.875 S in 30 steps and holds 136" in lines[3]
