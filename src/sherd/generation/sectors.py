"""Sectors: a disc, or any convex target, cut into rings about its middle and each ring by spokes."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from shapely import Polygon

from sherd.core.arrays import Floats
from sherd.core.errors import ArgumentError, InvalidPolygonError
from sherd.core.geometry import cos_sin, is_convex
from sherd.generation.breaking import check_pieces, outline_of
from sherd.generation.network import faces

MOST_RINGS = 10
# A sector spans at least this share of the mean one of its ring, and a ring is at least so wide.
LEAST_SPAN, LEAST_WIDTH = 0.4, 0.6
# How far a spoke goes beyond its ring on either side, relative to the target's radius.
BEYOND = 1e-3


@dataclass(frozen=True, kw_only=True)
class SectorsParams:
    """How many pieces, and in how many rings: 1 is a pizza."""

    pieces: int = 8
    rings: int = 1

    def __post_init__(self) -> None:
        check_pieces(self.pieces)
        if not 1 <= self.rings <= MOST_RINGS:
            raise ArgumentError(f"rings must be between 1 and {MOST_RINGS}, not {self.rings}")
        if self.pieces < 2 * self.rings:
            raise ArgumentError(
                f"{self.rings} rings need at least {2 * self.rings} pieces, not {self.pieces}"
            )


def rings_for(pieces: int) -> int:
    """In how many rings a disc of this number of pieces is cut where nothing else is said.

    >>> [rings_for(pieces) for pieces in (2, 8, 16, 48)]
    [1, 1, 2, 3]
    """
    return min(max(1, round(math.sqrt(pieces / 5.0))), MOST_RINGS)


def sector_outlines(target: Polygon, params: SectorsParams, rng: np.random.Generator) -> list[Floats]:
    """The pieces in place, as counter-clockwise rings (n, 2)."""
    outline = outline_of(target)
    if not is_convex(target):
        raise InvalidPolygonError("only a convex target is cut into sectors")
    middle = np.array([target.centroid.x, target.centroid.y])
    far = outline - middle
    radius = float(np.hypot(*far.T).max())
    borders = np.concatenate([[0.0], np.cumsum(_parts(params.rings, LEAST_WIDTH, rng))])
    borders[-1] = 1.0
    circles = [middle + share * far[np.append(np.arange(len(far)), 0)] for share in borders[1:-1].tolist()]
    spokes: list[Floats] = []
    for inner, outer, count in zip(borders[:-1], borders[1:], _counts(params, borders), strict=True):
        ends = np.cumsum(_parts(count, LEAST_SPAN, rng)) + rng.random()
        for direction in np.stack(cos_sin(ends % 1.0), axis=-1):
            reach = _reach(far, direction)
            low = 0.0 if inner == 0.0 else inner * reach - BEYOND * radius
            spokes.append(middle + np.outer([low, outer * reach + BEYOND * radius], direction))
    found = faces([*circles, *spokes], target)
    assert len(found) == params.pieces, "each ring has as many sectors as spokes"
    return found


def _parts(count: int, least: float, rng: np.random.Generator) -> Floats:
    """Random shares (count,) of a whole, none below ``least`` times the mean."""
    return (least + (1.0 - least) * count * rng.dirichlet(np.full(count, 2.0))) / count


def _counts(params: SectorsParams, borders: Floats) -> list[int]:
    """How many sectors each ring has, by its area, at least two."""
    areas = np.diff(borders**2)
    counts = np.full(params.rings, 2)
    for _ in range(params.pieces - 2 * params.rings):
        counts[np.argmax(areas / counts)] += 1
    return counts.tolist()


def _reach(far: Floats, direction: Floats) -> float:
    """How far a convex outline about (0, 0) lies in a direction."""
    side = np.roll(far, -1, axis=0) - far
    across = direction[0] * side[:, 1] - direction[1] * side[:, 0]
    with np.errstate(divide="ignore", invalid="ignore"):
        reach = (far[:, 0] * side[:, 1] - far[:, 1] * side[:, 0]) / across
        along = (far[:, 0] * direction[1] - far[:, 1] * direction[0]) / across
    hit = (along >= -1e-9) & (along <= 1.0 + 1e-9) & (reach > 0.0)
    return float(reach[hit].max())
