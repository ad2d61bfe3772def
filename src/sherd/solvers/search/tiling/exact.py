"""Exact pieces of any shape: their facts in arrays, and a run of the compiled search over them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from typing import cast

import numpy as np
from scipy.spatial import KDTree
from shapely import Polygon

from sherd.core.arrays import Floats, Ints
from sherd.core.geometry import Pose, Region, Rotations
from sherd.core.plain_at_first import plain_at_first
from sherd.solvers.search.constants.tiling import (
    ANGLE_DECIMALS,
    MOST_CORNERS,
    MOST_PLAIN_PIECES,
    MOST_WORK,
    STATES,
    STRIDE,
)
from sherd.solvers.search.tiling.backtracking import EXHAUSTED, FILLED, search
from sherd.solvers.search.tiling.board import KEPT, Pieces, RegionCorners, Rules, Stack
from sherd.solvers.search.tiling.boundary import make_remainder, make_scratch
from sherd.solvers.search.tiling.facts import clean_rings, gather_pieces
from sherd.solvers.stop import Stop

_search_at_first = plain_at_first(search)


class End(Enum):
    """How a run ended."""

    FILLED = "all pieces are placed"
    EXHAUSTED = "nothing is left to try"
    STOPPED = "stopped"


@dataclass(frozen=True)
class Tiled:
    """The pieces placed, by number, and where no piece fitted any more, if that is known."""

    poses: dict[int, Pose]
    stuck_at: tuple[float, float] | None = None


class Tiler:
    """One search for exact assemblies, which can be gone on with after each that it finds.

    ``slack`` is how far corners may be from where they should, ``most`` how many pieces may meet in a corner
    of what remains: 1 (each fills its corner), 2, or any larger number for as many as there are.
    ``rotations`` and ``mirror`` say of each piece how it may be turned, and whether over. The piece ``held``,
    if there is one, is turned within so many radians. After
    ``most_work``, in pairs of corners compared, it asks whether to stop, which changes nothing in what it
    finds.
    """

    def __init__(
        self,
        polygons: Sequence[Polygon],
        target: Region,
        rotations: Sequence[Rotations],
        slack: float,
        *,
        mirror: Sequence[bool],
        most: int,
        most_work: int = MOST_WORK,
        held: tuple[int, float] | None = None,
    ) -> None:
        self._mirrored, self._pieces = gather_pieces(polygons, rotations, slack, mirror)
        if held is not None:
            number, angle = held
            self._pieces.turned_within[number] = angle
        (rings,) = clean_rings([target], slack)
        size = sum(map(len, rings)) + len(self._pieces.points) + 8
        self._corners = _corners(size, int(self._pieces.orbit.max()) + 1)
        self._stack = _stack(rings, self._pieces, size, slack)
        self._scratch, self._out = make_scratch(2 * size), make_remainder(2 * size)
        longest = int(np.diff(self._pieces.begins).max())
        self._piece = np.empty((longest, 2))
        short = target.area - sum(polygon.area for polygon in polygons)
        around = sum(polygon.length for polygon in polygons)
        self._rules = Rules(slack, most, abs(short) <= slack * around, most_work)
        self.tried = 0

    def different_angles(self) -> int:
        """How many different angles the pieces have."""
        return len(np.unique(self._pieces.angle.round(ANGLE_DECIMALS)))

    def run(self, stop: Stop) -> End:
        """Go on until all pieces are placed, nothing is left to try, or ``stop`` says so."""
        while not stop(self.tried):
            end = self._search(STRIDE)
            self.tried = int(self._stack.tally[2])
            if end == FILLED:
                return End.FILLED
            if end == EXHAUSTED:
                return End.EXHAUSTED
        return End.STOPPED

    def hopeless_corner(self) -> tuple[float, float] | None:
        """A corner of the empty target that no piece fits, if there is one and it is soon found."""
        return self.best().stuck_at if self._search(1) == EXHAUSTED else None

    def _search(self, budget: int) -> int:
        # So many placements of as many pieces take plain Python less than a second.
        run = _search_at_first if len(self._pieces.area) <= MOST_PLAIN_PIECES else search
        return run(
            self._pieces,
            self._stack,
            self._corners,
            self._scratch,
            self._out,
            self._piece,
            self._rules,
            budget,
        )

    def placed(self) -> Tiled:
        """What is placed now."""
        chosen = self._stack.chosen[: max(0, int(self._stack.tally[0]))]
        return Tiled(self._poses(self._stack.candidate[chosen], self._stack.pose[chosen]))

    def best(self) -> Tiled:
        """The largest area placed so far."""
        placed = int(self._stack.tally[1])
        x, y = self._stack.extent[2:].tolist()
        return Tiled(
            self._poses(self._stack.best[:placed], self._stack.best_pose[:placed]),
            None if math.isnan(x) else (x, y),
        )

    def _poses(self, corners: Ints, poses: Floats) -> dict[int, Pose]:
        found: dict[int, Pose] = {}
        for corner, (cos, sin, x, y) in zip(corners.tolist(), poses.tolist(), strict=True):
            mirrored = self._mirrored[int(self._pieces.variant[corner])]
            found[int(self._pieces.piece[corner])] = Pose(x, y, math.atan2(sin, cos), mirrored)
        return found


def _corners(size: int, orbits: int) -> RegionCorners:
    return RegionCorners(
        before=np.empty(size, np.int64),
        after=np.empty(size, np.int64),
        angle=np.empty(size),
        length=np.empty(size),
        direction=np.empty((size, 2)),
        slots=np.empty(2 * size, np.int64),
        options=np.empty(2 * size, np.int64),
        matches=np.empty(2 * size, np.int64),
        seen=np.full(orbits, -1),
    )


def _stack(rings: Sequence[Floats], pieces: Pieces, size: int, slack: float) -> Stack:
    """The stack with the empty target at its bottom."""
    total = len(pieces.area)
    room = min(MOST_CORNERS, (total + 2) * size)
    candidates = min(MOST_CORNERS, (total + 2) * len(pieces.points)) + 2 * len(pieces.points)
    stack = Stack(
        points=np.empty((room, 2)),
        same=np.empty(room, np.int64),
        starts=np.empty(room, np.int64),
        first_point=np.zeros(total + 2, np.int64),
        first_ring=np.zeros(total + 2, np.int64),
        candidate=np.empty(candidates, np.int64),
        pose=np.empty((candidates, 4)),
        rank=np.empty(candidates),
        first_candidate=np.zeros(total + 2, np.int64),
        next_candidate=np.full(total + 1, -1),
        chosen=np.zeros(total, np.int64),
        hashes=np.zeros(total + 1, np.int64),
        fruitful=np.zeros(total + 1, np.bool_),
        used=np.zeros(total, np.bool_),
        best=np.zeros(total, np.int64),
        best_pose=np.zeros((total, 4)),
        tally=np.zeros(3, np.int64),
        halted=np.zeros(KEPT + 1, np.int64),
        work=np.zeros(1, np.int64),
        extent=np.array([0.0, 0.0, math.nan, math.nan]),
        failed=np.zeros(STATES, np.int64),
    )
    starts = np.concatenate([[0], np.cumsum([len(ring) for ring in rings])])
    stack.points[: starts[-1]] = np.concatenate(rings)
    stack.same[: starts[-1]] = np.arange(starts[-1])
    if len(rings) > 1:
        stack.same[: starts[-1]] = _same_corners(stack.points[: starts[-1]], slack)
    stack.starts[: len(starts)] = starts
    stack.first_point[1], stack.first_ring[1] = starts[-1], len(starts)
    return stack


def _same_corners(points: Floats, slack: float) -> Ints:
    """For each corner (C, 2) the first one in its place: rings of a target may touch in corners."""
    same = np.arange(len(points))
    near = cast("set[tuple[int, int]]", KDTree(points).query_pairs(slack, p=float("inf")))
    for first, second in sorted(near):
        same[second] = min(same[second], same[first])
    return same
