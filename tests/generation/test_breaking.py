"""Targets broken in two, and again."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from shapely import Polygon

from sherd.core.arrays import Floats
from sherd.core.errors import InvalidPolygonError
from sherd.generation.breaking import Line, area, break_until, check_pieces, outline_of, step_for

SQUARE = shapely.box(0, 0, 1, 1)


def straight() -> Line:
    def line(start: Floats, end: Floats, step: float, fade: float) -> Floats:
        return np.stack([start, end])

    return line


@pytest.mark.parametrize("pieces", [1, 2, 7, 20])
def test_parts_fill_the_whole_and_run_counter_clockwise(pieces: int) -> None:
    step = step_for(SQUARE, pieces)
    parts = break_until([outline_of(SQUARE)], pieces, step, straight, np.random.default_rng(pieces))
    assert len(parts) == pieces
    assert min(map(area, parts)) > 0.0
    assert sum(map(area, parts)) == pytest.approx(1.0)
    assert shapely.union_all([Polygon(part) for part in parts]).symmetric_difference(SQUARE).area < 1e-9


def test_the_largest_part_is_broken_first() -> None:
    small = np.array([[2.0, 0.0], [2.1, 0.0], [2.1, 0.1], [2.0, 0.1]])
    parts = break_until([small, outline_of(SQUARE)], 3, 0.01, straight, np.random.default_rng(0))
    assert parts[0] is small


def test_areas_have_the_sign_of_their_direction() -> None:
    ring = outline_of(SQUARE)
    assert area(ring) == 1.0
    assert area(ring[::-1]) == -1.0
    clockwise = Polygon(ring[::-1])
    assert area(outline_of(clockwise)) == 1.0


def test_holes_and_numbers_that_cannot_be_are_refused() -> None:
    with pytest.raises(InvalidPolygonError, match="without holes"):
        outline_of(SQUARE.difference(shapely.box(0.4, 0.4, 0.6, 0.6)))
    for pieces in (0, 1001):
        with pytest.raises(ValueError, match="pieces must be between 1 and 1,000"):
            check_pieces(pieces)
    assert step_for(SQUARE, 1) > step_for(SQUARE, 500)
