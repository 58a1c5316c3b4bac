"""draw_cube.py: the faces that are drawn are those that can be seen."""

import re
import xml.etree.ElementTree as ET

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

import draw_cube

TURNS = st.tuples(*[st.floats(-3, 3)] * 3).map(lambda v: Rotation.from_rotvec(v).as_matrix())
SIGNS = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])


def lines(svg: str) -> list[tuple[np.ndarray, dict]]:
    """Return each polyline's points (n × 2, y up) and attributes."""
    found = ET.fromstring(f"<svg>{svg}</svg>").iter("polyline")
    return [(np.array([p.split(",") for p in e.get("points").split()], float) * [1, -1], e.attrib)
            for e in found]


def has(points, corner) -> bool:
    return bool((np.abs(points - corner).max(1) < 0.06).any())


def test_the_camera_turns_without_stretching():
    turn = draw_cube.CAMERA @ draw_cube.CAMERA.T
    assert turn == pytest.approx(np.eye(3), abs=0.02)
    assert np.linalg.det(draw_cube.CAMERA) > 0.9


@given(TURNS)
def test_three_faces_hide_the_farthest_corner_and_show_the_nearest(R):
    faces = [(points, look) for points, look in lines(draw_cube.cube(R, 7)) if "fill" in look]
    assert len(faces) == 3 and all(len(points) == 5 for points, _ in faces)
    corners = SIGNS @ R.T
    depth, places = corners @ draw_cube.CAMERA[0], draw_cube.seen(corners, 7)
    if np.diff(np.sort(depth))[[0, -1]].min() < 0.05:
        return  # two corners are equally far
    near, far = places[depth.argmax()], places[depth.argmin()]
    assert all(has(points, near) for points, _ in faces)
    if np.abs(places - far).max(1)[depth > depth.min()].min() > 0.2:
        assert not any(has(points, far) for points, _ in faces)


@given(TURNS)
def test_a_face_is_strong_where_its_axis_points_at_us(R):
    towards = R.T @ draw_cube.CAMERA[0]
    parts = lines(draw_cube.cube(R))
    for colour, side in zip(draw_cube.COLOURS, towards, strict=True):
        face, = [i for i, (_, look) in enumerate(parts) if look.get("fill") == colour]
        axis, = [i for i, (_, look) in enumerate(parts) if look["stroke"] == colour]
        assert parts[face][1]["fill-opacity"] == ("0.6" if side > 0 else "0.15")
        assert (axis > face) == (side > 0), "an axis at the back is drawn first"


def test_what_is_no_matrix_is_refused():
    with pytest.raises(ValueError, match=r"expected R \(3 × 3\), got \(3,\)"):
        draw_cube.cube(np.ones(3))


def test_cubes_stand_side_by_side_above_their_names():
    R = Rotation.from_rotvec([0.1, 0.2, 0.3]).as_matrix()
    svg = draw_cube.row({"a": np.eye(3), "b": R}).data
    assert 'viewBox="-60 -64 240 150"' in svg and 'font-size="7.5"' in svg
    names = [(e.text, e.get("x"), e.get("y")) for e in ET.fromstring(svg).findall(".//{*}text")]
    assert names == [("a", "0.0", "78.0"), ("b", "120.0", "78.0")]
    assert draw_cube.cube(np.eye(3), 120).count("<") == draw_cube.cube(R).count("<") == 6


def test_a_path_has_eleven_dots_from_its_first_point_to_its_last():
    points = np.linspace([1, 1, 1], [-1, 1, 1], 61)
    svg = draw_cube.paths({"way": points}).data
    root = ET.fromstring(svg)
    dots = [(float(c.get("cx")), -float(c.get("cy"))) for c in root.findall(".//{*}circle") if c.get("cx")]
    assert np.array(dots) == pytest.approx(draw_cube.seen(points[::6]), abs=0.06)
    assert len(dots) == 11


def test_the_second_path_on_top_of_the_first_has_hollow_dots():
    points = np.linspace([1, 1, 1], [-1, 1, 1], 61)
    root = ET.fromstring(draw_cube.paths({"a": points, "b": points, "c": points}).data)
    dots = [c.attrib for c in root.findall(".//{*}circle") if c.get("cx")]
    filled, hollow = draw_cube.COLOURS[::2], draw_cube.COLOURS[1]
    assert [d.get("fill") for d in dots] == [filled[0]] * 11 + [None] * 11 + [filled[1]] * 11
    assert {d.get("stroke") for d in dots[11:22]} == {hollow}


def test_a_curve_is_as_high_as_its_value():
    svg = draw_cube.curves({"one": [0, 50, 100]}, top=100).data
    body = re.search(r"<svg[^>]*>(.*)</svg>", svg, re.S)[1]
    points = lines(body)[1][0]
    assert points == pytest.approx(np.array([[0, -60], [165, -10], [330, 40]]))
    assert {"0°", "100°", "0", "1", "t", "one"} <= set(re.findall(r">([\w°]+)</text>", svg))
