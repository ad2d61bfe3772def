"""How far points on one outline are from all others, without looking at all of them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import Polygon

from sherd.core.arrays import Floats, Ints
from sherd.core.geometry import size_of

# So many points are looked at on all outlines together, and at least so many on each.
MOST_POINTS = 200_000
FEWEST_POINTS = 24


def points_each(outlines: int, usual: int) -> int:
    """How many points to look at on each outline: the usual number, and fewer where outlines are very many.

    >>> points_each(100, 200), points_each(4000, 200), points_each(20_000, 200)
    (200, 50, 24)
    """
    return min(usual, max(FEWEST_POINTS, MOST_POINTS // max(outlines, 1)))


class Beside:
    """Outlines that can be asked what lies beside one of them."""

    def __init__(self, outlines: Sequence[Polygon]) -> None:
        self.outlines = np.array(outlines, dtype=object)
        self._tree = shapely.STRtree(self.outlines)

    def distances(self, number: int, points: NDArray[np.object_]) -> tuple[Floats, Ints]:
        """How far points on an outline (P,) are from the nearest other one, and which others were looked at.

        What is looked at is all within some distance, which grows until nothing farther can be nearer.
        """
        own, reach = self.outlines[number], 0.25 * size_of(self.outlines[number])
        while True:
            near = np.sort(self._tree.query(own, predicate="dwithin", distance=reach))
            near = near[near != number]
            apart = np.full(len(points), np.inf)
            if len(near):
                (at, _), found = shapely.STRtree(self.outlines[near]).query_nearest(
                    points, return_distance=True, all_matches=False
                )
                apart[at] = found
            if len(near) == len(self.outlines) - 1 or bool((apart <= reach).all()):
                return apart, near
            reach *= 4.0
