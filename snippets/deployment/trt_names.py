"""Which TensorRT has which name: the tables of trt_removed and trt_added."""

from typing import NamedTuple

from trt_added import ADDED
from trt_advice import ADVICE
from trt_also import ALSO, CHANGED, MORE, OLDER
from trt_removed import REMOVED

SHOWN = ("8.6", "10.0", "10.16", "11.0", "11.4")
SHORT = {
    "(Flag.": "(trt.NetworkDefinitionCreationFlag.",
    "(Strategy.": "(trt.ExecutionContextAllocationStrategy.",
    "=SYMMETRIC": '={"ActivationSymmetric": True, "QuantizeBias": False}',
}
MAJORS = {"8": SHOWN[:1], "10": SHOWN[1:3], "11": SHOWN[3:]}


def read_table(text: str) -> dict[tuple[str, str], str]:
    """Return {(class, name): marks}; class "" is the module itself."""
    rows = text.replace("\n  ", " ").split("\n")
    return {
        (owner.strip("-"), name): marks
        for marks, owner, *names in map(str.split, filter(None, rows))
        for name in names
    }


def read_advice(text: str) -> dict[tuple[str, str], tuple[str, str]]:
    """Return {(class, name): (old line, new line)}."""
    for short, full in SHORT.items():
        text = text.replace(short, full)
    lines = text.strip("\n").split("\n")
    rows = zip(lines[::3], lines[1::3], lines[2::3], strict=True)
    return {tuple(key.split(".")): (old, new) for key, old, new in rows}


MARKS = read_table(REMOVED) | read_table(ADDED) | CHANGED | OLDER
REPLACED = read_advice(ADVICE + MORE)


class Finding(NamedTuple):
    """A name in a file that some TensorRT lacks."""

    line: int
    owner: str  # the class; "" is the module; "A or B" where it is a guess
    name: str
    marks: str  # which of the versions have it, as in "xxx.."
    new: str | None  # the new line; "" is none needed; None is not known


# --8<-- [start:versions]
def versions(marks: str) -> list[str]:
    """Name the versions that are marked; "10" where 10.0 and 10.16 are.

    >>> versions("xxx.."), versions("..xxx")
    (['8', '10'], ['10.16', '11'])
    """
    have = [v for v, mark in zip(SHOWN, marks, strict=True) if mark == "x"]
    named = []
    for major, minors in MAJORS.items():
        found = [v for v in minors if v in have]
        named += [major] if len(found) == len(minors) else found
    return named


def lookup(owner: str, name: str) -> tuple[str, str] | None:
    """Return the class that has the name, `owner` or its base, and marks.

    None: the name has not changed in the versions of the tables.
    """
    for cls in (owner, "ILayer" if owner.endswith("Layer") else owner):
        if (cls, name) in MARKS:
            return cls, MARKS[cls, name]
    return None


# --8<-- [end:versions]


def finding(line: int, owner: str, name: str) -> Finding | None:
    """Return what is to say of a class's name, None if it is everywhere."""
    found = lookup(owner, name)
    if not found:
        return None
    also = ALSO.get(name)
    key = also if isinstance(also, tuple) else (found[0], name)
    _, new = REPLACED.get((found[0], name)) or REPLACED.get(key, ("", also))
    return Finding(line, found[0], name, found[1], new)


def guess(line: int, name: str) -> Finding | None:
    """Say the same of a name whose object is not known."""
    owners = [cls for cls, known in MARKS if known == name and cls]
    if not owners:
        return None
    first = finding(line, owners[0], name)
    return first._replace(owner=" or ".join(owners))


def lacking(marks: str, target: str) -> list[str]:
    """Return the measured releases of a major version that lack the name."""
    have = {v for v, mark in zip(SHOWN, marks, strict=True) if mark == "x"}
    return [v for v in MAJORS[target] if v not in have]
