"""Right angles only: the target and the pieces as cells of the grid, and where pieces can lie in a corner.

Cells are bits. The board has them twice, line by line as words: level lines from the bottom up, then upright
ones from left to right, so that what lies along either is found in the same way.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from sherd.core.arrays import Ints
from sherd.solvers.search.lattice.bits import WORD, Words
from sherd.solvers.search.lattice.grid import GridPuzzle, Ring, area_twice
from sherd.solvers.search.lattice.grid_board import samples_of

Cell = tuple[int, int]

# The corners of a cell, and which way its neighbours outside of the corner lie: x and y.
CORNERS = ((-1, -1), (1, -1), (-1, 1), (1, 1))


class Cells(NamedTuple):
    """The board, one cell wider than the target on each side, and the ways to lay pieces on it."""

    lines: Ints  # (2,) how many there are, level and upright
    row: Ints  # (2,) words of a line
    closed: Words  # (B,) 1 where the target is not
    first_word: Ints  # (V, 2) of a way's lines, level and upright
    words: Ints  # (V, 2) of a line of it
    extent: Ints  # (V, 2) width and height
    mask: Words  # lines of all ways
    around: Ints  # (V,) the length of the outline
    kind: Ints  # (V,)
    corners: Ints  # (kinds,) that a piece adds to the region where none of its corners meets another
    area: Ints  # (kinds,) in cells
    left: Ints  # (kinds,) pieces of each kind
    first_in: Ints  # (9,) by corner and direction of the floor, level or upright:
    in_corner: Ints  # (C, 4) way, x and y of its cell in the corner, length of its edge along the floor
    kind_key: Ints  # (kinds,) random numbers


def make_cells(puzzle: GridPuzzle, rings: list[Ring], kinds: Ints, left: Ints) -> Cells:
    """The board of a puzzle with right angles only."""
    width, height = puzzle.width + 2, puzzle.height + 2
    inside = {(x + 1, y + 1) for x, y in cells_of(puzzle.target)}
    outside = {(x, y) for x in range(width) for y in range(height)} - inside
    corners, area = np.zeros(len(left), np.int64), np.zeros(len(left), np.int64)
    masks: list[list[int]] = []
    extent: list[Cell] = []
    in_corner: list[list[tuple[int, int, int, int]]] = [[] for _ in range(2 * len(CORNERS))]
    for way, ring in enumerate(rings):
        own = cells_of([ring])
        corners[kinds[way]], area[kinds[way]] = len(ring) - 2, area_twice(ring) // 2
        extent.append((max(x for x, _ in ring), max(y for _, y in ring)))
        masks += _lines(own, *extent[-1])
        for corner, (dx, dy) in enumerate(CORNERS):
            for x, y in sorted(own):
                if (x + dx, y) not in own and (x, y + dy) not in own:
                    for upright in range(2):
                        length = _edge(own, x, y, dx, dy, upright=bool(upright))
                        in_corner[2 * corner + upright].append((way, x, y, length))
    flat = [one for own in in_corner for one in sorted(own, key=lambda one: one[3])]
    return Cells(
        lines=np.array([height, width]),
        row=np.array([_words(width), _words(height)]),
        closed=np.array([word for lines in _lines(outside, width, height) for word in lines], np.uint64),
        first_word=_starts(masks)[:-1].reshape(-1, 2),
        words=np.array([(_words(wide), _words(high)) for wide, high in extent]),
        extent=np.array(extent),
        mask=np.array([word for lines in masks for word in lines], np.uint64),
        around=np.array([_length(ring) for ring in rings]),
        kind=kinds,
        corners=corners,
        area=area,
        left=left.copy(),
        first_in=_starts(in_corner),
        in_corner=np.array(flat),
        kind_key=np.random.default_rng(0).integers(1, 1 << 62, len(left)),
    )


def cells_of(rings: Sequence[Ring]) -> set[Cell]:
    """The cells in rings of right angles, less those in holes."""
    width, height = (max(corner[way] for ring in rings for corner in ring) for way in range(2))
    rows = samples_of(rings, _words(width), height)
    return {(x, y) for y in range(height) for x in range(width) if int(rows[y, x // WORD]) >> x % WORD & 1}


def _lines(own: set[Cell], width: int, height: int) -> list[list[int]]:
    """The words of the level lines of some cells, and of the upright ones."""
    level = [0] * (height * _words(width))
    upright = [0] * (width * _words(height))
    for x, y in own:
        level[y * _words(width) + x // WORD] |= 1 << x % WORD
        upright[x * _words(height) + y // WORD] |= 1 << y % WORD
    return [level, upright]


def _words(bits: int) -> int:
    return -(-bits // WORD)


def _length(ring: Ring) -> int:
    around = zip(ring, (*ring[1:], ring[0]), strict=True)
    return sum(abs(bx - ax) + abs(by - ay) for (ax, ay), (bx, by) in around)


def _edge(own: set[Cell], x: int, y: int, dx: int, dy: int, *, upright: bool) -> int:
    """How long the edge is that leaves a cell's corner along a floor."""
    length = 0
    while (x, y) in own and ((x + dx, y) if upright else (x, y + dy)) not in own:
        length += 1
        x, y = (x, y - dy) if upright else (x - dx, y)
    return length


def _starts(lists: Sequence[Sequence[object]]) -> Ints:
    return np.concatenate([[0], np.cumsum([len(own) for own in lists])])
