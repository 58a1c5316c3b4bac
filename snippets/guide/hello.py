"""Softmax of scores as large as 1000, without overflow."""

import math


# --8<-- [start:softmax]
def softmax(scores: list[float]) -> list[float]:
    """Return exp(score) / sum of exp(scores), one value a score.

    Subtracting the largest score cancels in the quotient and keeps
    every exponent at or below 0, where exp cannot overflow.
    """
    if not scores:
        raise ValueError("softmax needs at least one score, got none")
    top = max(scores)
    powers = [math.exp(score - top) for score in scores]
    total = sum(powers)
    return [power / total for power in powers]


# --8<-- [end:softmax]
if __name__ == "__main__":
    print([round(p, 6) for p in softmax([1000.0, 1001.0, 1002.0])])
