"""Refining on area brings pieces back that lie a little off."""

from __future__ import annotations

import pytest
import shapely

from sherd.core.geometry import Pose
from sherd.core.in_target import misplaced_shares
from sherd.core.puzzle import Fragment, Puzzle
from sherd.solvers.search.arrangement import arrangement_of
from sherd.solvers.search.polish import polish, polish_in_sight
from sherd.solvers.stop import MaxEvaluations

HALF = shapely.box(-0.25, -0.5, 0.25, 0.5)
PUZZLE = Puzzle(shapely.box(0, 0, 1, 1), (Fragment("left", HALF), Fragment("right", HALF)))


@pytest.mark.parametrize("off", [0.001, 0.003])
def test_pieces_that_overlap_are_moved_apart(off: float) -> None:
    begun = {0: Pose(0.25 + off, 0.5), 1: Pose(0.75 - off, 0.5 + off)}
    found = polish(PUZZLE, begun, MaxEvaluations(1000))
    before, after = (arrangement_of(PUZZLE, poses).coverage for poses in (begun, found))
    assert after > before
    assert after >= 1.0 - 0.001
    assert found.keys() == begun.keys()


def test_what_lies_right_stays_and_nothing_moves_when_time_is_up() -> None:
    right, begun = {0: Pose(0.25, 0.5), 1: Pose(0.75, 0.5)}, {0: Pose(0.26, 0.5), 1: Pose(0.75, 0.5)}
    assert polish(PUZZLE, right, MaxEvaluations(1000)) == right
    assert polish(PUZZLE, begun, MaxEvaluations(0)) == begun


def test_no_piece_is_hidden_for_the_sake_of_area() -> None:
    """Three pieces in a target for two: refining on area alone would lay the small one on another."""
    wide, narrow = shapely.box(-0.25, -0.5, 0.25, 0.5), shapely.box(-0.03, -0.5, 0.03, 0.5)
    pieces = tuple(Fragment(name, shape) for name, shape in (("a", wide), ("b", wide), ("c", narrow)))
    puzzle = Puzzle(shapely.box(0, 0, 1, 1), pieces)
    begun = {0: Pose(0.24, 0.5), 1: Pose(0.76, 0.5), 2: Pose(0.5, 0.5)}
    alone = polish(puzzle, begun, MaxEvaluations(1000))
    assert arrangement_of(puzzle, alone).coverage > arrangement_of(puzzle, begun).coverage - 1e-9
    seen = polish_in_sight(puzzle, begun)
    assert max(misplaced_shares(puzzle, seen).values()) <= 0.7
    assert seen in (begun, alone)
