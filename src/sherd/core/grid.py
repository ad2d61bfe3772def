"""Grid: where the world's x and y meet rows and columns."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
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
