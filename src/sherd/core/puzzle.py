"""What a solver is given, and what only the generator knows."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import cast

import shapely
from shapely import MultiPolygon, Polygon
from shapely.geometry.base import BaseGeometry

from sherd.core.assembly import Assembly
from sherd.core.errors import InvalidPolygonError, InvalidPuzzleError, UnsupportedError
from sherd.core.geometry import (
    FIXED,
    FREE,
    Region,
    Rotations,
    apply_each,
    intersection,
    polygons_in,
    size_of,
    union,
)
from sherd.core.proper_polygons import join_parts
from sherd.core.showing import shown
from sherd.core.texture import Texture

# How much larger in area, and how much longer than the diagonal, than the target one piece may be before it
# cannot belong to it: damage and vectorised masks move outlines a little.
LARGEST_PIECE = 1.05
LONGEST_PIECE = 1.5
# A piece no wider than this share of the target's size is a sliver: where it lies is lost in the tolerance.
SLIVER_WIDTH = 1e-5


@dataclass(frozen=True)
class Fragment:
    """A piece in its own frame, its area centroid at (0, 0), painted if it has a texture."""

    id: str
    polygon: Polygon
    texture: Texture | None = field(default=None, compare=False)


@dataclass(frozen=True, repr=False)
class Puzzle:
    """Everything that a solver may know; ``set_aside`` names pieces with next to no width.

    ``mirror`` says whether pieces may be turned over: all, none, or those with these ids. ``tolerance``, a
    length, is how far outlines may be off at most, ``pixel`` how large the pixels were that they were traced
    from, if anything is known about it. A target may be in several parts, which may touch in points. Where no
    target is known (``None`` is taken too, and `of_pieces` gives none) it is empty, and pieces are put
    together in groups. ``turns`` are the rotations of pieces that have a rule of their own, by id; all others
    may be turned as ``rotations`` says, which allows whatever any piece may.
    """

    target: Region
    fragments: tuple[Fragment, ...]
    rotations: Rotations = FIXED
    mirror: bool | frozenset[str] = False
    texture: Texture | None = field(default=None, compare=False)
    set_aside: tuple[str, ...] = ()
    tolerance: float | None = None
    pixel: float | None = None
    turns: Mapping[str, Rotations] = field(default_factory=dict[str, Rotations], hash=False)

    def __post_init__(self) -> None:
        if not self.fragments:
            raise InvalidPuzzleError("the puzzle has no fragments")
        if cast("Region | None", self.target) is None:
            object.__setattr__(self, "target", Polygon())
        elif isinstance(self.target, MultiPolygon):
            object.__setattr__(self, "target", _in_parts(self.target))
        for what, length in (("tolerance", self.tolerance), ("pixel", self.pixel)):
            if length is not None and not 0.0 < length < math.inf:
                raise InvalidPuzzleError(f"the {what} must be above 0, not {length:g}")
        ids = [*(fragment.id for fragment in self.fragments), *self.set_aside]
        if len(set(ids)) < len(ids):
            seen: set[str] = set()
            twice = next(name for name in ids if name in seen or seen.add(name))
            raise InvalidPuzzleError(f"two fragments have the id {twice!r}")
        if isinstance(self.mirror, frozenset):  # one way to say all and none, whatever pieces are left out
            known = self.mirror.intersection(fragment.id for fragment in self.fragments)
            object.__setattr__(self, "mirror", known if 0 < len(known) < len(self.fragments) else bool(known))
        if self.turns:
            self._set_turns()
        if self.has_target:
            self._check_sizes()

    def _set_turns(self) -> None:
        """One way to say how each piece may be turned: what is true of all, and pieces that may do less."""
        turns = {one.id: self.turns.get(one.id, self.rotations) for one in self.fragments}
        if not all(self.rotations.includes(own) for own in turns.values()):
            object.__setattr__(self, "rotations", FREE)
        own = {name: rotations for name, rotations in turns.items() if rotations != self.rotations}
        object.__setattr__(self, "turns", own)

    def _check_sizes(self) -> None:
        """`InvalidPuzzleError` if a piece cannot lie in the target."""
        low_x, low_y, high_x, high_y = self.target.bounds
        largest = LARGEST_PIECE * self.target.area
        longest = LONGEST_PIECE * math.hypot(high_x - low_x, high_y - low_y)
        outlines = [fragment.polygon for fragment in self.fragments]
        areas, bounds = shapely.area(outlines), shapely.bounds(outlines)
        lengths = (bounds[:, 2:] - bounds[:, :2]).max(axis=1)
        for fragment, area, length in zip(self.fragments, areas, lengths, strict=True):
            if area > largest:
                raise InvalidPuzzleError(f"fragment {fragment.id!r} is larger than the target")
            if length > longest:
                raise InvalidPuzzleError(f"fragment {fragment.id!r} is longer than the target")

    @classmethod
    def of_pieces(
        cls,
        fragments: tuple[Fragment, ...],
        rotations: Rotations = FREE,
        set_aside: tuple[str, ...] = (),
        tolerance: float | None = None,
    ) -> Puzzle:
        """A puzzle whose target nobody knows."""
        return cls(Polygon(), fragments, rotations, set_aside=set_aside, tolerance=tolerance)

    @property
    def has_target(self) -> bool:
        """Whether there is a shape to fill."""
        return not self.target.is_empty

    @property
    def one_part(self) -> Polygon:
        """The target where it must be in one part; `UnsupportedError` if it is in several."""
        if isinstance(self.target, Polygon):
            return self.target
        raise UnsupportedError(f"the target is in {len(self.target.geoms)} parts, and one is wanted here")

    @cached_property
    def size(self) -> float:
        """What lengths are compared with: the target's size or, without one, the root of all pieces' area."""
        if self.has_target:
            return size_of(self.target)
        return math.sqrt(float(shapely.area([fragment.polygon for fragment in self.fragments]).sum()))

    @property
    def pixel_alone(self) -> float | None:
        """The pixel where outlines are off by that alone: None where a tolerance allows for more."""
        return self.pixel if self.tolerance is None else None

    def without_target(self) -> Puzzle:
        """The same pieces, with no shape to fill."""
        return replace(self, target=Polygon(), texture=None)

    def without_paint(self) -> Puzzle:
        """The same puzzle, nothing of it painted."""
        bare = tuple(replace(fragment, texture=None) for fragment in self.fragments)
        return replace(self, fragments=bare, texture=None)

    @cached_property
    def _by_id(self) -> dict[str, Fragment]:
        return {fragment.id: fragment for fragment in self.fragments}

    def __repr__(self) -> str:
        count = len(self.fragments)
        pieces = f"{count} piece{'s' if count > 1 else ''}"
        turned = {1: "not turned", None: "free to turn"}.get(
            self.rotations.bins, f"{self.rotations} rotations"
        )
        if not self.has_target:
            return f"<Puzzle of {pieces}, {turned}, no target>"
        low_x, low_y, high_x, high_y = self.target.bounds
        return f"<Puzzle of {pieces}, {turned}, target {high_x - low_x:.4g} x {high_y - low_y:.4g}>"

    def _repr_svg_(self) -> str:
        return shown("puzzle_in_svg", self)

    def __getitem__(self, fragment_id: str) -> Fragment:
        return self._by_id[fragment_id]

    def may_mirror(self, fragment_id: str) -> bool:
        """Whether a piece may be turned over."""
        return self.mirror if isinstance(self.mirror, bool) else fragment_id in self.mirror

    def rotations_of(self, fragment_id: str) -> Rotations:
        """How a piece may be turned."""
        return self.turns.get(fragment_id, self.rotations)

    def placed(self, assembly: Assembly) -> list[Polygon]:
        """The outlines of the placed fragments, in the order of the assembly."""
        poses = [placement.pose for placement in assembly]
        return apply_each(poses, [self[placement.id].polygon for placement in assembly])


def _in_parts(target: MultiPolygon) -> Region:
    """The target with parts that share an edge joined; `InvalidPuzzleError` if some overlap."""
    parts = polygons_in(target)
    try:
        return join_parts(parts) if parts else Polygon()
    except InvalidPolygonError:
        raise InvalidPuzzleError("parts of the target overlap") from None


def slivers(puzzle: Puzzle) -> tuple[str, ...]:
    """The ids of pieces with next to no width: that of a long rectangle of their area and outline."""
    least = SLIVER_WIDTH * puzzle.size
    outlines = [fragment.polygon for fragment in puzzle.fragments]
    is_wide = 2.0 * shapely.area(outlines) > least * shapely.length(outlines)
    return tuple(one.id for one, wide in zip(puzzle.fragments, is_wide, strict=True) if not wide)


def without_slivers(puzzle: Puzzle) -> Puzzle:
    """The puzzle with pieces that have next to no width set aside; `InvalidPuzzleError` if all are such."""
    narrow = slivers(puzzle)
    if not narrow:
        return puzzle
    if len(narrow) == len(puzzle.fragments):
        raise InvalidPuzzleError("no fragment has any area")
    wide = tuple(fragment for fragment in puzzle.fragments if fragment.id not in narrow)
    return replace(puzzle, fragments=wide, set_aside=(*puzzle.set_aside, *narrow))


@dataclass(frozen=True)
class Sample:
    """A puzzle with its answer: only generation, training and metrics see ``truth``.

    The placements of ``truth`` stand in the order of assembly that a learner is taught.
    """

    puzzle: Puzzle
    truth: Assembly

    def __post_init__(self) -> None:
        if {placement.id for placement in self.truth} != {fragment.id for fragment in self.puzzle.fragments}:
            raise InvalidPuzzleError("the truth does not place exactly the puzzle's fragments")

    @cached_property
    def reference(self) -> BaseGeometry:
        """The part of the target that the fragments cover in their true poses.

        This is the target with all damage taken out, as the paper scores abnormal fragments: without a
        lost piece, and cut down to what eroded or distorted pieces still cover. Without a target it is all
        that they cover.
        """
        covered = union(self.puzzle.placed(self.truth))
        if self.puzzle.has_target:
            covered = intersection(covered, self.puzzle.target)
        # Where outlines only touch, the overlay leaves lines and points, which a further overlay refuses.
        return MultiPolygon([part for part in shapely.get_parts(covered) if isinstance(part, Polygon)])
