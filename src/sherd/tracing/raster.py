"""Masks of polygons by exact area."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import shapely
from numpy.typing import NDArray

from sherd.core.geometry import Region
from sherd.core.grid import Grid


def masks(polygons: Sequence[Region] | NDArray[np.object_], grid: Grid) -> NDArray[np.float32]:
    """The share of every pixel that each polygon covers, exactly, shape (B, size_px, size_px).

    Polygons may be non-convex and have holes; what lies outside the grid is cut off. The same areas as
    `sherd.learn.data.masks.polygon_masks`, without torch.

    >>> grid = Grid(2, left=0.0, top=2.0, pixel=1.0)
    >>> masks([shapely.Polygon([(0.5, 1), (2, 1), (2, 2), (0.5, 2)])], grid).tolist()
    [[[0.5, 1.0], [0.0, 0.0]]]
    """
    from sherd.tracing.scanline import draw  # numba takes a moment to load, and a Grid alone does not need it

    cover = np.zeros((len(polygons), grid.size_px, grid.size_px), dtype=np.float32)
    parts, part_of = shapely.get_parts(polygons, return_index=True)
    rings, parts_of_rings = shapely.get_rings(parts, return_index=True)
    if len(rings) == 0:
        return cover
    points, ring_of = shapely.get_coordinates(rings, return_index=True)
    starts = np.searchsorted(ring_of, np.arange(len(rings) + 1))
    shells = np.concatenate([[True], parts_of_rings[1:] != parts_of_rings[:-1]])
    draw(grid.to_pixels(points), starts, part_of[parts_of_rings], shells, cover)
    return cover


def binary(cover: NDArray[np.floating]) -> NDArray[np.bool_]:
    """Masks as a black-and-white picture has them: pixels at least half covered.

    >>> binary(np.array([0.2, 0.5, 1.0])).tolist()
    [False, True, True]
    """
    return cover >= 0.5
