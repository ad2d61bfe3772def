"""Why a puzzle was not solved, in words that are true."""

from __future__ import annotations

import shapely
from shapely import Polygon

from sherd.core.geometry import Pose, Rotations
from sherd.core.puzzle import Fragment, Puzzle
from sherd.solvers.search.case import Case
from sherd.solvers.search.reason import reason

SQUARE = shapely.box(0, 0, 1, 1)


def case_of(*pieces: Polygon) -> Case:
    return Case(Puzzle(SQUARE, tuple(Fragment(str(k), piece) for k, piece in enumerate(pieces))))


def test_time_areas_and_what_is_left_are_told() -> None:
    half = shapely.box(-0.25, -0.5, 0.25, 0.5)
    stopped = reason(case_of(half, half), {0: Pose(0.25, 0.5)}, tries=1200, stopped=True)
    assert stopped == "stopped after 1,200 tries; 1 of 2 pieces not placed"
    assert reason(case_of(half, half), {}, tries=1, stopped=True).startswith("stopped after 1 try;")
    lost = reason(case_of(half), {0: Pose(0.25, 0.5)}, tries=5, stopped=False)
    assert "area" in lost and "not placed" not in lost


def test_a_corner_that_nothing_fits_is_named() -> None:
    disc = shapely.Point(0, 0).buffer((1.0 / 3.14159265) ** 0.5, quad_segs=64)
    found = reason(case_of(disc), {}, tries=5, stopped=False)
    corners = {
        f"no piece fits the corner at ({x}, {y}); 1 of 1 pieces not placed" for x in (0, 1) for y in (0, 1)
    }
    assert found in corners


def test_pieces_that_are_all_placed_do_not_fit() -> None:
    halves = shapely.box(-0.25, -0.5, 0.25, 0.5), shapely.box(-0.5, -0.25, 0.5, 0.25)
    case = case_of(*halves)
    assert case.puzzle.rotations == Rotations(1)
    placed = {0: Pose(0.25, 0.5), 1: Pose(0.5, 0.25)}
    assert reason(case, placed, tries=5, stopped=False) == "the pieces do not fit the target"


def test_what_is_proven_is_told_before_all_else() -> None:
    half = shapely.box(-0.25, -0.5, 0.25, 0.5)
    told = reason(case_of(half, half), {0: Pose(0.25, 0.5)}, tries=9, stopped=True, is_proven=True)
    assert told.startswith("no assembly fits, which is proven") and told.endswith("1 of 2 pieces not placed")
