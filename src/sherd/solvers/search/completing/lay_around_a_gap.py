"""A lost piece: the others still fit each other, so they are glued, and the parts laid around a gap."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from shapely import Polygon

from sherd.core.assembly import Assembly
from sherd.core.geometry import Pose
from sherd.core.in_target import SLIDES, gaps_in, looseness
from sherd.core.metrics import DIGITS
from sherd.core.symmetry import are_same
from sherd.core.tolerance import Tolerance
from sherd.solvers.search.arrangement import arrangement_of, assembly_of
from sherd.solvers.search.attempt import NOTHING, Evidence, Found
from sherd.solvers.search.case import Case
from sherd.solvers.search.completing.convex_gap import leave_gap
from sherd.solvers.search.completing.fill_corners import Flush, Partial, fill
from sherd.solvers.search.completing.fill_silhouette import fill_silhouette
from sherd.solvers.search.constants.beliefs import MOST_TOLD
from sherd.solvers.search.constants.completing import (
    ABOUT_AS_LONG,
    ANGLE_FACTOR,
    AS_STRETCHED,
    GAP_PLACEMENTS,
    HAND_ANGLE,
    HAND_FLUSH,
    HAND_TIP,
    LOOKED_AT,
)
from sherd.solvers.search.constants.tiling import SAME_ASSEMBLY
from sherd.solvers.search.corner_outline import CornerOutline, outlines_of, ring_of
from sherd.solvers.search.gluing.glue_exactly import GluedPart, glue_some
from sherd.solvers.search.one_of_many import leaves_many
from sherd.solvers.search.tiling.tile_corners import ANY, tile
from sherd.solvers.stop import AnyOf, MaxEvaluations, Stop


def lay_around_a_gap(case: Case, off: float, stop: Stop) -> Found:
    """Poses that leave one convex gap, that with the shortest outline: most of the others is in contact."""
    parts, target = _parts_around_a_gap(case, off, stop)
    if not parts:
        return NOTHING
    outlines, slack = [part.outline for part in parts], off * case.size
    limited = AnyOf((stop, MaxEvaluations(GAP_PLACEMENTS)))
    gaps, tried = leave_gap(outlines, target, case.puzzle.rotations, slack, limited)
    best = min(gaps, key=lambda gap: gap.around, default=None)
    poses = {} if best is None else _unglued(parts, best.poses)
    return Found(poses, max(1, tried), exhausted=not limited(tried))


def fill_with_parts(case: Case, off: float, stop: Stop, *, most_placements: int | None = None) -> Found:
    """Poses by filling with what can be glued before.

    If at ``most_placements`` are to be tried, none is unless most pieces could be glued.
    """
    parts, _ = _parts_around_a_gap(case, off, stop)
    if not parts or (most_placements is not None and len(parts) > 1 + case.pieces // 2):
        return Found({}, 0)
    limited = stop if most_placements is None else AnyOf((stop, MaxEvaluations(most_placements)))
    outlines = [Polygon(part.outline.corners) for part in parts]
    together = [all(case.may_mirror[number] for number, _ in part.members) for part in parts]
    looked_at = LOOKED_AT if most_placements is None else min(LOOKED_AT, most_placements)
    return _fill(case, outlines, together, off, limited, partial(_unglued, parts), looked_at)


def fill_piece_by_piece(case: Case, off: float, stop: Stop) -> Found:
    """Poses by filling piece by piece, or by tiling where no area is lost."""
    if not case.lacks_area:
        return tile(case, off, stop, most=ANY, quick=False)
    return _fill(case, case.outlines, case.may_mirror, off, stop)


def fill_without_slivers(case: Case, off: float, stop: Stop, *, most_placements: int | None = None) -> Found:
    """Poses by filling piece by piece, where slivers count for nothing.

    However deep tips may lie in others, edges that are drawn by hand are nearly flush.
    """
    limited = stop if most_placements is None else AnyOf((stop, MaxEvaluations(most_placements)))
    puzzle, tolerance, flush = case.puzzle, Tolerance.of_corners(off), min(off, HAND_FLUSH)
    poses, tried, exhausted = fill_silhouette(
        case.outlines,
        puzzle.target,
        puzzle.rotations,
        mirror=case.may_mirror,
        slack=flush * case.size,
        angle=max(HAND_ANGLE, flush * ANGLE_FACTOR),
        tip=HAND_TIP * max(1.0, off / HAND_FLUSH) * case.size,
        fits=lambda poses: arrangement_of(puzzle, poses).fits(puzzle, tolerance),
        stop=limited,
    )
    return Found(poses, tried, exhausted)


def _parts_around_a_gap(case: Case, off: float, stop: Stop) -> tuple[list[GluedPart], CornerOutline]:
    """What can be glued where a piece is lost, and the target's outline."""
    pieces, target = outlines_of(case.puzzle, off)
    parts = glue_some(pieces, target, case.puzzle.rotations, off * case.size, stop=lambda: stop(1))
    return [sound for part in parts for sound in _sound_parts(part, case)], target


