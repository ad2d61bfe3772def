"""Where a piece's name goes and how large it can be."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import shapely
from PIL import ImageFont
from shapely import Polygon

SIZES_PX = (15.0, 13.5, 12.0, 10.5, 9.0, 8.0, 7.0)  # a smaller label cannot be read and is left out
DEEP_ENOUGH = 0.7  # of the largest distance from the outline
# The widest of the usual fonts (DejaVu Sans) against the one that PNG files are drawn with.
WIDEST_FONT = 1.17
AIR = 0.15  # around a label, in font sizes
LONGEST = 14  # characters; the SVG's titles keep names in full


@lru_cache(maxsize=64)
def font(size: float) -> ImageFont.FreeTypeFont | ImageFont.ImageFont:
    """Pillow's built-in scalable font."""
    return ImageFont.load_default(size)


def text_width(text: str, size: float) -> float:
    """The room that a line of text needs in pixels, whichever plain font an SVG viewer may choose."""
    return WIDEST_FONT * _width_at_100_px(text) * size / 100.0


@lru_cache(maxsize=4096)
def _width_at_100_px(text: str) -> float:
    return font(100.0).getlength(text)


def shorten(text: str) -> str:
    """The text, cut to a length that fits on a label.

    >>> shorten("a name that goes on and on")
    'a name that g…'
    """
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else line[: LONGEST - 1] + "…"


def fit_label(
    polygon: Polygon, text: str, scale: float, smallest_px: float = SIZES_PX[-1]
) -> tuple[float, float, float] | None:
    """Where a text goes inside a polygon drawn at ``scale`` pixels a unit, and its size in pixels.

    It stands around the point (x, y) that `label_spot` finds, as large as it can be there without leaving
    the polygon. None where it could not be read, or there is no text.
    """
    if not text:
        return None
    x, y = label_spot(polygon)
    for size in SIZES_PX:
        right, up = 0.5 * (text_width(text, size) + AIR * size) / scale, 0.5 * (1.0 + AIR) * size / scale
        if size >= smallest_px and polygon.contains(shapely.box(x - right, y - up, x + right, y + up)):
            return x, y, size
    return None


def label_spot(polygon: Polygon) -> tuple[float, float]:
    """A point well inside: the centroid where that is deep enough, else the one farthest from the outline.

    >>> label_spot(shapely.box(0, 0, 4, 1))
    (2.0, 0.5)
    """
    radius = shapely.maximum_inscribed_circle(polygon)
    centroid = polygon.centroid
    if polygon.contains(centroid) and polygon.boundary.distance(centroid) >= DEEP_ENOUGH * radius.length:
        return centroid.x, centroid.y
    (x, y), _ = np.asarray(radius.coords).tolist()
    return x, y
