from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from shapely import Polygon

from sherd.core.assembly import Assembly, Placement
from sherd.core.geometry import Pose, Rotations
from sherd.core.metrics import measure
from sherd.core.puzzle import Fragment, Puzzle
from sherd.core.verdict import Verdict
from sherd.generation.fragmentation import FragmentationParams, generate
from sherd.generation.shapes import named_shape
from sherd.solvers.base import Result
from sherd.workshop.closing import close_gaps

WAVE = Polygon([(0, 0), (3, 0.4), (5, -0.2), (8, 0), (8, 5), (6, 4.4), (2, 5.3), (0, 5)])


def unsolved(*placements: Placement) -> Result:
    return Result(
        assembly=Assembly(placements),
        objective=0.5,
        evaluations=1,
        remark="no piece fits",
        verdict=Verdict(state="partly"),
    )


def around_the_wave(turn: float, *, mirrored: bool = False, mirror: bool = False) -> Puzzle:
    """A frame whose hole is the wave, and the wave turned, a little too large."""
    target = shapely.box(-3, -3, 11, 8)
    frame = Fragment("frame", Polygon(target.exterior.coords, [WAVE.exterior.coords]))
    own = shapely.transform(WAVE, lambda xy: (xy - shapely.get_coordinates(WAVE.centroid)) * 1.003)
    wave = Fragment("wave", Pose(0.0, 0.0, turn, mirrored).apply(own))
    return Puzzle(target, (frame, wave), Rotations(None), mirror)


@settings(max_examples=10)
@given(turn=st.floats(0.0, 6.28))
def test_the_last_piece_goes_into_the_gap_of_its_shape(turn: float) -> None:
    puzzle = around_the_wave(turn)
    closed = close_gaps(puzzle, unsolved(Placement("frame", Pose())))
    assert closed.solved
    assert not closed.reason
    assert measure(closed.assembly, puzzle).iou >= 0.99
    assert math.isclose(math.cos(closed.assembly["wave"].theta + turn), 1.0, abs_tol=1e-3)


def test_it_is_turned_over_only_where_it_may_be() -> None:
    start = unsolved(Placement("frame", Pose()))
    assert close_gaps(around_the_wave(1.0, mirrored=True), start) == start
    closed = close_gaps(around_the_wave(1.0, mirrored=True, mirror=True), start)
    assert closed.solved
    assert closed.assembly["wave"].mirrored


def test_a_piece_of_another_shape_stays_out() -> None:
    side = math.sqrt(WAVE.area)
    square = Fragment("wave", shapely.box(-side / 2, -side / 2, side / 2, side / 2))
    puzzle = around_the_wave(0.0)
    start = unsolved(Placement("frame", Pose()))
    assert close_gaps(replace(puzzle, fragments=(puzzle["frame"], square)), start) == start


def test_nothing_placed_and_all_placed_are_left_alone() -> None:
    puzzle = around_the_wave(0.0)
    assert close_gaps(puzzle, unsolved()) == unsolved()
    solved = replace(unsolved(Placement("frame", Pose())), verdict=Verdict(state="solved"))
    assert close_gaps(puzzle, solved) is solved


def test_where_some_still_wait_the_reason_counts_them() -> None:
    (sample,) = generate(named_shape("square"), FragmentationParams(pieces=6), count=1, seed=3)
    stranger = Fragment("stranger", shapely.Point(0, 0).buffer(0.05))
    puzzle = replace(sample.puzzle, fragments=(*sample.puzzle.fragments, stranger))
    lost = sample.truth.placements[0]
    closed = close_gaps(puzzle, unsolved(*(p for p in sample.truth if p.id != lost.id)))
    assert not closed.solved
    assert closed.reason == "1 of 7 pieces not placed"
    assert np.hypot(closed.assembly[lost.id].x - lost.pose.x, closed.assembly[lost.id].y - lost.pose.y) == (
        pytest.approx(0.0, abs=1e-3)
    )
