from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest
import shapely
import torch
from hypothesis import given
from hypothesis import strategies as st
from shapely import Polygon

from sherd.core.grid import Grid
from sherd.learn.data.masks import polygon_masks
from sherd.tracing.raster import binary, masks

GRID = Grid(12, left=-1.0, top=5.0, pixel=0.5)


def star(seed: int, corners: int) -> Polygon:
    """A simple, mostly non-convex polygon that may reach over the border of `GRID`."""
    rng = np.random.default_rng(seed)
    angle = (np.arange(corners) + rng.uniform(0.0, 0.9, corners)) / corners * 2 * np.pi
    reach = rng.uniform(0.6, 4.2, corners)
    ring = np.stack([2.0 + reach * np.cos(angle), 2.0 + reach * np.sin(angle)], axis=-1)
    return Polygon(ring if seed % 2 else ring[::-1])


def areas(polygon: Polygon) -> np.ndarray:
    columns, rows = np.meshgrid(np.arange(GRID.size_px), np.arange(GRID.size_px))
    low = GRID.to_world(np.stack([columns, rows + 1], axis=-1))
    high = GRID.to_world(np.stack([columns + 1, rows], axis=-1))
    pixels = shapely.box(low[..., 0], low[..., 1], high[..., 0], high[..., 1])
    return shapely.area(shapely.intersection(pixels, polygon)) / GRID.pixel**2


@given(st.integers(0, 2**32), st.integers(3, 9))
def test_mask_is_the_exact_area(seed: int, corners: int) -> None:
    polygon = star(seed, corners)
    np.testing.assert_allclose(masks([polygon], GRID)[0], areas(polygon), atol=1e-6)


@given(st.integers(0, 2**32))
def test_holes_are_left_out(seed: int) -> None:
    outer, inner = star(seed, 8), shapely.box(1.63, 1.71, 2.22, 2.4)
    polygon = shapely.difference(outer, inner)
    polygons = [part for part in shapely.get_parts(polygon) if isinstance(part, Polygon)]
    np.testing.assert_allclose(masks(polygons, GRID).sum(axis=0), areas(polygon), atol=1e-6)


@given(st.lists(st.integers(0, 2**32), min_size=1, max_size=4))
def test_both_paths_agree(seeds: list[int]) -> None:
    polygons = [star(seed, 7) for seed in seeds]
    rings = np.stack([shapely.get_coordinates(polygon)[:-1] for polygon in polygons])
    learned = polygon_masks(torch.tensor(GRID.to_pixels(rings), dtype=torch.float32), GRID.size_px)
    np.testing.assert_allclose(masks(polygons, GRID), learned.numpy(), atol=1e-5)


def test_pixel_aligned_box_and_order_of_rows() -> None:
    cover = masks(np.array([shapely.box(-1.0, 4.0, 0.0, 5.0)]), GRID)[0]
    expected = np.zeros((12, 12), dtype=np.float32)
    expected[:2, :2] = 1.0  # the top left of the picture
    np.testing.assert_array_equal(cover, expected)


def test_nothing_to_draw() -> None:
    assert masks([], GRID).shape == (0, 12, 12)
    assert not masks([Polygon(), shapely.box(50, 50, 51, 51)], GRID).any()


def test_an_empty_polygon_among_others() -> None:
    box = shapely.box(0, 0, 1, 1)
    cover = masks([Polygon(), box], GRID)
    assert not cover[0].any()
    np.testing.assert_array_equal(cover[1], masks([box], GRID)[0])


def test_binary_keeps_what_is_half_covered() -> None:
    cover = masks([shapely.box(-1.0, 3.0, 0.25, 5.0)], GRID)[0]
    assert binary(cover)[0].tolist() == [True] * 3 + [False] * 9


def test_grid_round_trip_and_placing() -> None:
    points = np.random.default_rng(3).normal(size=(5, 2))
    np.testing.assert_allclose(GRID.to_world(GRID.to_pixels(points)), points, atol=1e-12)
    around = Grid.around(shapely.box(0, 0, 2, 1), size_px=20, margin_px=2.0)
    assert around.pixel == pytest.approx(2 / 16)
    assert around.to_world([10.0, 10.0]).tolist() == pytest.approx([1.0, 0.5])


def test_compiles_where_nothing_can_be_kept() -> None:
    code = (
        "import numba.core.caching as c\n"
        "c.CacheImpl._locator_classes = []\n"
        "from sherd.core.compiled import compiled\n"
        "print(compiled(lambda x: x + 1)(1))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=os.environ, check=True
    )
    assert done.stdout == "2\n"
