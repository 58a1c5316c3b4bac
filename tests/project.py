"""A small project, made of this one's machine and one article, to break."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parent.parent
HEAD = """---
title: {title}
description: A page that the tests break in many ways, one at a time.
created: 2026-12-01
updated: 2026-12-01
order: 10
tags: [pytest]
mirrors: [A1]
---

"""
BODY = """{text} $a + b$

$$
\\frac{{a}}{{b}}
$$

## {title} {{#first}}

```python
--8<-- "guide/sample.py:main"
```

![The sample figure, a line from left to right](../figures/guide/sample.svg)

[{title}](index.md) [{title}](#first)
"""
SNIPPET = '''"""Say a number."""

import json


# --8<-- [start:main]
def main():
    print(json.dumps(41))
# --8<-- [end:main]


if __name__ == "__main__":
    main()
'''


class Project:
    """A copy of the machine with one article in both languages."""

    def __init__(self, root: Path):
        self.root = root
        for name in ("hooks", "overrides", "docs/shared"):
            shutil.copytree(ROOT / name, root / name,
                            ignore=shutil.ignore_patterns("__pycache__"))
        for name in ("mkdocs.yml", "mkdocs.en.yml", "requirements-site.txt",
                     "docs/sources.yml", "docs/terms.txt"):
            shutil.copy(ROOT / name, root / name)
        words = {"zh": ("样例", "一句话。"), "en": ("Sample", "One sentence.")}
        for language, (title, text) in words.items():
            pages = root / "docs" / language
            (pages / "guide").mkdir(parents=True)
            for page in ("index.md", "about.md", "tags.md", "archive.md", "guide/index.md"):
                shutil.copy(ROOT / "docs" / language / page, pages / page)
            (pages / "about.md").write_text(f"---\ntitle: {title}\n---\n\n{text}\n", "utf-8")
            self.page(language).write_text(
                HEAD.format(title=title) + BODY.format(title=title, text=text), "utf-8")
        for path, text in (
            ("snippets/guide/sample.py", SNIPPET),
            ("docs/shared/figures/guide/sample.svg",
             '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9"><path d="M0 0h9"/></svg>'),
        ):
            (root / path).parent.mkdir(parents=True, exist_ok=True)
            (root / path).write_text(text, "utf-8")

    def page(self, language: str) -> Path:
        return self.root / "docs" / language / "guide/sample.md"

    def edit(self, path: Path, old: str, new: str) -> int:
        """Replace a text that must be there; return its line."""
        text = path.read_text("utf-8")
        assert old in text
        path.write_text(text.replace(old, new, 1), "utf-8")
        return text[:text.index(old)].count("\n") + 1

    def edit_both(self, old: str, new: str) -> int:
        return [self.edit(self.page(language), old, new) for language in ("en", "zh")][1]

    def build(self, **environment) -> subprocess.CompletedProcess:
        """Run `mkdocs build --strict`; what it says is all in `stdout`."""
        env = {k: v for k, v in os.environ.items() if k not in ("CI", "SITE_URL")}
        return subprocess.run(
            [sys.executable, "-m", "mkdocs", "build", "--strict"], cwd=self.root, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120,
            env=env | environment)
