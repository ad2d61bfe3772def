"""What the search hands out: poses by piece number turned into an assembly and a result."""

from __future__ import annotations

from collections.abc import Mapping

from sherd.core.assembly import Assembly
from sherd.core.geometry import Pose
from sherd.core.puzzle import Puzzle
from sherd.solvers.base import Result
from sherd.solvers.search.verdict import Answer


def assembly_of(puzzle: Puzzle, poses: Mapping[int, Pose]) -> Assembly:
    """The placements from bottom to top, left to right: an order that a person can follow."""
    assembly = Assembly()
    for number, pose in sorted(poses.items(), key=lambda item: (round(item[1].y, 9), item[1].x)):
        assembly = assembly.place(puzzle.fragments[number].id, pose)
    return assembly


def result_of(puzzle: Puzzle, best: Answer, evaluations: int, why: str = "") -> Result:
    """The answer as a result; without a reason against it, it is solved."""
    assembly = assembly_of(puzzle, best.poses)
    return Result(
        assembly=assembly,
        solved=not why,
        objective=best.coverage,
        evaluations=evaluations,
        trace=tuple(Assembly(assembly.placements[: k + 1]) for k in range(len(assembly))),
        reason=why,
        set_aside=puzzle.set_aside,
    )
