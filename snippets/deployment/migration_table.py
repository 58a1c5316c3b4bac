"""Print the migration table, as Markdown: old line, new line, which versions.

`{{zh|en}}` is a word in both languages; the page takes its own.
"""

import re

from trt_cpp import rows
from trt_names import MARKS, REPLACED, lookup, versions

EVERY = "xxxxx"
YOURS = {"IOutputAllocator", "IGpuAllocator", "IPluginCreator"}


def cell(*codes: str) -> str:
    return " ".join(f"`{code}`" for code in codes if code) or "–"


def list_versions(marks: str) -> str:
    return ", ".join(versions(marks)) or "–"


# --8<-- [start:since]
def new_marks(line: str) -> str:
    """Return which versions have every TensorRT name in a new line."""
    names = re.findall(r"\w+", line)
    known = [mark for (_, n), mark in MARKS.items() if n in names]
    having = [mark for mark in known if mark[-1] == "x"]
    pairs = zip(EVERY, *having, strict=True)
    return "".join("x" if set(each) == {"x"} else "." for each in pairs)


# --8<-- [end:since]


def python_rows() -> list[str]:
    found = []
    for (owner, name), (old, new) in REPLACED.items():
        gone = list_versions(lookup(owner, name)[1])
        since = list_versions(new_marks(new)) if new else "–"
        found.append(f"| {cell(old)} | {cell(new)} | {gone} | {since} |")
    return found


def cpp_rows() -> list[str]:
    return [
        f"| {cell(old)} | {cell(new)} | {list_versions(marks)} |"
        for old, marks, new in rows()
    ]


def removed_rows() -> list[str]:
    """List by class what is gone in 10, and what in 11.

    Left out are classes whose methods a subclass of yours provides.
    """
    groups: dict[str, tuple[list[str], list[str]]] = {}
    for (owner, name), marks in sorted(MARKS.items()):
        if marks[-1] == "." and owner not in YOURS:
            pair = groups.setdefault(owner or "tensorrt", ([], []))
            pair["x" in marks[1:]].append(name)
    return [
        f"| `{owner}` | {cell(*ten)} | {cell(*eleven)} |"
        for owner, (ten, eleven) in sorted(groups.items())
    ]


def section(name: str, header: str, table: list[str]) -> None:
    rule = "| --- " * header.count(" | ") + "| --- |"
    print(f"# --8<-- [start:{name}]", f"| {header} |", rule, sep="\n")
    print(*table, f"# --8<-- [end:{name}]", sep="\n")


def main() -> None:
    old, new = "{{旧写法|Old line}}", "{{新写法|New line}}"
    have, gets = "{{旧名字还在|Old name in}}", "{{新名字已在|New name in}}"
    section("python", f"{old} | {new} | {have} | {gets}", python_rows())
    section("cpp", f"{old} | {new} | {have}", cpp_rows())
    ten = "{{10 起没有|Gone since 10}}"
    eleven = "{{11 起没有|Gone since 11}}"
    section("removed", f"{{{{类|Class}}}} | {ten} | {eleven}", removed_rows())


if __name__ == "__main__":
    main()
