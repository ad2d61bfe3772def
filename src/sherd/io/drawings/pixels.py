"""What a piece in a picture looks like: its own pixels, cut out of the picture without copying them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import shapely
from numpy.typing import NDArray

from sherd.core.grid import Grid
from sherd.core.texture import Texture
from sherd.io.drawings.model import Figure
from sherd.tracing.parts import PicturePart
from sherd.tracing.photo.background import reduced
from sherd.tracing.photo.table_plane import Plane, warped

Bytes = NDArray[np.uint8]

LONGEST_SCAN_PX = 1400
LEAST_COVER = 0.1
SPARE_PX = 3
# Of a part whose square is more than this many times as large as it is, and longer than so many pixels, the
# pixels are made fewer.
LONGEST_SHAPE = 8
LONG_PX = 1000
# Pixels from corner to corner of an outline where a lens bends lines.
BENT_PX = 25.0


def texture_of(part: PicturePart, picture: Bytes) -> Texture:
    """The square of a picture (H, W, 3) around a part, in pixels with y up from its lower left corner.

    ``alpha`` is how much of each pixel the part covers: at its rim colours are mixed with the background's.
    The square is a view of the picture, unless it is larger than that one.
    """
    height, width = picture.shape[:2]
    side = max(part.cover.shape)
    if side**2 > LONGEST_SHAPE * part.cover.size and side > LONG_PX:
        return _texture_of_long(part, picture)
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


def _texture_of_long(part: PicturePart, picture: Bytes) -> Texture:
    """The same for a part whose square is many times as large as it is: with fewer pixels."""
    rows, columns = part.cover.shape
    side = max(rows, columns)
    factor = math.ceil(side / max(LONG_PX, math.sqrt(LONGEST_SHAPE * part.cover.size)))
    own = picture[part.row : part.row + rows, part.column : part.column + columns]
    small = reduced(own, factor).round().astype(np.uint8)
    cover = np.where(part.cover >= LEAST_COVER, part.cover, 0.0)[::factor, ::factor]
    side_px = max(small.shape[:2])
    image = np.full((side_px, side_px, 3), 255, dtype=np.uint8)
    alpha = np.zeros((side_px, side_px), dtype=np.uint8)
    image[: small.shape[0], : small.shape[1]] = small
    alpha[: cover.shape[0], : cover.shape[1]] = np.round(255.0 * cover)
    grid = Grid(side_px, float(part.column), float(picture.shape[0] - part.row), float(factor))
    return Texture(image, grid, alpha)


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


def squared(figure: Figure, plane: Plane, height_px: int) -> Figure:
    """A figure of a tilted picture as it lies on the table, in mm, with its pixels as seen from above."""

    def to_table(xy: NDArray[np.float64]) -> NDArray[np.float64]:
        return plane.to_table(np.stack([xy[:, 0], height_px - xy[:, 1]], axis=-1))

    fine = figure.polygon.segmentize(BENT_PX) if plane.bend else figure.polygon
    polygon = shapely.transform(fine, to_table)
    texture = figure.texture
    if texture is not None:
        middle = figure.polygon.centroid
        grid = _grid_around(polygon.bounds, plane.mm_per_px((middle.x, height_px - middle.y)))
        origin = texture.grid.left, height_px - texture.grid.top
        alpha = None if texture.alpha is None else warped(texture.alpha, plane, grid, origin)
        texture = Texture(warped(texture.image, plane, grid, origin), grid, alpha)
    return replace(figure, polygon=polygon, texture=texture)


def squared_scan(picture: Bytes, plane: Plane, bounds: Sequence[float]) -> Texture:
    """The part of a tilted picture that holds a box of the table and a margin, as seen from above."""
    low_x, low_y, high_x, high_y = bounds
    margin = 0.05 * max(high_x - low_x, high_y - low_y)
    wide = low_x - margin, low_y - margin, high_x + margin, high_y + margin
    side = max(wide[2] - wide[0], wide[3] - wide[1])
    grid = _grid_around(wide, side / LONGEST_SCAN_PX)
    alpha = np.zeros((grid.size_px, grid.size_px), dtype=np.uint8)
    (left, top), (right, bottom) = (
        grid.to_pixels([(wide[0], wide[3]), (wide[2], wide[1])]).round().astype(int).tolist()
    )
    alpha[max(0, top) : bottom, max(0, left) : right] = 255
    return Texture(warped(picture, plane, grid), grid, alpha)


def _grid_around(bounds: Sequence[float], pixel: float) -> Grid:
    """The square grid around a box, with a few pixels to spare."""
    low_x, low_y, high_x, high_y = bounds
    size_px = math.ceil(max(high_x - low_x, high_y - low_y) / pixel) + 2 * SPARE_PX
    return Grid.centred(((low_x + high_x) / 2.0, (low_y + high_y) / 2.0), pixel, size_px)
