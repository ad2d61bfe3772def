"""DXF drawings, written by ezdxf and read back."""

from __future__ import annotations

import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import ezdxf
import ezdxf.math
import numpy as np
import pytest
import shapely

from sherd.core.errors import FileFormatError
from sherd.io.drawings import ReadParams, read_drawing
from sherd.io.drawings.figures import FLATTEN_MM

from .conftest import dxf_drawing

SIDES = [((10, 20), (30, 20)), ((30, 45), (30, 20)), ((30, 45), (10, 45)), ((10, 45), (10, 20))]


CORNERS = [(10, 20), (30, 20), (30, 45), (10, 45)]


BOX = shapely.box(10, 20, 30, 45)


RNG = np.random.default_rng(3)


def _lines(space: Any, _: Any) -> None:
    for start, end in SIDES:
        space.add_line(start, end)


def _jittered_lines(space: Any, _: Any) -> None:
    for start, end in SIDES:
        space.add_line(np.add(start, RNG.normal(0, 1e-3, 2)), np.add(end, RNG.normal(0, 1e-3, 2)))


def _block(space: Any, document: Any) -> None:
    block = document.blocks.new("box")
    block.add_lwpolyline([(0, 0), (2, 0), (2, 2.5), (0, 2.5)], close=True)
    outer = document.blocks.new("outer")
    outer.add_blockref("box", (1, 2), dxfattribs={"rotation": 0})
    space.add_blockref("outer", (0, 0), dxfattribs={"xscale": 10, "yscale": 10})


def _turned_block(space: Any, document: Any) -> None:
    block = document.blocks.new("box")
    block.add_lwpolyline([(0, 0), (25, 0), (25, 20), (0, 20)], close=True)
    space.add_blockref("box", (30, 20), dxfattribs={"rotation": 90})


def _mirrored(space: Any, document: Any) -> None:
    points = [(-x, y) for x, y in CORNERS]
    space.add_lwpolyline(points, close=True, dxfattribs={"extrusion": (0, 0, -1)})


SAME_BOX: dict[str, Callable[[Any, Any], object]] = {
    "lwpolyline": lambda space, _: space.add_lwpolyline(CORNERS, close=True),
    "returning lwpolyline": lambda space, _: space.add_lwpolyline([*CORNERS, CORNERS[0]]),
    "polyline": lambda space, _: space.add_polyline2d(CORNERS, close=True),
    "3d polyline": lambda space, _: space.add_polyline3d([(*c, 7.0) for c in CORNERS], close=True),
    "lines": _lines,
    "jittered lines": _jittered_lines,
    "nested blocks": _block,
    "turned block": _turned_block,
    "seen from behind": _mirrored,
    "spline": lambda space, _: space.add_open_spline([(*c, 0) for c in (*CORNERS, CORNERS[0])], degree=1),
}


@pytest.mark.parametrize("name", SAME_BOX)
def test_the_same_box(tmp_path: Path, name: str) -> None:
    found = dxf_drawing(tmp_path, SAME_BOX[name])
    (figure,) = found.figures
    assert found.unit == "mm"
    slack = 0.02 if name == "jittered lines" else 1e-9
    assert shapely.hausdorff_distance(figure.polygon.boundary, BOX.boundary) <= slack


def _arcs(space: Any, _: Any) -> None:
    space.add_arc((50, 25), 20, 350, 100)
    space.add_arc((50, 25), 20, 100, 230)
    space.add_arc((50, 25), 20, 230, 350)


def _block_circle(space: Any, document: Any) -> None:
    document.blocks.new("c").add_circle((0, 0), 10)
    space.add_blockref("c", (50, 25), dxfattribs={"xscale": -2, "yscale": 2})


def _stretched(space: Any, document: Any) -> None:
    document.blocks.new("e").add_ellipse((0, 0), (20, 0), 0.5)
    space.add_blockref("e", (50, 25), dxfattribs={"xscale": 1, "yscale": 2})


def _stretched_circle(space: Any, document: Any) -> None:
    document.blocks.new("s").add_circle((0, 0), 1)
    inner = document.blocks.new("t")
    inner.add_blockref("s", (0, 0), dxfattribs={"xscale": 10, "yscale": 20})
    space.add_blockref("t", (50, 25), dxfattribs={"xscale": 2, "yscale": 1})


