"""The solver of rough convex pieces that may be what cuts all the way across a convex target leave."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from shapely import Polygon

from sherd.core.assembly import Assembly, Placement
from sherd.core.geometry import Pose, is_convex
from sherd.core.overlaps import listed
from sherd.core.puzzle import Puzzle
from sherd.core.tolerance import Tolerance
from sherd.solvers.base import OnProgress, Proposal
from sherd.solvers.cells.corners import Complexes, ConvexCells, cells_of
from sherd.solvers.cells.search import OTHER_PLACE, OTHER_TURN, are_cells
from sherd.solvers.cells.through_cuts import Crossed, ThroughCuts
from sherd.solvers.search.constants.beliefs import (
    DEEPEST_BY_CUTS,
    DEPTH_BY_CUTS,
    MOST_TOLD,
    SEAMS_BY_CUTS,
    WIDEST_BY_CUTS,
)
from sherd.solvers.stop import Stop
from sherd.solvers.straightness import are_exact

NAME = "crossing cuts"
MOST_PIECES = 16
# Of evidence a piece: what has less is not told, what has not so much is doubted. Wholes by chance had up to
# 0.8 of pieces cut one after the other (4 and 8, moved by 0.3 to 2 %, seed 726), up to 1.2 of cells (seed
# 725); crossing cuts of level 4 had 1.0 to 6.7.
LEAST_EVIDENCE, SURE_EVIDENCE = 0.9, 1.7
# Of evidence: an arrangement that leads all others by so much is not doubted. Of 50 crossing cuts at each of
# levels 3 and 4 (seeds 724, 725) 14 were likelier in another order than in the true one, by 5.8 at most.
SURE_LEAD = 6.0
ALONE = "nothing was left of the time to see whether another arrangement fits as well"
TOO_LITTLE = "outlines are so rough that pieces might lie so by chance"


def serves(puzzle: Puzzle) -> bool:
    """Whether pieces may be what is left of crossing cuts, by how many corners they have.

    Each cut has two ends on the rim, where two pieces have a corner each; four have one at each crossing; and
    there is one piece more than cuts and crossings.
    """
    outlines = [fragment.polygon for fragment in puzzle.fragments]
    target = puzzle.target if puzzle.has_target else None
    if not isinstance(target, Polygon) or puzzle.mirror or puzzle.turns or puzzle.rotations.bins is not None:
        return False
    if len(outlines) > MOST_PIECES or any(fragment.texture for fragment in puzzle.fragments):
        return False
    if not is_convex(target) or not are_cells(outlines) or are_exact(puzzle):
        return False
    corners = int(shapely.get_num_coordinates(outlines).sum()) - len(outlines)
    return corners == len(target.exterior.coords) - 1 + 4 * (len(outlines) - 1)


class CrossingSolver:
    """Lays pieces between cuts that go all the way across, or leaves them alone."""

    def solve(
        self, puzzle: Puzzle, *, stop: Stop, rng: np.random.Generator, on_progress: OnProgress | None = None
    ) -> Proposal:
        """The likeliest arrangement, and those about as likely; nothing if cuts explain too little."""
        outlines, target = [fragment.polygon for fragment in puzzle.fragments], puzzle.target
        assert isinstance(target, Polygon)
        unit = math.sqrt(float(np.mean(shapely.area(outlines))))
        cells = cells_of(outlines, unit, target)
        search = ThroughCuts(cells, stop)
        wholes = search.run()
        if not wholes or wholes[0].worth(wholes[0].error) < LEAST_EVIDENCE * len(outlines):
            return Proposal(assembly=Assembly(), objective=0.0, evaluations=search.evaluations)
        best = wholes[0]
        error = best.error
        others = [
            (moved, other)
            for other in wholes[1:]
            if best.worth(error) - other.worth(error) < SURE_LEAD and (moved := _moved(cells, best, other))
        ]
        elsewhere = sorted({piece for moved, _ in others for piece in moved})
        names = tuple(puzzle.fragments[piece].id for piece in elsewhere)
        doubt = ""
        if others:
            how = "another arrangement fits" if len(others) == 1 else "other arrangements fit"
            doubt = f"ambiguous: {listed(list(names))} may lie elsewhere, for {how} about as well"
        elif best.worth(error) < SURE_EVIDENCE * len(outlines):
            doubt = TOO_LITTLE
        elif stop(search.evaluations):
            doubt = ALONE
        return Proposal(
            assembly=_assembly(puzzle, best, unit),
            objective=best.worth(error),
            evaluations=search.evaluations,
            tolerance=_tolerance(puzzle, outlines, error * unit / puzzle.size),
            doubt=doubt,
            alternatives=tuple(_assembly(puzzle, other, unit) for _, other in others[:MOST_TOLD]),
            elsewhere=names,
            set_aside=puzzle.set_aside,
        )


def _tolerance(puzzle: Puzzle, outlines: Iterable[Polygon], noise: float) -> Tolerance:
    """For corners that are off by this share of the size to each side, as where cuts speak for the search."""
    around = noise * puzzle.size * sum(outline.length for outline in outlines) / puzzle.target.area
    loose = Tolerance.of_corners(noise)
    return Tolerance(
        loose.seam,
        max(loose.depth, min(DEPTH_BY_CUTS * noise, DEEPEST_BY_CUTS)),
        max(loose.widest, min(SEAMS_BY_CUTS * around, WIDEST_BY_CUTS)),
    )


def _assembly(puzzle: Puzzle, one: Crossed, unit: float) -> Assembly:
    poses = dict(zip(one.pieces, one.poses.tolist(), strict=True))
    return Assembly(
        tuple(
            Placement(fragment.id, Pose(unit * poses[k][0], unit * poses[k][1], poses[k][2]))
            for k, fragment in enumerate(puzzle.fragments)
        )
    )


@dataclass(frozen=True, eq=False)
class _Lying:
    middles: Complexes
    turns: Complexes

    @classmethod
    def of(cls, cells: ConvexCells, one: Crossed) -> _Lying:
        poses = one.poses[np.argsort(one.pieces)]
        turns = np.exp(1j * poses[:, 2])
        return cls(turns * cells.centres + poses[:, 0] + 1j * poses[:, 1], turns)


def _moved(cells: ConvexCells, best: Crossed, other: Crossed) -> Sequence[int]:
    """The pieces that lie elsewhere in another arrangement, seen from where these are fewest.

    That is from where the target lies as it does, or turned until it is like itself.
    """
    one, two = _Lying.of(cells, best), _Lying.of(cells, other)
    turn = two.turns / one.turns
    fewest: Sequence[int] = range(len(turn))
    for k in range(len(turn)):
        shift = two.middles[k] - turn[k] * one.middles[k]
        rim = turn[k] * cells.rim + shift
        if np.abs(rim[:, None] - cells.rim).min(axis=1).max() > OTHER_PLACE:
            continue  # the target is not like itself so
        off = np.abs(turn[k] * one.middles + shift - two.middles) > OTHER_PLACE
        moved = np.flatnonzero(off | (np.abs(turn - turn[k]) > OTHER_TURN)).tolist()
        if len(moved) < len(fewest):
            fewest = moved
    return fewest
