"""Read pages' fenced blocks, sections of snippets, and runnable copies.

A fenced block in a page holds one line, `--8<-- "track/name.py:section"`.
pymdownx.snippets has the same syntax but lets an unquoted path through in
silence and cannot say which page and line is wrong; hence these functions.
"""

import ast
import functools
import hashlib
import re
import textwrap
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parent.parent
FENCE = re.compile(r"^([ \t]*)(`{3,}|~{3,})[ \t]*([^\s`{]*)[ \t]*([^`]*)$")
INCLUDE = re.compile(r'^\s*--8<-- "([^":\s]+)(?::([\w-]+))?"\s*$')
MARKER = re.compile(r"^\s*(?:#|//) --8<-- \[(start|end):([\w-]+)\]\s*$")


class Fence(NamedTuple):
    line: int          # of the opening fence, from 1
    last: int          # of the closing fence
    indent: str
    language: str
    options: str
    body: list[str]


def fences(text: str):
    """Yield the fenced blocks of a page; an unclosed one ends with the text."""
    lines, i = text.split("\n"), 0
    while i < len(lines):
        match = FENCE.match(lines[i])
        start = i
        i += 1
        if not match:
            continue
        indent, ticks, language, options = match.groups()
        while i < len(lines) and lines[i].strip() != ticks:
            i += 1
        yield Fence(start + 1, i + 1, indent, language, options, lines[start + 1:i])
        i += 1


def two_blank_lines(text: str) -> str:
    """Close the gaps that removed markers leave."""
    return re.sub(r"\n{4,}", "\n\n\n", text)


def section(name: str, part: str | None, root: Path = ROOT / "snippets") -> str:
    """Return a file's text, or one section of it, without the markers.

    Raises ValueError naming what is missing or empty.
    """
    path = (root / name).resolve()
    if not path.is_file() or not path.is_relative_to(root.resolve()):
        raise ValueError(f"there is no file snippets/{name}")
    kept, seen, inside = [], [], part is None
    for line in path.read_text(encoding="utf-8").splitlines():
        if match := MARKER.match(line):
            seen.append(match[2])
            if match[2] == part:
                inside = match[1] == "start"
        elif inside:
            kept.append(line)
    text = two_blank_lines(textwrap.dedent("\n".join(kept)).strip("\n"))
    if part and part not in seen:
        known = ", ".join(dict.fromkeys(seen)) or "none"
        raise ValueError(f"snippets/{name} has no section {part!r} (it has: {known})")
    if seen.count(part) > 2 or (part and inside):
        raise ValueError(f"section {part!r} of snippets/{name} needs one start and one end")
    if not text.strip():
        raise ValueError(f"snippets/{name}{':' + part if part else ''} is empty")
    return text


@functools.lru_cache(1024)  # a file is folded into many others, in both languages
def parse(text: str, name: str = "<copy>") -> ast.Module:
    return ast.parse(text, name)


def is_main(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and "__name__" in ast.unparse(node.test)


def fold(path: Path, folded: set, top: bool = False) -> list[str]:
    """Return a file's lines, with a sibling's in place of the import of it."""
    text = path.read_text(encoding="utf-8")
    lines, out, at = text.splitlines(), [], 0
    for i, node in enumerate(parse(text, str(path)).body):
        out += lines[at:node.lineno - 1]
        at = node.end_lineno
        docstring = i == 0 and isinstance(node, ast.Expr)
        if not top and (docstring or is_main(node)):
            continue
        sibling = isinstance(node, ast.ImportFrom) and path.parent / f"{node.module}.py"
        if sibling and sibling.is_file():
            if any(alias.asname or alias.name == "*" for alias in node.names):
                raise ValueError(f"{path.name}:{node.lineno}: cannot fold in `as` or `*`; "
                                 f"write from {node.module} import name")
            if sibling not in folded:
                folded.add(sibling)
                out += [f"# From {sibling.name}:", *fold(sibling, folded)]
        else:
            out += lines[node.lineno - 1:at]
    out = [line for line in out + lines[at:] if not MARKER.match(line)]
    return two_blank_lines("\n".join(out)).strip("\n").split("\n")


def runnable(path: Path) -> str:
    """Return a Python file as one self-contained text.

    `from sibling import name` at top level, where sibling.py lies beside the
    file, gives way to that module's code without its docstring and main block.
    """
    whole = "\n".join(fold(path, {path}, top=True)) + "\n"
    names = [node.name for node in parse(whole).body
             if isinstance(node, ast.FunctionDef | ast.ClassDef)]
    if twice := {name for name in names if names.count(name) > 1}:
        raise ValueError(f"{path.name}: folded in, two modules define {', '.join(sorted(twice))}")
    return whole


def modules(path: Path) -> list[Path]:
    """Return the files beside this one that it imports as modules, as a notebook's does."""
    names = [alias.name for node in parse(path.read_text("utf-8")).body
             if isinstance(node, ast.Import) for alias in node.names]
    return [file for name in names if (file := path.parent / f"{name}.py").is_file()]


def signed(text: str, address: str) -> str:
    """Add where a copy came from, and a hash that shows whether it changed."""
    digest = hashlib.sha256(text.encode()).hexdigest()[:12]
    return f"{text}\n# Source: {address}\n# sha256 of the text above: {digest}\n"
