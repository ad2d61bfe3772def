"""Targets fill the unit box, are convex, and bad ones are named."""

from __future__ import annotations

import math

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from sherd.core.errors import InvalidPolygonError
from sherd.core.geometry import is_convex, size_of, turning_symmetries
from sherd.core.proper_polygons import make_polygon
from sherd.generation.shapes import NON_CONVEX, SHAPES, Shape, named_shape, regular


@given(sides=st.integers(3, 64))
def test_regular_polygons_fill_the_unit_box(sides: int) -> None:
    polygon = regular(sides)
    ring = np.asarray(polygon.exterior.coords)
    length = np.hypot(*np.diff(ring, axis=0).T)
    assert len(length) == sides
    assert length.max() - length.min() < 1e-12
    low_x, low_y, high_x, high_y = polygon.bounds
    assert max(high_x - low_x, high_y - low_y) == pytest.approx(1.0, abs=1e-12)
    assert (low_x + high_x, low_y + high_y) == pytest.approx((1.0, 1.0), abs=1e-12)
    assert is_convex(polygon)
    assert polygon.exterior.is_ccw
    radius = length[0] / (2.0 * math.sin(math.pi / sides))
    assert polygon.area == pytest.approx(sides / 2.0 * radius**2 * math.sin(2.0 * math.pi / sides), abs=1e-12)
    assert ((ring[:, 1] - low_y) < 1e-12).sum() >= 2, "it stands on an edge"
    assert len(turning_symmetries(polygon)) == sides


@pytest.mark.parametrize("sides", [-1, 0, 2, 1001])
def test_sides_out_of_range_are_named(sides: int) -> None:
    with pytest.raises(ValueError, match=f"not {sides}"):
        regular(sides)


def test_named_shapes() -> None:
    sides = {name: len(named_shape(name).vertices) for name in SHAPES}
    assert sides == {"square": 4, "pentagon": 5, "hexagon": 6, "mondrian": 4, "released-hexagon": 6}
    assert [name for name in SHAPES if named_shape(name).axis_aligned] == ["mondrian"]
    assert all(named_shape(name).name == name for name in [*SHAPES, "polygon:9"])
    assert named_shape("polygon:4").outline.equals(named_shape("square").outline)


@pytest.mark.parametrize("name", ["", "circle", "polygon", "polygon:", "polygon:x", "polygon:-5", "Square"])
def test_unknown_shapes_are_named(name: str) -> None:
    with pytest.raises(ValueError, match=f"unknown shape '{name}'"):
        named_shape(name)


def test_shapes_that_are_not_convex_fill_the_unit_box_too() -> None:
    for name in NON_CONVEX:
        shape = named_shape(name)
        assert shape.name == name
        assert not shape.is_convex
        assert shape.outline.exterior.is_ccw
        assert size_of(shape.outline) == pytest.approx(1.0)
    assert all(named_shape(name).is_convex for name in SHAPES)


def test_a_shape_has_no_holes() -> None:
    ring = make_polygon([[0, 0], [3, 0], [3, 3], [0, 3]], [[[1, 1], [2, 1], [2, 2], [1, 2]]])
    with pytest.raises(InvalidPolygonError, match="ring: the outline has holes"):
        Shape("ring", ring)


def test_only_upright_rectangles_are_cut_along_the_axes() -> None:
    assert Shape("sheet", shapely.box(-3, 2, 7, 4), axis_aligned=True).axis_aligned
    with pytest.raises(ValueError, match="upright rectangle"):
        Shape("tile", regular(6), axis_aligned=True)
