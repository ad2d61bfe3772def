"""The tangram: its seven pieces, and silhouettes that they make.

Lengths are in legs of a small triangle. A silhouette is drawn as the pieces lie in it, so that each can be
made; the parallelogram is the one piece that looks different from its back.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
import shapely
from shapely import MultiPolygon, Polygon

from sherd.core.assembly import Assembly, Placement
from sherd.core.errors import ArgumentError
from sherd.core.geometry import (
    TAU,
    Pose,
    Region,
    Rotations,
    cos_sin,
    intersection,
    polygons_in,
    size_of,
    union,
)
from sherd.core.proper_polygons import make_polygon
from sherd.core.puzzle import Fragment, Puzzle, Sample

R = math.sqrt(2.0)
# Corners of a silhouette that lie this close to the line between their neighbours are none.
STRAIGHT = 1e-9
# Of a figure in several parts: how many pieces are moved away at most, and in which steps.
MOST_MOVED = 3
STEP = 0.25

PIECES: dict[str, tuple[tuple[float, float], ...]] = {
    "large 1": ((0, 0), (2, 0), (0, 2)),
    "large 2": ((0, 0), (2, 0), (0, 2)),
    "medium": ((0, 0), (R, 0), (0, R)),
    "small 1": ((0, 0), (1, 0), (0, 1)),
    "small 2": ((0, 0), (1, 0), (0, 1)),
    "square": ((0, 0), (1, 0), (1, 1), (0, 1)),
    "parallelogram": ((0, 0), (1, 0), (2, 1), (1, 1)),
}


class PlacedTan(NamedTuple):
    """Where a piece's first corner lies, by how many eighths it is turned, and whether it is turned over."""

    x: float
    y: float
    eighths: int
    mirrored: bool = False


# In the order of PIECES.
SILHOUETTES: dict[str, tuple[PlacedTan, PlacedTan, PlacedTan, PlacedTan, PlacedTan, PlacedTan, PlacedTan]] = {
    "square": (
        PlacedTan(R, R, 5),
        PlacedTan(R, R, 3),
        PlacedTan(2 * R, 2 * R, 4),
        PlacedTan(1.5 * R, 0.5 * R, 7),
        PlacedTan(R, R, 1),
        PlacedTan(R, R, 7),
        PlacedTan(0, 2 * R, 7),
    ),
    "triangle": (
        PlacedTan(3 * R, R, 3),
        PlacedTan(3 * R, R, 1),
        PlacedTan(2 * R, 2 * R, 4),
        PlacedTan(1.5 * R, 0.5 * R, 7),
        PlacedTan(R, R, 1),
        PlacedTan(R, R, 7),
        PlacedTan(0, 2 * R, 7),
    ),
    "house": (
        PlacedTan(0, 0, 0),
        PlacedTan(2, 2, 4),
        PlacedTan(1, 3, 5),
        PlacedTan(2, 1, 0),
        PlacedTan(3, 1, 6),
        PlacedTan(2, 0, 0),
        PlacedTan(3, 0, 0),
    ),
    "boat": (
        PlacedTan(2, 1, 0),
        PlacedTan(4, 3, 4),
        PlacedTan(1, 2, 7),
        PlacedTan(1, 1, 4),
        PlacedTan(2, 1, 6),
        PlacedTan(1, 0, 0),
        PlacedTan(2, 0, 0),
    ),
    "arrow": (
        PlacedTan(0, 0, 0),
        PlacedTan(0, 0, 6),
        PlacedTan(-2, -0.5, 1),
        PlacedTan(-1, -0.5, 2),
        PlacedTan(-4, -0.5, 0),
        PlacedTan(-1, -0.5, 0),
        PlacedTan(-2, -0.5, 0, mirrored=True),
    ),
    "cat": (
        PlacedTan(R / 2, 0, 5),
        PlacedTan(1.5 * R, -R, 4),
        PlacedTan(1.5 * R + 1, -R - 1, 3),
        PlacedTan(0, R / 2, 3),
        PlacedTan(0, R / 2, 7),
        PlacedTan(0, -R / 2, 1),
        PlacedTan(1.5 * R, -R - 2, 0),
    ),
    "swan": (
        PlacedTan(2, 0, 0),
        PlacedTan(2, 0, 2),
        PlacedTan(3, 1, 7),
        PlacedTan(0, 2, 6),
        PlacedTan(0, 2, 2),
        PlacedTan(0, 2, 0),
        PlacedTan(0, 0, 6, mirrored=True),
    ),
    "runner": (
        PlacedTan(2, 0, 2),
        PlacedTan(2, 2, 6),
        PlacedTan(1, -1, 1),
        PlacedTan(4, 1, 2),
        PlacedTan(1, 2, 6),
        PlacedTan(3, 2, 0),
        PlacedTan(1, -1, 0),
    ),
}


