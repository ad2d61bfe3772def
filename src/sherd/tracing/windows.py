"""The components of a mask, each cut out in a window of its own, and what is known of how it was drawn."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.ndimage
from numpy.typing import NDArray

from sherd.core.errors import ArgumentError, InvalidPolygonError
from sherd.core.grid import Grid
from sherd.tracing.contours import INSIDE

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

# A mask is anti-aliased if at least this share of its contour passes through pixels between black and white.
LEAST_GREY = 0.05
GREY = (0.02, 0.98)
# Mean square error that is rounding alone: of float32 areas, and of areas stored in 8 bits.
EXACT_ERROR = 1e-9
BYTE_ERROR = (0.7 / 255.0) ** 2
MARGIN_PX = 3


@dataclass(frozen=True)
class MaskWindow:
    """A component cut out of the padded mask: its pixels, where they lie, and the error to be reached."""

    mask: Floats
    row: int
    column: int
    binary: bool
    rounding: float
    to_own: Floats  # how far each pixel lies from those that show anything of it

    def far_out(self, points: Floats) -> float:
        """How far the farthest of some points lies from the pixels that show anything of the component."""
        height, width = self.mask.shape
        column, row = np.clip(points.astype(np.int64), 0, (width - 1, height - 1)).T
        return float(self.to_own[row, column].max())


def components(mask: NDArray[np.generic], grid: Grid) -> tuple[Floats, Ints]:
    """The mask's values with a margin around them, and the number of each pixel's component, 0 for none."""
    values = np.asarray(mask, dtype=np.float64)
    if values.shape != (grid.size_px, grid.size_px):
        raise ArgumentError(f"the mask has shape {values.shape}, the grid {grid.size_px} px a side")
    if not (np.isfinite(values).all() and values.min() >= 0.0 and values.max() <= 1.0):
        raise ArgumentError("the mask has values that are not between 0 and 1")
    if not values.any():
        raise InvalidPolygonError("the mask is empty")
    values = np.pad(values, MARGIN_PX)
    if _is_binary(values):
        values = np.where(values >= INSIDE, 1.0, 0.0)
    labels = np.zeros(values.shape, dtype=np.int64)
    scipy.ndimage.label(values > 0.0, np.ones((3, 3)), output=labels)
    return values, labels


def _is_binary(values: Floats) -> bool:
    grey = np.count_nonzero((values > GREY[0]) & (values < GREY[1]))
    return grey <= LEAST_GREY * np.sqrt(np.count_nonzero(values >= INSIDE))


def window_of(values: Floats, own: NDArray[np.bool_]) -> MaskWindow:
    """Some of the padded mask's pixels cut out, with a margin."""
    rows, columns = np.flatnonzero(own.any(axis=1)), np.flatnonzero(own.any(axis=0))
    top, bottom = int(rows[0]) - MARGIN_PX, int(rows[-1]) + MARGIN_PX + 1
    left, right = int(columns[0]) - MARGIN_PX, int(columns[-1]) + MARGIN_PX + 1
    cut = np.where(own, values, 0.0)[top:bottom, left:right]
    binary = _is_binary(values)
    in_bytes = np.abs(cut * 255.0 - np.round(cut * 255.0)).max() < 1e-3
    rounding = 2.0 * sum(cut.shape) * (BYTE_ERROR if in_bytes else EXACT_ERROR)
    to_own = np.asarray(scipy.ndimage.distance_transform_edt(cut == 0.0), dtype=np.float64)
    return MaskWindow(np.ascontiguousarray(cut), top, left, binary, 0.0 if binary else rounding, to_own)
