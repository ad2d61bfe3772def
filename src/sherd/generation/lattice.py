"""Puzzles on a grid, as contests set them: every corner of frame and pieces has whole coordinates.

Many edges and angles are alike, pieces bend inward, and a corner is shared by several of them. Cut freely, at
right angles only, into pieces of which several are equal, or into polyominoes.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, gcd, isqrt

import numpy as np
from numpy.typing import NDArray
from shapely import LineString, Polygon, box

from sherd.core.errors import ArgumentError
from sherd.core.geometry import Rotations
from sherd.core.puzzle import Sample
from sherd.generation.frame_words import (
    EQUAL,
    FEWEST_CORNERS,
    FREELY,
    HIGHEST,
    MOST_CORNERS,
    POLYOMINOES,
    RIGHT_ANGLES,
    WIDEST,
    FrameWords,
)
from sherd.generation.polyominoes import PENTOMINO_BOXES, filled_box, letters_in_place
from sherd.generation.scattering import FREE, scattered

Ints = NDArray[np.int64]
Point = tuple[int, int]
Ring = list[Point]

FEWEST_PIECES, MOST_PIECES = 7, 64
# Squares that a piece of a frame has on average at least; and of polyominoes, the fewest and the most cells.
FEWEST_SQUARES = 25
FEWEST_CELLS_A_PIECE, MOST_CELLS_A_PIECE = 2, 8
# A frame has at least this share of its box.
LEAST_OF_THE_BOX = 0.6
# Cuts bend up to so often on their way.
MOST_BENDS = 3
# A cut leaves at least this share of a part on either side, and no corner narrower than this sine.
SMALLEST_SHARE = 0.25
NARROWEST_SINE = 0.2
# A cut starts in a corner that is there already with this chance, else on an edge.
FROM_A_CORNER = 0.4
# Draws of a cut, or of a corner of the frame, until another part is taken or what there is will do.
DRAWS = 200
# Frames that are drawn until one can be cut into as many pieces as asked for.
FRAMES = 20
# The narrowest of equal boxes, how many there are at most, and cells of a polyomino on average.
LEAST_CELL, MOST_EQUAL = 14, 8
CELLS_A_PIECE = 5


@dataclass(frozen=True, kw_only=True)
class LatticeParams:
    """What kind of frame, how many pieces, and how they may lie in the puzzle.

    ``name`` is a kind of frame, and what else there is to say of it: see `FrameWords`.
    """

    name: str = FREELY
    pieces: int = 20
    rotations: Rotations = FREE
    mirror: bool = False

    def __post_init__(self) -> None:
        words = FrameWords.of(self.name)  # which checks the name
        if self.name in PENTOMINO_BOXES:
            if self.pieces != len(PENTOMINO_BOXES[self.name].letters):
                raise ArgumentError(f"there are 12 pentominoes, not {self.pieces}")
        elif not FEWEST_PIECES <= self.pieces <= MOST_PIECES:
            raise ArgumentError(
                f"pieces on a grid must be between {FEWEST_PIECES} and {MOST_PIECES}, not {self.pieces}"
            )
        elif words.size is not None:
            _check_room(words.size, self.pieces, words.kind == POLYOMINOES)
            if words.kind == EQUAL:
                _equal_cells(words.size, self.pieces)


def frame_outline(name: str) -> Polygon:
    """The box that a frame of this name fits into; those of pentominoes fill it."""
    if (size := FrameWords.of(name).size) is not None:
        return box(0, 0, *size)
    if name in PENTOMINO_BOXES:
        return box(0, 0, PENTOMINO_BOXES[name].width, PENTOMINO_BOXES[name].height)
    return box(0, 0, WIDEST, HIGHEST)


def _check_room(size: tuple[int, int], pieces: int, are_polyominoes: bool) -> None:
    """`ArgumentError` if a box is too small, or too large, for so many pieces."""
    share = size[0] * size[1] / pieces
    most = MOST_CELLS_A_PIECE if are_polyominoes else WIDEST * HIGHEST
    if not (FEWEST_CELLS_A_PIECE if are_polyominoes else FEWEST_SQUARES) <= share <= most:
        raise ArgumentError(f"a box of {size[0]}x{size[1]} has no fair room for {pieces} pieces")


def lattice(params: LatticeParams, rng: np.random.Generator) -> Sample:
    """A puzzle whose corners all lie on the grid of whole numbers, and its answer.

    A frame that cannot be cut so often is drawn anew.
    """
    words = FrameWords.of(params.name)
    for _ in range(FRAMES):
        frame, rings = _drawn(params, words, rng)
        if rings is not None:
            outlines = [np.array(ring, dtype=np.float64) for ring in rings]
            return scattered(Polygon(frame), outlines, rng, rotations=params.rotations, mirror=params.mirror)
    raise ArgumentError(f"no frame '{params.name}' was drawn that is cut into {params.pieces} pieces")


def _drawn(
    params: LatticeParams, words: FrameWords, rng: np.random.Generator
) -> tuple[Ring, list[Ring] | None]:
    """A frame and its parts, None if it cannot be cut into so many."""
    if words.kind in PENTOMINO_BOXES:
        frame = _rectangle(*_extent(frame_outline(params.name)))
        return frame, letters_in_place(PENTOMINO_BOXES[params.name])
    if words.kind == POLYOMINOES:
        cells = CELLS_A_PIECE * params.pieces
        height = isqrt(cells) - int(rng.integers(0, 1 + isqrt(cells) // 3))
        width, height = words.size or (ceil(cells / height), height)
        return _rectangle(width, height), filled_box(width, height, params.pieces, rng)
    if words.kind == EQUAL:
        return _equal_parts(words, params.pieces, rng)
    frame = _draw_frame(words, rng)
    return frame, _cut([frame], params.pieces, words.kind == RIGHT_ANGLES, rng, convex=words.convex)


def large_lattice(pieces: int, rng: np.random.Generator) -> Sample:
    """The same for more pieces than contests have, free to turn: a frame as much larger, cut freely."""
    times = max(1, round((pieces / MOST_PIECES) ** 0.5))
    frame = [(times * x, times * y) for x, y in _draw_frame(FrameWords(FREELY), rng)]
    rings = _cut([frame], pieces, False, rng)
    assert rings is not None, "a large frame can always be cut"
    outlines = [np.array(ring, dtype=np.float64) for ring in rings]
    return scattered(Polygon(frame), outlines, rng, rotations=FREE, mirror=False)


def _extent(outline: Polygon) -> tuple[int, int]:
    return int(outline.bounds[2]), int(outline.bounds[3])


def _rectangle(width: int, height: int) -> Ring:
    return [(0, 0), (width, 0), (width, height), (0, height)]


def _draw_frame(words: FrameWords, rng: np.random.Generator) -> Ring:
    """A frame of 4 to 45 corners: a box into which its sides are pushed here and there.

    If the number of corners is told, it has no more, and fewer only where no side could be pushed.
    """
    right_angles = words.kind == RIGHT_ANGLES
    width, height = int(rng.integers(50, WIDEST + 1)), int(rng.integers(40, HIGHEST + 1))
    width, height = words.size or (width, height)
    ring = _rectangle(width, height)
    corners = 4 if rng.random() < 0.3 else int(rng.integers(5, MOST_CORNERS + 1))
    corners = FEWEST_CORNERS if words.convex else words.corners or corners
    most = MOST_CORNERS if words.corners is None else words.corners
    for _ in range(DRAWS):
        if len(ring) >= corners:
            break
        k = int(rng.integers(len(ring)))
        start, end = ring[k], ring[(k + 1) % len(ring)]
        if right_angles:
            pushed = _pushed_box(start, end, rng)
        else:
            middle = (start[0] + end[0]) / 2, (start[1] + end[1]) / 2
            spread = max(abs(end[0] - start[0]), abs(end[1] - start[1])) / 3
            x, y = (round(float(c + rng.uniform(-spread, spread))) for c in middle)
            pushed = [(x, y)]
        changed = [*ring[: k + 1], *pushed, *ring[k + 1 :]]
        if len(changed) > most:
            continue
        outline = Polygon(changed)
        is_large = outline.is_valid and outline.area >= LEAST_OF_THE_BOX * width * height
        if is_large and _is_fair(changed) and Polygon(ring).covers(outline):
            ring = changed
    return ring


def _pushed_box(start: Point, end: Point, rng: np.random.Generator) -> Ring:
    """Four corners that push a stretch of an upright or level side inward, or a part of it at one end."""
    dx, dy = np.sign(end[0] - start[0]), np.sign(end[1] - start[1])
    length = abs(end[0] - start[0]) + abs(end[1] - start[1])
    if length < 9:
        return []
    low, high = sorted(rng.choice(np.arange(2, length - 1), 2, replace=False).tolist())
    depth = int(rng.integers(3, 3 + max(1, length // 3)))
    first, last = (start[0] + dx * low, start[1] + dy * low), (start[0] + dx * high, start[1] + dy * high)
    inner = [(int(x - dy * depth), int(y + dx * depth)) for x, y in (first, last)]
    return [(int(first[0]), int(first[1])), *inner, (int(last[0]), int(last[1]))]


def _equal_parts(words: FrameWords, pieces: int, rng: np.random.Generator) -> tuple[Ring, list[Ring] | None]:
    """A box of equal boxes that are all cut alike, some of them turned by half a turn; a rest is cut on.

    Of a box whose size is told there are as many as divide it.
    """
    columns, rows = _equal_cells(words.size, pieces)
    width, height = (
        int(rng.integers(LEAST_CELL, WIDEST // columns + 1)),
        int(rng.integers(LEAST_CELL, HIGHEST // rows + 1)),
    )
    if words.size is not None:
        width, height = words.size[0] // columns, words.size[1] // rows
    cells = columns * rows
    frame = _rectangle(columns * width, rows * height)
    parts = _cut([_rectangle(width, height)], pieces // cells, bool(rng.random() < 0.3), rng)
    if parts is None:
        return frame, None
    rings: list[Ring] = []
    for column in range(columns):
        for row in range(rows):
            half = bool(rng.random() < 0.5)
            for part in parts:
                turned = [(width - x, height - y) if half else (x, y) for x, y in part]
                rings.append([(x + column * width, y + row * height) for x, y in turned])
    return frame, _cut(rings, pieces, False, rng)


def _equal_cells(size: tuple[int, int] | None, pieces: int) -> tuple[int, int]:
    """Columns and rows of equal boxes: as many as there may be, about as many of one as of the other."""
    most = min(MOST_EQUAL, pieces // 3)
    ways = [
        (columns, rows)
        for rows in range(1, most + 1)
        for columns in range(rows if size is None else 1, most // rows + 1)
        if columns * rows > 1
        and (
            size is None
            or (
                size[0] % columns == size[1] % rows == 0
                and min(size[0] // columns, size[1] // rows) >= LEAST_CELL
            )
        )
    ]
    if not ways:
        assert size is not None
        raise ArgumentError(f"a box of {size[0]}x{size[1]} is not divided into equal boxes in whole numbers")
    return max(ways, key=lambda way: (way[0] * way[1], -abs(way[0] - way[1])))


def _cut(
    rings: list[Ring], pieces: int, right_angles: bool, rng: np.random.Generator, *, convex: bool = False
) -> list[Ring] | None:
    """Cut large parts in two, along lines that bend unless parts stay convex, until there are ``pieces``.

    None if no part can be cut any more.
    """
    parts = list(rings)
    while len(parts) < pieces:
        order = sorted(range(len(parts)), key=lambda k: -_area(parts[k]) * rng.uniform(0.6, 1.0))
        for k in order:
            halves = _cut_in_two(parts[k], right_angles, rng, convex=convex)
            if halves is not None:
                parts[k : k + 1] = halves
                break
        else:
            return None
    return [_without_straight_corners(ring) for ring in parts]


def _cut_in_two(
    ring: Ring, right_angles: bool, rng: np.random.Generator, *, convex: bool = False
) -> list[Ring] | None:
    """Two parts along a line between two places on the ring, or None where none was found."""
    whole = Polygon(ring)
    around = _grid_points_on(ring)
    corners = [k for k, point in enumerate(around) if point in set(ring)]
    for draw in range(DRAWS):
        first, last = (
            corners[int(rng.integers(len(corners)))]
            if rng.random() < FROM_A_CORNER
            else int(rng.integers(len(around)))
            for _ in range(2)
        )
        if first == last:
            continue
        low, high = min(first, last), max(first, last)
        start, end = around[low], around[high]
        bends = 0 if convex or draw >= DRAWS // 2 else int(rng.integers(0, MOST_BENDS + 1))
        path = _square_path(start, end, rng) if right_angles else _path(start, end, bends, rng)
        if len(set(path)) < len(path):
            continue
        halves = [path[::-1] + around[low + 1 : high], path + around[high + 1 :] + around[:low]]
        halves = [_without_straight_corners(half) for half in halves]
        if min(map(_area, halves)) < SMALLEST_SHARE * _area(ring) or not all(map(_is_fair, halves)):
            continue
        line = LineString(path)
        if line.is_simple and whole.covers(line) and all(Polygon(half).is_valid for half in halves):
            return halves
    return None


def _path(start: Point, end: Point, bends: int, rng: np.random.Generator) -> Ring:
    """A way between two places through others near the straight line between them."""
    across = (start[1] - end[1], end[0] - start[0])
    path = [start]
    for along in sorted(rng.uniform(0.15, 0.85, bends).tolist()):
        off = float(rng.uniform(-0.4, 0.4))
        x, y = (round(s + along * (e - s) + off * a) for s, e, a in zip(start, end, across, strict=True))
        path.append((x, y))
    return [*path, end]


def _square_path(start: Point, end: Point, rng: np.random.Generator) -> Ring:
    """A way along the axes between two places, straight, once bent, or twice."""
    (x0, y0), (x1, y1) = start, end
    if x0 == x1 or y0 == y1:
        return [start, end]
    kind = int(rng.integers(4))
    if kind == 0:
        return [start, (x1, y0), end]
    if kind == 1:
        return [start, (x0, y1), end]
    if kind == 2:
        x = int(rng.integers(min(x0, x1), max(x0, x1) + 1))
        return [start, (x, y0), (x, y1), end]
    y = int(rng.integers(min(y0, y1), max(y0, y1) + 1))
    return [start, (x0, y), (x1, y), end]


def _grid_points_on(ring: Ring) -> Ring:
    """The corners of a ring and all places of the grid on its edges, in turn."""
    around: Ring = []
    for (x0, y0), (x1, y1) in zip(ring, [*ring[1:], ring[0]], strict=True):
        steps = gcd(x1 - x0, y1 - y0)
        around += [(x0 + (x1 - x0) // steps * k, y0 + (y1 - y0) // steps * k) for k in range(steps)]
    return around


def _without_straight_corners(ring: Ring) -> Ring:
    around = zip([ring[-1], *ring[:-1]], ring, [*ring[1:], ring[0]], strict=True)
    return [b for a, b, c in around if (b[0] - a[0]) * (c[1] - b[1]) != (b[1] - a[1]) * (c[0] - b[0])]


def _area(ring: Ring) -> float:
    """Positive if the ring runs counter-clockwise."""
    around = zip(ring, [*ring[1:], *ring[:1]], strict=True)
    return sum(ax * by - bx * ay for (ax, ay), (bx, by) in around) / 2.0


def _is_fair(ring: Ring) -> bool:
    """Whether no corner is very sharp, nor very sharp from outside."""
    points = np.array(ring, dtype=np.float64)
    into, out = points - np.roll(points, 1, axis=0), np.roll(points, -1, axis=0) - points
    length = np.hypot(*into.T) * np.hypot(*out.T)
    if not length.all():
        return False
    sine = np.abs(into[:, 0] * out[:, 1] - into[:, 1] * out[:, 0]) / length
    turns_back = (into * out).sum(axis=1) < 0.0
    return bool((sine[turns_back] >= NARROWEST_SINE).all())