CIRCLES: dict[str, Callable[[Any, Any], object]] = {
    "circle": lambda space, _: space.add_circle((50, 25), 20),
    "arcs": _arcs,
    "bulges": lambda space, _: space.add_lwpolyline([(30, 25, 1), (70, 25, 1)], format="xyb", close=True),
    "clockwise bulges": lambda space, _: space.add_lwpolyline(
        [(30, 25, -1), (70, 25, -1)], format="xyb", close=True
    ),
    "large bulge": lambda space, _: space.add_lwpolyline(
        [(70, 25, math.tan(math.radians(270) / 4)), (50, 5, math.tan(math.radians(90) / 4))],
        format="xyb",
        close=True,
    ),
    "old bulges": lambda space, _: space.add_polyline2d([(30, 25, 1), (70, 25, 1)], format="xyb", close=True),
    "bulges from behind": lambda space, _: space.add_lwpolyline(
        [(-30, 25, 1), (-70, 25, 1)], format="xyb", close=True, dxfattribs={"extrusion": (0, 0, -1)}
    ),
    "arc from behind and arc": lambda space, _: (
        space.add_arc((-50, 25), 20, 0, 180, dxfattribs={"extrusion": (0, 0, -1)}),
        space.add_arc((50, 25), 20, 180, 360),
    ),
    "ellipse": lambda space, _: space.add_ellipse((50, 25), (0, 20), 1.0),
    "half ellipses": lambda space, _: (
        space.add_ellipse((50, 25), (20, 0), 1.0, 0.0, math.pi),
        space.add_ellipse((50, 25), (20, 0), 1.0, math.pi, 2 * math.pi),
    ),
    "in a mirrored block": _block_circle,
    "stretched ellipse": _stretched,
    "stretched circle": _stretched_circle,
    "rational spline": lambda space, _: space.add_rational_spline(
        [(70, 25), (70, 45), (50, 45), (30, 45), (30, 25), (30, 5), (50, 5), (70, 5), (70, 25)],
        [1, 0.5**0.5, 1, 0.5**0.5, 1, 0.5**0.5, 1, 0.5**0.5, 1],
        degree=2,
        knots=[0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4],
    ),
}


@pytest.mark.parametrize("name", CIRCLES)
def test_circles_to_the_stated_tolerance(tmp_path: Path, name: str) -> None:
    (figure,) = dxf_drawing(tmp_path, CIRCLES[name]).figures
    points = shapely.get_coordinates(figure.polygon.exterior)
    assert np.hypot(*(points - (50, 25)).T) == pytest.approx(20.0, abs=1e-6)
    middles = (points[1:] + points[:-1]) / 2.0
    assert np.hypot(*(middles - (50, 25)).T).min() >= 20.0 - FLATTEN_MM


@pytest.mark.parametrize("degree", [2, 3, 4])
def test_large_splines_to_the_stated_tolerance(tmp_path: Path, degree: int) -> None:
    corners = [(0, 0), (900, 0), (1200, 700), (300, 900), (-400, 500), (0, 0)]

    def draw(space: Any, _: Any) -> None:
        space.add_open_spline([(*corner, 0) for corner in corners], degree=degree)

    (figure,) = dxf_drawing(tmp_path, draw).figures
    exact = ezdxf.math.BSpline(corners, order=degree + 1).approximate(20_000)
    places = shapely.points([(point.x, point.y) for point in exact])
    assert shapely.distance(places, figure.polygon.exterior).max() <= FLATTEN_MM
    (coarse,) = read_drawing(tmp_path / "a.dxf", ReadParams(flatten=5.0)).figures
    if degree < 4:
        assert shapely.get_num_coordinates(coarse.polygon) < shapely.get_num_coordinates(figure.polygon) / 4


@pytest.mark.parametrize(("units", "scale"), [(1, 25.4), (2, 304.8), (4, 1.0), (5, 10.0), (6, 1000.0)])
def test_units(tmp_path: Path, units: int, scale: float) -> None:
    found = dxf_drawing(tmp_path, SAME_BOX["lwpolyline"], units)
    assert found.unit == "mm"
    assert found.figures[0].polygon.area == pytest.approx(500.0 * scale**2)


def test_no_unit_and_a_given_one(tmp_path: Path) -> None:
    assert dxf_drawing(tmp_path, SAME_BOX["lwpolyline"], 0).unit == "unknown"
    found = read_drawing(tmp_path / "a.dxf", ReadParams(unit="in"))
    assert (found.unit, found.figures[0].polygon.area) == ("mm", pytest.approx(500.0 * 25.4**2))


