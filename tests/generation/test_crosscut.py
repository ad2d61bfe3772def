"""Cuts that cross."""

from __future__ import annotations

import numpy as np

from sherd.generation.crosscut import CrosscutParams, random_convex
from sherd.generation.fracture import fracture_outlines


def test_crossing_cuts_of_c_lines_make_at_most_that_many_pieces() -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        pieces = len(fracture_outlines(random_convex(rng), CrosscutParams(cuts=4), rng))
        assert 5 <= pieces <= 11
