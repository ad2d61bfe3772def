"""Right angles only: the target and the pieces as cells of the grid, and where pieces can lie in a corner."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sherd.core.arrays import Ints
from sherd.solvers.search.lattice.grid import GridPuzzle, Ring, area_twice
from sherd.solvers.search.lattice.grid_board import samples_of

Bytes = NDArray[np.uint8]

# The corners of a cell, and which way its neighbours outside of the corner lie: x and y.
CORNERS = ((-1, -1), (1, -1), (-1, 1), (1, 1))
# Corners of the region about a point, by which of the four cells around it are closed.
CORNERS_ABOUT = np.array([0, 1, 1, 0, 1, 0, 2, 1, 1, 2, 0, 1, 0, 1, 1, 0])


class Cells(NamedTuple):
    """The board, one cell wider than the target on each side, and the ways to lay pieces on it.

    A cell is a number: row by row. Offsets are from the cell of a way's corner of least x and y.
    """

    row: int
    closed: Bytes  # (cells,) 1 where the target is not
    first_cell: Ints  # (V + 1,) by way
    cell: Ints  # offsets of its cells, those at corners first
    first_point: Ints  # (V + 1,) by way
    point: Ints  # (P, 2) points along its outline: the offset of the cell above and right, own cells as bits
    kind: Ints  # (V,)
    corners: Ints  # (kinds,) that a piece adds to the region where none of its corners meets another
    area: Ints  # (kinds,) in cells
    left: Ints  # (kinds,) pieces of each kind
    first_in: Ints  # (9,) by corner and direction of the floor, level or upright:
    in_corner: Ints  # (C, 3) way, offset of its cell in the corner, length of its edge along the floor
    key: Ints  # (cells,) random numbers
    kind_key: Ints  # (kinds,)


def make_cells(puzzle: GridPuzzle, rings: list[Ring], kinds: Ints, left: Ints) -> Cells:
    """The board of a puzzle with right angles only."""
    row = puzzle.width + 2
    closed = np.ones((puzzle.height + 2, row), np.uint8)
    for x, y in cells_of(puzzle.target):
        closed[y + 1, x + 1] = 0
    cells: list[list[int]] = []
    points: list[list[tuple[int, int]]] = []
    in_corner: list[list[tuple[int, int, int]]] = [[] for _ in range(8)]
    corners, area = np.zeros(len(left), np.int64), np.zeros(len(left), np.int64)
    for way, ring in enumerate(rings):
        own = cells_of(ring)
        corners[kinds[way]], area[kinds[way]] = len(ring) - 2, area_twice(ring) // 2
        at_corners: list[int] = []
        for corner, (dx, dy) in enumerate(CORNERS):
            for x, y in own:
                if (x + dx, y) not in own and (x, y + dy) not in own:
                    at_corners.append(y * row + x)
                    for upright in range(2):
                        length = _edge(own, x, y, dx, dy, upright=bool(upright))
                        in_corner[2 * corner + upright].append((way, y * row + x, length))
        cells.append(list(dict.fromkeys([*at_corners, *(y * row + x for x, y in sorted(own))])))
        around = {(x + dx, y + dy) for x, y in own for dx in (0, 1) for dy in (0, 1)}
        bits = {(x, y): _bits(own, x, y) for x, y in around}
        points.append([(y * row + x, own_bits) for (x, y), own_bits in bits.items() if own_bits != 15])
    rng = np.random.default_rng(0)
    flat = [one for own in in_corner for one in sorted(own, key=lambda one: one[2])]
    return Cells(
        row=row,
        closed=closed.ravel(),
        first_cell=_starts(cells),
        cell=np.array([one for own in cells for one in own]),
        first_point=_starts(points),
        point=np.array([one for own in points for one in own]),
        kind=kinds,
        corners=corners,
        area=area,
        left=left.copy(),
        first_in=_starts(in_corner),
        in_corner=np.array(flat),
        key=rng.integers(1, 1 << 62, closed.size),
        kind_key=rng.integers(1, 1 << 62, len(left)),
    )


def cells_of(ring: Ring) -> set[tuple[int, int]]:
    """The cells in a ring of right angles."""
    width, height = max(x for x, _ in ring), max(y for _, y in ring)
    rows = samples_of(ring, -(-width // 64), height)
    return {(x, y) for y in range(height) for x in range(width) if int(rows[y, x // 64]) >> x % 64 & 1}


def _bits(own: set[tuple[int, int]], x: int, y: int) -> int:
    """Which of the four cells about a point are a piece's own."""
    about = ((x - 1, y - 1), (x, y - 1), (x - 1, y), (x, y))
    return sum(1 << k for k, cell in enumerate(about) if cell in own)


def _edge(own: set[tuple[int, int]], x: int, y: int, dx: int, dy: int, *, upright: bool) -> int:
    """How long the edge is that leaves a cell's corner along a floor."""
    length = 0
    while (x, y) in own and ((x + dx, y) if upright else (x, y + dy)) not in own:
        length += 1
        x, y = (x, y - dy) if upright else (x - dx, y)
    return length


def _starts(lists: list[list[int]] | list[list[tuple[int, int]]] | list[list[tuple[int, int, int]]]) -> Ints:
    return np.concatenate([[0], np.cumsum([len(own) for own in lists])])
