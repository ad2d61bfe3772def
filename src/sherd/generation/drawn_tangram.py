"""Tangrams as people draw them: pieces laid by hand, nearly flush, and a silhouette closed over the gaps."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import shapely
from shapely import Polygon

from sherd.core.assembly import Assembly, Placement
from sherd.core.geometry import TAU, Pose, Rotations, size_of
from sherd.core.proper_polygons import make_polygon
from sherd.core.puzzle import Fragment, Puzzle, Sample
from sherd.generation.tangram import PIECES

# Times the closing: how far a hand is off; but no farther than this share of the size.
HAND, MOST_OFF = 0.45, 3e-4
# A piece is laid corner to corner with this chance, else anywhere along an edge.
CORNER_TO_CORNER = 0.6
# Times how far a hand is off, along a piece: what may lie in others.
MOST_OVERLAP = 2.0
DRAWS = 400


def drawn_tangram(rng: np.random.Generator, *, closing: float, mirror: bool = True) -> Sample:
    """A silhouette of the seven pieces, closed by this share of its size, and how they lie in it."""
    while True:
        lying = _laid(rng, closing)
        if lying is None:
            continue
        width = closing * size_of(shapely.union_all(lying))
        grown = shapely.buffer(shapely.union_all(lying), width, join_style="mitre")
        parts = shapely.get_parts(shapely.buffer(grown, -width, join_style="mitre"))
        closed = parts[0]
        if len(parts) == 1 and isinstance(closed, Polygon) and not closed.interiors and closed.is_valid:
            break
    scale = 1.0 / size_of(closed)
    low_x, low_y, *_ = closed.bounds
    fitted = [
        shapely.transform(one, lambda points: (points - (low_x, low_y)) * scale) for one in (closed, *lying)
    ]
    target = make_polygon(fitted[0].exterior.coords[:-1])
    fragments: list[Fragment] = []
    placements: list[Placement] = []
    names = list(PIECES)
    shuffled: list[int] = rng.permutation(len(names)).tolist()
    for which in shuffled:
        outline = fitted[1 + which]
        pose = Pose(outline.centroid.x, outline.centroid.y, float(rng.uniform(0.0, TAU)))
        fragments.append(Fragment(names[which], shapely.orient_polygons(pose.inverse().apply(outline))))
        placements.append(Placement(names[which], pose))
    placements.sort(key=lambda placement: (placement.pose.y, placement.pose.x))
    return Sample(Puzzle(target, tuple(fragments), Rotations(None), mirror), Assembly(tuple(placements)))


def _laid(rng: np.random.Generator, closing: float) -> list[Polygon] | None:
    """All pieces in place, each laid to an edge of one before it, off as a hand is; None if that failed."""
    pieces = [make_polygon(corners) for corners in PIECES.values()]
    order: list[int] = rng.permutation(len(pieces)).tolist()
    placed: dict[int, Polygon] = {}
    for which in order:
        outline = Pose(mirrored=bool(rng.random() < 0.5)).apply(pieces[which])
        outline = shapely.orient_polygons(outline)
        if not placed:
            placed[which] = outline
            continue
        found = _beside(outline, list(placed.values()), rng, closing)
        if found is None:
            return None
        placed[which] = found
    return [placed[k] for k in range(len(pieces))]


def _beside(
    outline: Polygon, others: Sequence[Polygon], rng: np.random.Generator, closing: float
) -> Polygon | None:
    """The piece laid to an edge of one of the others."""
    size = size_of(shapely.union_all(others)) + 1.0
    for _ in range(DRAWS):
        other = others[int(rng.integers(len(others)))]
        a, b = _edge(other, rng)
        c, d = _edge(outline, rng)
        theta = math.atan2(*(a - b)[::-1]) - math.atan2(*(d - c)[::-1])
        turned = Pose(theta=theta).apply(outline)
        start = Pose(theta=theta).points(c)
        if rng.random() < CORNER_TO_CORNER:
            # The edges run against each other: one's start lies on the other's end, or the other way round.
            shift = b - start if rng.random() < 0.5 else a - Pose(theta=theta).points(d)
        else:
            shift = a + rng.uniform(0.0, 1.0) * (b - a) - start
        off = min(HAND * closing, MOST_OFF)
        x, y = (shift + rng.uniform(-1.0, 1.0, 2) * off * size).tolist()
        slip = float(rng.uniform(-1.0, 1.0)) * off
        laid = Pose(x, y).apply(turned)
        centre = Pose(laid.centroid.x, laid.centroid.y)
        laid = (centre @ Pose(theta=slip) @ centre.inverse()).apply(laid)
        within = sum(shapely.intersection(laid, one).area for one in others)
        if within <= MOST_OVERLAP * off * size * math.sqrt(laid.area):
            return laid
    return None


def _edge(outline: Polygon, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    corners = np.asarray(outline.exterior.coords)[:-1]
    k = int(rng.integers(len(corners)))
    return corners[k], corners[(k + 1) % len(corners)]
