"""The best of several answers."""

from __future__ import annotations

import pytest
from shapely import box

from sherd.core.assembly import Assembly
from sherd.core.geometry import Pose
from sherd.core.puzzle import Fragment, Puzzle
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
    assert name == "b" and best.assembly == HALVES and best.seconds == 2.0
