"""Where pieces fit on a board of bits, held against cells looked at one by one."""

from __future__ import annotations

import numpy as np

from sherd.generation.lattice import LatticeParams, lattice
from sherd.solvers.search.lattice.bays import fits
from sherd.solvers.search.lattice.grid import on_grid
from sherd.solvers.search.lattice.grid_cells import cells_of
from sherd.solvers.search.lattice.tiler import GridTiler


def test_pieces_fit_where_all_of_their_cells_are_open() -> None:
    sample = lattice(LatticeParams(name="rectilinear:80x50", pieces=20), np.random.default_rng(1))
    grid = on_grid(sample.puzzle, 1e-7, [False] * 20)
    assert grid is not None
    tiler = GridTiler(grid)
    cells, target = tiler.cells(), cells_of(grid.target)
    assert cells.row[0] == 2  # lines that end in one word and lines that go on in the next
    for way in range(len(cells.kind)):
        ring = tiler._rings[way]  # pyright: ignore[reportPrivateUsage]
        own = cells_of([ring])
        for x in range(0, grid.width, 3):
            for y in range(0, grid.height, 7):
                is_open = all((x + a, y + b) in target for a, b in own)
                assert fits(cells, cells.closed, way, x + 1, y + 1) == is_open
