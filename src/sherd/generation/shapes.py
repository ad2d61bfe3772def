"""Target outlines: what a puzzle is cut from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from shapely import Polygon

from sherd.core.errors import ArgumentError, InvalidPolygonError
from sherd.core.geometry import cos_sin, is_convex
from sherd.core.proper_polygons import make_polygon
from sherd.generation.released_code import released_hexagon

# How far the inner corners of a star lie from its centre, relative to its points.
STAR_WAIST = 0.45


@dataclass(frozen=True)
class Shape:
    """A target outline without holes and how it is cut: by any line, or by axis-aligned lines only."""

    name: str
    outline: Polygon
    axis_aligned: bool = False

    def __post_init__(self) -> None:
        if self.outline.interiors:
            raise InvalidPolygonError(f"{self.name}: the outline has holes, and such shapes are not cut")
        if self.axis_aligned and self.outline.area < self.outline.envelope.area:
            raise ArgumentError(f"{self.name}: only an upright rectangle can be cut along the axes")

    @property
    def is_convex(self) -> bool:
        """Whether it can be cut from side to side again and again; others are only dissected."""
        return is_convex(self.outline)

    @property
    def vertices(self) -> NDArray[np.float64]:
        """The outline's corners, counter-clockwise, shape (n, 2)."""
        return np.asarray(self.outline.exterior.coords)[:-1]


# More sides than this are a circle.
MOST_SIDES = 1000


def regular(sides: int) -> Polygon:
    """A regular polygon standing on an edge, fitted into and centred in the unit box.

    >>> regular(4).bounds
    (0.0, 0.0, 1.0, 1.0)
    """
    if not 3 <= sides <= MOST_SIDES:
        raise ArgumentError(f"a regular polygon needs 3 to {MOST_SIDES:,} sides, not {sides}")
    if sides == 4:
        return make_polygon([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    cos, sin = cos_sin((np.arange(sides) - 0.5) / sides - 0.25)
    points = np.stack([cos, sin], axis=-1)
    low, high = points.min(axis=0), points.max(axis=0)
    return make_polygon((points - (low + high) / 2.0) / (high - low).max() + 0.5)


SHAPES: dict[str, Callable[[], Shape]] = {
    "square": lambda: Shape("square", regular(4)),
    "pentagon": lambda: Shape("pentagon", regular(5)),
    "hexagon": lambda: Shape("hexagon", regular(6)),
    "mondrian": lambda: Shape("mondrian", regular(4), axis_aligned=True),
    "released-hexagon": lambda: Shape("released-hexagon", released_hexagon()),
}


NON_CONVEX: dict[str, Callable[[], Shape]] = {
    "star": lambda: Shape("star", star(5)),
    "cross": lambda: Shape("cross", _on_grid(3, "10 20 21 31 32 22 23 13 12 02 01 11")),
    "ell": lambda: Shape("ell", _on_grid(5, "00 50 52 22 25 05")),
    "tee": lambda: Shape("tee", _on_grid(3, "10 20 22 32 33 03 02 12")),
    "arrow": lambda: Shape("arrow", _on_grid(6, "02 32 30 63 36 34 04 13")),
}


# The sides that a disc is drawn with.
DISC_SIDES = 240

ROUND: dict[str, Callable[[], Shape]] = {"disc": lambda: Shape("disc", disc())}


def disc() -> Polygon:
    """A disc in the unit box, as a polygon of many sides."""
    cos, sin = cos_sin(np.arange(DISC_SIDES) / DISC_SIDES)
    return make_polygon(0.5 + 0.5 * np.stack([cos, sin], axis=-1))


def star(points: int) -> Polygon:
    """A star of this number of points, one of them upward, fitted into and centred in the unit box."""
    cos, sin = cos_sin(np.arange(2 * points) / (2 * points) + 0.25)
    far = np.where(np.arange(2 * points) % 2 == 0, 1.0, STAR_WAIST)[:, None]
    corners = np.stack([cos, sin], axis=-1) * far
    low, high = corners.min(axis=0), corners.max(axis=0)
    return make_polygon((corners - (low + high) / 2.0) / (high - low).max() + 0.5)


def _on_grid(size: int, corners: str) -> Polygon:
    """The outline through places on a grid, each written as its column and row."""
    return make_polygon([[int(x) / size, int(y) / size] for x, y in corners.split()])


def named_shape(name: str) -> Shape:
    """One of `SHAPES`, `NON_CONVEX` or `ROUND`, or ``polygon:N`` for the regular polygon of N sides.

    >>> len(named_shape("polygon:7").vertices)
    7
    """
    known = SHAPES | NON_CONVEX | ROUND
    if name in known:
        return known[name]()
    kind, _, sides = name.partition(":")
    if kind == "polygon" and sides.isdecimal():
        return Shape(name, regular(int(sides)))
    raise ArgumentError(f"unknown shape {name!r}: choose {', '.join(known)} or polygon:N")
