"""Broken targets: neighbours share the vertices of lines that are as rough as asked."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from shapely import Polygon

from sherd.core.errors import InvalidPolygonError
from sherd.generation.broken import BrokenParams, broken_outlines
from sherd.generation.fractal import fractal_line
from sherd.generation.shapes import named_shape

SQUARE = named_shape("square").outline
START, END = np.zeros(2), np.array([1.0, 0.0])


@pytest.mark.parametrize("seed", range(10))
def test_neighbours_share_their_vertices(seed: int) -> None:
    rings = broken_outlines(SQUARE, BrokenParams(pieces=16), np.random.default_rng(seed))
    points, times = np.unique(np.concatenate(rings), axis=0, return_counts=True)
    inside = shapely.distance(shapely.points(points), SQUARE.exterior) > 1e-9
    assert (times[inside] >= 2).all()


def test_rough_lines_are_longer_than_smooth_ones() -> None:
    def length(roughness: float) -> float:
        line = fractal_line(START, END, roughness, 0.01, np.random.default_rng(3))
        return float(np.hypot(*np.diff(line, axis=0).T).sum())

    assert length(0.1) > 1.05 * length(0.03)
    assert length(0.03) > length(0.0) == 1.0


def test_a_line_is_halved_until_its_stretches_are_short() -> None:
    line = fractal_line(START, END, 0.1, 0.01, np.random.default_rng(0))
    assert len(line) == 2**7 + 1
    assert (line[[0, -1]] == [START, END]).all()
    assert np.hypot(*np.diff(line, axis=0).T).max() < 0.02


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
