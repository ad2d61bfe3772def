"""Discs cut into rings and sectors."""

from __future__ import annotations

import math

import numpy as np
import pytest
from shapely import Polygon

from sherd.core.errors import InvalidPolygonError
from sherd.generation.sectors import SectorsParams, rings_for, sector_outlines
from sherd.generation.shapes import named_shape

DISC = named_shape("disc").outline


def test_a_pizza_meets_in_its_middle() -> None:
    rings = sector_outlines(DISC, SectorsParams(pieces=6), np.random.default_rng(0))
    middle = np.array([DISC.centroid.x, DISC.centroid.y])
    for ring in rings:
        assert np.hypot(*(ring - middle).T).min() < 1e-6
    assert sum(Polygon(ring).area for ring in rings) == pytest.approx(DISC.area)


def test_rings_are_cut_by_their_area_and_only_inner_ones_meet() -> None:
    params = SectorsParams(pieces=12, rings=2)
    rings = sector_outlines(DISC, params, np.random.default_rng(1))
    middle = np.array([DISC.centroid.x, DISC.centroid.y])
    inner = [ring for ring in rings if np.hypot(*(ring - middle).T).min() < 1e-6]
    assert len(rings) == 12
    assert 2 <= len(inner) < 6
    assert math.isclose(sum(Polygon(ring).area for ring in rings), DISC.area, rel_tol=1e-9)


def test_what_cannot_be_cut_so_is_refused() -> None:
    with pytest.raises(InvalidPolygonError, match="convex"):
        sector_outlines(named_shape("star").outline, SectorsParams(pieces=4), np.random.default_rng(0))
    with pytest.raises(ValueError, match="3 rings need at least 6 pieces, not 5"):
        SectorsParams(pieces=5, rings=3)
    with pytest.raises(ValueError, match="rings must be between 1 and 10"):
        SectorsParams(pieces=100, rings=11)
    assert rings_for(10_000) == 10
