"""Pieces dropped anywhere."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import shapely

from sherd.core.geometry import Rotations
from sherd.core.puzzle import Sample
from sherd.solvers.base import Progress
from sherd.solvers.baselines.random import RandomSolver
from sherd.solvers.stop import MaxEvaluations


def test_centres_lie_in_the_target_at_allowed_angles(square_of_four: Sample) -> None:
    ell = shapely.box(0, 0, 1, 1).difference(shapely.box(0.5, 0.5, 1, 1))
    puzzle = replace(square_of_four.puzzle, target=ell, rotations=Rotations(4), mirror=frozenset({"a"}))
    flips = set()
    for seed in range(20):
        rng = np.random.default_rng(seed)
        for placement in RandomSolver().solve(puzzle, stop=MaxEvaluations(9), rng=rng).assembly:
            assert shapely.contains_xy(ell, placement.pose.x, placement.pose.y)
            assert puzzle.rotations.allows(placement.pose.theta, 1e-9)
            flips.add((placement.id, placement.pose.mirrored))
    assert {name for name, mirrored in flips if mirrored} == {"a"}


def test_it_stops_and_tells_how_far_it_is(square_of_four: Sample) -> None:
    told: list[Progress] = []
    proposal = RandomSolver().solve(
        square_of_four.puzzle, stop=MaxEvaluations(2), rng=np.random.default_rng(0), on_progress=told.append
    )
    assert [len(one.assembly) for one in told] == [1, 2]
    assert proposal.trace == tuple(one.assembly for one in told)
    assert proposal.evaluations == 2
