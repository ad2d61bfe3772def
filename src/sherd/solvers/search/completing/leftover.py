"""What is laid when no attempt has solved the puzzle, or none will in time.

Pieces that found no place are laid where they cover most of what is open, if they fit there at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import shapely
from shapely import Polygon
from shapely.geometry.base import BaseGeometry

from sherd.core.geometry import Pose, difference, is_convex, union
from sherd.core.puzzle import Puzzle
from sherd.core.verdict import misplaced_shares
from sherd.solvers.search.arrangement import Arrangement, arrangement_of
from sherd.solvers.search.beliefs.flush import flush_ways, hull_of
from sherd.solvers.search.case import any_bends_inward
from sherd.solvers.search.corner_outline import ring_of
from sherd.solvers.search.polish import polished
from sherd.solvers.search.tiling.tile_corners import tile
from sherd.solvers.stop import AnyOf, MaxEvaluations, MaxQuestions

# So many pieces are laid so, and of many pieces this share, but no more than take a fraction of a second: so
# many, and of very many pieces fewer, since each is held against all others.
FEW_LEFTOVER, LEFTOVER_SHARE = 8, 0.75
MOST_LEFTOVER, MOST_LEFTOVER_PIECES = 48, 32_000
# So much of a piece has to cover what was open before.
LEAST_GAIN = 0.5
# When time is up and less than this share of the target is covered, pieces are laid anew, in haste: tiling
# goes on until it has asked so often whether to stop, a fraction of a second, whatever the pieces. No clock
# is read, so that every machine gives the same answer.
LITTLE = 0.5
LAST_QUESTIONS = 4
# So does refining what was laid last: so many moves, and of many pieces fewer, since each takes longer.
LAST_POLISH, LAST_POLISH_PIECES = 1000, 64_000
# What was laid in time is refined longer, if it may gain more by that than another covers: at most so much.
FILLED_POLISH, SEATED_POLISH = 2000, 1000
POLISH_GAIN = 0.01
# Then pieces are laid anew of which more than such a share lies in others or outside.
SEATED_WRONG = (0.05, 0.1, 0.15, 0.25, 0.4)


def begin(puzzle: Puzzle, rungs: Iterable[float]) -> Arrangement:
    """Pieces that fill a corner each: whatever is wrong, they are soon laid, and better than nothing.

    Rungs are tried in turn until enough is covered or they have asked too often.
    """
    soon, best = MaxQuestions(LAST_QUESTIONS), Arrangement({}, 0.0)
    for rung in rungs:
        poses, _ = tile(puzzle, rung, soon, most=1, quick=False, whatever_areas=True)
        best = max(best, arrangement_of(puzzle, poses), key=lambda one: one.coverage)
        if best.coverage >= LITTLE:
            break
    return best


def complete(puzzle: Puzzle, best: Arrangement) -> Arrangement:
    """The answer with pieces that are left over laid too and all refined, if some are and can be."""
    if any_bends_inward(puzzle):
        return best
    more = lay_leftover(puzzle, best.poses)
    if len(more) == len(best.poses):
        return best
    moves = min(LAST_POLISH, LAST_POLISH_PIECES // len(more))
    return arrangement_of(puzzle, polished(puzzle, more, MaxEvaluations(moves)))


def filled_in(puzzle: Puzzle, begun: Arrangement, best: Arrangement, stop: Callable[[], bool]) -> Arrangement:
    """The better of ``best`` and what becomes of an answer when left-over pieces are laid and all refined."""
    if any_bends_inward(puzzle):
        return best
    more = lay_leftover(puzzle, begun.poses, stop)
    if len(more) == len(begun.poses) or stop():
        return best
    filled = arrangement_of(puzzle, more)
    if filled.coverage + POLISH_GAIN <= best.coverage:
        return best
    filled = _refined(puzzle, filled, FILLED_POLISH, stop)
    seated = _seated_anew(puzzle, filled, stop)
    if seated is not filled:
        seated = _refined(puzzle, seated, SEATED_POLISH, stop)
    return max(best, seated, key=lambda one: one.coverage)


def _refined(puzzle: Puzzle, answer: Arrangement, moves: int, stop: Callable[[], bool]) -> Arrangement:
    limited = AnyOf((lambda evaluations: stop(), MaxEvaluations(moves)))
    return arrangement_of(puzzle, polished(puzzle, answer.poses, limited))


def _seated_anew(puzzle: Puzzle, best: Arrangement, stop: Callable[[], bool]) -> Arrangement:
    """The answer with its worst pieces taken out and laid again, if that covers more."""
    for most in SEATED_WRONG:
        shares = misplaced_shares(puzzle, best.poses)
        kept = {number: pose for number, pose in best.poses.items() if shares[number] <= most}
        if stop():
            break
        best = max(
            best, arrangement_of(puzzle, lay_leftover(puzzle, kept, stop)), key=lambda one: one.coverage
        )
    return best


def _never() -> bool:
    return False


def lay_leftover(
    puzzle: Puzzle, poses: dict[int, Pose], stop: Callable[[], bool] = _never
) -> dict[int, Pose]:
    """The poses, and those of pieces left over that fit what is open more or less, the largest first.

    The target has to be convex; pieces are taken for their hulls.
    """
    polygons = [fragment.polygon for fragment in puzzle.fragments]
    left = [number for number in range(len(polygons)) if number not in poses]
    many = min(MOST_LEFTOVER, MOST_LEFTOVER_PIECES // len(polygons))
    most = min(max(FEW_LEFTOVER, int(LEFTOVER_SHARE * len(polygons))), many)
    if not poses or not 0 < len(left) <= most or not is_convex(puzzle.target):
        return poses
    poses, bins, region = dict(poses), puzzle.rotations.bins or 0, ring_of(puzzle.target)
    laid = [pose.points(hull_of(polygons[number])) for number, pose in poses.items()]
    rooms = _without(puzzle.target, union([Polygon(ring) for ring in laid]))
    for number in sorted(left, key=lambda number: -polygons[number].area):
        if stop():
            break
        hull, best, gained = hull_of(polygons[number]), None, LEAST_GAIN * polygons[number].area
        begins = np.concatenate([[0], np.cumsum([len(ring) for ring in laid])]).astype(np.int64)
        for room in rooms:
            if room.area < gained:
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
            rooms = [rest for room in rooms for rest in _without(room, Polygon(laid[-1]))]
    return poses


def _without(room: Polygon, laid: BaseGeometry) -> list[Polygon]:
    """What is left of a room."""
    return [part for part in shapely.get_parts(difference(room, laid)) if isinstance(part, Polygon)]
