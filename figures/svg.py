"""Draw SVG that follows the page: its colours, light or dark, and its language.

Words are a string, the same in both languages, or a pair (zh, en). Points are
(x, y) in the figure's own units, y downwards; a page shows the figure at the
width that it has room for, so 16 units are about the size of the page's text.
"""

import math

FG, MUTED, BG = "var(--fig-fg)", "var(--fig-muted)", "var(--fig-bg)"
BLUE, ORANGE = "var(--fig-1)", "var(--fig-2)"
GREEN, RED = "var(--fig-3)", "var(--fig-4)"


def figure(width, height, body, shown=560):
    """A whole figure, at most `shown` pixels wide."""
    return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" '
            f'style="max-width:{shown}px;margin:auto">\n{body}</svg>\n')


def text(x, y, words, color=FG, size=16, weight=400, anchor="middle", extra=""):
    pairs = [("", words)] if isinstance(words, str) else [
        (' class="zh"', words[0]), (' class="en"', words[1])]
    return "".join(
        f'<text{name} x="{x:g}" y="{y:g}" fill="{color}" font-size="{size}" '
        f'font-weight="{weight}" text-anchor="{anchor}"{extra}>{t}</text>\n'
        for name, t in pairs)


def line(points, color=FG, width=2, dash="", fill="none", closed=False):
    """A polyline, or with closed=True a polygon."""
    where = "L".join(f"{x:.5g} {y:.5g}" for x, y in points) + ("Z" if closed else "")
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    return (f'<path d="M{where}" fill="{fill}" stroke="{color}" stroke-width="{width:g}" '
            f'stroke-linejoin="round" stroke-linecap="round"{dashes}/>\n')


def arrow(start, end, color=FG, width=2, head=9, dash=""):
    (x1, y1), (x2, y2) = start, end
    length = math.hypot(x2 - x1, y2 - y1)
    dx, dy = (x2 - x1) / length * head, (y2 - y1) / length * head
    neck = (x2 - dx, y2 - dy)
    tip = [(x2, y2), (neck[0] - dy / 2, neck[1] + dx / 2), (neck[0] + dy / 2, neck[1] - dx / 2)]
    return (line([start, neck], color, width, dash)
            + line(tip, color, 0, fill=color, closed=True))


def dots(points, color=FG, radius=3):
    return "".join(f'<circle cx="{x:.5g}" cy="{y:.5g}" r="{radius:g}" fill="{color}"/>\n'
                   for x, y in points)


class Axes:
    """A rectangle of the figure in data coordinates; log=(x?, y?) for log scales."""

    def __init__(self, left, top, width, height, xlim, ylim, log=(False, False)):
        self.box, self.log = (left, top, width, height), log
        self.limits = [[self.scale(v, axis) for v in lim]
                       for axis, lim in enumerate((xlim, ylim))]

    def scale(self, value, axis):
        return math.log10(value) if self.log[axis] else value

    def at(self, x, y):
        left, top, width, height = self.box
        u, v = ((self.scale(value, axis) - low) / (high - low) for axis, (value, (low, high))
                in enumerate(zip((x, y), self.limits, strict=True)))
        return left + width * u, top + height * (1 - v)

    def points(self, xs, ys):
        return [self.at(x, y) for x, y in zip(xs, ys, strict=True)]

    def frame(self, xticks, yticks, xlabel, ylabel, size=14):
        """Grid and labels; a tick is a number, or a pair (number, words)."""
        left, top, width, height = self.box
        out = ""
        for tick in xticks:
            value, words = tick if isinstance(tick, tuple) else (tick, f"{tick:g}")
            x, _ = self.at(value, 10 ** self.limits[1][0] if self.log[1] else self.limits[1][0])
            out += line([(x, top), (x, top + height)], MUTED, 1)
            out += text(x, top + height + size + 4, words, size=size)
        for tick in yticks:
            value, words = tick if isinstance(tick, tuple) else (tick, f"{tick:g}")
            _, y = self.at(10 ** self.limits[0][0] if self.log[0] else self.limits[0][0], value)
            out += line([(left, y), (left + width, y)], MUTED, 1)
            out += text(left - 6, y + size / 3, words, size=size, anchor="end")
        out += text(left + width / 2, top + height + 2.4 * size + 6, xlabel, size=size)
        return out + text(left, top - 10, ylabel, size=size, anchor="start")
