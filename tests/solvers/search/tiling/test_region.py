"""A region without a piece that lies in it is what polygons say, and nothing that sticks out is taken."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st
from shapely import Polygon

from sherd.core.arrays import Floats, Ints
from sherd.solvers.search.tiling.boundary import make_remainder, make_scratch
from sherd.solvers.search.tiling.facts import clean_rings
from sherd.solvers.search.tiling.region import OUTSIDE, is_inside, ring_area, subtract

SLACK = 1e-9


def arrays(polygon: Polygon) -> tuple[Floats, Ints]:
    (rings,) = clean_rings([polygon], SLACK)
    return np.concatenate(rings), np.concatenate([[0], np.cumsum([len(ring) for ring in rings])])


def remainder(region: Polygon, piece: Polygon) -> tuple[int, float, float]:
    """Rings that are left, the contact, and the area."""
    (points, starts), (own, own_starts) = arrays(region), arrays(piece)
    size = 4 * (len(points) + len(own)) + 8
    out = make_remainder(size)
    rings, contact = subtract(
        points, np.arange(len(points)), starts, own, own_starts, SLACK, make_scratch(size), out
    )
    area = sum(
        ring_area(out.points, int(out.starts[k]), int(out.starts[k + 1])) for k in range(max(0, rings))
    )
    return rings, contact, area


@given(st.floats(0.05, 0.95), st.floats(0.05, 0.95))
def test_a_box_in_the_corner_leaves_the_rest(wide: float, high: float) -> None:
    rings, contact, area = remainder(shapely.box(0, 0, 1, 1), shapely.box(0, 0, wide, high))
    assert rings == 1
    assert contact == pytest.approx(wide + high)
    assert area == pytest.approx(1.0 - wide * high)


def test_a_piece_may_leave_a_hole_two_parts_or_nothing() -> None:
    square = shapely.box(0, 0, 1, 1)
    assert remainder(square, shapely.box(0.2, 0.2, 0.4, 0.4)) == (2, 0.0, pytest.approx(0.96))
    assert remainder(square, shapely.box(0.4, 0, 0.6, 1)) == (2, pytest.approx(0.4), pytest.approx(0.8))
    assert remainder(square, square) == (0, pytest.approx(4.0), 0.0)


@pytest.mark.parametrize(
    "piece",
    [
        shapely.box(0.5, 0.5, 1.5, 1.5),
        shapely.box(1, 0, 2, 1),
        shapely.box(-1, -1, 2, 2),
        shapely.box(0, 0, 1, 1.1),
    ],
    ids=["across a corner", "beside", "around", "a little longer"],
)
def test_what_sticks_out_is_outside(piece: Polygon) -> None:
    assert remainder(shapely.box(0, 0, 1, 1), piece)[0] == OUTSIDE


def test_a_piece_over_a_hole_is_outside() -> None:
    frame = Polygon([(0, 0), (3, 0), (3, 3), (0, 3)], [[(1, 1), (1, 2), (2, 2), (2, 1)]])
    assert remainder(frame, shapely.box(0, 0, 2.5, 2.5))[0] == OUTSIDE
    assert remainder(frame, shapely.box(0, 0, 1, 3))[0] > 0


@given(st.floats(-0.5, 1.5), st.floats(-0.5, 1.5))
def test_inside_is_what_polygons_say(x: float, y: float) -> None:
    frame = Polygon([(0, 0), (1, 0), (1, 1), (0, 1)], [[(0.3, 0.3), (0.6, 0.3), (0.5, 0.7)]])
    points, starts = arrays(frame)
    if frame.boundary.distance(shapely.Point(x, y)) > 1e-6:
        assert is_inside(points, starts, x, y, SLACK) == frame.contains(shapely.Point(x, y))
