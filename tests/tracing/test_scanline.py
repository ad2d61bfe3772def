"""Exact areas of polygons in pixels."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from shapely import Polygon

from sherd.core.arrays import Floats
from sherd.tracing.scanline import add_areas, draw, signed_area


def overlay(polygon: Polygon, height: int, width: int) -> Floats:
    pixels = [[shapely.box(x, y, x + 1, y + 1) for x in range(width)] for y in range(height)]
    return np.array(shapely.area(shapely.intersection(pixels, polygon)))


@pytest.mark.parametrize("seed", range(8))
def test_areas_are_those_of_an_overlay_also_beyond_the_edge(seed: int) -> None:
    corners = np.random.default_rng(seed).uniform(-3.0, 9.0, (3, 2))
    cover = np.zeros((6, 5))
    add_areas(corners, np.array([0, 3]), 0, 0, cover)
    np.testing.assert_allclose(np.abs(cover), overlay(Polygon(corners), 6, 5), atol=1e-9)
    assert (cover >= -1e-9).all() or (cover <= 1e-9).all()


def test_a_window_is_told_by_its_corner() -> None:
    corners = np.array([[2.0, 3.0], [4.5, 3.0], [4.5, 4.0], [2.0, 4.0]])
    cover = np.zeros((2, 2))
    add_areas(corners, np.array([0, 4]), 3, 3, cover)
    np.testing.assert_allclose(np.abs(cover), [[1.0, 1.0], [0.0, 0.0]] * np.array([[1.0, 0.5]]))


def test_the_sign_tells_the_direction() -> None:
    ring = np.array([[0.0, 0.0], [2.0, 0.0], [2.0, 3.0]])
    assert signed_area(ring) == 3.0
    assert signed_area(ring[::-1].copy()) == -3.0


@pytest.mark.parametrize("turned", [False, True])
def test_holes_take_away_however_they_run(turned: bool) -> None:
    outer = np.array([[0.0, 0.0], [4.0, 0.0], [4.0, 4.0], [0.0, 4.0]])
    inner = outer / 4.0 + 1.5
    rings = [outer[::-1], inner] if turned else [outer, inner]
    masks = np.zeros((1, 4, 4), dtype=np.float32)
    starts, owners, shells = np.array([0, 4, 8]), np.array([0, 0]), np.array([True, False])
    draw(np.concatenate(rings), starts, owners, shells, masks)
    assert masks.sum() == pytest.approx(15.0)
    assert masks[0, 1, 1] == pytest.approx(0.75)
