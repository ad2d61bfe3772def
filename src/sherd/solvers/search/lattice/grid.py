"""Whether a puzzle lies on a grid of squares, and in which ways each piece can be laid on it.

The grid is that of the target: upright, through its corners, as coarse as the pieces allow. A piece can be
laid on it in few ways, mostly four, and four more where it may be turned over.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from shapely import Polygon

from sherd.core.arrays import Floats, Ints
from sherd.core.geometry import Pose, Rotations
from sherd.core.puzzle import Puzzle
from sherd.solvers.search.constants.on_grid import (
    GRID_DOUBT,
    LOOKED_AT_ON_GRID,
    MOST_GRID,
    MOST_GRID_DOUBT,
)
from sherd.solvers.search.tiling.facts import clean_rings

Ring = tuple[tuple[int, int], ...]


@dataclass(frozen=True)
class Lie:
    """A way to lay a piece on the grid: its ring in whole numbers from (0, 0) on, and the pose for it."""

    ring: Ring
    pose: Pose


@dataclass(frozen=True)
class GridPuzzle:
    """A puzzle on a grid: the target's ring, each piece's lies, and where the grid is.

    ``unit`` is the side of its squares, ``origin`` the place of (0, 0).
    """

    target: Ring
    lies: tuple[tuple[Lie, ...], ...]
    unit: float
    origin: tuple[float, float]

    @property
    def width(self) -> int:
        """Of the target, in squares."""
        return max(x for x, _ in self.target)

    @property
    def height(self) -> int:
        """Of the target, in squares."""
        return max(y for _, y in self.target)

    @property
    def is_rectilinear(self) -> bool:
        """Whether target and pieces have right angles only, so that nothing can lie off the grid."""
        rings = (self.target, *(lie.ring for lies in self.lies for lie in lies))
        return all(_is_rectilinear(ring) for ring in rings)

    def pose(self, piece: int, lie: int, x: int, y: int) -> Pose:
        """Where a piece is when it is laid in one of its ways with its corner of least x and y at (x, y)."""
        own = self.lies[piece][lie].pose
        left, bottom = self.origin
        return Pose(own.x + left + x * self.unit, own.y + bottom + y * self.unit, own.theta, own.mirrored)


def on_grid(puzzle: Puzzle, off: float, mirror: Sequence[bool]) -> GridPuzzle | None:
    """The puzzle on its grid, if it has one and nothing has a hole; corners may be ``off`` by this length."""
    outlines = [fragment.polygon for fragment in puzzle.fragments]
    if not isinstance(puzzle.target, Polygon) or any(one.interiors for one in (puzzle.target, *outlines)):
        return None
    target, *rings = (own[0] for own in clean_rings([puzzle.target, *outlines], off))
    unit = _unit(target, rings, off)
    if unit is None:
        return None
    left, bottom = target.min(axis=0).tolist()
    doubt = min(max(GRID_DOUBT * MOST_GRID, 8.0 * off / unit), MOST_GRID_DOUBT)
    on_target = _whole((target - (left, bottom)) / unit, doubt)
    if on_target is None or on_target.max() > MOST_GRID:
        return None
    upright = _is_upright(target, off) and all(_has_right_angles(ring, off) for ring in rings)
    lies: list[tuple[Lie, ...]] = []
    for fragment, ring, may_mirror in zip(puzzle.fragments, rings, mirror, strict=True):
        rotations = puzzle.rotations_of(fragment.id)
        own = tuple(
            lie
            for lie in _lies(ring, unit, rotations, may_mirror, doubt)
            if not upright or _is_rectilinear(lie.ring)  # flush with what is upright, all are
        )
        if not own:
            return None
        lies.append(own)
    return GridPuzzle(ring_of(on_target), tuple(lies), unit, (left, bottom))


def seems_on_grid(puzzle: Puzzle, off: float) -> bool:
    """Whether the first pieces could lie on a grid with the target, which few do by chance; soon told."""
    if not isinstance(puzzle.target, Polygon):
        return False
    outlines = (puzzle.target, *(fragment.polygon for fragment in puzzle.fragments[:LOOKED_AT_ON_GRID]))
    target, *rings = (np.asarray(outline.exterior.coords)[:-1] for outline in outlines)
    return _unit(target, rings, off) is not None


def _unit(target: Floats, rings: Sequence[Floats], off: float) -> float | None:
    """The side of the squares, if there is one that is not lost in rounding."""
    size = float((target.max(axis=0) - target.min(axis=0)).max())
    doubt = max(GRID_DOUBT * size, 4.0 * off) * size
    least = (size / MOST_GRID) ** 2
    steps = np.abs(np.diff(target, axis=0))
    products = [np.concatenate([steps[:, 0] ** 2, steps[:, 1] ** 2, steps[:, 0] * steps[:, 1]])]
    for ring in rings:
        edges = np.roll(ring, -1, axis=0) - ring
        other = edges[0]
        products.append(np.abs(edges @ other))
        products.append(np.abs(edges[:, 0] * other[1] - edges[:, 1] * other[0]))
    common = 0.0
    for value in np.unique(np.concatenate(products).round(12)).tolist():
        if value > doubt:
            common = _common_divisor(value, common, doubt)
            if common < least:
                return None
            common = value / round(value / common)  # the largest says it most surely
    if common == 0.0:
        return None
    # The squares of all lengths are whole multiples: that alone says how long the unit is most surely.
    squares = np.concatenate([((np.roll(ring, -1, axis=0) - ring) ** 2).sum(axis=1) for ring in rings])
    times = np.round(squares / common)
    return math.sqrt(float(squares.sum() / times.sum()))


def _common_divisor(first: float, second: float, doubt: float) -> float:
    """The largest number of which both are multiples, but for rounding."""
    while second > doubt:
        first, second = second, first % second
        if first - second <= doubt:
            second = 0.0
    return first


def _whole(points: Floats, doubt: float) -> Ints | None:
    """The points as whole numbers, if they are."""
    near = np.round(points)
    return near.astype(np.int64) if np.abs(points - near).max() <= doubt else None


def _lies(ring: Floats, unit: float, rotations: Rotations, mirror: bool, doubt: float) -> Iterator[Lie]:
    """The different ways to lay a piece on the grid."""
    seen: set[Ring] = set()
    for mirrored in (False, True) if mirror else (False,):
        own = Pose(mirrored=mirrored).points(ring)[:: -1 if mirrored else 1] / unit
        edges = np.roll(own, -1, axis=0) - own
        longest = int(np.argmax((edges**2).sum(axis=1)))
        dx, dy = edges[longest].tolist()
        for x, y in _vectors(round(dx * dx + dy * dy)):
            theta = math.atan2(y, x) - math.atan2(dy, dx)
            if not rotations.allows(theta, doubt):
                continue
            theta = rotations.nearest(theta) if rotations.bins is not None else theta
            turned = Pose(theta=theta).points(own)
            corner = turned[longest]
            moved = _whole(turned - corner, doubt)
            if moved is None:
                continue
            low = moved.min(axis=0)
            found = ring_of(moved - low)
            if found not in seen:
                seen.add(found)
                # The mean over all corners says more surely than any one where the piece is.
                shift = (moved - low - turned).mean(axis=0) * unit
                yield Lie(found, Pose(float(shift[0]), float(shift[1]), theta, mirrored))


def _vectors(square: int) -> Iterator[tuple[int, int]]:
    """All vectors of whole numbers whose length has this square."""
    for x in range(-math.isqrt(square), math.isqrt(square) + 1):
        y = math.isqrt(square - x * x)
        if y * y == square - x * x:
            yield x, y
            if y:
                yield x, -y


def ring_of(points: Ints) -> Ring:
    """The ring, beginning with its least corner."""
    corners: list[tuple[int, int]] = [(x, y) for x, y in points.tolist()]
    first = corners.index(min(corners))
    return (*corners[first:], *corners[:first])


def _is_upright(ring: Floats, off: float) -> bool:
    return bool((np.abs(np.roll(ring, -1, axis=0) - ring).min(axis=1) <= 2.0 * off).all())


def _has_right_angles(ring: Floats, off: float) -> bool:
    edges = np.roll(ring, -1, axis=0) - ring
    length = np.hypot(edges[:, 0], edges[:, 1])
    along = np.abs((edges * np.roll(edges, 1, axis=0)).sum(axis=1))
    return bool((along <= 4.0 * off * np.maximum(length, np.roll(length, 1))).all())


def _is_rectilinear(ring: Ring) -> bool:
    return all(a[0] == b[0] or a[1] == b[1] for a, b in zip(ring, (*ring[1:], ring[0]), strict=True))


def area_twice(ring: Ring) -> int:
    """Twice the area, a whole number.

    >>> area_twice(((0, 0), (1, 0), (0, 1)))
    1
    """
    return sum(ax * by - bx * ay for (ax, ay), (bx, by) in zip(ring, (*ring[1:], ring[0]), strict=True))
