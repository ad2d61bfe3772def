"""Outlines of very many corners with fewer of them, so that searching them takes time, not ages."""

from __future__ import annotations

from collections.abc import Sequence

import shapely

from sherd.core.errors import InvalidPuzzleError
from sherd.core.geometry import Geometry

# So many corners a piece, and of all, are searched as they are.
MOST_CORNERS = 1000
MOST_IN_ALL = 20_000
# From this share of the target's size on outlines are thinned, each time by twice as much, up to that one.
FINEST_SHARE = 1e-5
COARSEST_SHARE = 2e-3
# What still has more corners than this, a piece and in all, is a tangle that would take minutes and gigabytes.
MOST_LEFT = 3000
MOST_LEFT_IN_ALL = 40_000


def thinned(outlines: Sequence[Geometry], size: float) -> tuple[list[Geometry], float]:
    """The outlines with no more corners than are searched, and about how far they were moved for that.

    >>> circle = shapely.Point(0, 0).buffer(1, quad_segs=1000)
    >>> few, off = thinned([circle], 1.0)
    >>> int(shapely.get_num_coordinates(few[0])), off
    (513, 2e-05)
    """
    each = min(MOST_CORNERS, MOST_IN_ALL // max(1, len(outlines)) + 4)
    found, farthest = list(outlines), 0.0
    if shapely.get_num_coordinates(found).sum() <= MOST_IN_ALL:
        each = MOST_CORNERS
    for k, outline in enumerate(outlines):
        off = FINEST_SHARE * size
        while shapely.get_num_coordinates(found[k]) > each and off <= COARSEST_SHARE * size:
            fewer = shapely.simplify(outline, off)
            if fewer.is_valid and not fewer.is_empty:
                found[k], farthest = fewer, max(farthest, off)
            off *= 2.0
    return found, farthest


def refuse_tangles(outlines: Sequence[Geometry]) -> None:
    """`InvalidPuzzleError` if thinned outlines still have more corners than can be searched."""
    corners = shapely.get_num_coordinates(list(outlines))
    for count, most, what in (
        (int(corners.max(initial=0)), MOST_LEFT, "an outline"),
        (int(corners.sum()), MOST_LEFT_IN_ALL, "outlines"),
    ):
        if count > most:
            raise InvalidPuzzleError(
                f"{what} of {count:,} corners, and no more than {most:,} can be searched: smooth them first"
            )
