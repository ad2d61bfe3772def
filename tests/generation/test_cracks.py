"""Cracks: where they meet."""

from __future__ import annotations

import numpy as np

from sherd.generation.cracks import CracksParams
from sherd.generation.fracture import fracture_outlines
from sherd.generation.shapes import named_shape

EXACT = 1e-9


SQUARE, DISC = named_shape("square").outline, named_shape("disc").outline


def test_cracks_meet_three_at_a_time_and_later_ones_end_on_others() -> None:
    def corners_within(later: float) -> list[int]:
        """How many pieces have each corner inside the target."""
        fracture = CracksParams(pieces=16, later=later)
        rings = fracture_outlines(SQUARE, fracture, np.random.default_rng(2))
        points, times = np.unique(np.concatenate(rings).round(9), axis=0, return_counts=True)
        return times[((points > EXACT) & (points < 1.0 - EXACT)).all(axis=1)].tolist()

    assert set(corners_within(0.0)) == {3}
    assert 2 in corners_within(0.5)  # the third piece has no corner there