def _sound_parts(part: GluedPart, case: Case) -> list[GluedPart]:
    """The part, or its pieces one by one if its outline crosses itself: then they were glued by mistake."""
    if Polygon(part.outline.corners).is_valid:
        return [part]
    return [
        GluedPart(CornerOutline(ring_of(case.outlines[number])), ((number, Pose()),))
        for number, _ in part.members
    ]


def _unglued(parts: list[GluedPart], poses: dict[int, Pose]) -> dict[int, Pose]:
    """The poses of the pieces, from those of the parts."""
    return {number: pose @ member for part, pose in poses.items() for number, member in parts[part].members}


def _around(case: Case, assembly: Assembly, tolerance: Tolerance) -> float:
    return sum(gap.length for gap in gaps_in(case.puzzle, assembly, tolerance))


def _may_be_a_piece(case: Case, assembly: Assembly, tolerance: Tolerance) -> bool:
    """Whether what is open, but for seams, is one gap, no more stretched than the most so of the pieces."""
    gaps = gaps_in(case.puzzle, assembly, tolerance)
    stretched = max(one.length**2 / one.area for one in case.outlines)
    return not gaps or (len(gaps) == 1 and gaps[0].length ** 2 <= AS_STRETCHED * stretched * gaps[0].area)


def _fill(
    case: Case,
    polygons: list[Polygon],
    mirror: list[bool],
    off: float,
    stop: Stop,
    unglued: Callable[[dict[int, Pose]], dict[int, Pose]] = dict,
    looked_at: int = LOOKED_AT,
) -> Found:
    """Poses by filling, of all pieces only if these do not lie loosely; else the first, if there is time.

    After the first others are looked for until ``looked_at`` placements are tried, for what leaves the
    shortest outline of gaps has most of its pieces in contact. Where many arrangements may fit, or what is
    open is not like a piece, others are looked for to the end: that there are none is evidence.
    """
    is_one_of_many, held, is_held = leaves_many(case), list[Assembly](), False
    tolerance = Tolerance.of_corners(off)
    # What may be pushed so far does not lie loosely, and is no other arrangement.
    apart = max(SAME_ASSEMBLY * off, 2.0 * SLIDES * tolerance.depth) * case.size

    def is_end(whole: Partial) -> bool:
        nonlocal is_held
        assembly = assembly_of(case.puzzle, unglued(dict(whole.poses)))
        if looseness(case.puzzle, assembly, tolerance):
            return False
        if not any(are_same(assembly, one, case.puzzle, apart) for one in held):
            held.append(assembly)
            is_held = is_held or (not is_one_of_many and _may_be_a_piece(case, assembly, tolerance))
        return len(held) > MOST_TOLD

    def is_over(tried: int) -> bool:
        return stop(tried) or (is_held and tried >= looked_at)

    found, tried = fill(
        polygons,
        case.puzzle.target,
        case.puzzle.rotations,
        Flush(length=off * case.size, angle=off * ANGLE_FACTOR),
        mirror=mirror,
        stop=is_over,
        is_end=is_end,
    )
    is_all = not stop(tried)
    if not held:
        return Found(unglued(dict(found.poses)), tried, exhausted=is_all)
    around = {id(one): _around(case, one, tolerance) / case.size for one in held}
    held.sort(key=lambda one: round(around[id(one)], DIGITS))
    is_cut_off = stop(tried) and tried < looked_at
    is_told = not (is_one_of_many or is_cut_off) and _may_be_a_piece(case, held[0], tolerance)
    if is_told:
        held = [one for one in held if around[id(one)] <= ABOUT_AS_LONG * around[id(held[0])]]
    numbers = {fragment.id: number for number, fragment in enumerate(case.puzzle.fragments)}
    first, *rivals = ({numbers[p.id]: p.pose for p in assembly} for assembly in held)
    if is_told and not rivals:
        return Found(first, tried, exhausted=True)
    # What was glued by mistake leaves odd gaps, however soon no other way to lay it is left.
    is_known = is_all and (is_one_of_many or len(polygons) == case.pieces)
    every = frozenset(range(case.pieces) if rivals or not is_known else ())
    is_fair = is_known or ((is_one_of_many or is_told) and bool(rivals))
    evidence = Evidence(0.0, every, tuple(rivals), is_whole=is_known, is_fair=is_fair)
    return Found(first, tried, exhausted=is_all, evidence=evidence)
