"""Poses by piece number, what they cover, and the assembly that they make."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sherd.core.assembly import Assembly, Placement
from sherd.core.geometry import Pose
from sherd.core.in_target import coverage_of, fits
from sherd.core.puzzle import Puzzle
from sherd.core.tolerance import Tolerance
from sherd.core.turning import turned_as_told, turned_otherwise


@dataclass(frozen=True)
class Arrangement:
    """Poses by piece number, and the share of the target that they cover."""

    poses: dict[int, Pose]
    coverage: float

    def fits(self, puzzle: Puzzle, tolerance: Tolerance) -> bool:
        """Whether all pieces are placed, fit, and are turned as they may be."""
        return fits(puzzle, self.poses, self.coverage, tolerance) and not (
            puzzle.turns and turned_otherwise(puzzle, assembly_of(puzzle, self.poses))
        )


def arrangement_of(puzzle: Puzzle, poses: dict[int, Pose]) -> Arrangement:
    """The poses with what they cover; all turned, if need be, so that pieces lie as they may."""
    if puzzle.turns:
        (told,) = turned_as_told(puzzle, [assembly_of(puzzle, poses)])
        poses = {number: told[puzzle.fragments[number].id] for number in poses}
    return Arrangement(poses, coverage_of(puzzle, poses))


def assembly_of(puzzle: Puzzle, poses: Mapping[int, Pose]) -> Assembly:
    """The placements from bottom to top, left to right: an order that a person can follow."""
    order = sorted(poses.items(), key=lambda item: (round(item[1].y, 9), item[1].x))
    return Assembly(tuple(Placement(puzzle.fragments[number].id, pose) for number, pose in order))
