"""Textures inside JSON: a PNG image in base64, and the grid that lays it into its owner's frame."""

from __future__ import annotations

import base64
import binascii
from typing import Any

from sherd.errors import FileFormatError
from sherd.io.document import Node
from sherd.raster import Grid
from sherd.texture import Texture

MOST_SIZE_PX = 8192


def texture_to_json(texture: Texture) -> dict[str, Any]:
    """The object that files hold under the key ``texture``."""
    grid = texture.grid
    return {
        "png": base64.b64encode(texture.png_bytes()).decode("ascii"),
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
        return Texture.from_png(base64.b64decode(members["png"].text(), validate=True), grid)
    except binascii.Error:
        members["png"].fail("not base64")
    except FileFormatError as error:
        members["png"].fail(str(error))