@cache
def silhouette(name: str) -> Polygon:
    """The outline of a figure, fitted into the unit box."""
    outline = _fit(_laid(name))[0]
    assert isinstance(outline, Polygon), "a silhouette is in one piece"
    return outline


def tangram(name: str, rng: np.random.Generator, *, mirror: bool = True) -> Sample:
    """The puzzle of a silhouette, its pieces turned at random, and its answer.

    Where pieces may not be mirrored, they are given the right side up.
    """
    target, lying = _fit(_laid(name))
    return _turned(target, lying, SILHOUETTES[name], rng, mirror)


def parted_tangram(name: str, rng: np.random.Generator, *, mirror: bool = True) -> Sample:
    """The same of a figure in several parts: some pieces of a silhouette are moved away from the others.

    What is moved, and what stays, may itself fall apart, and parts may touch in points.
    """
    lying = _laid(name)
    count = int(rng.integers(1, MOST_MOVED + 1))
    chosen: list[int] = rng.choice(len(lying), size=count, replace=False).tolist()
    moved = [list(lying)[k] for k in chosen]
    rest = union([outline for piece, outline in lying.items() if piece not in moved])
    cos, sin = (float(value) for value in cos_sin(rng.uniform()))
    step = STEP
    while intersection(Pose(step * cos, step * sin).apply(union([lying[one] for one in moved])), rest).area:
        step += STEP
    away = Pose(step * cos, step * sin)
    apart = {piece: away.apply(one) if piece in moved else one for piece, one in lying.items()}
    target, fitted = _fit(apart)
    return _turned(target, fitted, SILHOUETTES[name], rng, mirror)


def _turned(
    target: Region,
    lying: dict[str, Polygon],
    lies: Sequence[PlacedTan],
    rng: np.random.Generator,
    mirror: bool,
) -> Sample:
    """The puzzle of pieces that lie in a target."""
    fragments: list[Fragment] = []
    placements: list[Placement] = []
    for (piece, outline), lie in zip(lying.items(), lies, strict=True):
        pose = Pose(
            outline.centroid.x, outline.centroid.y, float(rng.uniform(0.0, TAU)), mirror and lie.mirrored
        )
        fragments.append(Fragment(piece, shapely.orient_polygons(pose.inverse().apply(outline))))
        placements.append(Placement(piece, pose))
    placements.sort(key=lambda placement: (placement.pose.y, placement.pose.x))
    return Sample(
        Puzzle(target, tuple(fragments), Rotations(None), mirror=mirror), Assembly(tuple(placements))
    )


def _laid(name: str) -> dict[str, Polygon]:
    """The pieces as they lie in a silhouette."""
    if name not in SILHOUETTES:
        raise ArgumentError(f"unknown silhouette {name!r}: choose {', '.join(SILHOUETTES)}")
    return {
        piece: Pose(lie.x, lie.y, lie.eighths * TAU / 8.0, lie.mirrored).apply(make_polygon(corners))
        for (piece, corners), lie in zip(PIECES.items(), SILHOUETTES[name], strict=True)
    }


def _fit(lying: dict[str, Polygon]) -> tuple[Region, dict[str, Polygon]]:
    """The pieces made smaller so that their union fits the unit box, and this union."""
    whole = union(list(lying.values()))
    low_x, low_y, *_ = whole.bounds
    scale = 1.0 / size_of(whole)

    def fit(polygon: Polygon) -> Polygon:
        return shapely.transform(polygon, lambda points: (points - (low_x, low_y)) * scale)

    outlines = [fit(part) for part in polygons_in(shapely.simplify(whole, STRAIGHT))]
    made = [make_polygon(o.exterior.coords[:-1], [h.coords[:-1] for h in o.interiors]) for o in outlines]
    return made[0] if len(made) == 1 else MultiPolygon(made), {n: fit(p) for n, p in lying.items()}
