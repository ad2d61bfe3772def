"""Gluing: undoing a binary space partition from the last cut to the first.

The two parts of a cut share it as a full edge, and as no cut ends in a corner, their angles at each of its
ends add up to a straight one. Two pieces with such edges are glued into the piece that was cut, until one
piece is left, which is the target. Nothing is searched, so this is quick for any number of pieces, but it
answers only if every piece is there and none is damaged.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sherd.geometry import Pose, Rotations, angle_between
from sherd.solvers.search.outline import Floats, Outline


@dataclass(frozen=True, kw_only=True)
class Tolerance:
    """How far two edges may be from fitting: in length, and in radians."""

    length: float
    angle: float


@dataclass(frozen=True)
class Part:
    """Pieces glued together: their joint outline and each one's pose in its frame, by number."""

    outline: Outline
    members: tuple[tuple[int, Pose], ...]


def glue(
    pieces: Sequence[Outline], target: Outline, rotations: Rotations, tolerance: Tolerance
) -> dict[int, Pose] | None:
    """The pose of every piece, by number, or None where gluing does not end in the target.

    An edge that looks like a whole side of the target most likely is one, and nothing is glued to it; only
    if that leads nowhere, as where a cut runs from side to side of a rectangle, are such edges glued too.
    """
    return _glue(pieces, target, rotations, tolerance, spare=target) or _glue(
        pieces, target, rotations, tolerance, spare=None
    )


def _glue(
    pieces: Sequence[Outline],
    target: Outline,
    rotations: Rotations,
    tolerance: Tolerance,
    spare: Outline | None,
) -> dict[int, Pose] | None:
    bench = _Bench(rotations, tolerance, spare)
    for number, outline in enumerate(pieces):
        bench.add(Part(outline, ((number, Pose()),)))
    while len(bench.parts) > 1:
        match = bench.best_match()
        if match is None:
            return None
        bench.join(*match)
    (whole,) = bench.parts.values()
    return _lay(whole, target, rotations, tolerance)


