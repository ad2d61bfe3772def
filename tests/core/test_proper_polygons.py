"""Polygons from lists of points, and why some are none."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sherd.core.errors import InvalidPolygonError, SherdError
from sherd.core.geometry import Pose
from sherd.core.proper_polygons import make_polygon

LENGTHS = st.floats(-100.0, 100.0)
POSES = st.builds(Pose, LENGTHS, LENGTHS, st.floats(-20.0, 20.0), st.booleans())
SQUARE = [[0, 0], [4, 0], [4, 4], [0, 4]]


@pytest.mark.parametrize(
    ("exterior", "holes", "reason"),
    [
        ([], [], "the outline is empty"),
        (None, [], "not a list"),
        ("square", [], "not a list"),
        (7, [], "not a list"),
        ([[0, 0], [1, 0], [1]], [], "not a list"),
        ([[0, 0, 0], [1, 0, 0], [1, 1, 0]], [], "not a list"),
        ([["a", 0], [1, 0], [1, 1]], [], "not a list"),
        ([[0, 0], [1, 0], [math.nan, 1]], [], "not finite"),
        ([[0, 0], [1, 0], [math.inf, 1]], [], "not finite"),
        ([[0, 0], [1, 0]], [], "fewer than 3 vertices"),
        ([[0, 0], [1, 0], [0, 0], [1, 0]], [], "fewer than 3 vertices"),
        ([[0, 0], [1, 1], [2, 2]], [], "encloses no area"),
        ([[0, 0], [1, 1], [1, 0], [0, 1]], [], r"crosses itself near \(0\.5, 0\.5\)"),
        ([[0, 0], [2, 0], [2, 2], [1, 0], [0, 2]], [], "crosses itself"),
        (SQUARE, [[[1, 1], [2, 1]]], "the hole has fewer than 3 vertices"),
        (SQUARE, [[[1, 1], [2, 1], [math.nan, 2]]], "the hole has a coordinate that is not finite"),
        (SQUARE, [[[5, 5], [6, 5], [6, 6]]], "hole lies outside shell"),
        (SQUARE, [[[1, 1], [3, 1], [3, 3], [1, 3]], [[1.5, 1.5], [2, 1.5], [2, 2]]], "nested"),
    ],
)
def test_improper_polygons_are_told_why(exterior: Any, holes: list[Any], reason: str) -> None:
    with pytest.raises(InvalidPolygonError, match=reason) as caught:
        make_polygon(exterior, holes)
    assert isinstance(caught.value, SherdError)
    assert "\n" not in str(caught.value)


@given(pose=POSES, scale=st.floats(1e-3, 1e3))
def test_proper_polygons_come_out_counter_clockwise(pose: Pose, scale: float) -> None:
    ring = pose.points(np.array(SQUARE) * scale)
    for points in (ring, ring[::-1], np.concatenate([ring, ring[:1]])):
        polygon = make_polygon(points)
        assert polygon.exterior.is_ccw
        assert len(polygon.exterior.coords) == 5
        assert polygon.area == pytest.approx(16.0 * scale**2, rel=1e-6)


def test_holes_run_clockwise() -> None:
    polygon = make_polygon(SQUARE, [[[1, 1], [2, 1], [2, 2]]])
    assert polygon.area == 15.5
    assert not polygon.interiors[0].is_ccw