def test_layers_blocks_and_holes(tmp_path: Path) -> None:
    def draw(space: Any, document: Any) -> None:
        document.layers.add("hidden").off()
        document.layers.add("cold").freeze()
        for layer in ("Target", "cut", "hidden", "cold"):
            space.add_lwpolyline(
                [(0, 0), (60, 0), (60, 60), (0, 60)], close=True, dxfattribs={"layer": layer}
            )
        space.add_circle((30, 30), 5, dxfattribs={"layer": "cut"})
        block = document.blocks.new("wing")
        block.add_lwpolyline([(0, 0), (9, 0), (0, 9)], close=True)
        space.add_blockref("wing", (100, 0), dxfattribs={"layer": "cut"})
        space.add_text("hello")

    found = dxf_drawing(tmp_path, draw)
    assert [(figure.id, figure.groups) for figure in found.figures] == [
        ("Target", ("Target",)),
        ("cut", ("cut",)),
        ("wing", ("cut", "wing")),
    ]
    assert found.figures[1].polygon.area == pytest.approx(3600 - 25 * math.pi, rel=1e-3)
    assert [figure.id for figure in found.targets] == ["Target"]
    assert "left out (no outline): TEXT" in found.notes
    apart = read_drawing(tmp_path / "a.dxf", ReadParams(nested="pieces"))
    assert len(apart.figures) == 4


def test_an_array_of_blocks(tmp_path: Path) -> None:
    def draw(space: Any, document: Any) -> None:
        document.blocks.new("tile").add_lwpolyline([(0, 0), (9, 0), (9, 9), (0, 9)], close=True)
        space.add_blockref(
            "tile",
            (0, 0),
            dxfattribs={"row_count": 3, "column_count": 4, "row_spacing": 10, "column_spacing": 10},
        )

    assert len(dxf_drawing(tmp_path, draw).figures) == 12


def _nested_blocks(space: Any, document: Any) -> None:
    document.blocks.new("b0").add_circle((0, 0), 1)
    for k in range(8):
        block = document.blocks.new(f"b{k + 1}")
        for n in range(10):
            block.add_blockref(f"b{k}", (n, 0))
    space.add_blockref("b8", (0, 0))


def _endless(space: Any, document: Any) -> None:
    document.blocks.new("a").add_blockref("b", (1, 0))
    document.blocks.new("b").add_blockref("a", (1, 0))
    space.add_blockref("a", (0, 0))


BOMBS: dict[str, tuple[Callable[[Any, Any], object], str]] = {
    "blocks of blocks": (_nested_blocks, "more than 3,000 shapes"),
    "blocks without end": (_endless, "blocks nested more than 20 deep"),
    "a huge array": (
        lambda space, document: (
            document.blocks.new("t").add_circle((0, 0), 1),
            space.add_blockref(
                "t",
                (0, 0),
                dxfattribs={"row_count": 30000, "column_count": 9, "row_spacing": 9, "column_spacing": 9},
            ),
        ),
        "more than 3,000 shapes",
    ),
    "nothing": (lambda space, _: None, "there is no closed shape in it"),
    "one line": (
        lambda space, _: space.add_line((0, 0), (1, 1), dxfattribs={"layer": "l1"}),
        r"left out \(open\): l1",
    ),
}


@pytest.mark.parametrize("name", BOMBS)
def test_files_that_would_grow_are_refused(
    tmp_path: Path, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sherd.io.drawings.dxf.MOST_DRAWN", 3000)
    draw, reason = BOMBS[name]
    with pytest.raises(FileFormatError, match=reason) as caught:
        dxf_drawing(tmp_path, draw)
    assert str(caught.value).startswith(f"{tmp_path}/a.dxf: ")


@pytest.mark.parametrize(
    "data", [b"", b"hello", b"0\nSECTION\n", b"\x00" * 100, b"AutoCAD Binary DXF\r\n\x1a\x00\x01"]
)
def test_what_is_no_dxf(tmp_path: Path, data: bytes, capfd: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "bad.dxf"
    path.write_bytes(data)
    with pytest.raises(FileFormatError) as caught:
        read_drawing(path)
    assert str(caught.value).startswith(f"{path}: ")
    assert "\n" not in str(caught.value)
    assert capfd.readouterr() == ("", "")


def test_a_huge_file_is_refused_unread(tmp_path: Path) -> None:
    path = tmp_path / "huge.dxf"
    with path.open("wb") as file:
        file.truncate(200 * 2**20)
    with pytest.raises(FileFormatError, match="longer than 32 MiB"):
        read_drawing(path)
