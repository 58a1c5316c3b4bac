"""Draw turned cubes, paths and curves as small SVG pictures for a notebook.

World axes: x towards us and to the left, y to the right, z up. Lengths are
SVG units: a cube's half edge is 30. The colours are the page's if it sets
`--fig-…`, else those named here, which read well on light and on dark.
"""

import numpy as np
from IPython.display import SVG

COLOURS = (
    "var(--fig-4, #c8415f)",
    "var(--fig-3, #2f8f57)",
    "var(--fig-1, #3f7fd6)",
)  # of x, y, z; of the first, second, third
GREY = "var(--fig-fg, #808890)"
# Its rows in world axes: towards us, to the right, up.
CAMERA = np.array([[0.79, 0.43, 0.43], [-0.48, 0.88, 0], [-0.38, -0.21, 0.9]])


def seen(points: np.ndarray, x: float = 0) -> np.ndarray:
    """Project points (n × 3) from afar onto the picture (n × 2, y up)."""
    return 30 * np.asarray(points) @ CAMERA[1:].T + [x, 0]


def line(points: np.ndarray, look: str) -> str:
    """Draw a line through points (n × 2, y up)."""
    where = " ".join(f"{x:.1f},{-y:.1f}" for x, y in points)
    return f'<polyline points="{where}" {look}/>'


def text(x: float, y: float, words: str, colour: str = GREY) -> str:
    """Write words with their middle at x."""
    return f'<text x="{x:.1f}" y="{-y:.1f}" fill="{colour}">{words}</text>'


def svg(body: str, width: float, height: float) -> SVG:
    """Frame a picture; (0, 0) is 60 from the left and 64 from the top."""
    return SVG(
        '<svg xmlns="http://www.w3.org/2000/svg" width="600" viewBox='
        f'"-60 -64 {width} {height}" font-size="{width / 32:g}" '
        f'text-anchor="middle" fill="none">{body}</svg>'
    )


def cube(R: np.ndarray, x: float = 0) -> str:
    """Draw a cube turned by R (3 × 3): the faces in sight, the three axes."""
    if np.shape(R) != (3, 3):
        raise ValueError(f"expected R (3 × 3), got {np.shape(R)}")
    back = faces = front = ""
    for i, colour in enumerate(COLOURS):
        n, u, v = np.roll(np.transpose(R), -i, axis=0)
        near = n @ CAMERA[0] > 0
        axis = line(
            seen([n, 1.8 * n], x), f'stroke="{colour}" stroke-width="4"'
        )
        front, back = (front + axis, back) if near else (front, back + axis)
        n = n if near else -n  # of two opposite faces we see one
        square = [n + u + v, n + u - v, n - u - v, n - u + v, n + u + v]
        faces += line(
            seen(square, x),
            f'stroke="{GREY}" fill="{colour}" '
            f'fill-opacity="{0.6 if near else 0.15}"',
        )
    return back + faces + front


def row(turns: dict[str, np.ndarray]) -> SVG:
    """Draw {name: R} as cubes side by side, each above its name."""
    return svg(
        "".join(
            cube(R, 120 * i) + text(120 * i, -78, name)
            for i, (name, R) in enumerate(turns.items())
        ),
        120 * len(turns),
        150,
    )


def paths(ways: dict[str, np.ndarray]) -> SVG:
    """Draw {name: points (n × 3)} over a cube, in dots, hollow for way 2."""
    body = f'<circle r="{30 * 3**0.5:.1f}" stroke="{GREY}" '
    body += f'stroke-width="0.6"/><g opacity="0.35">{cube(np.eye(3))}</g>'
    for k, (name, points) in enumerate(ways.items()):
        dots = seen(points)
        look = f'{"stroke" if k == 1 else "fill"}="{COLOURS[k]}"'
        body += line(dots, f'stroke="{COLOURS[k]}" stroke-width="1.5"')
        body += "".join(
            f'<circle cx="{x:.1f}" cy="{-y:.1f}" r="{3 - 0.6 * k:.1f}" '
            f"{look}/>"
            for x, y in dots[:: len(dots) // 10]
        )
        body += text(100, 24 - 18 * k, name, COLOURS[k])
    return svg(body, 190, 124)


def curves(ways: dict[str, np.ndarray], top: float) -> SVG:
    """Draw {name: degrees at equally spaced times} from 0 to top."""
    body = line([[0, 50], [0, -60], [330, -60]], f'stroke="{GREY}"')
    body += text(-24, -64, "0°") + text(-24, 36, f"{top:g}°")
    body += text(0, -82, "0") + text(330, -82, "1") + text(165, -82, "t")
    for k, (name, values) in enumerate(ways.items()):
        y = 100 * np.asarray(values) / top - 60
        body += line(
            np.c_[np.linspace(0, 330, len(y)), y],
            f'stroke="{COLOURS[k]}" stroke-width="2"',
        )
        body += text(370, y[-1] - 5, name, COLOURS[k])
    return svg(body, 470, 154)
