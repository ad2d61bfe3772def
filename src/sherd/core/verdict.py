"""The one verdict on an answer: whether it solves its puzzle, and what stands against it.

Solvers return assemblies and how far they took outlines to be off; the runner asks `judge`, once. A solver
that must know whether to go on asks `sherd.core.in_target.fits`, which is what geometry decides of it.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

import shapely

from sherd.core.assembly import Assembly
from sherd.core.geometry import Pose, angle_between
from sherd.core.in_group import misfits_in_a_group, sliding_in_a_group
from sherd.core.in_target import explained_by_gaps, looseness, misfits_in_target
from sherd.core.overlaps import listed
from sherd.core.puzzle import Puzzle, slivers
from sherd.core.tolerance import EXACT, Tolerance
from sherd.core.turning import turned_otherwise

# An angle counts as allowed within this, in radians, which refinement and rounding stay below.
ROUNDED_ANGLE = 1e-6
# Share of the size: outlines that are off by no more are as they were cut, but for rounding.
ROUNDED = 5e-5

State = Literal["solved", "partly", "not solved"]
IN_WORDS: Mapping[State, str] = {"solved": "solved", "partly": "partly solved", "not solved": "not solved"}


@dataclass(frozen=True, kw_only=True)
class Verdict:
    """Whether an answer solves its puzzle.

    It is solved if every piece that needs a place has one where it may lie and what is placed fits; partly
    if some pieces are placed and fit. ``against`` says, a few words each, what stands against a solution,
    ``left_over`` names the pieces that have no place, and ``excused`` those of them that need none, and why.
    ``within`` is by how much outlines were taken to be off where it is solved in a target, as a share of its
    size; 0 where they fit but for rounding.
    """

    state: State
    against: tuple[str, ...] = ()
    left_over: tuple[str, ...] = ()
    excused: Mapping[str, str] = field(default_factory=dict[str, str])
    within: float = 0.0

    @property
    def is_solved(self) -> bool:
        """Whether nothing stands against it."""
        return self.state == "solved"

    @property
    def in_words(self) -> str:
        """As people are told: solved, partly solved or not solved."""
        return IN_WORDS[self.state]

    @property
    def within_in_words(self) -> str:
        """How far outlines were taken to be off, "" where they fit but for rounding."""
        if not self.within:
            return ""
        return f"outlines are taken to be off by up to {100.0 * self.within:.2g} % of the size"

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
    it is solved if all pieces are in it, touch and do not overlap, and none could be pushed along others.
    Where more than seams of a target stays open, pieces must be held by each other and by its edge: to pack
    them in is not to put them together.

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
    find = misfits_in_target if puzzle.has_target else misfits_in_a_group
    misfits = find(puzzle, assembly, tolerance) if len(assembly) else []
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
    if puzzle.has_target and (waiting := explained_by_gaps(puzzle, assembly, foreign)):
        against.append(f"a gap is left that {listed(waiting)} could fill")
    if not len(assembly) and not against:
        against.append("no piece placed")
    if puzzle.has_target and not against:
        against += looseness(puzzle, assembly, tolerance, [pin.id for pin in pinned or ()])
    if doubt and not against:
        against.append(doubt)
    if not (puzzle.has_target or against):
        against += sliding_in_a_group(puzzle, assembly, tolerance)
    if not against:
        state: State = "solved"
    else:
        least = 1 if puzzle.has_target else 2  # a piece alone is no group
        state = "partly" if len(assembly) >= least and not misfits else "not solved"
    is_loose = puzzle.has_target and state == "solved" and tolerance.seam > ROUNDED
    return Verdict(
        state=state,
        against=tuple(against),
        left_over=left_over,
        excused={**narrow, **foreign},
        within=tolerance.seam if is_loose else 0.0,
    )


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
        f"{listed(names)} {what}"
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
    turned += [name for name in turned_otherwise(puzzle, assembly) if name not in turned]
    flipped = [p.id for p in assembly if p.pose.mirrored and not puzzle.may_mirror(p.id)]
    return [
        f"{listed(names)} {how} as not allowed"
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
