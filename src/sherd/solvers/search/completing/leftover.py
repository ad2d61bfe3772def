"""What is laid when no attempt has solved the puzzle, or none will in time.

Pieces that found no place are laid where they cover most of what is open, if they fit there at all.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np
import shapely
from shapely import Polygon
from shapely.geometry.base import BaseGeometry

from sherd.core.geometry import Pose, difference, union
from sherd.core.in_target import misplaced_shares
from sherd.solvers.search.arrangement import Arrangement, arrangement_of
from sherd.solvers.search.beliefs.flush import flush_ways, hull_of
from sherd.solvers.search.case import Case
from sherd.solvers.search.constants.completing import (
    FEW_LEFTOVER,
    FILLED_POLISH,
    LAST_POLISH,
    LAST_POLISH_CORNERS,
    LAST_QUESTIONS,
    LEAST_GAIN,
    LEFTOVER_SHARE,
    LITTLE_COVERED,
    MOST_LEFTOVER,
    MOST_LEFTOVER_PIECES,
    POLISH_GAIN,
    SEATED_FLUSH,
    SEATED_POLISH,
    SEATED_WRONG,
)
from sherd.solvers.search.corner_outline import ring_of
from sherd.solvers.search.polish import polish
from sherd.solvers.search.tiling.tile_corners import tile
from sherd.solvers.stop import AnyOf, MaxEvaluations, MaxQuestions


def begin(case: Case, tolerances: Iterable[float]) -> Arrangement:
    """Pieces that fill a corner each: whatever is wrong, they are soon laid, and better than nothing.

    Tolerances, as shares of the target's size, are tried in turn until enough is covered or tiling has
    asked too often whether to stop.
    """
    soon, best = MaxQuestions(LAST_QUESTIONS), Arrangement({}, 0.0)
    for off in tolerances:
        found = tile(case, off, soon, most=1, quick=False)
        best = max(best, arrangement_of(case.puzzle, found.poses), key=lambda one: one.coverage)
        if best.coverage >= LITTLE_COVERED:
            break
    return best


def complete(case: Case, best: Arrangement) -> Arrangement:
    """The answer with pieces that are left over laid too and all refined, if some are and can be.

    Pieces that were cut bent are laid by their hulls only where there is no other answer.
    """
    if case.any_cut_bent and best.poses:
        return best
    more = lay_leftover(case, best.poses)
    if len(more) == len(best.poses):
        return best
    corners = shapely.get_num_coordinates([case.outlines[number] for number in more])
    moves = int(LAST_POLISH * min(1.0, LAST_POLISH_CORNERS / (corners.sum() * corners.max())))
    return arrangement_of(case.puzzle, polish(case.puzzle, more, MaxEvaluations(moves)))


def fill_in(case: Case, begun: Arrangement, best: Arrangement, stop: Callable[[], bool]) -> Arrangement:
    """The better of ``best`` and what becomes of an answer when left-over pieces are laid and all refined."""
    if case.any_cut_bent or not begun.poses:
        return best
    more = lay_leftover(case, begun.poses, stop)
    if len(more) == len(begun.poses) or stop():
        return best
    filled = arrangement_of(case.puzzle, more)
    if filled.coverage + POLISH_GAIN <= best.coverage:
        return best
    filled = _refined(case, filled, FILLED_POLISH, stop)
    seated = _seated_anew(case, filled, stop)
    if seated is not filled:
        seated = _refined(case, seated, SEATED_POLISH, stop)
    return max(best, seated, key=lambda one: one.coverage)


def lay_flush(case: Case, whole: Arrangement) -> Arrangement:
    """All pieces, those that are a hair off where they fit laid anew, flush, if that covers more."""
    if len(whole.poses) < case.pieces:
        return whole
    rounding, hair = SEATED_FLUSH
    shares = misplaced_shares(case.puzzle, whole.poses)
    if not rounding < max(shares.values()) <= hair:
        return whole
    kept = {number: pose for number, pose in whole.poses.items() if shares[number] <= rounding}
    anew = arrangement_of(case.puzzle, lay_leftover(case, kept))
    return max(whole, anew, key=lambda one: one.coverage)


def _refined(case: Case, answer: Arrangement, moves: int, stop: Callable[[], bool]) -> Arrangement:
    """The answer refined, if that covers more: a better IoU may cover less, where less lies outside."""
    limited = AnyOf((lambda evaluations: stop(), MaxEvaluations(moves)))
    refined = arrangement_of(case.puzzle, polish(case.puzzle, answer.poses, limited))
    return max(answer, refined, key=lambda one: one.coverage)


def _seated_anew(case: Case, best: Arrangement, stop: Callable[[], bool]) -> Arrangement:
    """The answer with its worst pieces taken out and laid again, if that covers more."""
    for most in SEATED_WRONG:
        shares = misplaced_shares(case.puzzle, best.poses)
        kept = {number: pose for number, pose in best.poses.items() if shares[number] <= most}
        if stop():
            break
        best = max(
            best, arrangement_of(case.puzzle, lay_leftover(case, kept, stop)), key=lambda one: one.coverage
        )
    return best


def _never() -> bool:
    return False


def lay_leftover(case: Case, poses: dict[int, Pose], stop: Callable[[], bool] = _never) -> dict[int, Pose]:
    """The poses, and those of pieces left over that fit what is open more or less, the largest first.

    The target has to be convex; pieces are taken for their hulls. Where there are poses, and far more pieces
    than that are left over, these stay as they are; where there are none, anything is better than that.
    """
    puzzle, polygons = case.puzzle, case.outlines
    left = [number for number in range(len(polygons)) if number not in poses]
    many = min(MOST_LEFTOVER, MOST_LEFTOVER_PIECES // len(polygons))
    most = min(max(FEW_LEFTOVER, int(LEFTOVER_SHARE * len(polygons))), many)
    if not left or (poses and len(left) > most) or not case.has_convex_target:
        return poses
    poses, bins, region = dict(poses), puzzle.rotations.bins or 0, ring_of(puzzle.target)
    laid = [pose.points(hull_of(polygons[number])) for number, pose in poses.items()]
    rooms = _without(puzzle.target, union([Polygon(ring) for ring in laid]))
    for number in sorted(left, key=lambda number: -polygons[number].area)[:many]:
        if stop():
            break
        hull, best, gained = hull_of(polygons[number]), None, LEAST_GAIN * polygons[number].area
        begins = np.concatenate([[0], np.cumsum([len(ring) for ring in laid])]).astype(np.int64)
        for room in rooms:
            if room.area < gained:
                continue
            ring = ring_of(room)
            ways, off = np.empty((2 * len(hull) * len(ring), 3)), np.empty(2 * len(hull) * len(ring))
            others = np.concatenate(laid) if laid else np.empty((0, 2))
            flush_ways(hull, ring, region, others, begins, bins, ways, off)
            k = int(off.argmin())
            gain = Polygon(hull).area - float(off[k])
            if gain >= gained:
                best, gained = Pose(*ways[k].tolist()), gain
        if best is not None:
            poses[number] = best
            laid.append(best.points(hull))
            rooms = [rest for room in rooms for rest in _without(room, Polygon(laid[-1]))]
    return poses


def _without(room: BaseGeometry, laid: BaseGeometry) -> list[Polygon]:
    """What is left of a room."""
    return [part for part in shapely.get_parts(difference(room, laid)) if isinstance(part, Polygon)]
