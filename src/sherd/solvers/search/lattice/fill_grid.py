"""The attempt on a grid: a search that goes back and beams that do not, until one fills the target."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sherd.core.geometry import Pose
from sherd.solvers.search.attempt import NOTHING, Found
from sherd.solvers.search.case import Case
from sherd.solvers.search.constants import (
    CELL_BEAMS,
    CELL_DEPTH_SHARE,
    CELL_WEIGHTS,
    DEPTH_SHARE,
    FIRST_BEAM,
    WIDER_BEAM,
)
from sherd.solvers.search.lattice.beam import Beam
from sherd.solvers.search.lattice.cell_beam import CellBeam
from sherd.solvers.search.lattice.cells import Cells
from sherd.solvers.search.lattice.filling import EXHAUSTED, FILLED, PAUSED
from sherd.solvers.search.lattice.grid import GridPuzzle, on_grid
from sherd.solvers.search.lattice.tiler import CoverTiler, GridTiler
from sherd.solvers.stop import Stop


def fill_grid(case: Case, off: float, stop: Stop) -> Found:
    """The poses of all pieces, or of as many as could be placed at best; its tries are placements.

    Beams grow until one fills the target, and the search that goes back has its share of the time. If that
    ends, nothing on the grid is left to try.
    """
    grid = on_grid(case.puzzle, off * case.size, case.may_mirror)
    if grid is None:
        return NOTHING
    small = CoverTiler.of(grid)
    if small is not None:
        return _covered(small, stop)
    tiler, tried = GridTiler(grid), 0
    best: dict[int, Pose] = {}
    beams = _cell_beams(tiler.cells()) if grid.is_rectilinear else _beams(grid)
    share = CELL_DEPTH_SHARE if grid.is_rectilinear else DEPTH_SHARE
    owed = case.pieces * WIDER_BEAM
    for beam in beams:
        # Most puzzles are solved at the first go; what it spends is what the beam may.
        while tiler.tried < owed:
            if stop(tiler.tried + tried):
                return Found(_larger(case, tiler.best(), best), tiler.tried + tried)
            end = tiler.go_on()
            if end == FILLED:
                return Found(tiler.placed(), tiler.tried + tried, exhausted=True)
            if end == EXHAUSTED:
                return Found(tiler.best(), tiler.tried + tried, exhausted=tiler.is_complete)
        end = PAUSED
        while end == PAUSED:
            if stop(tiler.tried + tried + beam.tried):
                best = _larger(case, best, tiler.poses(beam.placed))
                return Found(_larger(case, tiler.best(), best), tiler.tried + tried + beam.tried)
            end = beam.go_on()
        tried += beam.tried
        if end == FILLED:
            return Found(tiler.poses(beam.placed), tiler.tried + tried, exhausted=True)
        best = _larger(case, best, tiler.poses(beam.placed))
        owed = tiler.tried + round(share * beam.tried)
    raise AssertionError("there is always another beam")


def _beams(grid: GridPuzzle) -> Iterator[Beam]:
    """Beams that are wider each time."""
    width = FIRST_BEAM
    while True:
        yield GridTiler(grid).beam(width)
        width *= WIDER_BEAM


def _cell_beams(cells: Cells) -> Iterator[CellBeam]:
    """Beams that rank by different weights, then wider ones; at last by weights drawn between those."""
    for width in CELL_BEAMS:
        for weights in CELL_WEIGHTS:
            yield CellBeam(cells, width=width, weights=weights)
    drawn, most = np.random.default_rng(0), np.max(CELL_WEIGHTS, axis=0)
    while True:
        by_area, by_corners, flush = (most * drawn.random(3)).tolist()
        yield CellBeam(cells, width=CELL_BEAMS[-1], weights=(by_area, by_corners, flush))


def _covered(tiler: CoverTiler, stop: Stop) -> Found:
    """What fills a small box."""
    end = PAUSED
    while end == PAUSED and not stop(tiler.tried):
        end = tiler.go_on()
    poses = tiler.placed() if end == FILLED else tiler.best()
    return Found(poses, tiler.tried, exhausted=end != PAUSED)


def _larger(case: Case, one: dict[int, Pose], other: dict[int, Pose]) -> dict[int, Pose]:
    """Of two assemblies that with more area."""
    areas = [sum(case.outlines[number].area for number in poses) for poses in (one, other)]
    return other if areas[1] > areas[0] else one
