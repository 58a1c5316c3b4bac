"""Each way to get an optimisation profile wrong, and what TensorRT says."""

from build_engine import build_pool_network

# --8<-- [start:faults]
LOW, USUAL, HIGH = (1, 3, 32, 32), (8, 3, 64, 64), (32, 3, 128, 128)
FAULTS = {  # the network's input is image, (-1, 3, -1, -1)
    "no profile": [],
    "MIN > OPT": [{"image": (USUAL, LOW, HIGH)}],
    "OPT > MAX": [{"image": (LOW, HIGH, USUAL)}],
    "ranks differ": [{"image": (LOW[1:], USUAL, HIGH)}],
    "wrong name": [{"input": (LOW, USUAL, HIGH)}],
    "network's rank": [{"image": (LOW[1:], USUAL[1:], HIGH[1:])}],
    "fixed axis": [{"image": ((1, 1, 32, 32),) * 3}],
}
# --8<-- [end:faults]


# --8<-- [start:reason]
def reason(error: Exception) -> str:
    """Return the first message's text: 'where: code (text. In file)'."""
    text = str(error).splitlines()[0]
    return text.partition("API Usage Error (")[2].partition(". In ")[0]


def symptom(profiles) -> str:
    """Return the error's type and TensorRT's reason, or "builds"."""
    try:
        build_pool_network((-1, 3, -1, -1), profiles)
    except (RuntimeError, ValueError) as error:
        return f"{type(error).__name__}: {reason(error)}"
    return "builds"


# --8<-- [end:reason]


# --8<-- [start:accepts]
def accepts(profile: dict, shapes: dict) -> bool:
    """Say whether every axis of every input lies within MIN and MAX."""
    for name, shape in shapes.items():
        low, _, high = profile[name]
        if len(shape) != len(low):
            return False
        if not all(map(lambda a, b, c: a <= b <= c, low, shape, high)):
            return False
    return True


# --8<-- [end:accepts]


if __name__ == "__main__":
    for name, profiles in FAULTS.items():
        print(f"{name}\n    {symptom(profiles)}")
    right = {"image": (LOW, USUAL, HIGH)}
    print(f"as it should be\n    {symptom([right])}")
    for batch in 1, 32, 33:
        print(batch, accepts(right, {"image": (batch, 3, 100, 60)}))
