"""Outline: a polygon as its corners, edges and angles."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from shapely import Polygon

from sherd.core.arrays import Floats
from sherd.core.geometry import TAU, Region
from sherd.core.puzzle import Puzzle


def from_next(values: Floats) -> Floats:
    """At each corner what the next one has, as `numpy.roll` by -1 but several times as fast."""
    return np.concatenate([values[1:], values[:1]])


def from_last(values: Floats) -> Floats:
    """At each corner what the last one has."""
    return np.concatenate([values[-1:], values[:-1]])


@dataclass(frozen=True, eq=False)
class CornerOutline:
    """The corners (n, 2) of a simple polygon without holes, counter-clockwise; edge k leaves corner k."""

    corners: Floats

    @classmethod
    def of(cls, ring: Floats, straight: float) -> CornerOutline:
        """The outline of a ring, without corners that turn by less than ``straight`` radians.

        Nor are there any that lie on the next one.
        """
        outline = cls(ring)
        while len(outline.corners) > 3:
            if (lies_on_next := outline.lengths == 0.0).any():
                outline = cls(np.delete(outline.corners, lies_on_next.argmax(), axis=0))
                continue
            turn = np.abs(np.pi - outline.angles)
            if turn.min() > straight:
                break
            outline = cls(np.delete(outline.corners, turn.argmin(), axis=0))
        return outline

    @cached_property
    def edges(self) -> Floats:
        """From each corner to the next, (n, 2)."""
        return from_next(self.corners) - self.corners

    @cached_property
    def lengths(self) -> Floats:
        """Of the edges, (n,)."""
        return np.hypot(self.edges[:, 0], self.edges[:, 1])

    @cached_property
    def directions(self) -> Floats:
        """Of the edges, in radians, (n,)."""
        return np.arctan2(self.edges[:, 1], self.edges[:, 0])

    @cached_property
    def angles(self) -> Floats:
        """Inside each corner, in radians from 0 to 2 pi, (n,)."""
        return (np.pi - self.directions + from_last(self.directions)) % TAU

    def __len__(self) -> int:
        return len(self.corners)


def ring_of(polygon: Region) -> Floats:
    """The exterior's corners (n, 2), counter-clockwise, of a shape that is in one part."""
    assert isinstance(polygon, Polygon)
    ring = np.asarray(polygon.exterior.coords)[:-1]
    return ring if polygon.exterior.is_ccw else ring[::-1]


def outlines_of(puzzle: Puzzle, straight: float) -> tuple[list[CornerOutline], CornerOutline]:
    """The pieces' outlines and the target's, without corners that turn by less than ``straight`` radians."""
    pieces = [CornerOutline.of(ring_of(fragment.polygon), straight) for fragment in puzzle.fragments]
    return pieces, CornerOutline.of(ring_of(puzzle.target), straight)
