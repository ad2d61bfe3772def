"""Outlines of very many corners are thinned, others are left as they are."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

from sherd.core.errors import InvalidPuzzleError
from sherd.core.thinning import (
    COARSEST_SHARE,
    MOST_CORNERS,
    MOST_IN_ALL,
    MOST_LEFT,
    MOST_LEFT_IN_ALL,
    refuse_tangles,
    thinned,
)


def wobbly(corners: int, seed: int) -> shapely.Polygon:
    rng = np.random.default_rng(seed)
    angles = np.linspace(0.0, 2.0 * np.pi, corners, endpoint=False)
    radii = 1.0 + 0.0002 * rng.standard_normal(corners)
    return shapely.Polygon(np.stack([radii * np.cos(angles), radii * np.sin(angles)], axis=1))


def test_few_corners_stay() -> None:
    outlines = [wobbly(900, seed) for seed in range(10)]
    found, off = thinned(outlines, 2.0)
    assert off == 0.0
    assert all(one is other for one, other in zip(found, outlines, strict=True))


def test_many_corners_are_thinned_by_no_more_than_is_said() -> None:
    for outlines in ([wobbly(20_000, 0)] * 4, [wobbly(900, seed) for seed in range(40)]):
        found, off = thinned(outlines, 2.0)
        assert 0.0 < off <= COARSEST_SHARE * 2.0
        assert shapely.get_num_coordinates(found).max() <= MOST_CORNERS
        assert shapely.get_num_coordinates(found).sum() <= MOST_IN_ALL
        assert shapely.hausdorff_distance(found, outlines).max() <= 2.0 * off
        assert shapely.is_valid(found).all()


def test_what_cannot_be_thinned_is_refused() -> None:
    refuse_tangles([wobbly(MOST_LEFT - 1, 0)])
    with pytest.raises(InvalidPuzzleError, match="an outline of 4,001 corners, and no more than 3,000"):
        refuse_tangles([wobbly(4000, 0)])
    with pytest.raises(InvalidPuzzleError, match=r"outlines of .* corners, and no more than 40,000"):
        refuse_tangles([wobbly(2000, 0)] * (MOST_LEFT_IN_ALL // 2000))
