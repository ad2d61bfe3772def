"""Pieces that may be turned in fewer ways than the others, as wood with a grain or cloth with a pattern.

Exact tiling goes by each piece's own rule. Other ways to put pieces together know one for all: of what they
find, and of each as the target may be turned onto itself, that is taken in which the most pieces lie as they
may; one that is like itself when turned is turned so in its place.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from sherd.core.assembly import Assembly, Placement
from sherd.core.geometry import Pose, turning_symmetries
from sherd.core.puzzle import Puzzle
from sherd.core.symmetry import allowed_symmetries

# A piece lies as it may within this angle, which worn and traced outlines are off by.
SLACK = math.radians(2.0)
# A piece is like itself when turned if its outline is off by no more than this share of its size.
LIKE_ITSELF = 1e-3


def turned_otherwise(puzzle: Puzzle, assembly: Assembly) -> list[str]:
    """The pieces with a rule of their own that are turned as they may not be."""
    own = puzzle.turns
    return [one.id for one in assembly if one.id in own and not own[one.id].allows(one.pose.theta, SLACK)]


def turned_as_told(puzzle: Puzzle, assemblies: Sequence[Assembly]) -> tuple[Assembly, ...]:
    """These assemblies, turned as a whole so that the fewest pieces lie otherwise, the best first."""
    if not puzzle.turns:
        return tuple(assemblies)
    best = [
        min((_moved(puzzle, one, by) for by in _motions(puzzle, one)), key=lambda way: _count(puzzle, way))
        for one in assemblies
    ]
    return tuple(sorted(best, key=lambda way: _count(puzzle, way)))


def _motions(puzzle: Puzzle, assembly: Assembly) -> list[Pose]:
    """How an assembly may be moved: as its target may or, without one, so that a piece lies right."""
    if puzzle.has_target:
        return allowed_symmetries(replace(puzzle, turns={}))
    own = [(puzzle.turns[one.id], one.pose.theta) for one in assembly if one.id in puzzle.turns]
    turns = [rotations.nearest(theta) - theta for rotations, theta in own if rotations.bins is not None]
    return [Pose(), *(Pose(theta=turn) for turn in turns if puzzle.rotations.allows(turn))]


def _count(puzzle: Puzzle, assembly: Assembly) -> int:
    return len(turned_otherwise(puzzle, assembly))


def _moved(puzzle: Puzzle, assembly: Assembly, by: Pose) -> Assembly:
    return Assembly(tuple(_turned_in_place(puzzle, replace(one, pose=by @ one.pose)) for one in assembly))


def _turned_in_place(puzzle: Puzzle, placement: Placement) -> Placement:
    """The same place with the piece turned onto itself, if that is how it may lie."""
    if not turned_otherwise(puzzle, Assembly((placement,))):
        return placement
    for angle in turning_symmetries(puzzle[placement.id].polygon, LIKE_ITSELF):
        turned = replace(placement, pose=placement.pose @ Pose(theta=angle))
        if not turned_otherwise(puzzle, Assembly((turned,))):
            return turned
    return placement
