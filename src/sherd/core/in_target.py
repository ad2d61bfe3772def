"""How placed pieces fit a target: what they cover, and which overlap, stick out or lie loosely."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping
from dataclasses import replace

import numpy as np
import shapely
from shapely import Polygon
from shapely.geometry.base import BaseGeometry

from sherd.core.assembly import Assembly
from sherd.core.geometry import (
    LENGTH_TOLERANCE,
    Pose,
    Region,
    apply_each,
    difference,
    intersection,
    polygons_in,
    size_of,
    union,
)
from sherd.core.overlaps import (
    MOST_OF_A_PIECE,
    SIMPLER,
    area_of_union,
    farthest,
    hang_together,
    is_too_much,
    listed,
    reach,
    reaches,
    shared,
)
from sherd.core.puzzle import Puzzle
from sherd.core.tolerance import WIDEST_SEAMS, Tolerance

# Up to this share of the target may stay open by rounding alone.
LEAST_SEAMS = 1e-9
# Overlaps of right arrangements of traced pieces are narrower than this share of the size, on average.
TIGHT = 3e-4
# No piece reaches farther out of the target than this share of its size: corners are distorted by up to 0.06.
FARTHEST_OUT = 0.1
# A gap explains a piece that was left out if it has this share of the piece's area, or more.
GAP_FOR_A_PIECE = 0.5
# So do several gaps with all of its area, since pieces between them may be moved; one with less than this
# share of it is a seam and does not count.
LEAST_GAP_OF_SEVERAL = 0.25
# Areas that differ by no more than this share are the same but for rounding.
SAME_AREA = 1e-9
# Pieces with less than this share of the target's area do not solve it, wherever they lie. One of 4 may be
# lost: what was left of hexagons had 0.19 of the area or more (2,000 puzzles, seed 9).
LEAST_COVERED = 0.15
# Below this share what is open must be one convex gap, as a lost piece leaves: any small pieces can be packed
# into a corner. A gap is convex that has this share of its hull, but for seams.
MOSTLY_COVERED = 0.5
CONVEX_GAP = 0.95
# Where more is open than seams, a piece held along less than this share of its outline could lie elsewhere.
# One side of a convex piece, along which its neighbour may be lost, is always less (720 puzzles, seed 9).
LEAST_HELD = 0.5
# What is open of an outline seems to be held near its two ends, where it meets others: so many times as far
# as what touches may be apart. A square in a corner would be held along more than half for that.
CORNERS = 2.1
# Pieces that hang together lie loosely if all can be pushed so many times as far as what touches may be
# apart. None can of 132 cuts with a lost piece that leave no more than seams open (truths, seeds 600 to 619).
SLIDES = 2.0
# How near is looked again if what touches is off by less than this share of how far it might. Not swept.
CLOSER = 0.9
PUSHED = "all pieces together can be pushed along the target's edge"


def coverage_of(puzzle: Puzzle, poses: Mapping[int, Pose]) -> float:
    """The share of the target that pieces, by number, cover in these poses."""
    from sherd.core.clip import least_covered  # numba takes a moment to load

    if not poses:
        return 0.0
    target, outlines = puzzle.target, [puzzle.fragments[number].polygon for number in poses]
    covered = least_covered(outlines, list(poses.values()), target)
    if sum(outline.area for outline in outlines) - covered > LEAST_SEAMS * target.area:
        laid = _laid(puzzle, poses)
        within = zip(laid, _are_within(laid, target), strict=True)
        covered = area_of_union(
            [piece if inside else intersection(piece, target) for piece, inside in within]
        )
    return covered / target.area


def fits(puzzle: Puzzle, poses: Mapping[int, Pose], coverage: float, tolerance: Tolerance) -> bool:
    """Whether all pieces, so placed, cover what their areas let them, but for the tolerance.

    Area alone would let a small piece lie on a large one. So nowhere may a disc of the tolerance's depth lie
    in two pieces, or in a piece and outside of the target; nor most of a piece. And no piece, however thin,
    may reach far out of the target. ``coverage`` is what `coverage_of` says of the poses.
    """
    if puzzle.tolerance is not None:
        seam = min(tolerance.seam, puzzle.tolerance / size_of(puzzle.target))
    else:
        seam = tolerance.seam
    if len(poses) < len(puzzle.fragments) or not lies_within(puzzle, coverage, seam, tolerance.widest):
        return False
    # Exact pieces waste nothing but by rounding, so that none of them can reach out.
    excess = _excess(puzzle, coverage)
    if excess > LEAST_SEAMS and _reaches_out(puzzle, poses):
        return False
    radius = tolerance.depth * size_of(puzzle.target)
    # What is too little for a disc and for most of any piece needs no look.
    smallest = min(fragment.polygon.area for fragment in puzzle.fragments)
    enough = min(math.pi * radius**2, MOST_OF_A_PIECE * smallest)
    if excess * puzzle.target.area < enough:
        return True
    return not _lies_wrong(_laid(puzzle, poses), puzzle.target, radius)


def lies_within(puzzle: Puzzle, coverage: float, seam: float, widest: float = WIDEST_SEAMS) -> bool:
    """Whether pieces with this coverage neither overlap nor stick out by more than seams of this width do."""
    around = sum(fragment.polygon.length for fragment in puzzle.fragments)
    seams = seam * around * size_of(puzzle.target) / puzzle.target.area
    return _excess(puzzle, coverage) <= min(max(LEAST_SEAMS, seams), widest)


def lies_tightly(puzzle: Puzzle, coverage: float) -> bool:
    """Whether overlaps are so narrow, on average, that a better arrangement is hardly to be found."""
    return lies_within(puzzle, coverage, TIGHT)


def misplaced_shares(puzzle: Puzzle, poses: Mapping[int, Pose]) -> dict[int, float]:
    """How much of each piece's area lies in others or outside of the target, by its number."""
    numbers, laid = list(poses), _laid(puzzle, poses)
    shares = dict.fromkeys(numbers, 0.0)
    for k, misplaced in _misplaced(laid, puzzle.target):
        shares[numbers[k]] += misplaced.area / laid[k].area
    return shares


