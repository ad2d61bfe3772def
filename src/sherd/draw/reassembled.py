"""The photograph put together again: each piece's own pixels, laid where the piece lies."""

from __future__ import annotations

import io
import math
from collections.abc import Sequence

import numpy as np
import shapely
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from sherd.core.errors import ArgumentError
from sherd.core.geometry import Pose
from sherd.core.grid import Grid
from sherd.core.texture import Texture
from sherd.draw.labels import font
from sherd.tracing.photo.filters import eroded, nearest_in

# A larger picture is made with larger pixels.
MOST_PIXELS = 60_000_000
# Pixels this near to a piece's rim are mixed with the background of the photograph.
RIM_PX = 2


def reassembled(placed: Sequence[tuple[Texture, Pose]], *, most_pixels: int = MOST_PIXELS) -> Texture:
    """Textures moved by poses, in one picture as fine as the finest of them; alpha is where any is.

    The picture is a square, as textures are; `to_image` cuts it.
    """
    if not placed:
        raise ArgumentError("no piece has pixels")
    corners = np.concatenate([pose.points(_corners(texture)) for texture, pose in placed])
    (low_x, low_y), (high_x, high_y) = corners.min(axis=0).tolist(), corners.max(axis=0).tolist()
    side = max(high_x - low_x, high_y - low_y)
    pixel = max(min(texture.grid.pixel for texture, _ in placed), side / math.sqrt(most_pixels))
    size_px = math.ceil(side / pixel) + 1
    grid = Grid(size_px, low_x, high_y, pixel)
    canvas = Image.new("RGBA", (size_px, size_px), (255, 255, 255, 0))
    for texture, pose in placed:
        _lay(canvas, texture, pose, grid)
    pixels = np.asarray(canvas)
    return Texture(pixels[..., :3], grid, pixels[..., 3])


def to_image(texture: Texture) -> Image.Image:
    """What a texture shows, without the transparent margin."""
    left, top, right, bottom = _shown_px(texture)
    return Image.fromarray(np.dstack([texture.image, _alpha(texture)])[top:bottom, left:right])


def _alpha(texture: Texture) -> NDArray[np.uint8]:
    return np.full(texture.image.shape[:2], 255, np.uint8) if texture.alpha is None else texture.alpha


def _shown_px(texture: Texture) -> tuple[int, int, int, int]:
    """Left, top, right and bottom of the pixels that are not transparent."""
    rows, columns = np.nonzero(_alpha(texture))
    if not len(rows):
        return 0, 0, 1, 1
    return int(columns.min()), int(rows.min()), int(columns.max()) + 1, int(rows.max()) + 1


def box_of(texture: Texture) -> tuple[float, float, float, float]:
    """The box of the world in which a texture shows anything: left, bottom, right, top."""
    corners = _corners(texture)
    (left, bottom), (right, top) = corners.min(axis=0).tolist(), corners.max(axis=0).tolist()
    return left, bottom, right, top


def reassembled_png(placed: Sequence[tuple[Texture, Pose]], warning: str = "") -> bytes:
    """The photograph as a PNG file, transparent where no piece lies; a warning stands above it."""
    texture = reassembled(placed)
    image = to_image(texture)
    if warning:
        band = max(24, image.height // 20)
        warned = Image.new("RGBA", (image.width, image.height + band), "white")
        warned.paste(image, (0, band))
        size = min(0.6 * band, 1.8 * image.width / max(len(warning), 1))
        ImageDraw.Draw(warned).text(
            (image.width / 2.0, band / 2.0), warning, "#c2102f", font(size), anchor="mm"
        )
        image = warned
    stream = io.BytesIO()
    dpi = 25.4 / texture.grid.pixel
    image.save(stream, format="PNG", dpi=(dpi, dpi))
    return stream.getvalue()


def _corners(texture: Texture) -> NDArray[np.float64]:
    """The corners of the box in which a texture shows anything."""
    left, top, right, bottom = _shown_px(texture)
    return texture.grid.to_world([(left, top), (right, top), (right, bottom), (left, bottom)])


def _lay(canvas: Image.Image, texture: Texture, pose: Pose, grid: Grid) -> None:
    """Lay a texture on the canvas; its rim takes the colours from further inside."""
    shown = shapely.box(*shapely.MultiPoint(pose.points(_corners(texture))).bounds)
    (left, top), (right, bottom) = grid.to_pixels(
        [(shown.bounds[0], shown.bounds[3]), (shown.bounds[2], shown.bounds[1])]
    ).tolist()
    left, top = max(0, math.floor(left) - 1), max(0, math.floor(top) - 1)
    size = min(grid.size_px, math.ceil(right) + 1) - left, min(grid.size_px, math.ceil(bottom) + 1) - top
    # Where the corners of the window's first pixel lie in the texture gives the way back.
    corners = np.array([(left, top), (left + 1, top), (left, top + 1)], dtype=np.float64)
    origin, across, down = texture.grid.to_pixels(pose.inverse().points(grid.to_world(corners)))
    (a, d), (b, e), (c, f) = (across - origin).tolist(), (down - origin).tolist(), origin.tolist()
    part = _with_clean_rim(texture).transform(
        size, Image.Transform.AFFINE, (a, b, c, d, e, f), resample=Image.Resampling.BICUBIC
    )
    canvas.alpha_composite(part, (left, top))


def _with_clean_rim(texture: Texture) -> Image.Image:
    alpha = _alpha(texture)
    inner = eroded(alpha == 255, RIM_PX)
    image = texture.image if not inner.any() else texture.image[nearest_in(inner)]
    return Image.fromarray(np.dstack([image, alpha]))
