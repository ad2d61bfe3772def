"""The case: what the pieces of a puzzle are like, found out once, before any is laid.

Here alone is said what "bent" means, and which pieces look worn. What an eroded outline is taken for is said
in `beliefs.eroded`.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import Enum
from functools import cached_property

import numpy as np
from shapely import Polygon

from sherd.core.arrays import Floats
from sherd.core.geometry import Rotations, is_convex, size_of
from sherd.core.puzzle import Puzzle
from sherd.solvers.search.constants.completing import RECURRING
from sherd.solvers.search.constants.rough_outlines import MOST_MOVED_CORNERS
from sherd.solvers.search.constants.tiling import (
    BENT_BY_CUTTING,
    LACKING_AREA,
    LOOSEST_TILING,
    MOVED_INWARD,
    REFLEX,
)
from sherd.solvers.search.corner_outline import CornerOutline, ring_of


class Bend(Enum):
    """How far a piece is from convex."""

    NONE = "convex"
    SLIGHT = "as wear, tracing or a moved corner bends a convex piece"
    CUT = "cut so: it has a hole, or lacks more of its hull than damage takes"


def bends_inward(ring: Floats) -> bool:
    """Whether an outline (n, 2) has a corner that is reflex."""
    return bool((CornerOutline(ring).angles > math.pi + REFLEX).any())


def bend_of(polygon: Polygon, target_area: float = 0.0) -> Bend:
    """How far a piece is from convex; of a small one with four corners one may have been moved inward.

    >>> bend_of(Polygon([(0, 0), (2, 0), (2, 2), (0, 2)])).name
    'NONE'
    >>> bend_of(Polygon([(0, 0), (1, 0.1), (2, 0), (2, 2), (0, 2)])).name
    'SLIGHT'
    >>> bend_of(Polygon([(0, 0), (2, 0), (2, 1), (1, 1), (1, 2), (0, 2)])).name
    'CUT'
    """
    lacking, corners = polygon.convex_hull.area - polygon.area, len(polygon.exterior.coords) - 1
    is_moved = corners == 4 and lacking <= MOVED_INWARD * target_area
    if lacking > (BENT_BY_CUTTING - 1.0) * polygon.area and not is_moved:
        return Bend.CUT
    return Bend.SLIGHT if bends_inward(ring_of(polygon)) else Bend.NONE


@dataclass(frozen=True)
class Case:
    """A puzzle and what is seen of it at first sight; what takes long is found out when it is asked for."""

    puzzle: Puzzle

    @cached_property
    def size(self) -> float:
        """The target's size."""
        return size_of(self.puzzle.target)

    @cached_property
    def pixel(self) -> float | None:
        """The pixels that outlines were traced from, as a share of the size; None if the puzzle says none.

        Nor if it allows for more: what was cut or torn by hand is off by more than pixels.
        """
        pixel = self.puzzle.pixel_alone
        return None if pixel is None else pixel / self.size

    @cached_property
    def pieces(self) -> int:
        """How many there are."""
        return len(self.puzzle.fragments)

    @cached_property
    def outlines(self) -> list[Polygon]:
        """Of the pieces, by number."""
        return [fragment.polygon for fragment in self.puzzle.fragments]

    @cached_property
    def may_mirror(self) -> list[bool]:
        """Which pieces may be turned over, by number."""
        return [self.puzzle.may_mirror(fragment.id) for fragment in self.puzzle.fragments]

    @cached_property
    def rotations(self) -> list[Rotations]:
        """How pieces may be turned, by number."""
        return [self.puzzle.rotations_of(fragment.id) for fragment in self.puzzle.fragments]

    @cached_property
    def area(self) -> float:
        """Of all pieces together."""
        return sum(outline.area for outline in self.outlines)

    @cached_property
    def length_around(self) -> float:
        """Of all pieces' outlines together."""
        return sum(outline.length for outline in self.outlines)

    @cached_property
    def has_holes(self) -> bool:
        """Whether the target or a piece has a hole, or the target is in several parts."""
        target = self.puzzle.target
        return not isinstance(target, Polygon) or bool(target.interiors) or self.any_has_a_hole

    @cached_property
    def any_has_a_hole(self) -> bool:
        """Whether some piece has one."""
        return any(outline.interiors for outline in self.outlines)

    @cached_property
    def bends(self) -> tuple[Bend, ...]:
        """How far each piece is from convex, by number."""
        return tuple(bend_of(outline, self.puzzle.target.area) for outline in self.outlines)

    @cached_property
    def worn(self) -> tuple[bool, ...]:
        """Which pieces look worn, by number: they bend a little, in more corners than are moved at random."""
        return tuple(
            bend is Bend.SLIGHT and len(ring_of(outline)) > MOST_MOVED_CORNERS
            for bend, outline in zip(self.bends, self.outlines, strict=True)
        )

    @cached_property
    def any_cut_bent(self) -> bool:
        """Whether some piece was never convex."""
        return Bend.CUT in self.bends

    @cached_property
    def any_bends_inward(self) -> bool:
        """Whether some piece's outline is not convex, for whatever reason."""
        return any(bend is not Bend.NONE for bend in self.bends)

    @cached_property
    def has_right_angles(self) -> bool:
        """Whether all corners of the pieces are right ones, but for rounding."""
        angles = np.concatenate([CornerOutline(ring_of(outline)).angles for outline in self.outlines])
        return bool((np.abs(np.cos(angles) * np.sin(angles)) <= RECURRING).all())

    @cached_property
    def angles_recur(self) -> bool:
        """Whether pieces are exact among themselves: their angles, not only right ones, recur."""
        angles = np.concatenate([CornerOutline(ring_of(outline)).angles for outline in self.outlines])
        distinct = np.unique(np.round(angles / RECURRING))
        is_right = np.abs(np.sin(2.0 * distinct * RECURRING)) <= 4.0 * RECURRING
        return 2 * len(distinct) <= len(angles) and not is_right.all()

    @cached_property
    def has_convex_target(self) -> bool:
        """Whether the target has no hole and no reflex corner."""
        return is_convex(self.puzzle.target)

    @cached_property
    def lacks_area(self) -> bool:
        """Whether the pieces' areas add up to so little that one may be lost."""
        return self.area / self.puzzle.target.area < 1.0 - LACKING_AREA

    def areas_add_up(self, off: float) -> bool:
        """Whether the pieces have the target's area, but for corners off by this share along all edges."""
        return abs(self.puzzle.target.area - self.area) <= off * self.size * self.length_around

    def tolerates(self, off: float, loosest: float = LOOSEST_TILING) -> bool:
        """Whether corners may be off by this share: up to the puzzle's tolerance, or ``loosest``."""
        if self.puzzle.tolerance is None:
            return off <= loosest
        return off * self.size <= self.puzzle.tolerance
