"""Tangrams as people draw them: pieces laid by hand, nearly flush, and a silhouette closed over the gaps."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import shapely
from shapely import MultiPolygon, Polygon

from sherd.core.assembly import Assembly, Placement
from sherd.core.errors import InvalidPolygonError
from sherd.core.geometry import TAU, Pose, Region, Rotations, polygons_in, size_of
from sherd.core.proper_polygons import make_polygon
from sherd.core.puzzle import Fragment, Puzzle, Sample
from sherd.generation.tangram import PIECES

# Times the closing: how far a hand is off; but, unless it is told, no farther than this share of the size.
HAND, MOST_OFF = 0.45, 3e-4
# A piece is laid corner to corner with this chance, else anywhere along an edge.
CORNER_TO_CORNER = 0.6
# Times how far a hand is off, along a piece: what may lie in others.
MOST_OVERLAP = 2.0
DRAWS = 400
# Of a figure that hangs together loosely: with which chance a piece touches others in a corner alone, or lies
# apart, and how far, in legs of a small triangle.
TOUCHING, APART, DISTANCE = 0.3, 0.15, 0.3


def drawn_tangram(
    rng: np.random.Generator,
    *,
    closing: float,
    mirror: bool = True,
    loosely: bool = False,
    most_off: float = MOST_OFF,
) -> Sample:
    """A silhouette of the seven pieces, closed by this share of its size, and how they lie in it.

    It is in one part and has no hole. If it hangs together ``loosely``, pieces may lie apart or touch others
    in a corner alone, so that it may be in several parts, touch itself and have holes. The hand is off by
    about half of the closing, and by ``most_off`` of the size at most.
    """
    while True:
        lying = _laid(rng, min(HAND * closing, most_off), loosely)
        if lying is None:
            continue
        width = closing * size_of(shapely.union_all(lying))
        grown = shapely.buffer(shapely.union_all(lying), width, join_style="mitre")
        closed = shapely.buffer(grown, -width, join_style="mitre")
        parts = polygons_in(closed)
        is_whole = len(parts) == 1 and not parts[0].interiors
        if not (is_whole or loosely) or not closed.is_valid:
            continue
        scale = 1.0 / size_of(closed)
        low_x, low_y, *_ = closed.bounds
        fitted = [_scaled(one, low_x, low_y, scale) for one in (*parts, *lying)]
        try:
            target = _target(fitted[: len(parts)])
        except InvalidPolygonError:
            continue  # lines of it meet within rounding
        break
    fitted = fitted[len(parts) :]
    fragments: list[Fragment] = []
    placements: list[Placement] = []
    names = list(PIECES)
    shuffled: list[int] = rng.permutation(len(names)).tolist()
    for which in shuffled:
        outline = fitted[which]
        pose = Pose(outline.centroid.x, outline.centroid.y, float(rng.uniform(0.0, TAU)))
        fragments.append(Fragment(names[which], shapely.orient_polygons(pose.inverse().apply(outline))))
        placements.append(Placement(names[which], pose))
    placements.sort(key=lambda placement: (placement.pose.y, placement.pose.x))
    return Sample(Puzzle(target, tuple(fragments), Rotations(None), mirror), Assembly(tuple(placements)))


def _scaled(polygon: Polygon, low_x: float, low_y: float, scale: float) -> Polygon:
    return shapely.transform(polygon, lambda points: (points - (low_x, low_y)) * scale)


def _target(parts: Sequence[Polygon]) -> Region:
    made = [
        make_polygon(part.exterior.coords[:-1], [hole.coords[:-1] for hole in part.interiors])
        for part in parts
    ]
    return made[0] if len(made) == 1 else MultiPolygon(made)


def _laid(rng: np.random.Generator, off: float, loosely: bool) -> list[Polygon] | None:
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
        found = _beside(outline, list(placed.values()), rng, off, loosely)
        if found is None:
            return None
        placed[which] = found
    return [placed[k] for k in range(len(pieces))]


def _beside(
    outline: Polygon, others: Sequence[Polygon], rng: np.random.Generator, off: float, loosely: bool
) -> Polygon | None:
    """The piece laid to an edge of one of the others; or to a corner, or apart, if it may lie ``loosely``."""
    size = size_of(shapely.union_all(others)) + 1.0
    for _ in range(DRAWS):
        other = others[int(rng.integers(len(others)))]
        a, b = _edge(other, rng)
        c, d = _edge(outline, rng)
        theta = math.atan2(*(a - b)[::-1]) - math.atan2(*(d - c)[::-1])
        how = float(rng.random()) if loosely else 1.0
        if how < TOUCHING + APART:
            theta = float(rng.uniform(0.0, TAU))
        turned = Pose(theta=theta).apply(outline)
        start = Pose(theta=theta).points(c)
        if how < TOUCHING + APART:
            away = a - shapely.get_coordinates(other.centroid)[0]
            shift = a - start + (how < APART) * DISTANCE * away / np.hypot(*away)
        elif rng.random() < CORNER_TO_CORNER:
            # The edges run against each other: one's start lies on the other's end, or the other way round.
            shift = b - start if rng.random() < 0.5 else a - Pose(theta=theta).points(d)
        else:
            shift = a + rng.uniform(0.0, 1.0) * (b - a) - start
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
