"""Print the migration table, as Markdown: old line, new line, which versions.

`{{zh|en}}` is a word in both languages; the page takes its own.
"""

import re

from trt_advice import LATER
from trt_cpp import rows
from trt_names import MARKS, REPLACED, lookup, versions

EVERY = "xxxxx"
NBSP = "\N{NO-BREAK SPACE}"
GONE = "{{（删掉这一行）|(delete the line)}}"
YOURS = {"IOutputAllocator", "IGpuAllocator", "IPluginCreator"}


def code(*texts: str) -> str:
    return " ".join(f"`{text}`" for text in texts)


def pair(old: str, new: str, have: str, gets: str = "") -> str:
    """Return a row: one line under the other, each with its versions.

    A version does not break off its line; words are in both languages.
    """
    have = f" **{have.replace(' ', NBSP)}**"
    gets = gets and f" **{gets.replace(' ', NBSP)}**"
    new = new if new.startswith("{{") else code(new) if new else GONE
    return f"| −{NBSP}{code(old)}{have}<br>+{NBSP}{new}{gets} |"


def list_versions(marks: str) -> str:
    return ", ".join(versions(marks)) if marks else ""


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
    return [
        pair(old, new, list_versions(lookup(*key)[1]), since(key[1], new))
        for key, (old, new) in REPLACED.items()
    ]


def since(name: str, new: str) -> str:
    """Name the versions for a new line, "10†" where it needs strong types."""
    if name not in LATER:
        return list_versions(new_marks(new) if new else "")
    return list_versions(".xxxx").replace("10", f"10{LATER[name]}")


def cpp_rows() -> list[str]:
    return [pair(old, new, list_versions(marks)) for old, marks, new in rows()]


def removed_rows() -> list[str]:
    """List by class what is gone in 10, and what in 11.

    Left out are classes whose methods a subclass of yours provides.
    """
    groups: dict[tuple[str, str], list[str]] = {}
    for (owner, name), marks in sorted(MARKS.items()):
        gone = marks[-1] == "." and "x" in marks and name.isidentifier()
        if gone and owner not in YOURS:
            since = "11" if "x" in marks[1:] else "10"
            groups.setdefault((owner or "tensorrt", since), []).append(name)
    return [
        f"| {since} | **{owner}** {code(*names)} |"
        for (owner, since), names in sorted(groups.items())
    ]


def section(name: str, header: str, table: list[str]) -> None:
    rule = "| --- " * header.count(" | ") + "| --- |"
    print(f"# --8<-- [start:{name}]", f"| {header} |", rule, sep="\n")
    print(*table, f"# --8<-- [end:{name}]", sep="\n")


def main() -> None:
    lines = "− {{旧写法|old line}}<br>+ {{新写法|new line}}"
    section("python", f"{lines}{{{{，版本|, versions}}}}", python_rows())
    section(
        "cpp", f"{lines}{{{{，旧名字还在的版本|, old name in}}}}", cpp_rows()
    )
    names = "{{类与名字|Class and names}}"
    section("removed", f"{{{{起|Since}}}} | {names}", removed_rows())


if __name__ == "__main__":
    main()
