"""Pieces that may be turned in fewer ways than the others, as wood with a grain or cloth with a pattern.

Solvers know one rule for all pieces. Of the assemblies that they find, and of each as the target may be
turned onto itself, the first is taken in which all pieces lie as they may; one that is like itself when
turned is turned so in its place.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from sherd.core.assembly import Assembly, Placement
from sherd.core.geometry import Pose, Rotations, turning_symmetries
from sherd.core.puzzle import Puzzle
from sherd.core.symmetry import allowed_symmetries

# A piece lies as it may within this angle, which worn and traced outlines are off by.
SLACK = math.radians(2.0)
# A piece is like itself when turned if its outline is off by no more than this share of its size.
LIKE_ITSELF = 1e-3

Turns = Mapping[str, Rotations]


def turned_otherwise(assembly: Assembly, turns: Turns) -> list[str]:
    """The pieces that are turned as they may not be."""
    return [one.id for one in assembly if one.id in turns and not turns[one.id].allows(one.pose.theta, SLACK)]


def turned_as_told(
    puzzle: Puzzle, assemblies: Sequence[Assembly], turns: Turns, *, as_they_lie: bool = False
) -> tuple[Assembly, ...]:
    """These assemblies, turned with the target so that the fewest pieces lie otherwise, the best first.

    With ``as_they_lie`` none is turned as a whole: some pieces are pinned.
    """
    motions = [Pose()] if as_they_lie else allowed_symmetries(puzzle)
    best = [
        min((_moved(puzzle, one, by, turns) for by in motions), key=lambda way: _count(way, turns))
        for one in assemblies
    ]
    return tuple(sorted(best, key=lambda way: _count(way, turns)))


def _count(assembly: Assembly, turns: Turns) -> int:
    return len(turned_otherwise(assembly, turns))


def _moved(puzzle: Puzzle, assembly: Assembly, by: Pose, turns: Turns) -> Assembly:
    return Assembly(
        tuple(_turned_in_place(puzzle, replace(one, pose=by @ one.pose), turns) for one in assembly)
    )


def _turned_in_place(puzzle: Puzzle, placement: Placement, turns: Turns) -> Placement:
    """The same place with the piece turned onto itself, if that is how it may lie."""
    if not turned_otherwise(Assembly((placement,)), turns):
        return placement
    for angle in turning_symmetries(puzzle[placement.id].polygon, LIKE_ITSELF):
        turned = replace(placement, pose=placement.pose @ Pose(theta=angle))
        if not turned_otherwise(Assembly((turned,)), turns):
            return turned
    return placement
