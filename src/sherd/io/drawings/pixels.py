"""What a piece in a picture looks like: its own pixels, cut out of the picture without copying them."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from sherd.core.grid import Grid
from sherd.core.texture import Texture
from sherd.tracing.parts import PicturePart
from sherd.tracing.photo.background import reduced

Bytes = NDArray[np.uint8]

LONGEST_SCAN_PX = 1400
LEAST_COVER = 0.1


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
    cover = np.where(part.cover >= LEAST_COVER, part.cover, 0.0)  # less is noise of the rim
    inside[: part.cover.shape[0], : part.cover.shape[1]] = np.round(255.0 * cover)
    grid = Grid(side, float(column), float(height - row), 1.0)
    return Texture(picture[row : row + side, column : column + side], grid, alpha)


def scan_of(picture: Bytes) -> Texture:
    """A whole picture (H, W, 3) in the same frame, made smaller to be looked at; alpha is where it is."""
    height, width = picture.shape[:2]
    factor = math.ceil(max(height, width) / LONGEST_SCAN_PX)
    small = np.asarray(reduced(picture, factor).round(), dtype=np.uint8)
    side = max(small.shape[:2])
    image = np.full((side, side, 3), 255, dtype=np.uint8)
    alpha = np.zeros((side, side), dtype=np.uint8)
    image[: small.shape[0], : small.shape[1]] = small
    alpha[: small.shape[0], : small.shape[1]] = 255
    return Texture(image, Grid(side, 0.0, float(height), float(factor)), alpha)
