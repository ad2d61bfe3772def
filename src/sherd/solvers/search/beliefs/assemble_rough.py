"""Assembling pieces whose outlines are rough, at one guess at how rough: by a chart of its own."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import islice

from sherd.core.arrays import Floats
from sherd.core.geometry import Pose, Rotations, intersection, union
from sherd.solvers.search.beliefs.chart import Chart, Start, Whole
from sherd.solvers.search.beliefs.finish import Finished, finish
from sherd.solvers.search.beliefs.roughness import Patience, Roughness
from sherd.solvers.search.beliefs.starts import find_starts
from sherd.solvers.search.beliefs.uncertain_outline import Belief, with_moved_corners, with_traced_edges
from sherd.solvers.search.case import Case
from sherd.solvers.search.constants.beliefs import (
    FINISH_SLACK,
    JOINTS_AFTER,
    JOINTS_ANEW,
    JOINTS_FOR_RIVALS,
    LAST_FITS,
    MOST_AREA_OFF,
    MOST_FINISHED,
    MOST_RIVALS,
    MOST_SEAMS,
    MOST_WHOLES,
    WAYS_ANEW,
)
from sherd.solvers.search.constants.rough_outlines import NEARLY_STRAIGHT, TARGET_DOUBT
from sherd.solvers.search.corner_outline import CornerOutline, ring_of
from sherd.solvers.stop import Stop


@dataclass(frozen=True)
class RoughAssemblies:
    """What came of a guess: assemblies of all pieces, the best fit first, else poses of some by number.

    ``halfway`` is what it would have ended with after 1, 2, 4, 8, ... joints: counts that no limit changes,
    so that with more time none of it is missed. ``chart`` knows other ways to lay the pieces of a part.
    """

    chart: Chart
    wholes: list[Whole]
    some: dict[int, Pose]
    joints: int
    halfway: tuple[dict[int, Pose], ...] = ()


def assemble_rough(
    case: Case, roughness: Roughness, patience: Patience, stop: Stop, *, only_wholes: bool = False
) -> RoughAssemblies:
    """Glue rough pieces; what lacks a joint is finished, and if there is no time for that, begun.

    If it is ``only_wholes`` that count, nothing is begun.
    """
    puzzle, size = case.puzzle, case.size
    corners = CornerOutline.of(ring_of(puzzle.target), NEARLY_STRAIGHT).corners
    if roughness.traced:
        target = with_traced_edges(corners, roughness.size * size)
    else:
        target = with_moved_corners(corners, TARGET_DOUBT * size)
    noise = 0.0 if roughness.traced else roughness.size * size
    chart = Chart(target, puzzle.rotations, case.pieces, noise)
    wholes: list[Whole] = []
    joints, starts = patience.joints, find_starts(case, roughness, stop)
    halfway: list[dict[int, Pose]] = []
    seen = 0

    def laid_in_haste() -> dict[int, Pose]:
        hurried = replace(patience, fits=LAST_FITS)
        return _finished(case, chart, [], corners, roughness, hurried, lambda: False)[1]

    def is_over(made: int) -> bool:
        nonlocal seen
        before, seen = seen, made.bit_length()
        if seen > before and not only_wholes:
            likeliest = min(wholes, key=lambda whole: whole.cost, default=None)
            halfway.append(laid_in_haste() if likeliest is None else likeliest.poses)
        return stop(made)

    for whole in chart.wholes(starts, patience.joints, is_over):
        if not wholes:
            joints = int(chart.joints_made * (1.0 + JOINTS_AFTER)) + (
                MOST_WHOLES if roughness.traced else JOINTS_FOR_RIVALS
            )
        wholes.append(whole)
        if len(wholes) >= (MOST_WHOLES if roughness.traced else MOST_RIVALS) or chart.joints_made >= joints:
            break
    some: dict[int, Pose] = {}
    if not wholes and not only_wholes and stop(chart.joints_made):
        # Time is up: what was kept on the way, else the few parts there are, which are better than nothing.
        some = max(halfway, key=len, default=some) or laid_in_haste()
    elif not wholes and patience.fits:
        wholes, some = _finished(
            case, chart, starts, corners, roughness, patience, lambda: stop(chart.joints_made)
        )
    found = sorted(wholes, key=lambda whole: whole.cost)
    return RoughAssemblies(chart, found, some, chart.joints_made, tuple(halfway))


def _finished(
    case: Case,
    chart: Chart,
    starts: list[Start],
    target: Floats,
    roughness: Roughness,
    patience: Patience,
    stop: Callable[[], bool],
) -> tuple[list[Whole], dict[int, Pose]]:
    """Assemblies of the parts in a chart that lacks a joint or two; their cost is what covers too little.

    And the poses of the pieces that parts alone can lay.
    """
    puzzle, polygons = case.puzzle, case.outlines
    parts = chart.parts()
    off = abs(case.area / puzzle.target.area - 1.0)
    if parts is None or off > MOST_AREA_OFF or not case.has_convex_target:
        return [], {}
    slack = FINISH_SLACK * roughness.size * case.size
    seams = roughness.tolerance.seam * case.size * case.length_around / puzzle.target.area

    def glue_rest(region: Floats, numbers: list[int]) -> list[dict[int, Pose]]:
        within = with_moved_corners(region, roughness.size * case.size)
        joints = int(JOINTS_ANEW * patience.joints)
        return _glued_anew(starts, numbers, within, puzzle.rotations, joints, stop)

    found, farthest = finish(
        parts, polygons, target, puzzle.rotations, slack, most=patience.fits, glue_rest=glue_rest, stop=stop
    )
    wholes: list[Whole] = []
    for finished in found[:MOST_FINISHED]:
        poses = _unfolded(finished, chart, puzzle.rotations)
        placed = [pose.apply(polygons[piece]) for piece, pose in poses.items()]
        open_share = 1.0 - intersection(union(placed), puzzle.target).area / puzzle.target.area
        if open_share - off <= max(patience.most_open, min(seams, MOST_SEAMS)):
            wholes.append(Whole(poses, open_share))
    return wholes, _unfolded(farthest, chart, puzzle.rotations)


def _glued_anew(
    starts: list[Start],
    numbers: list[int],
    region: Belief,
    rotations: Rotations,
    joints: int,
    stop: Callable[[], bool],
) -> list[dict[int, Pose]]:
    """The likeliest way to glue few pieces into a region, by a chart of their own, if there is one."""
    local = {number: k for k, number in enumerate(numbers)}
    chosen = [
        replace(start, members=tuple((local[number], pose) for number, pose in start.members), lines=None)
        for start in starts
        if all(number in local for number, _ in start.members)
    ]
    chart = Chart(region, rotations, len(numbers))
    wholes = list(islice(chart.wholes(chosen, joints, lambda _: stop()), WAYS_ANEW))
    wholes.sort(key=lambda whole: whole.cost)
    return [{numbers[k]: pose for k, pose in whole.poses.items()} for whole in wholes[:1]]


def _unfolded(finished: Finished, chart: Chart, rotations: Rotations) -> dict[int, Pose]:
    """The poses of the pieces, at angles that are allowed."""
    poses = dict(finished.lone)
    for number, pose in finished.parts:
        poses |= {piece: pose @ own for piece, own in chart.members(number).items()}
    return {piece: Pose(pose.x, pose.y, rotations.nearest(pose.theta)) for piece, pose in poses.items()}
