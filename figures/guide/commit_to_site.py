"""The path of a commit to the published site, and back on a new machine."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
OUT = ROOT / "docs/shared/figures/guide/commit-to-site.svg"
FG, MUTED = "var(--fig-fg)", "var(--fig-muted)"
BLUE, ORANGE = "var(--fig-1)", "var(--fig-2)"
GREEN, RED = "var(--fig-3)", "var(--fig-4)"
MONO = 'font-family="monospace" '
STEPS = [
    (".ci/run", ("按锁定的版本安装，跑全部测试",
                 "install what is locked, run every test")),
    ("make build", ("按 SITE_URL 构建 site/", "build site/ for SITE_URL")),
    ("ghp-import", ("site/ 整个推到发布分支", "push all of site/ as a branch")),
]


def text(x, y, words, color=FG, size=15, anchor="middle", extra=""):
    """Text that is the same in both languages, or a pair (zh, en)."""
    pairs = [("", words)] if isinstance(words, str) else [
        (' class="zh"', words[0]), (' class="en"', words[1])]
    return "".join(
        f'<text{name} x="{x}" y="{y}" fill="{color}" font-size="{size}" '
        f'{extra}text-anchor="{anchor}">{t}</text>\n' for name, t in pairs)


def box(x, y, w, h, color, extra=""):
    return (f'<rect x="{x}" y="{y}" width="{w}" height="{h}" rx="6" '
            f'fill="none" stroke="{color}" stroke-width="2" {extra}/>\n')


def arrow(x1, y1, x2, y2, color):
    """A straight arrow, to the right or down."""
    head = "l-10 -5v10z" if y1 == y2 else "l-5 -10h10z"
    return (f'<path d="M{x1} {y1}L{x2} {y2}" stroke="{color}" fill="none" '
            f'stroke-width="2"/><path d="M{x2} {y2}{head}" '
            f'fill="{color}"/>\n')


def draw():
    out = ('<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 480 668" '
           'style="max-width:480px;margin:auto">\n')
    out += box(1, 2, 289, 44, BLUE)
    out += text(145, 30, ("你的电脑：提交", "Your computer: a commit"))
    out += arrow(145, 46, 145, 84, BLUE)
    out += text(157, 70, "git push", anchor="start", extra=MONO, size=14)
    out += box(1, 86, 289, 44, BLUE)
    out += text(145, 114, ("远端仓库的 main 分支", "Remote repository: main"))
    out += arrow(145, 130, 145, 168, BLUE)

    out += box(1, 170, 289, 288, MUTED)
    out += text(145, 194, ("CI，每次从空机器开始", "CI, each time on a bare machine"))
    for i, (command, what) in enumerate(STEPS):
        y = 208 + 72 * i
        out += box(8, y, 274, 58, BLUE)
        out += text(145, y + 24, command, extra=MONO)
        out += text(145, y + 46, what, size=14)
        if i:
            out += arrow(145, y - 14, 145, y, BLUE)
    out += text(145, 444, ("✗ 哪步失败，旧站点都不动",
                           "✗ A step fails: the old site stays"), RED)
    out += arrow(145, 458, 145, 496, BLUE)
    out += box(1, 498, 289, 60, GREEN)
    out += text(145, 523, ("发布分支", "Published branch"))
    out += text(145, 546, "gh-pages", extra=MONO)
    out += arrow(145, 558, 145, 602, BLUE)
    out += box(1, 604, 289, 60, BLUE)
    out += text(145, 629, ("静态托管，任意路径", "Static hosting, any path"))
    out += text(145, 652, "https://…/notes/", extra=MONO)

    out += arrow(290, 108, 336, 108, ORANGE)
    out += box(338, 86, 140, 66, ORANGE)
    out += text(408, 113, ("新机器", "New machine"))
    out += text(408, 138, "git clone", extra=MONO)
    out += arrow(408, 152, 408, 278, ORANGE)
    out += box(338, 280, 140, 88, ORANGE)
    out += text(408, 306, "make build", extra=MONO)
    out += text(408, 330, ("同样的锁定版本、", "same lock, time"), size=14)
    out += text(408, 352, ("提交时间和地址", "and addresses"), size=14)
    out += arrow(408, 368, 408, 496, ORANGE)
    out += box(338, 498, 140, 60, GREEN)
    out += text(408, 533, "site/", extra=MONO)
    out += text(314, 537, "=", GREEN, 28)
    out += text(408, 582, ("逐字节相同", "the same bytes"), GREEN)
    return out + "</svg>\n"


if __name__ == "__main__":
    OUT.parent.mkdir(parents=True, exist_ok=True)
    OUT.write_text(draw(), "utf-8")
