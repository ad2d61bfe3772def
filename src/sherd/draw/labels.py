"""Where a piece's name goes and how large it can be."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import shapely
from PIL import ImageFont
from shapely import Polygon

from sherd.core.geometry import Pose

SIZES_PX = (15.0, 13.5, 12.0, 10.5, 9.0, 8.0, 7.0)  # a smaller label cannot be read and is left out
DEEP_ENOUGH = 0.7  # of the largest distance from the outline
# The widest of the usual fonts (DejaVu Sans) against the one that PNG files are drawn with.
WIDEST_FONT = 1.17
AIR = 0.15  # around a label, in font sizes
PLACES = 5  # tried for a label that is turned
ROUNDING = 1e-9
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


@dataclass(frozen=True, slots=True)
class Spot:
    """Where a label's middle goes, its size in pixels, and how far it is turned counter-clockwise."""

    x: float
    y: float
    size: float
    angle_deg: float = 0.0


def fit_label(polygon: Polygon, text: str, scale: float, smallest_px: float = SIZES_PX[-1]) -> Spot | None:
    """Where a text goes inside a polygon drawn at ``scale`` pixels a unit, and its size in pixels.

    It stands upright around the point that `label_spot` finds, as large as it can be there without leaving
    the polygon; where there is no room for that, it runs along the polygon, between the centroid and the
    widest place. None where it could not be read, or there is no text.
    """
    if not text:
        return None
    sizes = [size for size in SIZES_PX if size >= smallest_px]
    halves = [
        (0.5 * (text_width(text, size) + AIR * size) / scale, 0.5 * (1.0 + AIR) * size / scale)
        for size in sizes
    ]
    area = polygon.area * (1.0 + ROUNDING)
    if not sizes or 4.0 * halves[-1][0] * halves[-1][1] > area:  # no room for the smallest, however it lies
        return None
    for angle_deg, places in ((0.0, _upright), (lengthwise_deg(polygon), _lengthwise)):
        turned = Pose(theta=-math.radians(angle_deg)).points(shapely.get_coordinates(polygon))
        long, wide = (np.ptp(turned, axis=0) * (1.0 + ROUNDING)).tolist()
        rooms = [
            (s, (r, u))
            for s, (r, u) in zip(sizes, halves, strict=True)
            if 2 * r <= long and 2 * u <= wide and 4 * r * u <= area
        ]
        if not rooms:  # as of most pieces of a large puzzle
            continue
        tried = [(room, place) for room in rooms for place in places(polygon)]
        boxes = [
            Pose(x, y, math.radians(angle_deg)).points([(-r, -u), (r, -u), (r, u), (-r, u)])
            for (_, (r, u)), (x, y) in tried
        ]
        fits = shapely.contains(polygon, shapely.polygons(np.array(boxes)))
        if fits.any():
            (size, _), (x, y) = tried[int(fits.argmax())]
            return Spot(x, y, size, angle_deg)
    return None


def _upright(polygon: Polygon) -> list[tuple[float, float]]:
    return [label_spot(polygon)]


def _lengthwise(polygon: Polygon) -> list[tuple[float, float]]:
    # The widest place of a wedge is at its end, where a long text has no room: so look on the way there.
    centroid, (widest, _) = polygon.centroid, _deepest(polygon)
    return [(x, y) for x, y in np.linspace((centroid.x, centroid.y), widest, PLACES).tolist()]


def lengthwise_deg(polygon: Polygon) -> float:
    """The direction of the polygon's long edges, in whole degrees above -90 and up to 90.

    Whole degrees, so that rounding does not make one upright piece read upwards and the next downwards.

    >>> lengthwise_deg(shapely.box(0, 0, 1, 9)), lengthwise_deg(Polygon([(0, 0), (9, -9), (9, -8), (0, 1)]))
    (90.0, -45.0)
    """
    edges = np.diff(np.asarray(polygon.exterior.coords), axis=0) @ (1.0, 1.0j)
    # Squares have twice the angle, in which an edge and its opposite agree, and bring out the long edges.
    doubled = complex(np.sum(edges**2))
    angle_deg = round(math.degrees(math.atan2(doubled.imag, doubled.real)) / 2.0)
    return 90.0 if angle_deg == -90 else float(angle_deg)


def label_spot(polygon: Polygon) -> tuple[float, float]:
    """A point well inside: the centroid where that is deep enough, else the one farthest from the outline.

    >>> label_spot(shapely.box(0, 0, 4, 1))
    (2.0, 0.5)
    """
    deepest, depth = _deepest(polygon)
    centroid = polygon.centroid
    if polygon.contains(centroid) and polygon.boundary.distance(centroid) >= DEEP_ENOUGH * depth:
        return centroid.x, centroid.y
    return deepest


def _deepest(polygon: Polygon) -> tuple[tuple[float, float], float]:
    """The point farthest from the outline, and how far that is."""
    radius = shapely.maximum_inscribed_circle(polygon)
    (x, y), _ = np.asarray(radius.coords).tolist()
    return (x, y), radius.length
