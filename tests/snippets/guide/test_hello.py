"""hello.py: probabilities as a 50-digit calculation gives them."""

import math
from decimal import Decimal, localcontext

import pytest
from hypothesis import given
from hypothesis import strategies as st

from hello import softmax

SCORES = st.lists(st.floats(-1000, 1000), min_size=1, max_size=8)


@pytest.mark.claim(
    zh="分数在 −1000 到 1000 之间，softmax 与 50 位十进制计算一致，也不溢出",
    en="For scores from −1000 to 1000 softmax agrees with 50-digit decimals, without overflow",
    against_zh="按定义用 50 位十进制数计算，不减最大值",
    against_en="the definition in 50-digit decimals, without subtracting the largest score",
    tolerance="1e-12",
)
@given(SCORES)
def test_equals_decimal_softmax(scores):
    before = list(scores)
    with localcontext(prec=50):
        powers = [Decimal(score).exp() for score in scores]
        expected = [float(power / sum(powers)) for power in powers]
    assert softmax(scores) == pytest.approx(expected, rel=0, abs=1e-12)
    assert scores == before


@pytest.mark.claim(
    zh="不减最大值，`math.exp(1000)` 就抛出 OverflowError",
    en="Without the subtraction `math.exp(1000)` raises OverflowError",
    against_zh="Python 的 math.exp",
    against_en="Python's math.exp",
)
def test_the_definition_overflows():
    with pytest.raises(OverflowError, match="math range error"):
        math.exp(1000.0)
    assert softmax([1000.0, 1000.0]) == [0.5, 0.5]


def test_no_scores_are_refused():
    with pytest.raises(ValueError, match="at least one score"):
        softmax([])
