"""Dissections: a target of any shape cut into convex parts, and neighbours merged into pieces of any shape.

The parts form a mesh: each is a ring of vertex numbers, counter-clockwise, and a vertex that lies on a
side of a part stands in its ring, so that neighbours share whole edges and merging them is bookkeeping.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from shapely import Polygon

from sherd.core.arrays import Floats
from sherd.core.errors import ArgumentError, InvalidPolygonError
from sherd.core.geometry import LENGTH_TOLERANCE, Rotations, size_of
from sherd.core.puzzle import Sample
from sherd.generation.scattering import FREE, scattered

Ring = list[int]
Point = tuple[float, float]

MOST_PIECES = 1000
# So many convex parts are cut for each piece that they are merged into.
PARTS_A_PIECE = 2.5
# A cut passes its two sides, or the angle that it splits, within this share of them.
CUT_RANGE = (0.25, 0.75)
# A cut that leaves less than this share of a part on one side is drawn again, as often as said below.
SMALLEST_SHARE = 0.2
DRAWS = 20
MERGES = 10_000


@dataclass(frozen=True, kw_only=True)
class DissectionParams:
    """How many pieces, how they may lie in the puzzle, and whether they are cut along the axes only."""

    pieces: int = 8
    rotations: Rotations = FREE
    mirror: bool = False
    axis_aligned: bool = False

    def __post_init__(self) -> None:
        if not 1 <= self.pieces <= MOST_PIECES:
            raise ArgumentError(f"pieces must be between 1 and {MOST_PIECES:,}, not {self.pieces:,}")


def dissect(target: Polygon, params: DissectionParams, rng: np.random.Generator) -> Sample:
    """A puzzle of pieces that are simple polygons, most of them not convex, and its answer."""
    if target.interiors:
        raise InvalidPolygonError("only targets without holes are dissected")
    mesh = _Mesh(target, params.axis_aligned)
    mesh.cut_until_convex(rng)
    mesh.cut_until(math.ceil(params.pieces * PARTS_A_PIECE), rng)
    mesh.merge_until(params.pieces, rng)
    outlines = [mesh.outline(ring) for ring in mesh.rings]
    return scattered(target, outlines, rng, rotations=params.rotations, mirror=params.mirror)


class _Mesh:
    """Vertices and the rings of parts that meet in whole edges."""

    def __init__(self, target: Polygon, axis_aligned: bool) -> None:
        corners = np.asarray(target.exterior.coords)[:-1]
        corners = corners if target.exterior.is_ccw else corners[::-1]
        self.points: list[Point] = [(x, y) for x, y in corners.tolist()]
        self.rings: list[Ring] = [list(range(len(self.points)))]
        self.slack = size_of(target) * LENGTH_TOLERANCE
        self.axis_aligned = axis_aligned
        if axis_aligned and target.area < target.envelope.area:
            raise InvalidPolygonError("only an upright rectangle can be cut along the axes")

    def outline(self, ring: Ring) -> Floats:
        """The corners of a ring, (n, 2), without the vertices on its sides."""
        return np.array([self.points[v] for v in self._corners(ring)])

    def cut_until_convex(self, rng: np.random.Generator) -> None:
        """Cut from every reflex corner to the other side of its part."""
        done = 0
        while done < len(self.rings):
            ring = self.rings[done]
            corners = self._corners(ring)
            reflex = [k for k in range(len(corners)) if self._turn(corners, k) < 0.0]
            if reflex:
                self._cut_from(ring, corners, reflex[int(rng.integers(len(reflex)))], rng)
            else:
                done += 1

    def cut_until(self, parts: int, rng: np.random.Generator) -> None:
        """Cut the largest part in two until there are ``parts``."""
        while len(self.rings) < parts:
            ring = max(self.rings, key=self._area)
            corners = self._corners(ring)
            sides = len(corners)
            best: tuple[float, tuple[int, Point], tuple[int, Point]] | None = None
            for _ in range(DRAWS):
                first, second = rng.choice(sides, 2, replace=False).tolist()
                if self.axis_aligned:
                    second = (first + 2) % sides
                one, other = (self._on_side(corners, side, rng) for side in (first, second))
                if self.axis_aligned:
                    other = self._opposite(corners, first, one, other)
                share = self._share(corners, (first, one), (second, other))
                if best is None or share > best[0]:
                    best = share, (first, one), (second, other)
                if share >= SMALLEST_SHARE:
                    break
            assert best is not None
            ends = [
                self._insert(corners[side], corners[(side + 1) % sides], point) for side, point in best[1:]
            ]
            self._split(ring, *ends)

    def merge_until(self, pieces: int, rng: np.random.Generator) -> None:
        """Merge small parts with neighbours of theirs, drawn at random, while the union is simple."""
        for _ in range(MERGES):
            if len(self.rings) <= pieces:
                return
            drawn: list[int] = rng.choice(len(self.rings), min(2, len(self.rings)), replace=False).tolist()
            ring = min((self.rings[k] for k in drawn), key=self._area)
            edges = set(zip(ring, [*ring[1:], ring[0]], strict=True))
            neighbours = [
                other
                for other in self.rings
                if any((b, a) in edges for a, b in zip(other, [*other[1:], other[0]], strict=True))
            ]
            other = neighbours[int(rng.integers(len(neighbours)))]
            whole = merged(ring, other)
            if whole is not None:
                self.rings.remove(ring)
                self.rings.remove(other)
                self.rings.append(whole)
        raise AssertionError("neighbours can always be merged: each two parts of a cut can")

    def _corners(self, ring: Ring) -> Ring:
        return [v for k, v in enumerate(ring) if self._turn(ring, k) != 0.0]

    def _turn(self, ring: Ring, k: int) -> float:
        """How sharply a ring turns left at its k-th vertex; 0 where it runs straight on."""
        (ax, ay), (bx, by), (cx, cy) = (self.points[ring[(k + step) % len(ring)]] for step in (-1, 0, 1))
        cross = (bx - ax) * (cy - by) - (by - ay) * (cx - bx)
        longer = max(math.hypot(bx - ax, by - ay), math.hypot(cx - bx, cy - by))
        return 0.0 if abs(cross) <= self.slack * longer else cross

    def _area(self, ring: Ring) -> float:
        return _area([self.points[v] for v in ring])

    def _on_side(self, corners: Ring, side: int, rng: np.random.Generator) -> Point:
        """A random point on the side that leaves a corner."""
        (ax, ay), (bx, by) = self.points[corners[side]], self.points[corners[(side + 1) % len(corners)]]
        along = rng.uniform(*CUT_RANGE)
        return ax + along * (bx - ax), ay + along * (by - ay)

    def _opposite(self, corners: Ring, side: int, one: Point, other: Point) -> Point:
        """The point on the side across that lies upright above or level with one on a rectangle's side."""
        (ax, ay), (bx, by) = self.points[corners[side]], self.points[corners[(side + 1) % len(corners)]]
        is_level = abs(by - ay) < abs(bx - ax)
        return (one[0], other[1]) if is_level else (other[0], one[1])

    def _share(self, corners: Ring, first: tuple[int, Point], second: tuple[int, Point]) -> float:
        """The smaller share of a convex part that a cut between two of its sides leaves."""
        points = [self.points[v] for v in corners]
        (low, one), (high, other) = sorted((first, second))
        share = _area([one, *points[low + 1 : high + 1], other]) / _area(points)
        return min(share, 1.0 - share)

    def _cut_from(self, ring: Ring, corners: Ring, k: int, rng: np.random.Generator) -> None:
        """Cut a part from its reflex corner, so that the angles on both sides are no longer reflex."""
        at = np.array(self.points[corners[k]])
        before, after = (np.array(self.points[corners[(k + s) % len(corners)]]) - at for s in (-1, 1))
        # The part lies to the left: between the sides, both prolonged through the corner.
        one, other = -after / np.hypot(*after), -before / np.hypot(*before)
        toward = one + rng.uniform(*CUT_RANGE) * (other - one)
        nearest: tuple[float, int] | None = None
        for side in range(len(corners)):
            if side in (k, (k - 1) % len(corners)):
                continue
            start = np.array(self.points[corners[side]]) - at
            vector = np.array(self.points[corners[(side + 1) % len(corners)]]) - at - start
            across = float(toward[0] * vector[1] - toward[1] * vector[0])
            if across == 0.0:
                continue
            far = float(start[0] * vector[1] - start[1] * vector[0]) / across
            along = float(start[0] * toward[1] - start[1] * toward[0]) / across
            if 0.0 <= along <= 1.0 and far > 0.0 and (nearest is None or far < nearest[0]):
                nearest = far, side
        assert nearest is not None, "a ray from within a polygon leaves it"
        far, side = nearest
        x, y = (at + far * toward).tolist()
        self._split(ring, corners[k], self._insert(corners[side], corners[(side + 1) % len(corners)], (x, y)))

    def _insert(self, start: int, end: int, point: Point) -> int:
        """A new vertex on the side from one corner to another, in every ring that has this edge."""
        x, y = self.points[start]
        far = math.hypot(point[0] - x, point[1] - y)
        ring = next(r for r in self.rings if self._has_side(r, start, end))
        here = ring.index(start)
        while (
            math.hypot(
                self.points[ring[(here + 1) % len(ring)]][0] - x,
                self.points[ring[(here + 1) % len(ring)]][1] - y,
            )
            < far
        ):
            here = (here + 1) % len(ring)
        a, b = ring[here], ring[(here + 1) % len(ring)]
        self.points.append(point)
        for other in self.rings:
            for one, two in ((a, b), (b, a)):
                if one in other and other[(other.index(one) + 1) % len(other)] == two:
                    other.insert(other.index(one) + 1, len(self.points) - 1)
        return len(self.points) - 1

    def _has_side(self, ring: Ring, start: int, end: int) -> bool:
        """Whether a side runs from one corner to another, whatever vertices lie on it."""
        corners = self._corners(ring)
        return start in corners and corners[(corners.index(start) + 1) % len(corners)] == end

    def _split(self, ring: Ring, first: int, second: int) -> None:
        """Cut a ring in two along the line between two of its vertices."""
        low, high = sorted((ring.index(first), ring.index(second)))
        self.rings.remove(ring)
        self.rings += [ring[low : high + 1], ring[high:] + ring[: low + 1]]


def merged(first: Ring, second: Ring) -> Ring | None:
    """The union of two neighbours, or None if it is not simple.

    >>> merged([0, 1, 2, 3], [1, 4, 5, 2])
    [0, 1, 4, 5, 2, 3]
    """
    follow = dict(zip(first, [*first[1:], first[0]], strict=True))
    other = dict(zip(second, [*second[1:], second[0]], strict=True))
    kept = [(a, b) for a, b in follow.items() if other.get(b) != a]
    kept += [(a, b) for a, b in other.items() if follow.get(b) != a]
    onward = dict(kept)
    if len(onward) < len(kept):
        return None  # they meet in a vertex apart from their common border
    whole = [kept[0][0]]
    while onward[whole[-1]] != whole[0]:
        whole.append(onward[whole[-1]])
    return whole if len(whole) == len(kept) else None  # else they enclose something


def _area(points: list[Point]) -> float:
    after = [*points[1:], points[0]]
    return sum(ax * by - bx * ay for (ax, ay), (bx, by) in zip(points, after, strict=True)) / 2.0
