"""The solver of pieces between straight edges and arcs, which have few corners and long smooth edges."""

from __future__ import annotations

import numpy as np

from sherd.core.assembly import Assembly, Placement
from sherd.core.geometry import Pose
from sherd.core.puzzle import Puzzle
from sherd.core.tolerance import Tolerance
from sherd.solvers.arcs.search import CornerSearch, Piece
from sherd.solvers.arcs.smooth_edges import Outline, has_arcs
from sherd.solvers.base import OnProgress, Progress, Proposal
from sherd.solvers.stop import Resumed, Stop

# Outlines are taken to be off by these shares of the target's size, in turn.
TOLERANCES = (5e-4, 2e-3)
# Pieces that have less, or more, than the target's area by this share do not fill it.
AREA_SLACK = 0.01
NAME = "arcs"


def serves(puzzle: Puzzle) -> bool:
    """Whether the pieces lie between straight edges and arcs, and have the target's area."""
    if not puzzle.has_target or not has_arcs(puzzle):
        return False
    area = sum(fragment.polygon.area for fragment in puzzle.fragments)
    return abs(area / puzzle.target.area - 1.0) <= AREA_SLACK


class ArcsSolver:
    """Lays pieces into the corners that are open, edge along edge."""

    def solve(
        self, puzzle: Puzzle, *, stop: Stop, rng: np.random.Generator, on_progress: OnProgress | None = None
    ) -> Proposal:
        """All pieces, if they fill the target so, or as many as could be laid."""
        best: dict[int, Pose] = {}
        tries, off = 0, TOLERANCES[0]
        for share in TOLERANCES:
            tolerance = share * puzzle.size
            search = CornerSearch(
                _pieces(puzzle, tolerance), puzzle.rotations, tolerance, Resumed(stop, tries)
            )
            is_filled = search.fill(puzzle.target, {})
            tries += search.tries
            if len(search.best) > len(best):
                best, off = search.best, share
            if on_progress is not None:
                found = _assembly(puzzle, best)
                on_progress(
                    Progress(assembly=found, objective=len(found), evaluations=tries, trying="laying arcs")
                )
            if is_filled or stop(tries):
                break
        return Proposal(
            assembly=_assembly(puzzle, best),
            objective=len(best) / len(puzzle.fragments),
            evaluations=tries,
            tolerance=Tolerance.of_corners(off),
        )


def _pieces(puzzle: Puzzle, tolerance: float) -> dict[int, list[Piece]]:
    """Every piece by its number, as it lies and, where it may be, turned over."""
    found: dict[int, list[Piece]] = {}
    for number, fragment in enumerate(puzzle.fragments):
        sides = [Pose(), Pose(mirrored=True)] if puzzle.may_mirror(fragment.id) else [Pose()]
        turned = [(side, side.apply(fragment.polygon)) for side in sides]
        found[number] = [Piece(number, one, Outline.of(one, tolerance), side) for side, one in turned]
    return found


def _assembly(puzzle: Puzzle, poses: dict[int, Pose]) -> Assembly:
    return Assembly(tuple(Placement(puzzle.fragments[n].id, pose) for n, pose in sorted(poses.items())))
