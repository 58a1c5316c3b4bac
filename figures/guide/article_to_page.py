"""Which file becomes which part of the page, and what each must withstand."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
OUT = ROOT / "docs/shared/figures/guide/article-to-page.svg"
FG, MUTED, BG = "var(--fig-fg)", "var(--fig-muted)", "var(--fig-bg)"
BLUE, ORANGE = "var(--fig-1)", "var(--fig-2)"
GREEN, RED = "var(--fig-3)", "var(--fig-4)"
MONO = 'font-family="monospace" '
ROWS = [  # colour, files, what it becomes, the check that it must pass
    (FG, ["docs/zh/…/mean.md", "docs/en/…/mean.md"], ("正文", "Text"),
     ("两种语言的标题或代码不一致", "the languages' headings differ")),
    (BLUE, ["snippets/…/mean.py"], ("代码", "Code"),
     ("没有这个文件或片段", "no such file or section")),
    (ORANGE, ["snippets/…/mean.out"], ("输出", "Output"),
     ("再运行一次，输出变了", "run again, it prints something else")),
    (GREEN, ["tests/…/test_mean.py"], ("✓ 已验证", "✓ Verified"),
     ("测试失败；代码改后没重测", "a test fails; code changed since")),
]


def text(x, y, words, color=FG, size=15, anchor="start", extra=""):
    """Text that is the same in both languages, or a pair (zh, en)."""
    pairs = [("", words)] if isinstance(words, str) else [
        (' class="zh"', words[0]), (' class="en"', words[1])]
    return "".join(
        f'<text{name} x="{x}" y="{y}" fill="{color}" font-size="{size}" '
        f'{extra}text-anchor="{anchor}">{t}</text>\n' for name, t in pairs)


def box(x, y, w, h, color, width=2):
    return (f'<rect x="{x}" y="{y}" width="{w}" height="{h}" rx="6" '
            f'fill="none" stroke="{color}" stroke-width="{width}"/>\n')


def arrow(x1, y1, x2, y2, color):
    """A horizontal arrow, to the right."""
    return (f'<path d="M{x1} {y1}H{x2 - 9}" stroke="{color}" fill="none" '
            f'stroke-width="2"/><path d="M{x2} {y2}l-10 -5v10z" '
            f'fill="{color}"/>\n')


def draw():
    step, top = 118, 56
    height = top + step * len(ROWS)
    out = (f'<svg xmlns="http://www.w3.org/2000/svg" '
           f'viewBox="0 0 480 {height}" '
           f'style="max-width:480px;margin:auto">\n')
    out += text(0, 22, ("仓库里的文件", "Files in the repository"), size=16)
    out += text(400, 22, ("读者看到的页面", "The page"), size=16,
                anchor="middle")
    out += box(322, 36, 156, height - 44, MUTED, 1.5)
    for i, (color, files, part, check) in enumerate(ROWS):
        y = top + step * i
        out += box(1, y, 235, 56, color)
        for n, file in enumerate(files):
            middle = y + 33 + (n * 22 - 11 if len(files) == 2 else 0)
            out += text(12, middle, file, extra=MONO)
        out += arrow(236, y + 28, 334, y + 28, color)
        out += box(336, y, 128, 56, color)
        out += text(400, y + 33, part, color, 16, "middle")
        out += text(0, y + 78, ("✗ " + check[0], "✗ " + check[1]), RED)
    return out + "</svg>\n"


if __name__ == "__main__":
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(draw(), "utf-8")
