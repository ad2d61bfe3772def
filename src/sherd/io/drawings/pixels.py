"""What a piece in a picture looks like: its own pixels, cut out of the picture without copying them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sherd.core.grid import Grid
from sherd.core.texture import Texture
from sherd.tracing.parts import PicturePart

Bytes = NDArray[np.uint8]


def texture_of(part: PicturePart, picture: Bytes) -> Texture:
    """The square of a picture (H, W, 3) around a part, in pixels with y up from its lower left corner.

    ``alpha`` is how much of each pixel the part covers: at its rim colours are mixed with the background's.
    The square is a view of the picture, unless it is larger than that one.
    """
    height, width = picture.shape[:2]
    side = max(part.cover.shape)
    if side > min(height, width):
        picture = np.pad(
            picture, ((0, max(0, side - height)), (0, max(0, side - width)), (0, 0)), mode="edge"
        )
    row = min(part.row, picture.shape[0] - side)
    column = min(part.column, picture.shape[1] - side)
    alpha = np.zeros((side, side), dtype=np.uint8)
    inside = alpha[part.row - row :, part.column - column :]
    inside[: part.cover.shape[0], : part.cover.shape[1]] = np.round(255.0 * part.cover)
    grid = Grid(side, float(column), float(height - row), 1.0)
    return Texture(picture[row : row + side, column : column + side], grid, alpha)
