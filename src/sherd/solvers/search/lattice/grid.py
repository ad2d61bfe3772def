"""Whether a puzzle lies on a grid of squares, and in which ways each piece can be laid on it.

The grid is that of the target: upright, through its corners, as coarse as the pieces allow. A piece can be
laid on it in few ways, mostly four, and four more where it may be turned over.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from shapely import Polygon

from sherd.core.arrays import Floats, Ints
from sherd.core.geometry import Pose, Region, Rotations
from sherd.core.puzzle import Puzzle
from sherd.solvers.search.constants.on_grid import (
    GRID_DOUBT,
    LOOKED_AT_ON_GRID,
    MOST_DRAWN_DOUBT,
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
class BoardPart:
    """A part of the target on the grid: from which column on it lies there, and the place of its (0, 0)."""

    column: int
    width: int
    origin: tuple[float, float]


@dataclass(frozen=True)
class GridPuzzle:
    """A puzzle on a grid: the target's rings, its parts, each piece's lies, and the side of the squares.

    Rings have the target to their left, so that those around holes go the other way round. Parts stand side
    by side, an empty column between them, wherever they are in the plane.
    """

    target: tuple[Ring, ...]
    parts: tuple[BoardPart, ...]
    lies: tuple[tuple[Lie, ...], ...]
    unit: float

    @property
    def width(self) -> int:
        """Of the target, in squares."""
        return max(x for ring in self.target for x, _ in ring)

    @property
    def height(self) -> int:
        """Of the target, in squares."""
        return max(y for ring in self.target for _, y in ring)

    @property
    def is_rectilinear(self) -> bool:
        """Whether target and pieces have right angles only, so that nothing can lie off the grid."""
        rings = (*self.target, *(lie.ring for lies in self.lies for lie in lies))
        return all(_is_rectilinear(ring) for ring in rings)

    @property
    def areas_agree(self) -> bool:
        """Whether the pieces have just the target's area."""
        return sum(area_twice(lies[0].ring) for lies in self.lies) == sum(map(area_twice, self.target))

    def pose(self, piece: int, lie: int, x: int, y: int) -> Pose:
        """Where a piece is when it is laid in one of its ways with its corner of least x and y at (x, y)."""
        own = self.lies[piece][lie].pose
        part = next(part for part in reversed(self.parts) if part.column <= x)
        left, bottom = part.origin
        x -= part.column
        return Pose(own.x + left + x * self.unit, own.y + bottom + y * self.unit, own.theta, own.mirrored)

    def in_plane(self, points: Ints) -> Floats:
        """Where points of the grid that belong to one part are in the plane, (n, 2)."""
        part = next(part for part in reversed(self.parts) if part.column <= points[:, 0].min())
        return np.asarray((points - (part.column, 0)) * self.unit + part.origin, np.float64)

    def on_board(self, points: Floats) -> Ints:
        """The points of the grid (n, 2) at points of the plane that belong to one part: the nearest."""
        every = ((part, (points - part.origin) / self.unit) for part in self.parts)
        part, near = min(every, key=lambda one: _beside(one[1], one[0].width))
        return np.add(np.round(near), (part.column, 0)).astype(np.int64)


def on_grid(
    puzzle: Puzzle, off: float, mirror: Sequence[bool], drawn_off: float | None = None
) -> GridPuzzle | None:
    """The puzzle on its grid, if it has one and no piece has a hole; corners may be ``off`` by this length.

    Where the target is drawn by hand, its corners may be off by more: by ``drawn_off``.
    """
    outlines = [fragment.polygon for fragment in puzzle.fragments]
    if any(outline.interiors for outline in outlines):
        return None
    rings = [own[0] for own in clean_rings(outlines, off)]
    loose = off if drawn_off is None else drawn_off
    parts = clean_rings(list[Region](parts_of(puzzle.target)), loose)
    # The step from one ring of a part to the next counts as well.
    unit = _unit([] if drawn_off is not None else [np.concatenate(part) for part in parts], rings, off)
    if unit is None:
        return None
    doubt = min(max(GRID_DOUBT * MOST_GRID, 8.0 * off / unit), MOST_GRID_DOUBT)
    most = doubt if drawn_off is None else min(2.0 * drawn_off / unit, MOST_DRAWN_DOUBT)
    laid = _laid_out(parts, unit, most)
    if laid is None:
        return None
    upright = all(_is_rectilinear(ring) for ring in laid[0]) and all(
        _has_right_angles(ring, off) for ring in rings
    )
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
    return GridPuzzle(*laid, tuple(lies), unit)


def _laid_out(
    parts: Sequence[Sequence[Floats]], unit: float, doubt: float
) -> tuple[tuple[Ring, ...], tuple[BoardPart, ...]] | None:
    """The rings of the target's parts on the grid, side by side; None if one is not on it."""
    rings, found, column = list[Ring](), list[BoardPart](), 0
    for part in parts:
        low = np.min([ring.min(axis=0) for ring in part], axis=0)
        points = np.concatenate([(ring - low) / unit for ring in part])
        # The mean over all corners says more surely than any one where the part is.
        shift = (points - np.round(points)).mean(axis=0)
        whole = _whole(points - shift, doubt)
        if whole is None or whole.max() + column > MOST_GRID:
            return None
        whole -= whole.min(axis=0)
        width = int(whole[:, 0].max())
        at = 0
        for number, ring in enumerate(part):
            own = ring_of(np.add(whole[at : at + len(ring)], (column, 0)))
            at += len(ring)
            if len(set(own)) < len(own) or (area_twice(own) > 0) != (number == 0):
                return None  # it fell together when it was rounded
            if number and not _is_rectilinear(own):
                return None  # it may lie between the samples of squares, and a piece on it seem to fit
            rings.append(own)
        origin = low + shift * unit
        found.append(BoardPart(column, width, (float(origin[0]), float(origin[1]))))
        column += width + 1
    return tuple(rings), tuple(found)


def _beside(points: Floats, width: int) -> float:
    """How far points are from a part of this width, or off its grid: 0 if they belong to it."""
    outside = max(0.0, -float(points[:, 0].min()), float(points[:, 0].max()) - width)
    return outside + float(np.abs(points - np.round(points)).max())


def parts_of(target: Region) -> list[Polygon]:
    """The parts of a target."""
    return [part for part in shapely.get_parts(target) if isinstance(part, Polygon)]


def seems_on_grid(puzzle: Puzzle, off: float, *, drawn: bool = False) -> bool:
    """Whether the first pieces could lie on a grid with the target, which few do by chance; soon told.

    If the target is ``drawn`` by hand, it is not looked at.
    """
    outlines = [fragment.polygon for fragment in puzzle.fragments[:LOOKED_AT_ON_GRID]]
    rings = [np.asarray(outline.exterior.coords)[:-1] for outline in outlines]
    parts = [] if drawn else [shapely.get_coordinates(part) for part in parts_of(puzzle.target)]
    return _unit(parts, rings, off) is not None


def _unit(target: Sequence[Floats], rings: Sequence[Floats], off: float) -> float | None:
    """The side of the squares, if there is one not lost in rounding; of the target, each part's corners."""
    size = max(float((ring.max(axis=0) - ring.min(axis=0)).max()) for ring in (*target, *rings))
    doubt = max(GRID_DOUBT * size, 4.0 * off) * size
    least = (size / MOST_GRID) ** 2
    products: list[Floats] = []
    for part in target:
        steps = np.abs(np.diff(part, axis=0))
        products += [steps[:, 0] ** 2, steps[:, 1] ** 2, steps[:, 0] * steps[:, 1]]
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