def misfits_in_target(puzzle: Puzzle, assembly: Assembly, tolerance: Tolerance) -> list[str]:
    """Which pieces overlap or stick out of the target, and how far, if what is placed does not fit."""
    laid = tuple(fragment for fragment in puzzle.fragments if fragment.id in assembly)
    if not laid:
        return []
    alone = puzzle if len(laid) == len(puzzle.fragments) else replace(puzzle, fragments=laid)
    poses = {number: assembly[fragment.id] for number, fragment in enumerate(laid)}
    coverage = coverage_of(alone, poses)
    does_fit = fits(alone, poses, coverage, tolerance)
    # What wastes no area reaches nowhere.
    if does_fit and (puzzle.tolerance is None or _excess(alone, coverage) <= LEAST_SEAMS):
        return []
    placed = _laid(alone, poses)
    into_others = reaches(placed)
    out = [reach(difference(piece, puzzle.target), puzzle.target) for piece in placed]
    if does_fit and max(*into_others, *out) <= (puzzle.tolerance or 0.0):
        return []
    names, least = [fragment.id for fragment in laid], LENGTH_TOLERANCE * size_of(puzzle.target)
    return [
        *farthest(names, into_others, least, ("overlaps another", "overlap")),
        *farthest(names, out, least, ("sticks out of the target", "stick out of the target")),
    ] or ["pieces overlap, or stick out of the target"]


def explained_by_gaps(puzzle: Puzzle, assembly: Assembly, excused: Mapping[str, str]) -> list[str]:
    """The excused pieces that what is open could hold: half of one in a gap, or all of it in several."""
    if not excused:
        return []
    rest = difference(puzzle.target, union(puzzle.placed(assembly))) if len(assembly) else puzzle.target
    gaps = shapely.area(shapely.get_parts(rest)) * (1.0 + SAME_AREA)
    return [
        fragment.id
        for fragment in puzzle.fragments
        if fragment.id in excused
        and (
            gaps.max(initial=0.0) >= GAP_FOR_A_PIECE * fragment.polygon.area
            or gaps[gaps >= LEAST_GAP_OF_SEVERAL * fragment.polygon.area].sum() >= fragment.polygon.area
        )
    ]


def gaps_in(puzzle: Puzzle, assembly: Assembly, tolerance: Tolerance) -> list[Polygon]:
    """The parts of the target that are open, but for seams."""
    rest = difference(puzzle.target, union(puzzle.placed(assembly)))
    return _wide(rest, 2.0 * tolerance.depth * puzzle.size)


def looseness(
    puzzle: Puzzle, assembly: Assembly, tolerance: Tolerance, pinned: Collection[str] = ()
) -> list[str]:
    """Why pieces that fit may be packed into the target, and not put together; nothing if they fill it.

    Pinned pieces are held by their pins.
    """
    laid, target = puzzle.placed(assembly), puzzle.target
    covered = sum(piece.area for piece in laid) / target.area
    if 1.0 - covered <= LEAST_SEAMS:
        return []
    near = 2.0 * max(tolerance.depth * puzzle.size, puzzle.tolerance or 0.0)  # both outlines may be off
    if 1.0 - covered <= WIDEST_SEAMS:
        return [] if pinned or not _can_slide(laid, target, _near_as_laid(laid, near)) else [PUSHED]
    only = f"the pieces cover only {100.0 * covered:.2g} % of the target"
    if covered < LEAST_COVERED:
        return [only]
    if covered < MOSTLY_COVERED and not _is_one_convex_gap(difference(target, union(laid)), near):
        return [f"{only}, and what is open is not one piece"]
    names = [placement.id for placement in assembly]
    loose = [
        name
        for name, piece, held in zip(names, laid, lengths_held(laid, target, near), strict=True)
        if name not in pinned and _is_loose(piece.exterior.length, held, near)
    ]
    if loose:
        return [f"{listed(loose)} {'lies' if len(loose) == 1 else 'lie'} loosely"]
    if not pinned and not hang_together(laid, near, target.boundary):
        return ["pieces lie apart from the others or from the edge"]
    return []


