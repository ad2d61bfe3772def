"""Grid: where the world's x and y meet rows and columns; and masks of polygons by exact area."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import ArrayLike, NDArray
from shapely import Polygon
from shapely.geometry.base import BaseGeometry


@dataclass(frozen=True)
class Grid:
    """``size_px`` x ``size_px`` square pixels; row 0 is the top one, as in pictures.

    Pixel coordinates are (column, row) and continuous: pixel k covers k to k + 1, its centre is k + 0.5.
    (``left``, ``top``) is the world position of pixel coordinate (0, 0), ``pixel`` the world size of a pixel.

    >>> grid = Grid(128, left=0.0, top=1.0, pixel=1 / 128)
    >>> grid.to_pixels([0.5, 1.0]).tolist(), grid.to_world([64.0, 0.0]).tolist()
    ([64.0, 0.0], [0.5, 1.0])
    """

    size_px: int
    left: float
    top: float
    pixel: float

    @classmethod
    def around(cls, geometry: BaseGeometry, size_px: int = 128, margin_px: float = 0.0) -> Grid:
        """The grid whose middle part, all but the margin, just holds the geometry, centred."""
        low_x, low_y, high_x, high_y = geometry.bounds
        side = max(high_x - low_x, high_y - low_y)
        pixel = side / (size_px - 2.0 * margin_px)
        return cls.centred(((low_x + high_x) / 2.0, (low_y + high_y) / 2.0), pixel, size_px)

    @classmethod
    def centred(cls, centre: tuple[float, float], pixel: float, size_px: int = 128) -> Grid:
        """The grid of this pixel size whose middle lies at a point of the world."""
        half = size_px * pixel / 2.0
        return cls(size_px, centre[0] - half, centre[1] + half, pixel)

    def to_pixels(self, points: ArrayLike) -> NDArray[np.float64]:
        """World points (..., 2) as (column, row)."""
        xy = np.asarray(points, dtype=np.float64)
        return np.stack([xy[..., 0] - self.left, self.top - xy[..., 1]], axis=-1) / self.pixel

    def to_world(self, pixels: ArrayLike) -> NDArray[np.float64]:
        """Pixel coordinates (..., 2), (column, row), as world points."""
        at = np.asarray(pixels, dtype=np.float64) * self.pixel
        return np.stack([self.left + at[..., 0], self.top - at[..., 1]], axis=-1)


def masks(polygons: Sequence[Polygon] | NDArray[np.object_], grid: Grid) -> NDArray[np.float32]:
    """The share of every pixel that each polygon covers, exactly, shape (B, size_px, size_px).

    Polygons may be non-convex and have holes; what lies outside the grid is cut off. The same areas as
    `sherd.learn.masks.polygon_masks`, without torch.

    >>> grid = Grid(2, left=0.0, top=2.0, pixel=1.0)
    >>> masks([Polygon([(0.5, 1), (2, 1), (2, 2), (0.5, 2)])], grid).tolist()
    [[[0.5, 1.0], [0.0, 0.0]]]
    """
    from sherd.scanline import draw  # numba takes a moment to load, and a Grid alone does not need it

    cover = np.zeros((len(polygons), grid.size_px, grid.size_px), dtype=np.float32)
    rings, owners = shapely.get_rings(polygons, return_index=True)
    if len(rings) == 0:
        return cover
    points, ring_of = shapely.get_coordinates(rings, return_index=True)
    starts = np.searchsorted(ring_of, np.arange(len(rings) + 1))
    shells = np.concatenate([[True], owners[1:] != owners[:-1]])
    draw(grid.to_pixels(points), starts, owners, shells, cover)
    return cover


def binary(cover: NDArray[np.floating]) -> NDArray[np.bool_]:
    """Masks as a black-and-white picture has them: pixels at least half covered.

    >>> binary(np.array([0.2, 0.5, 1.0])).tolist()
    [False, True, True]
    """
    return cover >= 0.5
