"""Crossing cuts: a convex target cut by straight lines from side to side, all the way through.

After the model of Harel and Ben-Shahar: the lines are random, and the number of pieces follows from them.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from shapely import Polygon

from sherd.core.arrays import Floats
from sherd.core.errors import InvalidPolygonError
from sherd.core.geometry import cos_sin, is_convex
from sherd.generation.breaking import area, outline_of
from sherd.generation.network import faces

# A puzzle with a piece below this share of the target is drawn again, as often as said: noise of a few
# hundredths would turn such a piece inside out.
LEAST_PIECE = 0.005
DRAWS = 1000
MOST_CUTS = 8
# How far a cut goes beyond the target, relative to its length within.
BEYOND = 0.1


@dataclass(frozen=True, kw_only=True)
class CrosscutParams:
    """How many cuts."""

    cuts: int = 4

    def __post_init__(self) -> None:
        if not 1 <= self.cuts <= MOST_CUTS:
            raise ValueError(f"cuts must be between 1 and {MOST_CUTS}, not {self.cuts}")


def crosscut_outlines(target: Polygon, params: CrosscutParams, rng: np.random.Generator) -> list[Floats]:
    """The pieces in place, as counter-clockwise rings (n, 2)."""
    ring = outline_of(target)
    if not is_convex(target):
        raise InvalidPolygonError("only a convex target is cut across")
    for _ in range(DRAWS):
        rings = faces([_cut(ring, rng) for _ in range(params.cuts)], target)
        if min(map(area, rings)) >= LEAST_PIECE * target.area:
            return rings
    raise InvalidPolygonError(f"{params.cuts} cuts always leave slivers")


def random_convex(rng: np.random.Generator, most_corners: int = 8) -> Polygon:
    """A convex polygon of 4 corners or more on an ellipse, within the unit box."""
    while True:
        corners = int(rng.integers(4, most_corners + 1))
        cos, sin = cos_sin(np.sort(rng.random(corners)))
        points = np.stack([cos, rng.uniform(0.6, 1.0) * sin], axis=-1)
        low, high = points.min(axis=0), points.max(axis=0)
        outline = Polygon((points - low) / (high - low).max())
        sides = np.hypot(*np.diff(np.asarray(outline.exterior.coords), axis=0).T)
        if outline.area >= 0.3 and sides.min() >= 0.1:
            return outline


def _cut(ring: Floats, rng: np.random.Generator) -> Floats:
    """A line (2, 2) through random points of two sides, going beyond both."""
    sides = np.roll(ring, -1, axis=0) - ring
    length = np.hypot(sides[:, 0], sides[:, 1])
    chosen = rng.choice(len(ring), 2, replace=False, p=length / length.sum())
    start, end = ring[chosen] + rng.uniform(0.05, 0.95, (2, 1)) * sides[chosen]
    return np.stack([start - BEYOND * (end - start), end + BEYOND * (end - start)])
