"""A lost piece: the others still fit each other, so they are glued, and the parts laid around a gap."""

from __future__ import annotations

from shapely import Polygon

from sherd.core.geometry import Pose, size_of
from sherd.core.puzzle import Puzzle
from sherd.solvers.search.beliefs.eroded import is_worn
from sherd.solvers.search.case import has_holes, lacks_area
from sherd.solvers.search.completing.convex_gap import leave_gap
from sherd.solvers.search.completing.fill_corners import Tolerance, fill
from sherd.solvers.search.corner_outline import CornerOutline, outlines_of, ring_of
from sherd.solvers.search.gluing.glue_exactly import GluedPart, glue_some
from sherd.solvers.search.tiling.tile_corners import ANY, tile
from sherd.solvers.stop import AnyOf, MaxEvaluations, Stop

# A gap that is one convex piece is looked for in so many ways; rectangles can leave it in very many places.
GAP_WAYS = 1000


def laid_around_a_gap(puzzle: Puzzle, rung: float, stop: Stop) -> tuple[dict[int, Pose], int]:
    """Poses that leave one convex gap, that with the shortest outline: most of the others is in contact."""
    parts, target = _parts_around_a_gap(puzzle, rung, stop)
    if not parts:
        return {}, 0
    outlines, slack = [part.outline for part in parts], rung * size_of(puzzle.target)
    limited = AnyOf((stop, MaxEvaluations(GAP_WAYS)))
    gaps, tried = leave_gap(outlines, target, puzzle.rotations, slack, limited)
    best = min(gaps, key=lambda gap: gap.around, default=None)
    return ({} if best is None else _unglued(parts, best.poses)), max(1, tried)


def filled_with_parts(
    puzzle: Puzzle, rung: float, stop: Stop, *, angle_factor: float, most: int | None = None
) -> tuple[dict[int, Pose], int]:
    """Poses by filling with what can be glued before.

    At ``most`` so many placements are tried; then it is not tried at all unless most pieces could be glued
    and none is worn, which takes area too.
    """
    if most is not None and any(is_worn(ring_of(fragment.polygon)) for fragment in puzzle.fragments):
        return {}, 0
    parts, _ = _parts_around_a_gap(puzzle, rung, stop)
    if not parts or (most is not None and len(parts) > 1 + len(puzzle.fragments) // 2):
        return {}, 0
    limited = stop if most is None else AnyOf((stop, MaxEvaluations(most)))
    outlines = [Polygon(part.outline.corners) for part in parts]
    mirror = _mirror(puzzle)
    together = [all(mirror[number] for number, _ in part.members) for part in parts]
    whole, tried = _fill(outlines, together, puzzle, rung, limited, angle_factor)
    return _unglued(parts, whole), tried


def filled(puzzle: Puzzle, rung: float, stop: Stop, *, angle_factor: float) -> tuple[dict[int, Pose], int]:
    """Poses by filling piece by piece, or by tiling where no area is lost."""
    if not lacks_area(puzzle):
        return tile(puzzle, rung, stop, most=ANY, quick=False, whatever_areas=True)
    polygons = [fragment.polygon for fragment in puzzle.fragments]
    return _fill(polygons, _mirror(puzzle), puzzle, rung, stop, angle_factor)


def _parts_around_a_gap(puzzle: Puzzle, rung: float, stop: Stop) -> tuple[list[GluedPart], CornerOutline]:
    """What can be glued where a piece is lost, nothing where none is, and the target's outline."""
    pieces, target = outlines_of(puzzle, rung)
    if has_holes(puzzle) or not lacks_area(puzzle):
        return [], target
    uncertainty = rung * size_of(puzzle.target)
    parts = glue_some(pieces, target, puzzle.rotations, uncertainty, stop=lambda: stop(1))
    return [sound for part in parts for sound in _sound_parts(part, puzzle)], target


def _sound_parts(part: GluedPart, puzzle: Puzzle) -> list[GluedPart]:
    """The part, or its pieces one by one if its outline crosses itself: then they were glued by mistake."""
    if Polygon(part.outline.corners).is_valid:
        return [part]
    return [
        GluedPart(CornerOutline(ring_of(puzzle.fragments[number].polygon)), ((number, Pose()),))
        for number, _ in part.members
    ]


def _unglued(parts: list[GluedPart], poses: dict[int, Pose]) -> dict[int, Pose]:
    """The poses of the pieces, from those of the parts."""
    return {number: pose @ member for part, pose in poses.items() for number, member in parts[part].members}


def _fill(
    polygons: list[Polygon],
    mirror: list[bool],
    puzzle: Puzzle,
    rung: float,
    stop: Stop,
    angle_factor: float,
) -> tuple[dict[int, Pose], int]:
    found, tried = fill(
        polygons,
        puzzle.target,
        puzzle.rotations,
        Tolerance(length=rung * size_of(puzzle.target), angle=rung * angle_factor),
        mirror=mirror,
        stop=stop,
    )
    return dict(found.poses), tried


def _mirror(puzzle: Puzzle) -> list[bool]:
    return [puzzle.may_mirror(fragment.id) for fragment in puzzle.fragments]
