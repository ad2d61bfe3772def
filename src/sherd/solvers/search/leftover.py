"""The last resort: what is laid when no attempt has solved the puzzle.

Pieces that found no place are laid where they cover most of what is open, if they fit there at all.
"""

from __future__ import annotations

import numpy as np
import shapely
from shapely import Polygon

from sherd.geometry import Pose, difference, is_convex, union
from sherd.puzzle import Puzzle
from sherd.solvers.search.condition import any_bends_inward
from sherd.solvers.search.flush import flush_ways, hull_of
from sherd.solvers.search.outline import ring_of
from sherd.solvers.search.polish import polished
from sherd.solvers.search.tile import tile
from sherd.solvers.search.verdict import Answer, judged
from sherd.solvers.stop import MaxEvaluations, MaxQuestions

# No more pieces than this are laid so: where more are left, the others lie wrong.
MOST_LEFTOVER = 8
# So much of a piece has to cover what was open before.
LEAST_GAIN = 0.5
# When time is up and nothing is placed, tiling goes on until it has asked so often whether to stop: a
# fraction of a second, whatever the pieces. No clock is read, so that every machine gives the same answer.
LAST_QUESTIONS = 4
# So does refining what was laid last.
LAST_POLISH = 1000


def begin(puzzle: Puzzle, rung: float) -> Answer:
    """Pieces that fill a corner each: whatever is wrong, they are soon laid, and better than nothing."""
    soon = MaxQuestions(LAST_QUESTIONS)
    poses, _ = tile(puzzle, rung, soon, most=1, quick=False, whatever_areas=True)
    return judged(puzzle, poses)


def complete(puzzle: Puzzle, best: Answer) -> Answer:
    """The answer with pieces that are left over laid too and all refined, if some are and can be."""
    if any_bends_inward(puzzle):
        return best
    more = lay_leftover(puzzle, best.poses)
    if len(more) == len(best.poses):
        return best
    return judged(puzzle, polished(puzzle, more, MaxEvaluations(LAST_POLISH)))


def lay_leftover(puzzle: Puzzle, poses: dict[int, Pose]) -> dict[int, Pose]:
    """The poses, and those of pieces left over that fit what is open more or less, the largest first.

    The target has to be convex; pieces are taken for their hulls.
    """
    polygons = [fragment.polygon for fragment in puzzle.fragments]
    left = [number for number in range(len(polygons)) if number not in poses]
    if not poses or not 0 < len(left) <= MOST_LEFTOVER or not is_convex(puzzle.target):
        return poses
    poses, bins, region = dict(poses), puzzle.rotations.bins or 0, ring_of(puzzle.target)
    laid = [pose.points(hull_of(polygons[number])) for number, pose in poses.items()]
    for number in sorted(left, key=lambda number: -polygons[number].area):
        hull, best, gained = hull_of(polygons[number]), None, LEAST_GAIN * polygons[number].area
        begins = np.concatenate([[0], np.cumsum([len(ring) for ring in laid])]).astype(np.int64)
        for room in shapely.get_parts(difference(puzzle.target, union([Polygon(ring) for ring in laid]))):
            if not isinstance(room, Polygon) or room.area < gained:
                continue
            ring = ring_of(room)
            ways, off = np.empty((2 * len(hull) * len(ring), 3)), np.empty(2 * len(hull) * len(ring))
            flush_ways(hull, ring, region, np.concatenate(laid), begins, bins, ways, off)
            k = int(off.argmin())
            gain = Polygon(hull).area - float(off[k])
            if gain >= gained:
                best, gained = Pose(*ways[k].tolist()), gain
        if best is not None:
            poses[number] = best
            laid.append(best.points(hull))
    return poses
