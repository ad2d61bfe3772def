"""Voronoi cells, with straight borders."""

from __future__ import annotations

import numpy as np
import pytest
from shapely import Polygon

from sherd.core.geometry import is_convex
from sherd.generation.cracks import CracksParams
from sherd.generation.crosscut import CrosscutParams
from sherd.generation.fracture import fracture_outlines
from sherd.generation.shapes import named_shape
from sherd.generation.voronoi import VoronoiParams

SQUARE, DISC = named_shape("square").outline, named_shape("disc").outline


@pytest.mark.parametrize("seed", range(5))
def test_cracks_without_roughness_and_voronoi_cells_are_convex(seed: int) -> None:
    for fracture in (CracksParams(pieces=12), VoronoiParams(pieces=12), CrosscutParams(cuts=4)):
        rings = fracture_outlines(SQUARE, fracture, np.random.default_rng(seed))
        assert all(is_convex(Polygon(ring)) for ring in rings)
