"""Whether an answer holds: how much it covers, and how deep pieces lie in each other."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import shapely
from shapely import Polygon
from shapely.geometry.base import BaseGeometry

from sherd.core.geometry import Pose, difference, intersection, size_of, union
from sherd.core.puzzle import Puzzle
from sherd.solvers.search.clip import least_covered

# However loose the rung, an assembly that leaves more than this share of the target open is no solution.
WIDEST_SEAMS = 0.06
# So much of the target may stay open by rounding alone.
LEAST_SEAMS = 1e-9
# Overlaps of right arrangements of traced pieces are narrower than this share of the size, on average.
TIGHT = 3e-4
# No tolerance is so tight that a disc of this radius, as a share of the target's size, is too deep.
LEAST_DEPTH = 2e-3
# No piece lies with more than this share of its area in one other, or outside of the target.
MOST_OF_A_PIECE = 0.6
# No piece reaches farther out of the target than this share of its size: corners are distorted by up to 0.06.
FARTHEST_OUT = 0.1


@dataclass(frozen=True)
class Answer:
    """Poses by piece number, and the share of the target that they cover."""

    poses: dict[int, Pose]
    coverage: float


def judged(puzzle: Puzzle, poses: dict[int, Pose]) -> Answer:
    """The poses with what they cover."""
    if not poses:
        return Answer({}, 0.0)
    target, outlines = puzzle.target, [puzzle.fragments[number].polygon for number in poses]
    covered = least_covered(outlines, list(poses.values()), target)
    if sum(outline.area for outline in outlines) - covered > LEAST_SEAMS * target.area:
        covered = intersection(union(_laid(puzzle, poses)), target).area
    return Answer(poses, covered / target.area)


def depth_of(rung: float) -> float:
    """How deep pieces may lie in each other whose corners are off by ``rung``, as shares of the size."""
    return max(LEAST_DEPTH, 2.0 * rung)


def misplaced_shares(puzzle: Puzzle, poses: dict[int, Pose]) -> dict[int, float]:
    """How much of each piece's area lies in others or outside of the target, by its number."""
    numbers, laid = list(poses), _laid(puzzle, poses)
    shares = dict.fromkeys(numbers, 0.0)
    for k, misplaced in _misplaced(laid, puzzle.target):
        shares[numbers[k]] += misplaced.area / laid[k].area
    return shares


def is_solved(puzzle: Puzzle, answer: Answer, rung: float, depth: float) -> bool:
    """Whether all pieces are placed and cover what their areas let them, but for the rung's tolerance.

    Area alone would let a small piece lie on a large one. So nowhere may a disc whose radius is ``depth`` of
    the target's size lie in two pieces, or in a piece and outside of the target; nor most of a piece. And no
    piece, however thin, may reach far out of the target.
    """
    if len(answer.poses) < len(puzzle.fragments) or not lies_within(puzzle, answer.coverage, rung):
        return False
    # Exact pieces waste nothing but by rounding, so that none of them can reach out.
    excess = _excess(puzzle, answer.coverage)
    if excess > LEAST_SEAMS and _reaches_out(puzzle, answer.poses):
        return False
    radius = depth * size_of(puzzle.target)
    # What is too little for a disc and for most of any piece needs no look.
    smallest = min(fragment.polygon.area for fragment in puzzle.fragments)
    enough = min(math.pi * radius**2, MOST_OF_A_PIECE * smallest)
    if excess * puzzle.target.area < enough:
        return True
    return not _lies_wrong(_laid(puzzle, answer.poses), puzzle.target, radius)


def lies_within(puzzle: Puzzle, coverage: float, rung: float) -> bool:
    """Whether pieces that cover so much neither overlap nor stick out by more than a rung's tolerance."""
    around = sum(fragment.polygon.length for fragment in puzzle.fragments)
    seams = rung * around * size_of(puzzle.target) / puzzle.target.area
    return _excess(puzzle, coverage) <= min(max(LEAST_SEAMS, seams), WIDEST_SEAMS)


def lies_tightly(puzzle: Puzzle, answer: Answer) -> bool:
    """Whether overlaps are so narrow, on average, that a better arrangement is hardly to be found."""
    return lies_within(puzzle, answer.coverage, TIGHT)


def _excess(puzzle: Puzzle, coverage: float) -> float:
    """How much of the pieces' area covers nothing, as a share of the target's."""
    return sum(fragment.polygon.area for fragment in puzzle.fragments) / puzzle.target.area - coverage


def _laid(puzzle: Puzzle, poses: dict[int, Pose]) -> list[Polygon]:
    return [pose.apply(puzzle.fragments[number].polygon) for number, pose in poses.items()]


def _lies_wrong(laid: list[Polygon], target: Polygon, radius: float) -> bool:
    """Whether a disc of this radius, or most of a piece, lies in another piece or outside of the target."""
    wrong = [(laid[number], misplaced) for number, misplaced in _misplaced(laid, target)]
    areas = np.array([(piece.area, misplaced.area) for piece, misplaced in wrong])
    discs = shapely.buffer([misplaced for _, misplaced in wrong], -radius)
    return bool((areas[:, 1] > MOST_OF_A_PIECE * areas[:, 0]).any() or not shapely.is_empty(discs).all())


def _misplaced(laid: list[Polygon], target: Polygon) -> list[tuple[int, BaseGeometry]]:
    """What of each piece lies in another one, one by one, or outside of the target, by the piece's number."""
    pairs = shapely.STRtree(laid).query(laid, predicate="intersects").T.tolist()
    return [
        *((one, intersection(laid[one], laid[other])) for one, other in pairs if one != other),
        *((number, difference(piece, target)) for number, piece in enumerate(laid)),
    ]


def _reaches_out(puzzle: Puzzle, poses: dict[int, Pose]) -> bool:
    """Whether a corner of a piece is far out of the target."""
    outlines = ((puzzle.fragments[number].polygon, pose) for number, pose in poses.items())
    corners = np.concatenate([pose.points(shapely.get_coordinates(outline)) for outline, pose in outlines])
    off = shapely.distance(shapely.points(corners), puzzle.target)
    return bool(off.max() > FARTHEST_OUT * size_of(puzzle.target))
