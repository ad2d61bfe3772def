"""Blocks of an answer that fit as well once they are turned round, as two rectangles side by side do."""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import shapely
from shapely.geometry.base import BaseGeometry

from sherd.core.arrays import Floats
from sherd.core.assembly import Assembly, Placement
from sherd.core.geometry import TAU, Pose, union
from sherd.core.overlaps import listed
from sherd.core.puzzle import Puzzle
from sherd.core.tolerance import Tolerance
from sherd.core.verdict import ROUNDED_ANGLE
from sherd.solvers.base import Proposal

# Turned round a block lies as before if its outlines are apart by no more than this share of what outlines
# are taken to be off, on average. Rectangles traced at 100 px and more, or moved by .3 %, by contours (seeds
# 600 to 605, 703, 20700, 20801): each answer had blocks of .01 to .42 of it, with fitted edges. Cuts of
# squares, pentagons and hexagons, cracks and broken things, right and solved: none had one of less than 1.
AS_BEFORE = 0.7
# Pieces are taken to touch that are apart by this share of a pixel.
TOUCHING_PIXEL = 0.5
# Parts of a turn that leave a block as it was: half a turn, or a third or a quarter of one.
PARTS = (2, 3, 4)
# Blocks are looked at from two pieces up, and no more than this many.
MOST_BLOCKS = 2000
# Ways in which it is first looked how far a block reaches, which all parts of a turn map onto each other.
_WAYS = np.arange(24) * (TAU / 24)
WAYS = np.stack([np.cos(_WAYS), np.sin(_WAYS)], axis=1)
MOST_TOLD = 3  # of further arrangements
MOST_TURNED = 12  # arrangements are looked at for what else may be turned there


@dataclass(frozen=True)
class Turned:
    """A block, by the numbers of its placements, and where its pieces lie once it is turned."""

    pieces: frozenset[int]
    poses: Mapping[int, Pose]


def doubting_turned_blocks(puzzle: Puzzle, found: Proposal) -> Proposal:
    """The answer with a doubt if blocks of it may be turned round, and with such arrangements beside it.

    Where pieces are straight their edges are to be fitted: steps of pixels do not lie as before.
    """
    turned = turned_blocks(puzzle, found.assembly, found.tolerance)
    if not turned:
        return found
    others = [_with(found.assembly, one.poses) for one in turned]
    moved = _moved_at_last(puzzle, found, turned, others)
    names = [found.assembly.placements[k].id for k in sorted(moved)]
    how = "another arrangement fits" if len(turned) == 1 else "other arrangements fit"
    return replace(
        found,
        doubt=f"ambiguous: {listed(names)} may lie elsewhere, for {how} about as well",
        elsewhere=tuple(names),
        alternatives=tuple(others[:MOST_TOLD]),
    )


def _moved_at_last(
    puzzle: Puzzle, found: Proposal, turned: Sequence[Turned], others: Sequence[Assembly]
) -> frozenset[int]:
    """The pieces that blocks move, and blocks that are only there once others are turned.

    All pieces, where these are too many to look at.
    """
    every = frozenset(range(len(found.assembly)))
    moved = frozenset[int]().union(*(one.pieces for one in turned))
    waiting, looked = deque(others), 0
    while waiting and moved != every:
        if looked == MOST_TURNED:
            return every
        looked += 1
        other = waiting.popleft()
        for one in turned_blocks(puzzle, other, found.tolerance):
            if not one.pieces <= moved:
                moved |= one.pieces
                waiting.append(_with(other, one.poses))
    return moved


