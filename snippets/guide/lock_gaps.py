"""Find what a lock file leaves open: dependencies that it does not pin."""

import re
from importlib.metadata import requires

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name


# --8<-- [start:gaps]
def pinned(lock: str) -> dict[str, str]:
    """Return {name: version} of a lock's `name==version` lines.

    Raises ValueError for a line that allows more than one version.
    """
    versions = {}
    for line in lock.splitlines():
        if line.strip() and not line.startswith(("#", "-r ")):
            pin = re.fullmatch(r"([\w.-]+)==([\w.+!]+)", line.strip())
            if pin is None:
                raise ValueError(f"expected name==version, got {line!r}")
            versions[canonicalize_name(pin[1])] = pin[2]
    return versions


def lock_gaps(lock: str) -> list[str]:
    """Return what the pinned packages need, directly or not, unpinned.

    The installed packages' metadata say what each of them needs here.
    """
    todo, seen = [(name, "") for name in sorted(pinned(lock))], set()
    while todo:
        name, extra = todo.pop()
        if (name, extra) not in seen:
            seen.add((name, extra))
            for need in map(Requirement, requires(name) or []):
                if not need.marker or need.marker.evaluate({"extra": extra}):
                    wanted = canonicalize_name(need.name)
                    todo += [(wanted, e) for e in ("", *need.extras)]
    return sorted({name for name, _ in seen} - pinned(lock).keys())


# --8<-- [end:gaps]
if __name__ == "__main__":
    gaps = lock_gaps("mkdocs==1.6.1")
    print(f"mkdocs==1.6.1 alone leaves {len(gaps)} packages open:")
    print(", ".join(gaps))
