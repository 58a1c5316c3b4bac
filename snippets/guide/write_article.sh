# In a clone of this repository: a new article, from its code to its branch.
# --8<-- [start:path]
export PATH="$PWD/.venv/bin:$PATH"
# --8<-- [end:path]

# --8<-- [start:code]
cat > snippets/guide/streaming_mean.py <<'EOF'
"""The mean of a stream, one value at a time."""

from collections.abc import Iterable


def streaming_mean(values: Iterable[float]) -> float:
    """Return the mean of the values without storing them.

    Each value moves the mean of those before it (Welford, 1962).
    Raises ValueError if there are no values.
    """
    n, mean = 0, 0.0
    for n, value in enumerate(values, 1):
        mean += (value - mean) / n
    if n == 0:
        raise ValueError("expected at least one value, got none")
    return mean


if __name__ == "__main__":
    print(streaming_mean([2, 4, 9]))
EOF
python snippets/guide/streaming_mean.py
# --8<-- [end:code]

# --8<-- [start:test]
cat > tests/snippets/guide/test_streaming_mean.py <<'EOF'
"""streaming_mean.py: the mean that exact fractions give."""

from fractions import Fraction

import pytest

from streaming_mean import streaming_mean


@pytest.mark.claim(
    zh="1000 个小数的流式均值与精确均值一致",
    en="The streaming mean of 1000 decimals equals their exact mean",
    against_zh="分数精确求和，再除以个数",
    against_en="the sum of exact fractions, divided by their number",
    tolerance="1e-12",
)
def test_equals_the_exact_mean():
    values = [0.1 * n for n in range(1000)]
    exact = sum(map(Fraction, values)) / len(values)
    assert abs(streaming_mean(iter(values)) - exact) < 1e-12


def test_no_values_are_refused():
    with pytest.raises(ValueError, match="at least one value, got none"):
        streaming_mean([])
EOF
pytest -q tests/snippets/guide/test_streaming_mean.py
# --8<-- [end:test]

# --8<-- [start:outputs]
pytest -q tests/contract/test_outputs.py --update -k streaming_mean &&
  pytest -q tests/snippets/guide/test_streaming_mean.py --verify
# --8<-- [end:outputs]

# --8<-- [start:chinese]
cat > docs/zh/guide/streaming-mean.md <<'EOF'
---
title: 流式均值
description: "数据一个一个地来、存不下全部时怎样求均值：每来一个数，把均值向它挪 1/n。附可运行代码，以及与精确均值的对照测试。"
created: 2026-12-01
updated: 2026-12-01
order: 90
tags: [写作]
---

数据逐个到来、又存不下全部，怎样求均值？每来一个数 $x$，把均值 $m$ 向它挪 $1/n$。

~~~python
--8<-- "guide/streaming_mean.py"
~~~

~~~text
--8<-- "guide/streaming_mean.out"
~~~

## 为什么成立 {#why}

前 $n$ 个数的和是 $(n-1)m + x$，除以 $n$ 就是 $m + (x - m)/n$。

## 接下来读什么 {#next}

[可复现的站点部署](deploy.md)
EOF
# --8<-- [end:chinese]

# --8<-- [start:english]
cat > docs/en/guide/streaming-mean.md <<'EOF'
---
title: A streaming mean
description: "How to average values that arrive one by one and cannot all be kept: with each, move the mean 1/n of the way. With code that runs and a test."
created: 2026-12-01
updated: 2026-12-01
order: 90
tags: [writing]
---

Values arrive one by one and cannot all be kept: what is their mean? With each value $x$, move the mean $m$ towards it by $1/n$.

~~~python
--8<-- "guide/streaming_mean.py"
~~~

~~~text
--8<-- "guide/streaming_mean.out"
~~~

## Why it holds {#why}

The first $n$ values add up to $(n-1)m + x$; divided by $n$, that is $m + (x - m)/n$.

## What to read next {#next}

[Reproducible site deployment](deploy.md)
EOF
# --8<-- [end:english]

# --8<-- [start:build]
make build &&
  ls site/guide/streaming-mean/ site/en/guide/streaming-mean/
# --8<-- [end:build]

# --8<-- [start:publish]
git switch --quiet --create streaming-mean &&
  git add --all &&
  git commit --quiet --message "Add an article on the streaming mean" &&
  git push --quiet --set-upstream origin streaming-mean &&
  git show --name-only --format=%s
# --8<-- [end:publish]
