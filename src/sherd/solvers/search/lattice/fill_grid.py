"""The attempt on a grid: a search that goes back and beams that do not, until one fills the target."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from itertools import chain, cycle, islice
from math import cos, pi, sin, sqrt

from sherd.core.geometry import Pose
from sherd.core.threads import in_parts
from sherd.solvers.search.attempt import NOTHING, Found
from sherd.solvers.search.case import Case
from sherd.solvers.search.constants.on_grid import (
    BEAMS_AT_ONCE,
    CELL_BEAMS,
    CELL_DEPTH_SHARE,
    CELL_WEIGHTS,
    DEPTH_SHARE,
    DRAWN_ON_GRID,
    FIRST_TRIES,
    GRID_BEAMS,
    GRID_WEIGHTS,
    LATE_BEAM,
    LEAN,
    MOST_BEAM_WORDS,
)
from sherd.solvers.search.lattice.beam import Beam
from sherd.solvers.search.lattice.cell_beam import CellBeam
from sherd.solvers.search.lattice.filling import EXHAUSTED, FILLED, PAUSED
from sherd.solvers.search.lattice.grid import GridPuzzle, on_grid
from sherd.solvers.search.lattice.grid_cells import Cells
from sherd.solvers.search.lattice.tiler import CoverTiler, GridTiler
from sherd.solvers.stop import Stop

AnyBeam = Beam | CellBeam

# Directions that are this far apart, in turn, stay far from all before.
GOLDEN_ANGLE = pi * (3.0 - sqrt(5.0))


def fill_grid(case: Case, off: float, stop: Stop) -> Found:
    """The poses of all pieces, or of as many as could be placed at best; its tries are placements.

    Beams go on side by side until one fills the target, and the search that goes back has its share of the
    time. If that ends, nothing on the grid is left to try.
    """
    grid = on_grid(case.puzzle, off * case.size, case.may_mirror)
    if grid is None:
        return NOTHING
    found = _fill(case, grid, stop)
    # Where nothing can lie off the grid, an end without an assembly proves that there is none.
    is_proof = found.exhausted and len(found.poses) < case.pieces and grid.is_rectilinear and grid.areas_agree
    return replace(found, none_within=_safely(grid, case) if is_proof else 0.0)


def fill_drawn_grid(case: Case, off: float, stop: Stop) -> Found:
    """The same of exact pieces in a target that is drawn by hand, whose corners may be ``off`` the grid."""
    exact = DRAWN_ON_GRID * case.size
    grid = on_grid(case.puzzle, exact, case.may_mirror, drawn_off=off * case.size)
    if grid is None or not grid.areas_agree or on_grid(case.puzzle, exact, case.may_mirror) is not None:
        return NOTHING
    return _fill(case, grid, stop)


def _safely(grid: GridPuzzle, case: Case) -> float:
    """How far corners may be off, as a share of the size, before pieces in a row are off by half a square.

    Each may lie apart from the next, and be turned, by as much.
    """
    return grid.unit / (4.0 * case.pieces * case.size)


def _fill(case: Case, grid: GridPuzzle, stop: Stop) -> Found:
    small = CoverTiler.of(grid)
    if small is not None:
        return _covered(small, stop)
    tiler = GridTiler(grid)
    tried: int = 0
    beams = _cell_beams(tiler.cells()) if grid.is_rectilinear else _beams(tiler)
    share = CELL_DEPTH_SHARE if grid.is_rectilinear else DEPTH_SHARE
    side_by_side: list[AnyBeam] = []
    best: dict[int, Pose] = {}
    while not stop(tiler.tried + tried):
        # Most puzzles are solved at the first go.
        if tiler.tried < FIRST_TRIES * case.pieces + share * tried:
            end = tiler.go_on()
            if end == FILLED:
                return Found(tiler.placed(), tiler.tried + tried, exhausted=True)
            if end == EXHAUSTED:
                return Found(tiler.best(), tiler.tried + tried, exhausted=tiler.is_complete)
            continue
        side_by_side += islice(beams, BEAMS_AT_ONCE - len(side_by_side))
        tried -= _tries(side_by_side)
        ends = [*chain(*in_parts(range(len(side_by_side)), partial(_go_on, side_by_side)))]
        tried += _tries(side_by_side)
        for beam, end in zip(side_by_side, ends, strict=True):
            if end == FILLED:
                return Found(tiler.poses(beam.placed), tiler.tried + tried, exhausted=True)
            if end == EXHAUSTED:
                best = _larger(case, best, tiler.poses(beam.placed))
        side_by_side = [beam for beam, end in zip(side_by_side, ends, strict=True) if end == PAUSED]
    for poses in (tiler.best(), *(tiler.poses(beam.placed) for beam in side_by_side)):
        best = _larger(case, best, poses)
    return Found(best, tiler.tried + tried)


def _tries(beams: list[AnyBeam]) -> int:
    counts: list[int] = [beam.tried for beam in beams]
    return sum(counts)


def _go_on(beams: list[AnyBeam], part: slice) -> list[int]:
    """Let some beams go on; how each ends."""
    return [beam.go_on() for beam in beams[part]]


def _beams(tiler: GridTiler) -> Iterator[Beam]:
    """Beams that go on at different ends of the target and rank by different weights, in turn."""
    for (width, lean), by_corners in zip(_rounds(GRID_BEAMS), cycle(GRID_WEIGHTS), strict=False):
        yield tiler.beam(width, by_corners=by_corners, lean=lean)


def _cell_beams(cells: Cells) -> Iterator[CellBeam]:
    """The same on cells."""
    for (width, lean), weights in zip(_rounds(CELL_BEAMS), cycle(CELL_WEIGHTS), strict=False):
        room = MOST_BEAM_WORDS // (LATE_BEAM * len(cells.closed))
        yield CellBeam(cells, width=max(1, min(width, room)), weights=weights, lean=lean)


def _rounds(beams: tuple[tuple[int, int], ...]) -> Iterator[tuple[int, tuple[float, float]]]:
    """Widths of beams with where they lean to; the last round does not end.

    An assembly that ranks too low half-way in one order of laying pieces may rank high in all of another.
    """
    for width, orders in (*beams[:-1], (beams[-1][0], sys.maxsize)):
        for number in range(orders):
            angle = GOLDEN_ANGLE * number
            yield width, (LEAN * cos(angle), LEAN * sin(angle)) if number else (0.0, 0.0)


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
