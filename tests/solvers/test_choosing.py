"""The best of several answers."""

from __future__ import annotations

from dataclasses import replace

import pytest
from shapely import box

from sherd.core.assembly import Assembly
from sherd.core.geometry import Pose
from sherd.core.puzzle import Fragment, Puzzle
from sherd.core.tolerance import Tolerance
from sherd.solvers.base import Proposal, Result
from sherd.solvers.choosing import best_of
from sherd.solvers.run import judged

HALF = box(-0.25, -0.5, 0.25, 0.5)
PUZZLE = Puzzle(
    box(0, 0, 1, 1),
    (Fragment("left", HALF), Fragment("right", HALF), Fragment("foreign", box(-0.1, -0.1, 0.1, 0.1))),
)
LEFT = Assembly().place("left", Pose(0.25, 0.5))
HALVES = LEFT.place("right", Pose(0.75, 0.5))
OVERLAPPING = HALVES.place("foreign", Pose(0.5, 0.5))


def answer(assembly: Assembly) -> Result:
    return judged(PUZZLE, Proposal(assembly=assembly, objective=0.0, evaluations=1), 1.0)


@pytest.mark.parametrize("first", [0, 1])
def test_of_what_covers_the_same_that_is_best_which_lays_less(first: int) -> None:
    found = [("a", answer(OVERLAPPING)), ("b", answer(HALVES))]
    name, best = best_of(PUZZLE, found if first == 0 else found[::-1])
    assert name == "b" and best.assembly == HALVES


def test_what_was_weighed_comes_before_what_covers_a_little_more() -> None:
    halves = Puzzle(PUZZLE.target, PUZZLE.fragments[:2])
    near = LEFT.place("right", Pose(0.751, 0.5))
    rough = Tolerance.of_corners(0.02)

    def doubted(assembly: Assembly, elsewhere: tuple[str, ...], *others: Assembly) -> Result:
        proposal = Proposal(
            assembly=assembly,
            objective=0.0,
            evaluations=1,
            tolerance=rough,
            doubt="not weighed",
            elsewhere=elsewhere,
            alternatives=others,
            remark="stopped after 1 try",
        )
        return judged(halves, proposal, 1.0)

    nothing_sure = doubted(HALVES, ("left", "right"))
    told = doubted(near, ("left", "right"), HALVES)
    one_sure = doubted(near, ("left",), HALVES)
    assert {one.verdict.state for one in (nothing_sure, told, one_sure)} == {"partly"}
    assert best_of(halves, [("a", nothing_sure), ("b", told)])[0] == "b"
    assert best_of(halves, [("b", told), ("c", one_sure)])[0] == "c"
    assert best_of(halves, [("c", one_sure), ("b", told)])[0] == "c"


def test_that_an_earlier_solver_was_stopped_is_not_said_while_there_was_time() -> None:
    first = replace(answer(HALVES), remark="stopped after 1 try")
    found = [("a", first), ("b", answer(LEFT))]
    assert best_of(PUZZLE, found, is_over=False)[1].remark == ""
    assert best_of(PUZZLE, found)[1].remark == "stopped after 1 try"