def _near_as_laid(laid: list[Polygon], near: float) -> float:
    """How far apart what touches may be, where pieces fit each other better than they fit the target.

    What is near and does not touch seems to be off, so that it is looked again as near as that is.
    """
    from sherd.core.slides import seen_off  # scipy's solvers take a moment to load

    size, before = math.sqrt(sum(piece.area for piece in laid)), math.inf
    while near < CLOSER * before:
        off, before = seen_off(laid, near) / size, near
        near = min(near, 2.0 * Tolerance.of_corners(off).depth * size)
    return near


def _can_slide(laid: list[Polygon], target: Region, near: float) -> bool:
    """Whether pieces that hang together can all be pushed as one along an edge of the target.

    That is by more than seams. Where a piece is lost, others touch the target's edge on either side.
    """
    whole = union(laid)
    if shapely.buffer(difference(target, whole), -near).is_empty:
        return False
    around: list[BaseGeometry] = shapely.buffer(
        [piece.simplify(SIMPLER * near) for piece in laid], near / 2.0
    ).tolist()
    if len(shapely.get_parts(union(around))) > 1:
        return False
    hull = target.convex_hull.simplify(near)
    assert isinstance(hull, Polygon)
    sides = np.diff(shapely.get_coordinates(hull.exterior), axis=0)
    steps: list[tuple[float, float]] = (SLIDES * near * sides / np.hypot(*sides.T)[:, None]).tolist()
    free = shapely.buffer(target, near)
    shapely.prepare(free)
    ways = (Pose(sign * x, sign * y) for x, y in steps for sign in (1.0, -1.0))
    return any(bool(shapely.covers(free, way.apply(whole))) for way in ways)


def _is_loose(around: float, held: float, near: float) -> bool:
    """Whether so much of an outline is open that its piece could lie elsewhere; seams leave nothing open."""
    return held < around - near and held - CORNERS * near < LEAST_HELD * around


def lengths_held(laid: list[Polygon], target: Region, near: float) -> list[float]:
    """How much of each piece's outline runs this near to other pieces or the target's border."""
    border, around = shapely.buffer(target.boundary, near), shapely.buffer(laid, near)
    holding: list[list[BaseGeometry]] = [[border] for _ in laid]
    pairs: list[list[int]] = shapely.STRtree(laid).query(laid, "dwithin", near).T.tolist()
    for one, other in pairs:
        if one != other:
            holding[one].append(around[other])
    return [
        intersection(piece.exterior, union(held)).length for piece, held in zip(laid, holding, strict=True)
    ]


def _is_one_convex_gap(rest: BaseGeometry, near: float) -> bool:
    """Whether what is open is, but for seams, one convex part."""
    wide = _wide(rest, near)
    return len(wide) == 1 and wide[0].area >= CONVEX_GAP * wide[0].convex_hull.area


def _wide(rest: BaseGeometry, near: float) -> list[Polygon]:
    """The parts of what is open, but for seams; parts that touch in a corner are not one."""
    parts = polygons_in(shapely.buffer(rest, -near / 2.0))
    wide = shapely.buffer(parts, near / 2.0, join_style="mitre")
    return [one for one in wide.tolist() if isinstance(one, Polygon)]


def _excess(puzzle: Puzzle, coverage: float) -> float:
    """How much of the pieces' area covers nothing, as a share of the target's."""
    return sum(fragment.polygon.area for fragment in puzzle.fragments) / puzzle.target.area - coverage


def _laid(puzzle: Puzzle, poses: Mapping[int, Pose]) -> list[Polygon]:
    return apply_each(list(poses.values()), [puzzle.fragments[number].polygon for number in poses])


def _lies_wrong(laid: list[Polygon], target: Region, radius: float) -> bool:
    """Whether a disc of this radius, or most of a piece, lies in another piece or outside of the target."""
    return is_too_much(laid, _misplaced(laid, target), radius)


def _misplaced(laid: list[Polygon], target: Region) -> list[tuple[int, BaseGeometry]]:
    """What of each piece lies in another one, one by one, or outside of the target, by the piece's number."""
    within = _are_within(laid, target)
    outside = [
        (number, difference(piece, target))
        for number, (piece, inside) in enumerate(zip(laid, within, strict=True))
        if not inside
    ]
    return [*shared(laid), *outside]


def _are_within(laid: list[Polygon], target: Region) -> list[bool]:
    """Which pieces lie in the target with all of their points."""
    shapely.prepare(target)
    found: list[bool] = np.asarray(shapely.covers(target, laid)).tolist()
    return found


def _reaches_out(puzzle: Puzzle, poses: Mapping[int, Pose]) -> bool:
    """Whether a corner of a piece is far out of the target."""
    outlines = ((puzzle.fragments[number].polygon, pose) for number, pose in poses.items())
    corners = np.concatenate([pose.points(shapely.get_coordinates(outline)) for outline, pose in outlines])
    off = shapely.distance(shapely.points(corners), puzzle.target)
    return bool(off.max() > FARTHEST_OUT * size_of(puzzle.target))
