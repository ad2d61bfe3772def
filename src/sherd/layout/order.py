"""In which order to lay the pieces, so that each touches what already lies."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from heapq import heappop, heappush

import numpy as np
import shapely
from shapely import Point, Polygon

from sherd.core.arrays import Floats
from sherd.core.geometry import outer_corners
from sherd.layout.contact import Contacts
from sherd.layout.layout import Layout

# Whether a piece touches what is laid in a point only, how little is held, how far it is, and its number.
_Key = tuple[bool, float, float, int]


@dataclass(frozen=True)
class Step:
    """One piece to lay: its number, which is its turn, and the numbers of the pieces that it then touches.

    ``after`` is empty for the first piece, and for one that no way of touching pieces leads to.
    """

    number: int
    id: str
    after: tuple[int, ...]


def laying_order(layout: Layout, contacts: Contacts) -> tuple[Step, ...]:
    """All placed pieces, from a corner on, next each time the one that is held best.

    That is the piece with the largest share of its outline along what lies there and the target's edge;
    only where none touches a laid piece is a new start made, at the nearest one.
    """
    outlines = layout.fitted
    steps: list[Step] = []
    if not outlines:
        return ()
    perimeters = shapely.length(outlines).tolist()
    from_corner = shapely.distance(outlines, _start_corner(layout))
    held, joined = contacts.edge.tolist(), [0.0] * len(outlines)  # joined: along laid pieces alone
    turn: dict[int, int] = {}
    keys: dict[int, _Key] = {}
    open_to: list[_Key] = []  # a heap; what is held better since then stands in it again
    starts = _Starts(outlines, from_corner)
    while len(turn) < len(outlines):
        while open_to and (open_to[0][-1] in turn or keys[open_to[0][-1]] != open_to[0]):
            heappop(open_to)
        chosen = heappop(open_to)[-1] if open_to else starts.nearest(turn)
        after = tuple(sorted(turn[other] for other in contacts.touch[chosen] if other in turn))
        turn[chosen] = len(turn) + 1
        steps.append(Step(turn[chosen], layout.placed[chosen].id, after))
        for other in contacts.touch[chosen]:
            if other not in turn:
                along = contacts.pairs.get((other, chosen), 0.0)
                held[other] += along
                joined[other] += along
                # Along an edge before in a point only, then the best held, then the nearest to the corner.
                share = held[other] / perimeters[other]
                keys[other] = (joined[other] == 0.0, -share, float(from_corner[other]), other)
                heappush(open_to, keys[other])
    return tuple(steps)


class _Starts:
    """Where to start anew when nothing touches what is laid: looked for from what was laid since the last."""

    def __init__(self, outlines: tuple[Polygon, ...], from_corner: Floats) -> None:
        self._outlines = np.array(outlines, dtype=object)
        self._distances = from_corner
        self._seen = 0

    def nearest(self, laid: Mapping[int, int]) -> int:
        """The piece not laid that is nearest to those laid, in their order, or to the corner."""
        waiting = np.array([k for k in range(len(self._outlines)) if k not in laid])
        new = list(laid)[self._seen :]
        if new and not self._seen:
            self._distances = np.full(len(self._outlines), np.inf)
        if new:
            tree = shapely.STRtree(self._outlines[new])
            _, apart = tree.query_nearest(self._outlines[waiting], return_distance=True, all_matches=False)
            self._distances[waiting] = np.minimum(self._distances[waiting], apart)
        self._seen = len(laid)
        return int(waiting[np.argmin(self._distances[waiting])])


def _start_corner(layout: Layout) -> Point:
    """The corner of the target, or without one of the pieces, that is farthest to the lower left."""
    if layout.target.is_empty:
        corners = shapely.get_coordinates(layout.fitted)
    else:
        corners = outer_corners(layout.target)
    return Point(corners[np.lexsort((corners[:, 0], corners.sum(axis=1)))[0]])
