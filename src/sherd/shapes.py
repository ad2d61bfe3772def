"""Target outlines: what a puzzle is cut from."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from shapely import Polygon

from sherd.errors import InvalidPolygonError
from sherd.geometry import cos_sin, is_convex, make_polygon


@dataclass(frozen=True)
class Shape:
    """A convex target outline and how it is cut: by any line, or by axis-aligned lines only."""

    name: str
    outline: Polygon
    axis_aligned: bool = False

    def __post_init__(self) -> None:
        if not is_convex(self.outline):
            raise InvalidPolygonError(
                f"{self.name}: the outline is not convex, and only convex shapes are cut"
            )
        if self.axis_aligned and self.outline.area < self.outline.envelope.area:
            raise ValueError(f"{self.name}: only an upright rectangle can be cut along the axes")

    @property
    def vertices(self) -> NDArray[np.float64]:
        """The outline's corners, counter-clockwise, shape (n, 2)."""
        return np.asarray(self.outline.exterior.coords)[:-1]


def regular(sides: int) -> Polygon:
    """A regular polygon standing on an edge, fitted into and centred in the unit box.

    >>> regular(4).bounds
    (0.0, 0.0, 1.0, 1.0)
    """
    if not 3 <= sides <= 64:
        raise ValueError(f"a regular polygon needs 3 to 64 sides, not {sides}")
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
}


def named_shape(name: str) -> Shape:
    """One of `SHAPES`, or ``polygon:N`` for the regular polygon of N sides.

    >>> len(named_shape("polygon:7").vertices)
    7
    """
    if name in SHAPES:
        return SHAPES[name]()
    kind, _, sides = name.partition(":")
    if kind == "polygon" and sides.isdecimal():
        return Shape(name, regular(int(sides)))
    raise ValueError(f"unknown shape {name!r}: choose {', '.join(SHAPES)} or polygon:N")
