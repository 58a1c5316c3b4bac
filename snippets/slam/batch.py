"""Write a formula for one vector; run it on any batch, block by block."""

import functools
import inspect
import math

import numpy as np

BLOCK = 2048  # elements: what one block needs stays in the cache
LIMIT = 1e150  # beyond it, squares overflow


# --8<-- [start:batched]
def batched(*shapes):
    """Let a formula for one element take arrays of any leading dimensions.

    The formula gets each argument as a float64 array [*shape, n], so that
    x, y, z = phi are three vectors of n numbers, and returns [*result, n].
    Outside, arguments are [..., *shape], one for each given shape, and the
    result is [..., *result]; leading dimensions broadcast. float32 (or
    float16) in gives float32 out, anything else float64.

    Arguments may be named, as in any call. Raises TypeError for one missing,
    ValueError for a wrong trailing shape, for leading dimensions that
    do not broadcast, and for a value that is not finite or above 1e150.
    """

    def decorate(formula):
        signature = inspect.signature(formula)

        @functools.wraps(formula)
        def function(*given, **named):
            if named or len(given) != len(shapes):
                given = signature.bind(*given, **named).arguments.values()
            # --8<-- [start:blocks]
            arrays = [np.asarray(a) for a in given]
            leads = [
                leading(formula.__name__, a, shape)
                for a, shape in zip(arrays, shapes, strict=True)
            ]
            lead = leads[0]
            if any(own != lead for own in leads):
                lead = np.broadcast_shapes(*leads)
            flat = [
                elements(a, own, lead, shape)
                for a, own, shape in zip(arrays, leads, shapes, strict=True)
            ]
            n, result = math.prod(lead), None
            for start in range(0, max(n, 1), BLOCK):
                stop = min(start + BLOCK, n)
                block = formula(*(columns(a, start, stop) for a in flat))
                if result is None:
                    single = all(
                        a.dtype in (np.float16, np.float32) for a in arrays
                    )
                    result = np.empty(
                        (n, *block.shape[:-1]),
                        np.float32 if single else np.float64,
                    )
                last_first = (-1, *range(block.ndim - 1))
                result[start:stop] = block.transpose(last_first)
            return result.reshape(lead + result.shape[1:])[()]
            # --8<-- [end:blocks]

        return function

    return decorate


# --8<-- [end:batched]


def leading(name: str, array: np.ndarray, shape: tuple) -> tuple:
    """The dimensions before a trailing shape."""
    split = array.ndim - len(shape)
    if split < 0 or array.shape[split:] != shape:
        wanted = ", ".join(["...", *map(str, shape)])
        raise ValueError(f"{name}: expected [{wanted}], got {array.shape}")
    return array.shape[:split]


def elements(array: np.ndarray, own: tuple, lead: tuple, shape: tuple):
    """The array as [n, *shape]; a single element stays one."""
    if own != lead and math.prod(own) != 1:
        array = np.broadcast_to(array, lead + shape)
    return array.reshape(-1, *shape)


def columns(array: np.ndarray, start: int, stop: int) -> np.ndarray:
    """Elements start to stop as [*shape, n] in float64, checked."""
    part = array if len(array) == 1 else array[start:stop]
    part = part.transpose(*range(1, part.ndim), 0)
    part = part.astype(np.float64, order="C", casting="same_kind")
    if not np.abs(part).max(initial=0) < LIMIT:
        raise ValueError("expected finite numbers below 1e150")
    if part.shape[-1] == stop - start:
        return part
    return np.broadcast_to(part, (*part.shape[:-1], stop - start))