def turned_blocks(puzzle: Puzzle, assembly: Assembly, tolerance: Tolerance) -> list[Turned]:
    """The blocks of two or more pieces that lie as before once turned, with pieces that do not.

    All together are one where pieces may not be turned like it, but look alike once each is turned back.

    >>> from sherd.core.geometry import FREE
    >>> from sherd.core.puzzle import Fragment
    >>> wide, narrow = shapely.box(-1, -1, 1, 1), shapely.box(-0.5, -1, 0.5, 1)
    >>> top = shapely.box(-1.5, -0.5, 1.5, 0.5)
    >>> pieces = (Fragment("wide", wide), Fragment("narrow", narrow), Fragment("top", top))
    >>> puzzle = Puzzle(shapely.box(0, 0, 3, 3), pieces, FREE)
    >>> laid = Assembly().place("wide", Pose(1, 1)).place("narrow", Pose(2.5, 1)).place("top", Pose(1.5, 2.5))
    >>> [sorted(one.pieces) for one in turned_blocks(puzzle, laid, Tolerance.of_corners(1e-3))]
    [[0, 1]]
    """
    off = tolerance.seam * puzzle.size
    near = max(2.0 * off, TOUCHING_PIXEL * (puzzle.pixel_alone or 0.0))
    # Outlines of thousands of corners are looked at by simpler ones, which are off by less.
    laid = [piece.simplify(off / 4.0) for piece in puzzle.placed(assembly)]
    areas, reach = shapely.area(laid), _reaches(laid)
    middles = shapely.get_coordinates(shapely.centroid(laid))
    found: list[Turned] = []
    for block in _blocks(laid, near):
        members = sorted(block)
        about = np.average(middles[members], axis=0, weights=areas[members])
        around = reach[members].max(axis=0) - WAYS @ about
        parts = [p for p in PARTS if len(block) < len(laid) or not _may_all_turn(puzzle, TAU / p)]
        parts = [p for p in parts if np.abs(np.roll(around, len(WAYS) // p) - around).max() <= 4.0 * near]
        if not parts:
            continue
        own = [laid[k] for k in members]
        whole = shapely.buffer(
            union(shapely.buffer(own, near / 2.0, join_style="mitre").tolist()),
            -near / 2.0,
            join_style="mitre",
        )
        centre = Pose(whole.centroid.x, whole.centroid.y)
        for part in parts:
            turn = centre @ Pose(theta=TAU / part) @ centre.inverse()
            if _apart(turn.apply(whole), whole) > AS_BEFORE * off:
                continue
            if all(min(_apart(turn.apply(piece), one) for one in own) <= off for piece in own):
                continue  # like pieces lie where others did
            poses = _turned(puzzle, assembly, members, turn, off)
            if poses is not None:
                found.append(Turned(block, poses))
                break
    return found


def _apart(first: BaseGeometry, second: BaseGeometry) -> float:
    """How far two outlines lie apart, on average."""
    return shapely.symmetric_difference(first, second).area / second.length


def _reaches(laid: Sequence[BaseGeometry]) -> Floats:
    """How far each piece reaches each way, (pieces, ways)."""
    return np.stack([(shapely.get_coordinates(piece) @ WAYS.T).max(axis=0) for piece in laid])


def _blocks(laid: Sequence[BaseGeometry], near: float) -> list[frozenset[int]]:
    """Pieces that hang together, two or more, the smallest blocks first, and last all of them."""
    beside: list[set[int]] = [set() for _ in laid]
    pairs: list[list[int]] = shapely.STRtree(laid).query(laid, "dwithin", near).T.tolist()
    for one, other in pairs:
        if one != other:
            beside[one].add(other)
    found, level = list[frozenset[int]](), [frozenset((k,)) for k in range(len(laid))]
    for _ in range(len(laid) - 2):
        larger = {block | {other} for block in level for k in block for other in beside[k] - block}
        level = sorted(larger, key=sorted)
        found += level
        if len(found) >= MOST_BLOCKS:
            break
    return [*found[:MOST_BLOCKS], frozenset(range(len(laid)))]


def _turned(
    puzzle: Puzzle, assembly: Assembly, members: Sequence[int], turn: Pose, off: float
) -> dict[int, Pose] | None:
    """Where the pieces of a block lie once it is turned, None if one of them may not.

    A piece that may not be turned so lies there as it did, if that looks alike.
    """
    poses: dict[int, Pose] = {}
    for k in members:
        placement = assembly.placements[k]
        piece, pose = puzzle[placement.id].polygon, turn @ placement.pose
        if not _may_lie(puzzle, placement.id, pose):
            middle = Pose(piece.centroid.x, piece.centroid.y)
            back = middle @ Pose(theta=-turn.theta) @ middle.inverse()
            pose = pose @ back
            if not _may_lie(puzzle, placement.id, pose) or _apart(back.apply(piece), piece) > off:
                return None
        poses[k] = pose
    return poses


def _may_all_turn(puzzle: Puzzle, angle: float) -> bool:
    """Whether every piece may be turned by an angle, so that all together are the same answer."""
    return all(puzzle.rotations_of(one.id).allows(angle, ROUNDED_ANGLE) for one in puzzle.fragments)


def _may_lie(puzzle: Puzzle, name: str, pose: Pose) -> bool:
    return puzzle.turns.get(name, puzzle.rotations).allows(pose.theta, ROUNDED_ANGLE)


def _with(assembly: Assembly, poses: Mapping[int, Pose]) -> Assembly:
    return Assembly(
        tuple(Placement(at.id, poses.get(k, at.pose)) for k, at in enumerate(assembly.placements))
    )
