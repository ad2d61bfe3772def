"""Outlines in place made into a puzzle: pieces in frames of their own, turned, shuffled, and their answer."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
from shapely import Polygon

from sherd.core.arrays import Floats
from sherd.core.assembly import Assembly, Placement
from sherd.core.geometry import TAU, Pose, Rotations, cos_sin
from sherd.core.puzzle import Fragment, Puzzle, Sample

FREE = Rotations(None)


def scattered(
    target: Polygon,
    outlines: Sequence[Floats],
    rng: np.random.Generator,
    *,
    rotations: Rotations = FREE,
    mirror: bool = False,
) -> Sample:
    """The pieces with these outlines (n, 2) in place, turned and in random order, and where they belong."""
    bins = rotations.bins
    rings: list[Floats] = []
    placements: list[Placement] = []
    order: list[int] = rng.permutation(len(outlines)).tolist()
    for number, which in enumerate(order):
        turn, flip = rng.random(2).tolist()
        turn = turn if bins is None else math.floor(turn * bins) / bins
        mirrored = mirror and flip < 0.5
        centroid = Polygon(outlines[which]).centroid
        x, y = (outlines[which] - (centroid.x, centroid.y)).T
        cos, sin = cos_sin(turn)
        own = np.stack([cos * x + sin * y, cos * y - sin * x], axis=-1)  # turned back by the true angle
        if mirrored:
            own = (own * (-1.0, 1.0))[::-1]
        rings.append(own)
        placements.append(Placement(f"f{number}", Pose(centroid.x, centroid.y, turn * TAU, mirrored)))
    placements.sort(key=lambda placement: (placement.pose.y, placement.pose.x))
    # Outlines begin anywhere, so as to tell nothing of how they came about.
    fragments = [
        Fragment(f"f{number}", Polygon(np.roll(ring, -int(rng.integers(len(ring))), axis=0)))
        for number, ring in enumerate(rings)
    ]
    return Sample(Puzzle(target, tuple(fragments), rotations, mirror), Assembly(tuple(placements)))
