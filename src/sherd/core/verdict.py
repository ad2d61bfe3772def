"""The one verdict on an answer: whether it solves its puzzle, and what stands against it.

Solvers return assemblies and how far they took outlines to be off; the runner asks `judge`, once. A solver
that must know whether to go on asks `fits`, which is the part of the verdict that geometry decides.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

import numpy as np
import shapely
from shapely import Polygon
from shapely.geometry.base import BaseGeometry

from sherd.core.assembly import Assembly
from sherd.core.geometry import (
    LENGTH_TOLERANCE,
    Pose,
    angle_between,
    difference,
    intersection,
    size_of,
    union,
)
from sherd.core.puzzle import Puzzle, slivers

# However loose the tolerance, pieces that cover less than their area by more than this share of the target do
# not fit.
WIDEST_SEAMS = 0.06
# Up to this share of the target may stay open by rounding alone.
LEAST_SEAMS = 1e-9
# Overlaps of right arrangements of traced pieces are narrower than this share of the size, on average.
TIGHT = 3e-4
# No tolerance is so tight that a disc of this radius, as a share of the target's size, is too deep.
LEAST_DEPTH = 2e-3
# No piece lies with more than this share of its area in one other, or outside of the target.
MOST_OF_A_PIECE = 0.6
# No piece reaches farther out of the target than this share of its size: corners are distorted by up to 0.06.
FARTHEST_OUT = 0.1
# An angle counts as allowed within this, in radians, which refinement and rounding stay below.
ROUNDED_ANGLE = 1e-6
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
# Of what misfits, pieces are named that reach at least this share as far as the worst, MOST_NAMES at most.
NAMED_SHARE = 0.5
MOST_NAMES = 5
# In a group, pieces touch that run along each other for this many times how near they must be, as no corner
# does, or for this share of an outline.
ALONG = 6.0
LEAST_ALONG = 0.1
# How far something reaches is looked at in at least this number of points around it, one by one from
# borders of few points, and by way of a tree from others.
REACH_POINTS = 50
FEW_POINTS = 1000


@dataclass(frozen=True)
class Tolerance:
    """How far outlines are taken to be off, as shares of the target's size.

    ``seam`` is how wide pieces may gape or overlap on average, ``depth`` the radius of the largest disc that
    may lie in two pieces, or in a piece and outside of the target.
    """

    seam: float
    depth: float

    @classmethod
    def of_corners(cls, off: float) -> Tolerance:
        """The tolerance for outlines whose corners are off by this share."""
        return cls(off, max(LEAST_DEPTH, 2.0 * off))


EXACT = Tolerance.of_corners(1e-8)

State = Literal["solved", "partly", "not solved"]
IN_WORDS: Mapping[State, str] = {
    "solved": "solved",
    "partly": "partly solved",
    "not solved": "not solved",
}


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """Whether an answer solves its puzzle.

    It is solved if every piece that needs a place has one where it may lie and what is placed fits; partly
    if some pieces are placed and fit. ``against`` says, a few words each, what stands against a solution,
    ``left_over`` names the pieces that have no place, and ``excused`` those of them that need none, and why.
    """

    state: State
    against: tuple[str, ...] = ()
    left_over: tuple[str, ...] = ()
    excused: Mapping[str, str] = field(default_factory=dict[str, str])

    @property
    def is_solved(self) -> bool:
        """Whether nothing stands against it."""
        return self.state == "solved"

    @property
    def in_words(self) -> str:
        """As people are told: solved, partly solved or not solved."""
        return IN_WORDS[self.state]

    @property
    def why(self) -> str:
        """What stands against a solution, in one line; "" where nothing does."""
        return "; ".join(self.against)

    @property
    def missing(self) -> tuple[str, ...]:
        """The pieces that have no place and need one."""
        return tuple(name for name in self.left_over if name not in self.excused)


def judge(
    puzzle: Puzzle,
    assembly: Assembly,
    tolerance: Tolerance = EXACT,
    *,
    pinned: Assembly | None = None,
    forbidden: Collection[str] = (),
    excused: Mapping[str, str] | None = None,
    doubt: str = "",
) -> Verdict:
    """The verdict on an answer, from the puzzle, the answer and what its solver itself holds against it.

    Where the puzzle tells its own tolerance, nothing looser counts, nor may a piece reach farther into
    another, or out of the target. Pieces with next to no width need no place, nor do ``excused`` ones, for
    the reasons given, unless a gap is left that one could explain. Without a target the answer is one group:
    it is solved if all pieces are in it, touch and do not overlap. Where pieces cover next to nothing of a
    target, their places say as little.

    >>> left, right = shapely.box(-0.5, -1, 0.5, 1), shapely.box(-0.5, -1, 0.5, 1)
    >>> from sherd.core.puzzle import Fragment
    >>> two = Puzzle(shapely.box(0, 0, 2, 2), (Fragment("a", left), Fragment("b", right)))
    >>> judge(two, Assembly().place("a", Pose(0.5, 1.0)).place("b", Pose(1.5, 1.0))).state
    'solved'
    >>> judge(two, Assembly().place("a", Pose(0.5, 1.0))).why
    '1 of 2 pieces not placed'
    """
    unusable = _unusable(puzzle, assembly, forbidden)
    used = [name for name in forbidden if name in assembly]
    assembly = _usable(puzzle, assembly)
    left_over = tuple(one.id for one in puzzle.fragments if one.id not in assembly)
    narrow = {name: "hardly any area" for name in slivers(puzzle) if name in left_over}
    foreign = {name: why for name, why in (excused or {}).items() if name in left_over and name not in narrow}
    misfits = _misfits(puzzle, assembly, tolerance)
    against = [
        *unusable,
        *_not_allowed(puzzle, assembly),
        *_not_kept(puzzle, assembly, pinned or Assembly(), used, tolerance),
        *misfits,
    ]
    missing = len(left_over) - len(foreign) - len(narrow)
    if missing:
        how = "placed" if puzzle.has_target else "in the largest group"
        against.append(f"{missing:,} of {len(puzzle.fragments):,} pieces not {how}")
    if puzzle.has_target and (waiting := _explained_by_gaps(puzzle, assembly, foreign)):
        against.append(f"a gap is left that {_listed(waiting)} could fill")
    if not len(assembly) and not against:
        against.append("no piece placed")
    if puzzle.has_target and not against:
        covered = sum(puzzle[p.id].polygon.area for p in assembly) / puzzle.target.area
        if covered < LEAST_COVERED:
            against.append(f"the pieces cover only {100.0 * covered:.2g} % of the target")
    if doubt and not against:
        against.append(doubt)
    if not against:
        state: State = "solved"
    else:
        least = 1 if puzzle.has_target else 2  # a piece alone is no group
        state = "partly" if len(assembly) >= least and not misfits else "not solved"
    return Verdict(state=state, against=tuple(against), left_over=left_over, excused={**narrow, **foreign})


def coverage_of(puzzle: Puzzle, poses: Mapping[int, Pose]) -> float:
    """The share of the target that pieces, by number, cover in these poses."""
    from sherd.core.clip import least_covered  # numba takes a moment to load

    if not poses:
        return 0.0
    target, outlines = puzzle.target, [puzzle.fragments[number].polygon for number in poses]
    covered = least_covered(outlines, list(poses.values()), target)
    if sum(outline.area for outline in outlines) - covered > LEAST_SEAMS * target.area:
        covered = intersection(union(_laid(puzzle, poses)), target).area
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
    if len(poses) < len(puzzle.fragments) or not lies_within(puzzle, coverage, seam):
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


def lies_within(puzzle: Puzzle, coverage: float, seam: float) -> bool:
    """Whether pieces that cover so much neither overlap nor stick out by more than seams of this width do."""
    around = sum(fragment.polygon.length for fragment in puzzle.fragments)
    seams = seam * around * size_of(puzzle.target) / puzzle.target.area
    return _excess(puzzle, coverage) <= min(max(LEAST_SEAMS, seams), WIDEST_SEAMS)


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


def _usable(puzzle: Puzzle, assembly: Assembly) -> Assembly:
    """The placements that lie somewhere, of pieces that there are."""
    known = {fragment.id for fragment in puzzle.fragments}
    return Assembly(tuple(p for p in assembly if p.id in known and _is_finite(p.pose)))


def _unusable(puzzle: Puzzle, assembly: Assembly, forbidden: Collection[str]) -> list[str]:
    """Placements of pieces that the puzzle does not have, nor forbids, and those that lie nowhere."""
    known = {fragment.id for fragment in puzzle.fragments}
    unknown = [p.id for p in assembly if p.id not in known and p.id not in forbidden]
    nowhere = [p.id for p in assembly if p.id in known and not _is_finite(p.pose)]
    return [
        f"{_listed(names)} {what}"
        for names, what in (
            (unknown, "not in the puzzle"),
            (nowhere, "placed by numbers that are not finite"),
        )
        if names
    ]


def _is_finite(pose: Pose) -> bool:
    return all(map(math.isfinite, (pose.x, pose.y, pose.theta)))


def _not_allowed(puzzle: Puzzle, assembly: Assembly) -> list[str]:
    """Pieces that are turned or turned over as they may not be."""
    angles = None if puzzle.rotations.bins is None else puzzle.rotations.angles.tolist()
    turned = [
        placement.id
        for placement in assembly
        if angles is not None
        and min(angle_between(placement.pose.theta, angle) for angle in angles) > ROUNDED_ANGLE
    ]
    flipped = [p.id for p in assembly if p.pose.mirrored and not puzzle.may_mirror(p.id)]
    return [
        f"{', '.join(names)} {how} as not allowed"
        for names, how in ((turned, "turned"), (flipped, "turned over"))
        if names
    ]


def _not_kept(
    puzzle: Puzzle, assembly: Assembly, pinned: Assembly, used: Sequence[str], tolerance: Tolerance
) -> list[str]:
    """Pins that are not kept, and what is said of forbidden pieces that are ``used``."""
    farthest = max(tolerance.depth * puzzle.size, puzzle.tolerance or 0.0)
    moved = [
        pin.id
        for pin in pinned
        if pin.id not in assembly
        or shapely.hausdorff_distance(
            pin.pose.apply(puzzle[pin.id].polygon), assembly[pin.id].apply(puzzle[pin.id].polygon)
        )
        > farthest
    ]
    return [
        f"{', '.join(names)} {what}"
        for names, what in ((moved, "not where pinned"), (used, "used, though forbidden"))
        if names
    ]


def _misfits(puzzle: Puzzle, assembly: Assembly, tolerance: Tolerance) -> list[str]:
    """Which pieces overlap or stick out of the target, and how far, if what is placed does not fit."""
    laid = tuple(fragment for fragment in puzzle.fragments if fragment.id in assembly)
    if not laid:
        return []
    if not puzzle.has_target:
        return _misfits_in_a_group(puzzle, assembly, tolerance)
    alone = puzzle if len(laid) == len(puzzle.fragments) else replace(puzzle, fragments=laid)
    poses = {number: assembly[fragment.id] for number, fragment in enumerate(laid)}
    coverage = coverage_of(alone, poses)
    does_fit = fits(alone, poses, coverage, tolerance)
    # What wastes no area reaches nowhere.
    if does_fit and (puzzle.tolerance is None or _excess(alone, coverage) <= LEAST_SEAMS):
        return []
    placed = _laid(alone, poses)
    into_others = _reaches(placed)
    out = [_reach(difference(piece, puzzle.target), puzzle.target) for piece in placed]
    if does_fit and max(*into_others, *out) <= (puzzle.tolerance or 0.0):
        return []
    names, least = [fragment.id for fragment in laid], LENGTH_TOLERANCE * size_of(puzzle.target)
    return [
        *_farthest(names, into_others, least, ("overlaps another", "overlap")),
        *_farthest(names, out, least, ("sticks out of the target", "stick out of the target")),
    ] or ["pieces overlap, or stick out of the target"]


def _misfits_in_a_group(puzzle: Puzzle, assembly: Assembly, tolerance: Tolerance) -> list[str]:
    """Which pieces of a group overlap, and how far, or that some touch no other."""
    names, laid, own = [placement.id for placement in assembly], puzzle.placed(assembly), puzzle.tolerance
    far = tolerance.depth * puzzle.size
    if not _hang_together(laid, max(far, own or 0.0)):
        return ["pieces lie apart"]
    seam = tolerance.seam if own is None else min(tolerance.seam, own / puzzle.size)
    area = sum(piece.area for piece in laid)
    most = max(LEAST_SEAMS * area, seam * puzzle.size * sum(piece.length for piece in laid))
    shared = _shared(laid)
    doubled = sum(part.area for _, part in shared) / 2.0  # each pair is there twice
    fits_so_far = doubled <= min(most, WIDEST_SEAMS * area) and not _is_too_much(laid, shared, far)
    if fits_so_far and own is None:
        return []
    reaches = _reaches(laid)
    if fits_so_far and max(reaches) <= (own or 0.0):
        return []
    least = LENGTH_TOLERANCE * puzzle.size
    return _farthest(names, reaches, least, ("overlaps another", "overlap")) or ["pieces overlap"]


def _hang_together(laid: list[Polygon], near: float) -> bool:
    """Whether one can go from any piece to any other by way of pieces that run along each other this near."""
    pairs: list[list[int]] = shapely.STRtree(laid).query(laid, "dwithin", near).T.tolist()
    around = [piece.buffer(near) for piece in laid]
    beside: dict[int, set[int]] = {number: set() for number in range(len(laid))}
    for one, other in pairs:
        if one == other:
            continue
        along = intersection(laid[one].exterior, around[other]).length
        if along >= min(ALONG * near, LEAST_ALONG * laid[one].length):
            beside[one].add(other)
            beside[other].add(one)
    reached, border = {0}, [0]
    while border:
        new = beside[border.pop()] - reached
        reached |= new
        border += new
    return len(reached) == len(laid)


def _reaches(laid: list[Polygon]) -> list[float]:
    """How deep each piece reaches into another, or another into it."""
    into_others = [0.0] * len(laid)
    pairs: list[tuple[int, int]] = shapely.STRtree(laid).query(laid, predicate="intersects").T.tolist()
    for one, other in pairs:
        if one != other:
            depth = _reach(intersection(laid[one], laid[other]), laid[other].boundary)
            into_others[one], into_others[other] = (
                max(into_others[one], depth),
                max(into_others[other], depth),
            )
    return into_others


def _reach(misplaced: BaseGeometry, border: BaseGeometry) -> float:
    """How far points around, and inside of, what is misplaced are from where it should have ended."""
    inner = [part.point_on_surface() for part in shapely.get_parts(misplaced)]
    around = shapely.segmentize(misplaced, misplaced.length / REACH_POINTS) if misplaced.length else misplaced
    points = np.atleast_1d(np.asarray(shapely.points(shapely.get_coordinates([around, *inner]))))
    if shapely.get_num_coordinates(border) <= FEW_POINTS:
        return float(shapely.distance(points, border).max(initial=0.0))
    outside = points[~shapely.contains_properly(border, points)]  # in an area, none is away from it
    lines = [np.asarray(line.coords) for line in shapely.get_parts(_lines_of(border)).tolist()]
    sides = np.concatenate([np.stack([line[:-1], line[1:]], axis=1) for line in lines])
    tree = shapely.STRtree(np.asarray(shapely.linestrings(sides)))
    _, far = tree.query_nearest(outside, return_distance=True, all_matches=False)
    return float(far.max(initial=0.0))


def _lines_of(border: BaseGeometry) -> BaseGeometry:
    """The outline of an area, or the lines themselves."""
    return border.boundary if border.area > 0.0 else border


def _farthest(names: list[str], reaches: list[float], least: float, verbs: tuple[str, str]) -> list[str]:
    """A sentence about those that reach about as far as the farthest, if that is more than rounding."""
    worst = max(reaches)
    if worst <= least:
        return []
    far = [name for name, reach in zip(names, reaches, strict=True) if reach >= NAMED_SHARE * worst]
    return [f"{_listed(far)} {verbs[len(far) > 1]} by up to {worst:.3g}"]


def _listed(names: list[str]) -> str:
    shown = ", ".join(names[:MOST_NAMES])
    return shown if len(names) <= MOST_NAMES else f"{shown} and {len(names) - MOST_NAMES:,} more"


def _explained_by_gaps(puzzle: Puzzle, assembly: Assembly, excused: Mapping[str, str]) -> list[str]:
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


def _excess(puzzle: Puzzle, coverage: float) -> float:
    """How much of the pieces' area covers nothing, as a share of the target's."""
    return sum(fragment.polygon.area for fragment in puzzle.fragments) / puzzle.target.area - coverage


def _laid(puzzle: Puzzle, poses: Mapping[int, Pose]) -> list[Polygon]:
    return [pose.apply(puzzle.fragments[number].polygon) for number, pose in poses.items()]


def _lies_wrong(laid: list[Polygon], target: Polygon, radius: float) -> bool:
    """Whether a disc of this radius, or most of a piece, lies in another piece or outside of the target."""
    return _is_too_much(laid, _misplaced(laid, target), radius)


def _is_too_much(laid: list[Polygon], parts: list[tuple[int, BaseGeometry]], radius: float) -> bool:
    """Whether a disc of this radius, or most of a piece, is in what is misplaced of pieces, by number."""
    wrong = [(laid[number], misplaced) for number, misplaced in parts]
    if not wrong:
        return False
    areas = np.array([(piece.area, misplaced.area) for piece, misplaced in wrong])
    discs = shapely.buffer([misplaced for _, misplaced in wrong], -radius)
    return bool((areas[:, 1] > MOST_OF_A_PIECE * areas[:, 0]).any() or not shapely.is_empty(discs).all())


def _misplaced(laid: list[Polygon], target: Polygon) -> list[tuple[int, BaseGeometry]]:
    """What of each piece lies in another one, one by one, or outside of the target, by the piece's number."""
    outside = [(number, difference(piece, target)) for number, piece in enumerate(laid)]
    return [*_shared(laid), *outside]


def _shared(laid: list[Polygon]) -> list[tuple[int, BaseGeometry]]:
    """What of each piece lies in another one, one by one, by the piece's number."""
    pairs: list[list[int]] = shapely.STRtree(laid).query(laid, predicate="intersects").T.tolist()
    return [(one, intersection(laid[one], laid[other])) for one, other in pairs if one != other]


def _reaches_out(puzzle: Puzzle, poses: Mapping[int, Pose]) -> bool:
    """Whether a corner of a piece is far out of the target."""
    outlines = ((puzzle.fragments[number].polygon, pose) for number, pose in poses.items())
    corners = np.concatenate([pose.points(shapely.get_coordinates(outline)) for outline, pose in outlines])
    off = shapely.distance(shapely.points(corners), puzzle.target)
    return bool(off.max() > FARTHEST_OUT * size_of(puzzle.target))
