"""Crossing cuts: a convex target cut by straight lines from side to side, all the way through.

After the model of Harel and Ben-Shahar: the lines are random, and the number of pieces follows from them.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from shapely import Polygon

from sherd.core.arrays import Floats
from sherd.core.errors import ArgumentError, InvalidPolygonError
from sherd.core.geometry import cos_sin, is_convex
from sherd.generation.breaking import area, outline_of
from sherd.generation.network import faces

# A puzzle with a piece below this share of the target is drawn again, as often as said: noise of a few
# hundredths would turn such a piece inside out.
LEAST_PIECE = 0.005
DRAWS = 1000
# The same where the number of pieces is asked for, which most draws miss at a glance.
DRAWS_OF_MANY = 50_000
MOST_CUTS = 8
# More pieces are seldom made without slivers.
MOST_PIECES = 12
# How far a cut goes beyond the target, relative to its length within.
BEYOND = 0.1


@dataclass(frozen=True, kw_only=True)
class CrosscutParams:
    """How many cuts, or how many pieces they must make, in which case their number is drawn too."""

    cuts: int = 4
    pieces: int | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.cuts <= MOST_CUTS:
            raise ArgumentError(f"cuts must be between 1 and {MOST_CUTS}, not {self.cuts}")
        if self.pieces is not None and not 2 <= self.pieces <= MOST_PIECES:
            raise ArgumentError(f"crossing cuts make 2 to {MOST_PIECES} pieces, not {self.pieces:,}")

    @property
    def numbers_of_cuts(self) -> range:
        """From the fewest cuts, each across all others, to the most, none across another."""
        if self.pieces is None:
            return range(self.cuts, self.cuts + 1)
        fewest = math.ceil((math.sqrt(8.0 * self.pieces - 7.0) - 1.0) / 2.0)
        return range(fewest, min(self.pieces - 1, MOST_CUTS) + 1)


def crosscut_outlines(target: Polygon, params: CrosscutParams, rng: np.random.Generator) -> list[Floats]:
    """The pieces in place, as counter-clockwise rings (n, 2)."""
    ring = outline_of(target)
    if not is_convex(target):
        raise InvalidPolygonError("only a convex target is cut across")
    numbers = params.numbers_of_cuts
    for _ in range(DRAWS if params.pieces is None else DRAWS_OF_MANY):
        count = numbers[0] if len(numbers) == 1 else int(rng.choice(numbers))
        cuts = [_cut(ring, rng) for _ in range(count)]
        if params.pieces is not None and _pieces(cuts) != params.pieces:
            continue
        rings = faces(cuts, target)
        if min(map(area, rings)) >= LEAST_PIECE * target.area:
            return rings
    what = f"{params.cuts} cuts" if params.pieces is None else f"cuts into {params.pieces} pieces"
    raise InvalidPolygonError(f"{what} always leave slivers")


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


def _pieces(cuts: list[Floats]) -> int:
    """How many pieces cuts make: one more for each, and for each crossing within the target."""
    lines = np.array(cuts)
    way = lines[:, 1] - lines[:, 0]
    # Where on each cut (rows) the line of each other (columns) lies, between 0 and 1 within the cut.
    between = lines[None, :, 0] - lines[:, None, 0]
    turn = way[:, None, 0] * way[None, :, 1] - way[:, None, 1] * way[None, :, 0]
    np.fill_diagonal(turn, np.inf)
    at = (between[..., 0] * way[None, :, 1] - between[..., 1] * way[None, :, 0]) / turn
    end = BEYOND / (1.0 + 2.0 * BEYOND)
    inside = (at > end) & (at < 1.0 - end)
    return 1 + len(cuts) + int(np.triu(inside & inside.T, 1).sum())
