"""Moves of annealing: where they may lead."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sherd.core.geometry import TAU
from sherd.solvers.baselines.annealing_moves import DRAWS, Freedom, random_state


@pytest.mark.parametrize("bins", [0, 1, 4])
@pytest.mark.parametrize("mirror", [False, True])
def test_a_random_state_is_within_bounds_and_at_an_allowed_angle(bins: int, mirror: bool) -> None:
    rng, freedom = np.random.default_rng(0), Freedom(0.5, 0.25, bins, mirror)
    states = np.zeros((200, 4))
    for state in states:
        random_state(freedom, rng.random(DRAWS), state)
    assert np.abs(states[:, 0]).max() <= 0.5
    assert np.abs(states[:, 1]).max() <= 0.25
    assert np.abs(states[:, :2]).max(axis=0) == pytest.approx([0.5, 0.25], rel=0.1)
    if bins:
        turns = states[:, 2] / TAU * bins
        assert np.allclose(turns, np.round(turns))
        assert len(np.unique(np.round(turns))) == bins
    else:
        assert 0.0 <= states[:, 2].min() < 0.3
        assert TAU - 0.3 < states[:, 2].max() < TAU
    assert set(states[:, 3].tolist()) == ({0.0, 1.0} if mirror else {0.0})
    assert math.isfinite(float(states.sum()))
