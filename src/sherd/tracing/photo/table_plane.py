"""From pixels of a tilted photograph to millimetres on the table: a homography, and what a lens bends."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.ndimage
import scipy.optimize
from numpy.typing import ArrayLike, NDArray

from sherd.core.grid import Grid

Floats = NDArray[np.float64]

# How often a bent ray is followed back.
ROUNDS = 12
# With fewer points than this, what the lens does cannot be told from how the camera is held.
LEAST_FOR_LENS = 6
MOST_BEND = 0.2


@dataclass(frozen=True, eq=False)
class Plane:
    """A map from picture coordinates (column, row) to the table's, x right and y up, in millimetres.

    matrix  (3, 3)  the homography, of coordinates from the middle of the picture in half diagonals
    bend            a ray at radius r comes from r (1 + bend r^2): above 0 is a barrel
    """

    matrix: Floats
    middle: tuple[float, float]
    radius: float
    bend: float = 0.0

    def to_table(self, pixels: ArrayLike) -> Floats:
        """Picture coordinates (..., 2) as points of the table."""
        at = (np.asarray(pixels, dtype=np.float64) - self.middle) / self.radius
        return _projected(self.matrix, at * (1.0 + self.bend * (at**2).sum(axis=-1, keepdims=True)))

    def to_picture(self, points: ArrayLike) -> Floats:
        """Points of the table (..., 2) as picture coordinates."""
        back = np.asarray(np.linalg.inv(self.matrix), dtype=np.float64)
        straight = _projected(back, np.asarray(points, dtype=np.float64))
        at = straight
        for _ in range(ROUNDS if self.bend else 0):
            at = straight / (1.0 + self.bend * (at**2).sum(axis=-1, keepdims=True))
        return at * self.radius + self.middle

    def mm_per_px(self, pixel: tuple[float, float]) -> float:
        """How large a pixel is at a place of the picture."""
        corners = self.to_table([pixel, (pixel[0] + 1.0, pixel[1]), (pixel[0], pixel[1] + 1.0)])
        (ax, ay), (bx, by) = corners[1] - corners[0], corners[2] - corners[0]
        return float(np.sqrt(abs(ax * by - ay * bx)))


def fit_plane(pixels: ArrayLike, points: ArrayLike, shape: tuple[int, int]) -> tuple[Plane, float]:
    """The plane through pairs of picture coordinates and points, and by how many mm it misses the worst.

    ``shape`` is the picture's height and width. Six pairs and more tell what the lens bends too.
    """
    seen, true = np.asarray(pixels, dtype=np.float64), np.asarray(points, dtype=np.float64)
    height, width = shape
    middle, radius = (width / 2.0, height / 2.0), float(np.hypot(height, width)) / 2.0
    at = (seen - middle) / radius
    plane = Plane(_homography(at, true), middle, radius)
    if len(seen) >= LEAST_FOR_LENS:

        def missed(bend: float) -> float:
            straight = at * (1.0 + bend * (at**2).sum(axis=-1, keepdims=True))
            return float(((_projected(_homography(straight, true), straight) - true) ** 2).sum())

        bounds = -MOST_BEND, MOST_BEND
        bend = float(np.asarray(scipy.optimize.fminbound(missed, *bounds, xtol=1e-6), dtype=np.float64))
        straight = at * (1.0 + bend * (at**2).sum(axis=-1, keepdims=True))
        plane = Plane(_homography(straight, true), middle, radius, bend)
    off = float(np.hypot(*(plane.to_table(seen) - true).T).max())
    return plane, off


def warped(
    picture: NDArray[np.uint8], plane: Plane, grid: Grid, origin: tuple[float, float] = (0.0, 0.0)
) -> NDArray[np.uint8]:
    """A square of the table, seen straight from above, of a picture whose first pixel is at ``origin``.

    Works for colours (H, W, 3) and for one channel (H, W).
    """
    row, column = np.indices((grid.size_px, grid.size_px))
    at = plane.to_picture(grid.to_world(np.stack([column, row], axis=-1) + 0.5)) - origin - 0.5
    where = (at[..., 1], at[..., 0])
    channels = picture[..., None] if picture.ndim == 2 else picture
    mode = "constant" if picture.ndim == 2 else "nearest"
    found = [
        np.asarray(scipy.ndimage.map_coordinates(channels[..., k], where, order=1, mode=mode), dtype=np.uint8)
        for k in range(channels.shape[2])
    ]
    return found[0] if picture.ndim == 2 else np.stack(found, axis=-1)


def _projected(matrix: Floats, points: Floats) -> Floats:
    ahead = np.concatenate([points, np.ones((*points.shape[:-1], 1))], axis=-1) @ matrix.T
    return ahead[..., :2] / ahead[..., 2:]


def _homography(pixels: Floats, points: Floats) -> Floats:
    """The matrix that takes pixels to points, by least squares on points of about one size."""
    middle, size = points.mean(axis=0), float(points.std()) or 1.0
    rows: list[list[float]] = []
    for (u, v), (x, y) in zip(pixels.tolist(), ((points - middle) / size).tolist(), strict=True):
        rows.append([u, v, 1.0, 0.0, 0.0, 0.0, -x * u, -x * v, -x])
        rows.append([0.0, 0.0, 0.0, u, v, 1.0, -y * u, -y * v, -y])
    scaled = np.linalg.svd(np.array(rows))[2][-1].reshape(3, 3)
    back = np.array([[size, 0.0, middle[0]], [0.0, size, middle[1]], [0.0, 0.0, 1.0]])
    return back @ scaled
