"""Write a formula for one vector; run it on any batch, block by block."""

import functools
import inspect

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
            arguments = signature.bind(*given, **named).arguments.values()
            # --8<-- [start:blocks]
            arrays = [np.asarray(a) for a in arguments]
            leads = [
                leading(formula.__name__, a, shape)
                for a, shape in zip(arrays, shapes, strict=True)
            ]
            lead = np.broadcast_shapes(*leads)
            n = int(np.prod(lead))
            flat = [
                np.broadcast_to(
                    a, (lead if np.prod(own) != 1 else own) + shape
                ).reshape(-1, *shape)
                for a, own, shape in zip(arrays, leads, shapes, strict=True)
            ]
            result = None
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
                result[start:stop] = np.moveaxis(block, -1, 0)
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


def columns(array: np.ndarray, start: int, stop: int) -> np.ndarray:
    """Elements start to stop as [*shape, n] in float64, checked."""
    part = array if len(array) == 1 else array[start:stop]
    part = np.moveaxis(part, 0, -1)
    part = part.astype(np.float64, order="C", casting="same_kind")
    if not np.abs(part).max(initial=0) < LIMIT:
        raise ValueError("expected finite numbers below 1e150")
    return np.broadcast_to(part, (*part.shape[:-1], stop - start))
