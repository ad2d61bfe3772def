"""Corners of pieces that lie as they were cut are on the outlines beside them."""

from __future__ import annotations

import numpy as np
import pytest

from sherd.core.arrays import Floats
from sherd.core.geometry import Pose
from sherd.solvers.search.beliefs.corner_misfit import corner_misfit

SQUARE = [np.array([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)])]
# Two halves with a slanted cut, the second of which is cut again, and where they lie.
RINGS = [
    np.array([(0.0, 0.0), (0.52, 0.0), (0.48, 1.0), (0.0, 1.0)]),
    np.array([(0.52, 0.0), (1.0, 0.0), (1.0, 0.3), (0.508, 0.3)]),
    np.array([(0.508, 0.3), (1.0, 0.3), (1.0, 1.0), (0.48, 1.0)]),
]
TRUE = {0: Pose(), 1: Pose(), 2: Pose()}
# The right half turned as a whole within its outline.
TURNED = {**TRUE, **dict.fromkeys((1, 2), Pose(1.5, 1.0, np.pi))}


def noisy(off: float, seed: int) -> list[Floats]:
    rng = np.random.default_rng(seed)
    return [ring + rng.uniform(-off, off, ring.shape) for ring in RINGS]


@pytest.mark.parametrize("turns", [True, False])
def test_pieces_in_their_places_move_back_there_and_have_no_misfit(turns: bool) -> None:
    shifted = {0: Pose(0.004, -0.002), 1: Pose(-0.003, 0.001), 2: Pose(0.001, 0.003)}
    found = corner_misfit(RINGS, shifted, SQUARE, turns=turns)
    assert found.squares < 1e-10
    corners = sum(map(len, (*RINGS, *SQUARE)))
    assert found.freedom == corners - (9 if turns else 6)


def test_a_part_that_is_turned_within_its_outline_leaves_its_misfit() -> None:
    assert corner_misfit(RINGS, TURNED, SQUARE, turns=True).squares > 1e-4
    for seed in range(20):
        rings = noisy(0.01, seed)
        true, turned = (corner_misfit(rings, poses, SQUARE, turns=True) for poses in (TRUE, TURNED))
        assert true.squares < turned.squares
        # What is seen of the noise is about what it is: a third of a square, twice, at each corner.
        assert 0.1 < true.squares / true.freedom / (0.01**2 / 3.0) < 10.0


def test_a_piece_in_another_s_place_is_never_at_rest() -> None:
    exchanged = {**TRUE, 1: Pose(0.0, 0.35), 2: Pose(0.0, -0.3)}
    assert corner_misfit(RINGS, exchanged, SQUARE, turns=True).squares > 1e-3
