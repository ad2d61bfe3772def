"""Cuts that cross."""

from __future__ import annotations

import numpy as np
import pytest

from sherd.generation.crosscut import CrosscutParams, random_convex
from sherd.generation.fracture import fracture_outlines
from sherd.generation.shapes import named_shape


def test_crossing_cuts_of_c_lines_make_at_most_that_many_pieces() -> None:
    for seed in range(20):
        rng = np.random.default_rng(seed)
        pieces = len(fracture_outlines(random_convex(rng), CrosscutParams(cuts=4), rng))
        assert 5 <= pieces <= 11


@pytest.mark.parametrize("pieces", [2, 3, 8, 12])
def test_crossing_cuts_make_the_number_of_pieces_asked_for(pieces: int) -> None:
    square = named_shape("square").outline
    rng = np.random.default_rng(pieces)
    assert len(fracture_outlines(square, CrosscutParams(pieces=pieces), rng)) == pieces
