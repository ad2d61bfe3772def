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
from sherd.core.tolerance import EXACT
from sherd.core.verdict import Verdict, judge
from sherd.generation.fragmentation import FragmentationParams, generate
from sherd.generation.shapes import named_shape
from sherd.solvers.base import Proposal
from sherd.workshop.closing import close_gaps

WAVE = Polygon([(0, 0), (3, 0.4), (5, -0.2), (8, 0), (8, 5), (6, 4.4), (2, 5.3), (0, 5)])


def proposal(*placements: Placement) -> Proposal:
    return Proposal(
        assembly=Assembly(placements), objective=0.5, evaluations=1, remark="no piece fits", tolerance=EXACT
    )


def verdict_on(puzzle: Puzzle, closed: Proposal) -> Verdict:
    return judge(puzzle, closed.assembly, closed.tolerance)


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
    closed = close_gaps(puzzle, proposal(Placement("frame", Pose())))
    assert verdict_on(puzzle, closed).is_solved
    assert not closed.remark
    assert measure(closed.assembly, puzzle).iou >= 0.99
    assert math.isclose(math.cos(closed.assembly["wave"].theta + turn), 1.0, abs_tol=1e-3)


def test_it_is_turned_over_only_where_it_may_be() -> None:
    start = proposal(Placement("frame", Pose()))
    assert close_gaps(around_the_wave(1.0, mirrored=True), start) is start
    puzzle = around_the_wave(1.0, mirrored=True, mirror=True)
    closed = close_gaps(puzzle, start)
    assert verdict_on(puzzle, closed).is_solved
    assert closed.assembly["wave"].mirrored


def test_a_piece_that_lies_as_well_the_other_way_round_is_named() -> None:
    """A lozenge that has lost a corner fills its gap as well when it is turned by half a turn."""
    lozenge, worn = [(0, 0), (8, 0), (10, 5), (2, 5)], [(0, 0), (8, 0), (9.6, 4), (9.2, 5), (2, 5)]
    target = shapely.box(-3, -3, 13, 8)
    frame = Fragment("frame", Polygon(target.exterior.coords, [lozenge]))
    own = Polygon(worn)
    piece = Fragment("worn", Pose(-own.centroid.x, -own.centroid.y).apply(own))
    puzzle = Puzzle(target, (frame, piece), Rotations(None))
    closed = close_gaps(puzzle, proposal(Placement("frame", Pose())))
    assert closed.elsewhere == ("worn",)
    assert not judge(puzzle, closed.assembly, closed.tolerance, doubt=closed.doubt).is_solved


def test_what_may_lie_elsewhere_still_may_when_a_gap_is_closed() -> None:
    puzzle = around_the_wave(1.0)
    start = replace(proposal(Placement("frame", Pose())), elsewhere=("frame",), doubt="by area alone")
    closed = close_gaps(puzzle, start)
    assert closed.elsewhere == ("frame",)
    assert closed.doubt == "ambiguous: frame may lie elsewhere"


def test_what_else_the_solver_doubts_it_still_does_when_a_gap_is_closed() -> None:
    """Pieces that were traced pixel by pixel lie in other arrangements as well, whoever lays the last."""
    puzzle, start = around_the_wave(1.0), proposal(Placement("frame", Pose()))
    assert close_gaps(puzzle, replace(start, doubt=start.remark)).doubt == ""
    closed = close_gaps(puzzle, replace(start, doubt="other arrangements fit as well"))
    assert len(closed.assembly) == 2
    assert not judge(puzzle, closed.assembly, closed.tolerance, doubt=closed.doubt).is_solved


def test_a_piece_of_another_shape_stays_out() -> None:
    side = math.sqrt(WAVE.area)
    square = Fragment("wave", shapely.box(-side / 2, -side / 2, side / 2, side / 2))
    puzzle = around_the_wave(0.0)
    start = proposal(Placement("frame", Pose()))
    assert close_gaps(replace(puzzle, fragments=(puzzle["frame"], square)), start) is start


def test_nothing_placed_and_all_placed_are_left_alone() -> None:
    puzzle = around_the_wave(0.0)
    empty, full = proposal(), proposal(*(Placement(one.id, Pose()) for one in puzzle.fragments))
    assert close_gaps(puzzle, empty) is empty
    assert close_gaps(puzzle, full) is full


def test_it_ends_when_it_is_told_to() -> None:
    puzzle = around_the_wave(0.3)
    asked: list[int] = []

    def at_once(evaluations: int) -> bool:
        asked.append(evaluations)
        return True

    close_gaps(puzzle, proposal(Placement("frame", Pose())), at_once)
    assert asked
    assert max(asked) == 0


def test_where_some_still_wait_the_verdict_counts_them() -> None:
    (sample,) = generate(named_shape("square"), FragmentationParams(pieces=6), count=1, seed=3)
    stranger = Fragment("stranger", shapely.Point(0, 0).buffer(0.05))
    puzzle = replace(sample.puzzle, fragments=(*sample.puzzle.fragments, stranger))
    lost = sample.truth.placements[0]
    closed = close_gaps(puzzle, proposal(*(p for p in sample.truth if p.id != lost.id)))
    verdict = verdict_on(puzzle, closed)
    assert (verdict.state, verdict.why) == ("partly", "1 of 7 pieces not placed")
    assert verdict.missing == ("stranger",)
    assert np.hypot(closed.assembly[lost.id].x - lost.pose.x, closed.assembly[lost.id].y - lost.pose.y) == (
        pytest.approx(0.0, abs=1e-3)
    )
