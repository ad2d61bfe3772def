"""Answers in terms of the pieces as they were drawn."""

from __future__ import annotations

import pytest
import shapely

from sherd.core.assembly import Assembly
from sherd.core.geometry import Pose
from sherd.core.puzzle import Sample
from sherd.layout.layout import NO_PLACE, TOUCH_SHARE, DrawnPiece, Layout, lay_out

BOX, GROWN = shapely.box(0, 0, 1, 1), shapely.box(-0.1, -0.1, 1.1, 1.1)


def test_drawn_and_fitted_outlines_lie_in_the_same_place() -> None:
    piece = DrawnPiece("a", BOX, Pose(5.0, 0.0), grown=GROWN)
    assert piece.placed.bounds == (5.0, 0.0, 6.0, 1.0)
    assert piece.fitted.bounds == pytest.approx((4.9, -0.1, 6.1, 1.1))
    assert DrawnPiece("a", BOX, Pose()).fitted.equals(BOX)


def test_what_has_no_place_is_set_aside_with_the_reason() -> None:
    pieces = (DrawnPiece("a", BOX, Pose(1.0, 0.0)), DrawnPiece("b", BOX, reason="too large"))
    layout = Layout("name", shapely.box(0, 0, 2, 4), pieces, without_area=("dust",))
    assert layout.set_aside == {"b": "too large", "dust": "hardly any area"}
    assert [piece.id for piece in layout.placed] == ["a"]
    assert layout.assembly == Assembly().place("a", Pose(1.0, 0.0))
    assert layout.tolerance == TOUCH_SHARE * 4.0
    assert not layout.is_tolerance_given
    assert Layout("name", BOX, pieces, tolerance=0.5).is_tolerance_given
    with pytest.raises(ValueError, match="tolerance must be at least 0"):
        Layout("name", BOX, pieces, tolerance=-1.0)


def test_a_puzzles_answer_is_laid_out_as_it_is(two_halves: Sample) -> None:
    layout = lay_out(two_halves.puzzle, Assembly(two_halves.truth.placements[:1]), name="halves", unit="mm")
    assert (layout.name, layout.unit, layout.set_aside) == ("halves", "mm", {"right": NO_PLACE})
    assert layout.fitted[0].bounds == (0.0, 0.0, 0.5, 1.0)
