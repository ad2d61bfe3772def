"""The attempt on a grid: a search that goes back and beams that do not, until one fills the target."""

from __future__ import annotations

from sherd.core.geometry import Pose
from sherd.solvers.search.attempt import NOTHING, Found
from sherd.solvers.search.case import Case
from sherd.solvers.search.constants import DEPTH_SHARE, FIRST_BEAM, WIDER_BEAM
from sherd.solvers.search.lattice.filling import EXHAUSTED, FILLED, PAUSED
from sherd.solvers.search.lattice.grid import on_grid
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
    tiler, width, tried = GridTiler(grid), FIRST_BEAM, 0
    best: dict[int, Pose] = {}
    owed = case.pieces * WIDER_BEAM
    while True:
        # Most puzzles are solved at the first go; what it spends is what the beam may.
        while tiler.tried < owed:
            if stop(tiler.tried + tried):
                return Found(_larger(case, tiler.best(), best), tiler.tried + tried)
            end = tiler.go_on()
            if end == FILLED:
                return Found(tiler.placed(), tiler.tried + tried, exhausted=True)
            if end == EXHAUSTED:
                return Found(tiler.best(), tiler.tried + tried, exhausted=tiler.is_complete)
        board = GridTiler(grid)
        beam, end = board.beam(width), PAUSED
        while end == PAUSED:
            if stop(tiler.tried + tried + beam.tried):
                best = _larger(case, best, board.poses(beam.placed))
                return Found(_larger(case, tiler.best(), best), tiler.tried + tried + beam.tried)
            end = beam.go_on()
        tried += beam.tried
        if end == FILLED:
            return Found(board.poses(beam.placed), tiler.tried + tried, exhausted=True)
        best = _larger(case, best, board.poses(beam.placed))
        width *= WIDER_BEAM
        owed = tiler.tried + round(DEPTH_SHARE * beam.tried)


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
