"""Texture: a picture that a target or a fragment carries, and how its pixels lie in the world."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from sherd.core.errors import ArgumentError
from sherd.core.grid import Grid

Pixels = NDArray[np.uint8]
Floats = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Texture:
    """A square picture and the grid that lays it into its owner's frame.

    The owner is a puzzle, whose frame is the target's, or a fragment, with a frame of its own.

    image  (S, S, 3)  red, green and blue
    alpha  (S, S)     255 where the owner is painted and 0 elsewhere; None where it is painted all over
    """

    image: Pixels
    grid: Grid
    alpha: Pixels | None = None

    def __post_init__(self) -> None:
        square = (self.grid.size_px, self.grid.size_px)
        if self.image.shape != (*square, 3) or self.image.dtype != np.uint8:
            raise ArgumentError(f"the image must be uint8 of shape {(*square, 3)}, not {self.image.shape}")
        if self.alpha is not None and (self.alpha.shape != square or self.alpha.dtype != np.uint8):
            raise ArgumentError(f"alpha must be uint8 of shape {square}, not {self.alpha.shape}")

    def moved(self, x: float, y: float) -> Texture:
        """The same pixels, shifted with their owner; they are not copied."""
        grid = replace(self.grid, left=self.grid.left + x, top=self.grid.top + y)
        return replace(self, grid=grid)

    def scaled(self, factor: float) -> Texture:
        """The same pixels in a frame all of whose lengths are times ``factor``."""
        grid = self.grid
        return replace(
            self, grid=Grid(grid.size_px, grid.left * factor, grid.top * factor, grid.pixel * factor)
        )

    def sample(self, points: ArrayLike) -> Floats:
        """Colours (..., 3), 0 to 255, at points (..., 2) of the owner's frame, between pixels bilinear.

        >>> black_to_white = np.repeat(np.uint8([[[0], [100]], [[0], [100]]]), 3, axis=2)
        >>> Texture(black_to_white, Grid(2, left=0.0, top=2.0, pixel=1.0)).sample([1.0, 1.0]).tolist()
        [50.0, 50.0, 50.0]
        """
        last = self.grid.size_px - 1
        at = np.clip(self.grid.to_pixels(points) - 0.5, 0.0, last)  # in steps from pixel centre to centre
        low = np.minimum(at.astype(np.int64), max(last - 1, 0))
        (column, row), (right, down) = np.moveaxis(low, -1, 0), np.moveaxis(at - low, -1, 0)[..., None]
        next_column, next_row = np.minimum(column + 1, last), np.minimum(row + 1, last)
        above = self.image[row, column] * (1.0 - right) + self.image[row, next_column] * right
        below = self.image[next_row, column] * (1.0 - right) + self.image[next_row, next_column] * right
        return above * (1.0 - down) + below * down
