"""Which pieces lie elsewhere in another assembly."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

from sherd.core.arrays import Floats
from sherd.core.geometry import Pose
from sherd.solvers.search.beliefs.elsewhere import doubts, pieces_elsewhere
from sherd.solvers.search.case import Case
from true_lines import noisy_and_lines, poses_of, rings_of


def _one_by_one(places: list[Floats], laid: list[Floats], slack: list[float], noise: float) -> set[int]:
    """Every outline compared with every other."""
    found: set[int] = set()
    for number, (place, outline) in enumerate(zip(places, laid, strict=True)):
        apart = [
            shapely.hausdorff_distance(shapely.LinearRing(place), shapely.LinearRing(one)) for one in laid
        ]
        is_far = np.hypot(*(place - outline).T).max() > slack[number]
        if is_far and apart[number] > 2.0 * noise and min(apart) > noise:
            found.add(number)
    return found


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_it_is_the_same_as_one_by_one(seed: int) -> None:
    sample, _ = noisy_and_lines("square", 8, 0.01, seed)
    case, own, rings = Case(sample.puzzle), poses_of(sample), rings_of(sample)
    rng, off = np.random.default_rng(seed), 0.007
    slack = [max(4.0 * off, one.area / one.length) for one in case.outlines]
    turns = [Pose(0.5, 0.5) @ Pose(theta=k * np.pi / 2.0) @ Pose(-0.5, -0.5) for k in range(4)]
    for _ in range(6):
        moved = dict(own)
        for number in rng.permutation(8)[:3].tolist():
            x, y = rng.normal(scale=0.05, size=2).tolist()
            moved[number] = Pose(x, y) @ own[number]
        laid = [moved[number].points(rings[number]) for number in range(8)]
        each = [
            _one_by_one([(turn @ own[k]).points(rings[k]) for k in range(8)], laid, slack, off)
            for turn in turns
        ]
        assert pieces_elsewhere(case, rings, own, off, moved) == min(each, key=len)


def test_pieces_are_doubted_by_the_sum_of_what_has_them_elsewhere() -> None:
    sample, _ = noisy_and_lines("square", 4, 0.01, 1)
    case, poses = Case(sample.puzzle), poses_of(sample)
    chances = {
        frozenset[int](): (1.0, poses),
        frozenset({0, 1}): (0.02, poses),
        frozenset({1, 2}): (0.02, poses),
    }
    sure = doubts(case, 0.01, chances, 0.03, is_whole=True)
    assert sure.elsewhere == {1}
    assert len(sure.rivals) == 2
    assert doubts(case, 0.01, chances, 0.1, is_whole=False).elsewhere == frozenset()
    assert doubts(case, 0.01, chances, 0.03, is_whole=False).elsewhere == {0, 1, 2, 3}
