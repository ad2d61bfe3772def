"""Outlines traced from scans."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
import shapely.affinity

from sherd.core.errors import InvalidPolygonError
from sherd.generation.scanned import scanned

PIXEL = 1.0 / 300


BAR = shapely.box(0.0, 0.0, 0.5, 0.25)


@pytest.mark.parametrize(("binary", "near"), [(True, 0.6), (False, 0.25)])
def test_a_scan_is_exact_to_part_of_a_pixel_along_straight_edges(binary: bool, near: float) -> None:
    turned = shapely.affinity.rotate(BAR, 17.0)
    found = scanned(turned, PIXEL, np.random.default_rng(0), binary=binary)
    away = shapely.distance(shapely.points(found.exterior.coords), turned.exterior)
    assert np.median(away) < near / 3 * PIXEL
    assert away.max() < 2 * near * PIXEL
    with pytest.raises(InvalidPolygonError, match="too small to be seen"):
        scanned(shapely.box(0, 0, 0.005, 0.005), PIXEL, np.random.default_rng(0), binary=binary)
