"""Textures inside JSON: a PNG image in base64, and the grid that lays it into its owner's frame."""

from __future__ import annotations

import base64
import binascii
import io
from typing import Any

import numpy as np
from PIL import Image

from sherd.core.errors import FileFormatError
from sherd.core.grid import Grid
from sherd.core.texture import Texture
from sherd.io.document import Node

MOST_SIZE_PX = 8192


def texture_to_json(texture: Texture) -> dict[str, Any]:
    """The object that files hold under the key ``texture``."""
    grid = texture.grid
    return {
        "png": base64.b64encode(to_png(texture)).decode("ascii"),
        "size_px": grid.size_px,
        "left": grid.left,
        "top": grid.top,
        "pixel": grid.pixel,
    }


def texture_from_json(node: Node) -> Texture:
    """The texture, or a failure at its place in the document."""
    members = node.object(["png", "size_px", "left", "top", "pixel"])
    pixel = members["pixel"].number()
    if pixel <= 0.0:
        members["pixel"].fail(f"a pixel's size must be above 0, not {pixel:g}")
    grid = Grid(
        members["size_px"].whole(1, MOST_SIZE_PX), members["left"].number(), members["top"].number(), pixel
    )
    try:
        return from_png(base64.b64decode(members["png"].text(), validate=True), grid)
    except binascii.Error:
        members["png"].fail("not base64")
    except FileFormatError as error:
        members["png"].fail(str(error))


def to_png(texture: Texture) -> bytes:
    """The picture as a PNG file, with an alpha channel if it has one; the grid is not in it."""
    pixels = texture.image if texture.alpha is None else np.dstack([texture.image, texture.alpha])
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, format="PNG")
    return buffer.getvalue()


def from_png(data: bytes, grid: Grid) -> Texture:
    """The texture of which `to_png` made these bytes."""
    try:
        with Image.open(io.BytesIO(data), formats=["PNG"]) as picture:
            if picture.size != (grid.size_px, grid.size_px):
                width, height = picture.size
                raise FileFormatError(
                    f"the texture has {width} x {height} pixels, not {grid.size_px} x {grid.size_px}"
                )
            if picture.mode == "RGBA":
                pixels = np.asarray(picture)
                return Texture(pixels[..., :3].copy(), grid, pixels[..., 3].copy())
            return Texture(np.array(picture.convert("RGB")), grid)
    except (OSError, SyntaxError, Image.DecompressionBombError):  # what Pillow raises on bad bytes
        raise FileFormatError("the texture is not a readable PNG image") from None
