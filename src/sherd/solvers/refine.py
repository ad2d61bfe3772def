"""Refinement: small moves of the pieces of any assembly that make it cover the target better.

A pattern search on IoU: each piece in turn tries a step to every side, and a turn to either side where
rotation is free; when no piece gains any more, the step is halved.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from sherd.core.assembly import Assembly, Placement
from sherd.core.geometry import Pose, Rotations
from sherd.core.puzzle import Puzzle
from sherd.solvers.objective import Objective
from sherd.solvers.stop import Stop

# Pieces that need room for more intervals than this, 2 GiB, are left as they lie: outlines of some 6,700
# corners in all, traced from large images. To trace them once would take most of a second.
MOST_INTERVALS = 2**27


@dataclass(frozen=True, kw_only=True)
class RefineParams:
    """The first and last step, as shares of the target's size; gains below ``least_gain`` do not count.

    No piece goes farther than ``reach``, such a share too, from where it lay: beside the gap of a lost piece
    it would otherwise slide on and on.
    """

    first_step: float = 1.0 / 64.0
    last_step: float = 1e-5
    reach: float = 1.0 / 16.0
    least_gain: float = 1e-9


def refine(puzzle: Puzzle, assembly: Assembly, *, stop: Stop, params: RefineParams | None = None) -> Assembly:
    """The assembly with its pieces moved a little, never with a lower IoU; same pieces, same order.

    It stays as it is where outlines have too many corners (``MOST_INTERVALS``).
    """
    params = params or RefineParams()
    objective = Objective(puzzle)
    if objective.intervals > MOST_INTERVALS:
        return assembly
    numbers = {fragment.id: k for k, fragment in enumerate(puzzle.fragments)}
    step, evaluations = params.first_step * objective.size, 0
    starts = {placement.id: placement.pose for placement in assembly}
    reach = params.reach * objective.size
    while len(assembly) and step >= params.last_step * objective.size:
        gained = False
        for placement in assembly:
            others = Assembly(tuple(p for p in assembly if p.id != placement.id))
            rest, number = objective.rest(others), numbers[placement.id]
            pose = placement.pose
            best = objective.iou(rest, number, pose)
            for moved in _moves(pose, step, objective.size, puzzle.rotations):
                if stop(evaluations):
                    return assembly
                evaluations += 1
                if not _is_near(moved, starts[placement.id], reach):
                    continue
                iou = objective.iou(rest, number, moved)
                if iou > best + params.least_gain:
                    best, pose, gained = iou, moved, True
            if pose is not placement.pose:
                assembly = _with(assembly, placement.id, pose)
        if not gained:
            step /= 2.0
    return assembly


def _moves(pose: Pose, step: float, size: float, rotations: Rotations) -> Iterator[Pose]:
    for x, y in ((step, 0.0), (-step, 0.0), (0.0, step), (0.0, -step)):
        yield Pose(pose.x + x, pose.y + y, pose.theta, pose.mirrored)
    if rotations.bins is None:
        for turn in (step / size, -step / size):
            yield Pose(pose.x, pose.y, pose.theta + turn, pose.mirrored)


def _is_near(pose: Pose, start: Pose, reach: float) -> bool:
    return (pose.x - start.x) ** 2 + (pose.y - start.y) ** 2 <= reach**2


def _with(assembly: Assembly, fragment_id: str, pose: Pose) -> Assembly:
    """The assembly with one piece laid elsewhere."""
    return Assembly(tuple(Placement(p.id, pose) if p.id == fragment_id else p for p in assembly))
