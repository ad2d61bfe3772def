"""The tangram: its seven pieces, and silhouettes that they make.

Lengths are in legs of a small triangle. A silhouette is drawn as the pieces lie in it, so that each can be
made; the parallelogram is the one piece that looks different from its back.
"""

from __future__ import annotations

import math
from functools import cache
from typing import NamedTuple

import numpy as np
import shapely
from shapely import Polygon

from sherd.core.assembly import Assembly, Placement
from sherd.core.geometry import TAU, Pose, Rotations, make_polygon, size_of, union
from sherd.core.puzzle import Fragment, Puzzle, Sample

R = math.sqrt(2.0)
# Corners of a silhouette that lie this close to the line between their neighbours are none.
STRAIGHT = 1e-9

PIECES: dict[str, tuple[tuple[float, float], ...]] = {
    "large 1": ((0, 0), (2, 0), (0, 2)),
    "large 2": ((0, 0), (2, 0), (0, 2)),
    "medium": ((0, 0), (R, 0), (0, R)),
    "small 1": ((0, 0), (1, 0), (0, 1)),
    "small 2": ((0, 0), (1, 0), (0, 1)),
    "square": ((0, 0), (1, 0), (1, 1), (0, 1)),
    "parallelogram": ((0, 0), (1, 0), (2, 1), (1, 1)),
}


class Lie(NamedTuple):
    """Where a piece's first corner lies, by how many eighths it is turned, and whether it is turned over."""

    x: float
    y: float
    eighths: int
    mirrored: bool = False


# In the order of PIECES.
SILHOUETTES: dict[str, tuple[Lie, Lie, Lie, Lie, Lie, Lie, Lie]] = {
    "square": (
        Lie(R, R, 5),
        Lie(R, R, 3),
        Lie(2 * R, 2 * R, 4),
        Lie(1.5 * R, 0.5 * R, 7),
        Lie(R, R, 1),
        Lie(R, R, 7),
        Lie(0, 2 * R, 7),
    ),
    "triangle": (
        Lie(3 * R, R, 3),
        Lie(3 * R, R, 1),
        Lie(2 * R, 2 * R, 4),
        Lie(1.5 * R, 0.5 * R, 7),
        Lie(R, R, 1),
        Lie(R, R, 7),
        Lie(0, 2 * R, 7),
    ),
    "house": (
        Lie(0, 0, 0),
        Lie(2, 2, 4),
        Lie(1, 3, 5),
        Lie(2, 1, 0),
        Lie(3, 1, 6),
        Lie(2, 0, 0),
        Lie(3, 0, 0),
    ),
    "boat": (
        Lie(2, 1, 0),
        Lie(4, 3, 4),
        Lie(1, 2, 7),
        Lie(1, 1, 4),
        Lie(2, 1, 6),
        Lie(1, 0, 0),
        Lie(2, 0, 0),
    ),
    "arrow": (
        Lie(0, 0, 0),
        Lie(0, 0, 6),
        Lie(-2, -0.5, 1),
        Lie(-1, -0.5, 2),
        Lie(-4, -0.5, 0),
        Lie(-1, -0.5, 0),
        Lie(-2, -0.5, 0, mirrored=True),
    ),
    "cat": (
        Lie(R / 2, 0, 5),
        Lie(1.5 * R, -R, 4),
        Lie(1.5 * R + 1, -R - 1, 3),
        Lie(0, R / 2, 3),
        Lie(0, R / 2, 7),
        Lie(0, -R / 2, 1),
        Lie(1.5 * R, -R - 2, 0),
    ),
    "swan": (
        Lie(2, 0, 0),
        Lie(2, 0, 2),
        Lie(3, 1, 7),
        Lie(0, 2, 6),
        Lie(0, 2, 2),
        Lie(0, 2, 0),
        Lie(0, 0, 6, mirrored=True),
    ),
    "runner": (
        Lie(2, 0, 2),
        Lie(2, 2, 6),
        Lie(1, -1, 1),
        Lie(4, 1, 2),
        Lie(1, 2, 6),
        Lie(3, 2, 0),
        Lie(1, -1, 0),
    ),
}


@cache
def silhouette(name: str) -> Polygon:
    """The outline of a figure, fitted into the unit box."""
    return _fit(_laid(name))[0]


def tangram(name: str, rng: np.random.Generator, *, mirror: bool = True) -> Sample:
    """The puzzle of a silhouette, its pieces turned at random, and its answer.

    Where pieces may not be mirrored, they are given the right side up.
    """
    target, lying = _fit(_laid(name))
    fragments: list[Fragment] = []
    placements: list[Placement] = []
    for (piece, outline), lie in zip(lying.items(), SILHOUETTES[name], strict=True):
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
        raise ValueError(f"unknown silhouette {name!r}: choose {', '.join(SILHOUETTES)}")
    return {
        piece: Pose(lie.x, lie.y, lie.eighths * TAU / 8.0, lie.mirrored).apply(make_polygon(corners))
        for (piece, corners), lie in zip(PIECES.items(), SILHOUETTES[name], strict=True)
    }


def _fit(lying: dict[str, Polygon]) -> tuple[Polygon, dict[str, Polygon]]:
    """The pieces made smaller so that their union fits the unit box, and this union."""
    whole = union(list(lying.values()))
    low_x, low_y, *_ = whole.bounds
    scale = 1.0 / size_of(whole)

    def fit(polygon: Polygon) -> Polygon:
        return shapely.transform(polygon, lambda points: (points - (low_x, low_y)) * scale)

    assert isinstance(whole, Polygon), "a silhouette is in one piece"
    outline = shapely.simplify(whole, STRAIGHT)
    assert isinstance(outline, Polygon)
    return make_polygon(fit(outline).exterior.coords[:-1]), {n: fit(p) for n, p in lying.items()}
