"""In which order to lay the pieces, so that each touches what already lies."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import shapely
from shapely import Point, Polygon

from sherd.core.geometry import outer_corners
from sherd.layout.contact import Contacts
from sherd.layout.layout import Layout


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
    if not outlines:
        return ()
    perimeters = shapely.length(outlines)
    from_corner = shapely.distance(outlines, _start_corner(layout))
    held = contacts.edge.copy()
    joined = np.zeros(len(outlines))  # along laid pieces alone
    touching = np.zeros(len(outlines), dtype=bool)
    steps: list[Step] = []
    laid: list[int] = []
    waiting = np.ones(len(outlines), dtype=bool)
    while waiting.any():
        if (open_to := np.flatnonzero(waiting & touching)).size:
            # Along an edge before in a point only, then the best held, then the nearest to the first corner.
            keys = (from_corner[open_to], -held[open_to] / perimeters[open_to], joined[open_to] == 0.0)
            chosen = int(open_to[np.lexsort(keys)[0]])
        else:
            chosen = _nearest(np.flatnonzero(waiting).tolist(), laid, outlines, from_corner)
        after = tuple(number for number, other in enumerate(laid, start=1) if contacts.touch[chosen, other])
        steps.append(Step(len(steps) + 1, layout.placed[chosen].id, after))
        laid.append(chosen)
        waiting[chosen] = False
        held += contacts.pairs[:, chosen]
        joined += contacts.pairs[:, chosen]
        touching |= contacts.touch[:, chosen]
    return tuple(steps)


def _start_corner(layout: Layout) -> Point:
    """The corner of the target, or without one of the pieces, that is farthest to the lower left."""
    if layout.target.is_empty:
        corners = shapely.get_coordinates(layout.fitted)
    else:
        corners = outer_corners(layout.target)
    return Point(corners[np.lexsort((corners[:, 0], corners.sum(axis=1)))[0]])


def _nearest(waiting: list[int], laid: list[int], outlines: tuple[Polygon, ...], from_corner: object) -> int:
    if not laid:
        return waiting[int(np.argmin(np.asarray(from_corner)[waiting]))]
    near = shapely.GeometryCollection([outlines[k] for k in laid])
    return waiting[int(np.argmin(shapely.distance([outlines[k] for k in waiting], near)))]