class _Bench:
    """The parts that lie about, and which of their edges match, the best first."""

    def __init__(self, rotations: Rotations, tolerance: Tolerance, spare: Outline | None) -> None:
        self.rotations, self.tolerance, self.spare = rotations, tolerance, spare
        self.parts: dict[int, Part] = {}
        self._made = 0
        self._matches: list[tuple[float, int, int, int, int]] = []
        # One row an edge of every part ever made: its part, its number there, length, direction, and the
        # angles at its start and end.
        self._rows = np.empty((0, 6))

    def add(self, part: Part) -> None:
        """Put a part down and find what fits it."""
        outline = part.outline
        number, self._made = self._made, self._made + 1
        rows = np.column_stack(
            [
                np.full(len(outline), number),
                np.arange(len(outline)),
                outline.lengths,
                outline.directions,
                outline.angles,
                np.roll(outline.angles, -1),
            ]
        )
        rows = rows[~self._is_spared(outline)]
        others = self._rows
        for edge in rows:
            misfit = np.abs(others[:, 2] - edge[2])
            at_start = np.abs(others[:, 5] + edge[4] - math.pi)
            at_end = np.abs(others[:, 4] + edge[5] - math.pi)
            fits = (
                (misfit <= self.tolerance.length)
                & (at_start <= self.tolerance.angle)
                & (at_end <= self.tolerance.angle)
            )
            for other in others[fits]:
                turn = edge[3] + math.pi - other[3]
                if self.rotations.allows(turn, self.tolerance.angle):
                    cost = (
                        abs(other[2] - edge[2]) / self.tolerance.length
                        + (abs(other[5] + edge[4] - math.pi) + abs(other[4] + edge[5] - math.pi))
                        / self.tolerance.angle
                    )
                    match = (float(cost), number, int(edge[1]), int(other[0]), int(other[1]))
                    heapq.heappush(self._matches, match)
        self.parts[number] = part
        self._rows = np.vstack([others, rows])

    def _is_spared(self, outline: Outline) -> NDArray[np.bool_]:
        """Which edges look like a whole side of the target, (n,)."""
        if self.spare is None:
            return np.zeros(len(outline), dtype=bool)
        own = np.column_stack([outline.lengths, outline.angles, np.roll(outline.angles, -1)])
        sides = np.column_stack([self.spare.lengths, self.spare.angles, np.roll(self.spare.angles, -1)])
        limits = [self.tolerance.length, self.tolerance.angle, self.tolerance.angle]
        alike = np.all(np.abs(own[:, None] - sides) <= limits, axis=2)  # (n, sides)
        return np.any(alike, axis=1)

    def best_match(self) -> tuple[int, int, int, int] | None:
        """The best pair of edges of parts that still lie about: part, edge, part, edge."""
        while self._matches:
            _, first, first_edge, second, second_edge = heapq.heappop(self._matches)
            if first in self.parts and second in self.parts:
                return first, first_edge, second, second_edge
        return None

    def join(self, first: int, first_edge: int, second: int, second_edge: int) -> None:
        """Glue the second part to the first along these edges; the corners at their ends vanish."""
        one, other = self.parts.pop(first), self.parts.pop(second)
        self._rows = self._rows[(self._rows[:, 0] != first) & (self._rows[:, 0] != second)]
        turn = one.outline.directions[first_edge] + math.pi - other.outline.directions[second_edge]
        theta = self.rotations.nearest(float(turn))
        # Middle on middle: a misfit in length is shared by both ends.
        onto = _middle(one.outline, first_edge)
        start = Pose(theta=theta).points(_middle(other.outline, second_edge))
        move = Pose(float(onto[0] - start[0]), float(onto[1] - start[1]), theta)
        moved = Outline(move.points(other.outline.corners))
        corners = np.vstack([_all_but(one.outline, first_edge), _all_but(moved, second_edge)])
        members = tuple((number, move @ pose) for number, pose in other.members)
        self.add(Part(Outline(corners), (*one.members, *members)))


def _middle(outline: Outline, edge: int) -> Floats:
    return outline.corners[edge] + outline.edges[edge] / 2.0


def _all_but(outline: Outline, edge: int) -> Floats:
    """The corners from behind an edge around to before it, without its own two."""
    return np.roll(outline.corners, -(edge + 2), axis=0)[:-2]


def _lay(whole: Part, target: Outline, rotations: Rotations, tolerance: Tolerance) -> dict[int, Pose] | None:
    """Lay what was glued onto the target, if it has its shape and can be turned so that all are allowed."""
    count = len(target)
    if len(whole.outline) != count:
        return None
    for shift in range(count):
        corners = np.roll(whole.outline.corners, -shift, axis=0)
        turned = Outline(corners)
        theta = _mean_turn(target.directions - turned.directions, target.lengths)
        first_theta = whole.members[0][1].theta
        theta = rotations.nearest(theta + first_theta) - first_theta
        centre = Pose(theta=theta).points(corners).mean(axis=0)
        x, y = (target.corners.mean(axis=0) - centre).tolist()
        pose = Pose(x, y, theta)
        off = np.hypot(*(pose.points(corners) - target.corners).T).max()
        if off > count * tolerance.length * len(whole.members):
            continue
        poses = {number: pose @ member for number, member in whole.members}
        if all(rotations.allows(p.theta, tolerance.angle * len(poses)) for p in poses.values()):
            return {number: _snapped(p, rotations) for number, p in poses.items()}
    return None


def _mean_turn(turns: Floats, weights: Floats) -> float:
    return math.atan2(float(np.sum(weights * np.sin(turns))), float(np.sum(weights * np.cos(turns))))


def _snapped(pose: Pose, rotations: Rotations) -> Pose:
    """The pose at the allowed angle that is nearest to its own."""
    theta = rotations.nearest(pose.theta)
    return pose if angle_between(theta, pose.theta) == 0.0 else Pose(pose.x, pose.y, theta, pose.mirrored)
