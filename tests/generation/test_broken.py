"""Broken targets: neighbours share the vertices of lines that are as rough as asked."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from shapely import Polygon

from sherd.core.errors import InvalidPolygonError
from sherd.generation.broken import BrokenParams, broken_outlines
from sherd.generation.shapes import named_shape

SQUARE = named_shape("square").outline


@pytest.mark.parametrize("seed", range(10))
def test_neighbours_share_their_vertices(seed: int) -> None:
    rings = broken_outlines(SQUARE, BrokenParams(pieces=16), np.random.default_rng(seed))
    points, times = np.unique(np.concatenate(rings), axis=0, return_counts=True)
    inside = shapely.distance(shapely.points(points), SQUARE.exterior) > 1e-9
    assert (times[inside] >= 2).all()


def test_straight_cuts_have_no_points_between_their_ends() -> None:
    rings = broken_outlines(SQUARE, BrokenParams(straight=1.0), np.random.default_rng(0))
    assert max(map(len, rings)) < 12
    some = broken_outlines(SQUARE, BrokenParams(pieces=16, straight=0.5), np.random.default_rng(0))
    assert min(map(len, some)) < 60 < max(map(len, some))


def test_holes_and_values_out_of_range_are_refused() -> None:
    ring = Polygon(SQUARE.exterior.coords, [shapely.box(0.4, 0.4, 0.6, 0.6).exterior.coords])
    with pytest.raises(InvalidPolygonError, match="without holes"):
        broken_outlines(ring, BrokenParams(), np.random.default_rng(0))
    with pytest.raises(ValueError, match=r"roughness must be between 0 and 0\.2, not 0\.5"):
        BrokenParams(roughness=0.5)
    with pytest.raises(ValueError, match="straight must be between 0 and 1, not 2"):
        BrokenParams(straight=2.0)
    with pytest.raises(ValueError, match="between 1 and 1,000, not 0"):
        BrokenParams(pieces=0)
