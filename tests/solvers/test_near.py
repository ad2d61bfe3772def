"""Puzzles far from the origin are brought near it, and answers go back to where they belong."""

from __future__ import annotations

import pytest
import shapely

from sherd.core.assembly import Assembly, Group, Joint
from sherd.core.geometry import Pose
from sherd.core.puzzle import Fragment, Puzzle, Sample
from sherd.core.verdict import Verdict
from sherd.solvers.base import Progress, Result
from sherd.solvers.near import bring_near

FAR = 1e8


def test_a_puzzle_that_is_near_is_left_alone(two_halves: Sample) -> None:
    assert bring_near(two_halves.puzzle)[0] is two_halves.puzzle


def test_answers_go_back_to_the_far_target() -> None:
    half = shapely.box(-0.25 + FAR, -0.5, 0.25 + FAR, 0.5)  # far in its own frame, too
    target = shapely.box(FAR, -FAR, FAR + 1.0, 1.0 - FAR)
    puzzle = Puzzle(target, (Fragment("left", half), Fragment("right", half)))
    near, back, told_back = bring_near(puzzle)
    assert max(map(abs, near.target.bounds)) < 10.0
    assert max(max(map(abs, one.polygon.bounds)) for one in near.fragments) < 10.0
    left, bottom, _, _ = near.target.bounds
    places = Assembly()
    for number, one in enumerate(near.fragments):
        x, y, _, _ = one.polygon.bounds
        places = places.place(one.id, Pose(left + 0.5 * number - x, bottom - y))
    found = back(
        Result(assembly=places, objective=1.0, evaluations=1, verdict=Verdict(state="solved"))
    ).assembly
    assert found["left"].apply(half).bounds == pytest.approx((FAR, -FAR, FAR + 0.5, 1.0 - FAR), abs=1e-6)
    pair = Assembly().place("left", Pose()).place("right", Pose(0.5, 0.0))
    joint = Joint("left", "right", Pose(0.5, 0.0), 1.0, 0.0, 0.9)
    told = told_back(
        Progress(
            assembly=places, objective=1.0, evaluations=1, groups=(Group(pair, (joint,)),), joints=(joint,)
        )
    )
    assert told.assembly == found
    ((group,), (joined,)) = told.groups, told.joints
    laid = [group.assembly[name].apply(half).bounds for name in ("left", "right")]
    assert laid[1] == pytest.approx([laid[0][k] + (0.5, 0.0)[k % 2] for k in range(4)], abs=1e-6)
    assert joined.pose.apply(half).bounds == pytest.approx(
        shapely.affinity.translate(half, 0.5).bounds, abs=1e-6
    )
    assert found["right"].apply(half).bounds == pytest.approx((FAR + 0.5, -FAR, FAR + 1, 1 - FAR), abs=1e-6)
