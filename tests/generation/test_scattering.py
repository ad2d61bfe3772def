"""Pieces turned, flipped and shuffled, with an answer that puts them back."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

from sherd.core.geometry import FIXED, Rotations
from sherd.generation.scattering import FREE, scattered

TARGET = shapely.box(0, 0, 3, 1)
OUTLINES = [np.array([[x, 0.0], [x + 1.0, 0.0], [x + 1.0, 1.0], [x, 1.0]]) for x in (0.0, 1.0, 2.0)]


@pytest.mark.parametrize("rotations", [FIXED, Rotations(4), FREE])
@pytest.mark.parametrize("mirror", [False, True])
def test_the_truth_puts_every_piece_back(rotations: Rotations, mirror: bool) -> None:
    for seed in range(5):
        rng = np.random.default_rng(seed)
        sample = scattered(TARGET, OUTLINES, rng, rotations=rotations, mirror=mirror)
        placed = shapely.union_all(sample.puzzle.placed(sample.truth))
        assert placed.symmetric_difference(TARGET).area < 1e-9
        for fragment in sample.puzzle.fragments:
            assert fragment.polygon.exterior.is_ccw
            assert abs(fragment.polygon.centroid.x) + abs(fragment.polygon.centroid.y) < 1e-9
        assert all(rotations.allows(one.pose.theta, 1e-9) for one in sample.truth)
        assert mirror or not any(one.pose.mirrored for one in sample.truth)


def test_pieces_are_in_any_order_and_the_truth_from_bottom_to_top() -> None:
    orders = set()
    for seed in range(20):
        sample = scattered(TARGET, OUTLINES, np.random.default_rng(seed), rotations=FIXED)
        assert [one.pose.x for one in sample.truth] == [0.5, 1.5, 2.5]
        orders.add(tuple(one.id for one in sample.truth))
    assert len(orders) == 6
