"""Bent pieces a little off: laid into the region's corners nearly flush, and weighed by what they cover."""

from __future__ import annotations

from dataclasses import replace

from sherd.core.geometry import Pose
from sherd.core.tolerance import Tolerance
from sherd.solvers.search.arrangement import Arrangement, arrangement_of
from sherd.solvers.search.attempt import Evidence, Found
from sherd.solvers.search.beliefs.elsewhere import pieces_elsewhere
from sherd.solvers.search.case import Case
from sherd.solvers.search.completing.fill_silhouette import fill_silhouette
from sherd.solvers.search.constants.completing import (
    ABOUT_AS_WASTEFUL,
    ANGLE_FACTOR,
    BENT_ANGLE,
    BENT_TIP,
    HAND_TIP,
    PAST_CORNERS_ANGLE,
)
from sherd.solvers.search.corner_outline import ring_of
from sherd.solvers.stop import AnyOf, MaxEvaluations, Stop


def fill_bent(
    case: Case,
    off: float,
    stop: Stop,
    *,
    most_placements: int | None = None,
    past_corners: bool = False,
) -> Found:
    """The poses that cover most of all that fit, and those that cover about as much as its rivals.

    ``past_corners`` are left in which no piece lies, and pieces turned by more: one that was moved may hide
    the right one. What fits then may do so by chance, and all of it is doubted.
    """
    limited = stop if most_placements is None else AnyOf((stop, MaxEvaluations(most_placements)))
    puzzle, tolerance = case.puzzle, Tolerance.of_corners(off)
    fitting: list[Arrangement] = []

    def keep(poses: dict[int, Pose]) -> bool:
        found = arrangement_of(puzzle, poses)
        if found.fits(puzzle, tolerance):
            fitting.append(found)
        return False

    poses, tried, exhausted = fill_silhouette(
        case.outlines,
        puzzle.target,
        puzzle.rotations,
        mirror=case.may_mirror,
        slack=off * case.size,
        angle=max(PAST_CORNERS_ANGLE if past_corners else BENT_ANGLE, off * ANGLE_FACTOR),
        tip=max(HAND_TIP, BENT_TIP * off) * case.size,
        fits=keep,
        stop=limited,
        skips_corners=past_corners,
    )
    if not fitting:
        return Found(poses, tried, exhausted)
    best = max(fitting, key=lambda one: one.coverage)
    evidence = _evidence(case, best, fitting, off)
    if past_corners:
        evidence = replace(evidence, elsewhere=frozenset(best.poses), is_whole=False, is_fair=False)
    return Found(best.poses, tried, exhausted, evidence=evidence)


def _evidence(case: Case, best: Arrangement, fitting: list[Arrangement], off: float) -> Evidence:
    """What others that waste about as little have elsewhere."""
    outlines = [ring_of(outline) for outline in case.outlines]
    most = case.area / case.puzzle.target.area
    waste = ABOUT_AS_WASTEFUL * (most - best.coverage)
    apart = {
        number: pieces_elsewhere(case, outlines, best.poses, off * case.size, one.poses)
        for number, one in enumerate(fitting)
        if one is not best and most - one.coverage <= waste
    }
    rivals = [number for number, pieces in apart.items() if pieces]
    rivals.sort(key=lambda number: -fitting[number].coverage)
    elsewhere = frozenset(piece for number in rivals for piece in apart[number])
    return Evidence(off, elsewhere, tuple(fitting[number].poses for number in rivals))
