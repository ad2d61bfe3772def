"""Laying single pieces flush: an edge on an edge, so that the least area lies where it should not."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from shapely import Polygon

from sherd.core.arrays import Floats, Ints
from sherd.core.clip import bound, shared_area
from sherd.core.compiled import compiled
from sherd.core.geometry import TAU, Pose, Rotations, difference
from sherd.solvers.search.constants.beliefs import BLUNT, WAYS_KEPT
from sherd.solvers.search.corner_outline import CornerOutline, ring_of


@dataclass(frozen=True)
class FlushWay:
    """Lone pieces laid into a region: the area that lies where it should not, and the room that is left."""

    off: float
    laid: tuple[tuple[int, Pose], ...]
    room: Polygon

    def without(self, hulls: Mapping[int, Floats]) -> FlushWay:
        """The same with the last piece taken out of the room."""
        number, pose = self.laid[-1]
        rest = shapely.get_parts(difference(self.room, Polygon(pose.points(hulls[number]))))
        parts = [part for part in rest if isinstance(part, Polygon)]
        return FlushWay(self.off, self.laid, max(parts, key=lambda part: part.area, default=self.room))


def lay_by_area(
    region: Floats,
    numbers: Sequence[int],
    pieces: Sequence[Polygon],
    rotations: Rotations,
    stop: Callable[[], bool],
) -> list[FlushWay]:
    """The best ways to lay single pieces into a region (n, 2): least area outside or on each other.

    None if it is time to stop.
    """
    hulls = {number: hull_of(pieces[number]) for number in numbers}
    ways: list[FlushWay] = [FlushWay(0.0, (), Polygon(region))]
    for _ in numbers:
        longer: list[FlushWay] = []
        for way in ways:
            done = {number for number, _ in way.laid}
            laid = [pose.points(hulls[number]) for number, pose in way.laid]
            for number in (number for number in numbers if number not in done):
                if stop():
                    return []
                for off, pose in _flush(hulls[number], way.room, region, laid, rotations):
                    longer.append(FlushWay(way.off + off, (*way.laid, (number, pose)), way.room))
        longer.sort(key=lambda way: way.off)
        ways = [way.without(hulls) for way in longer[:WAYS_KEPT]]
    return ways


def hull_of(piece: Polygon) -> Floats:
    """The corners of a piece's convex hull but the blunt ones, counter-clockwise."""
    hull = piece.convex_hull
    assert isinstance(hull, Polygon)  # a piece has some area
    return CornerOutline.of(ring_of(hull), BLUNT).corners


def _flush(
    piece: Floats, room: Polygon, region: Floats, laid: list[Floats], rotations: Rotations
) -> list[tuple[float, Pose]]:
    """The best few poses of a piece, an edge on one of the room's, and the area where it should not be."""
    there = ring_of(room)
    poses, off = np.empty((2 * len(piece) * len(there), 3)), np.empty(2 * len(piece) * len(there))
    begins = np.concatenate([[0], np.cumsum([len(ring) for ring in laid])]).astype(np.int64)
    others = np.concatenate(laid) if laid else np.empty((0, 2))
    flush_ways(piece, there, region, others, begins, rotations.bins or 0, poses, off)
    return [(float(off[k]), Pose(*poses[k].tolist())) for k in np.argsort(off, kind="stable")[:WAYS_KEPT]]


@compiled
def flush_ways(
    piece: Floats,
    room: Floats,
    region: Floats,
    others: Floats,
    begins: Ints,
    bins: int,
    poses: Floats,
    off: Floats,
) -> None:
    """Write all poses (2 m n, 3) that lay an edge of a convex piece (m, 2) along one of a room (n, 2).

    Either the edges' starts meet or their ends. ``off`` gets the piece's area outside a convex region and on
    other convex rings, which lie one after another and begin at ``begins``.
    """
    m, n = len(piece), len(room)
    moved = np.empty((m, 2))
    size = 4 * (m + len(region) + len(others) + 4)
    spare, other_spare = np.empty((size, 2)), np.empty((size, 2))
    box, boxes = np.empty(4), np.empty((len(begins) - 1, 4))
    for ring in range(len(begins) - 1):
        bound(others[begins[ring] : begins[ring + 1]], begins[ring + 1] - begins[ring], boxes[ring])
    way = 0
    for k in range(m):
        a, b = piece[k], piece[(k + 1) % m]
        for j in range(n):
            c, d = room[j], room[(j + 1) % n]
            theta = math.atan2(d[1] - c[1], d[0] - c[0]) - math.atan2(b[1] - a[1], b[0] - a[0])
            if bins > 0:
                theta = round(theta / (TAU / bins)) * (TAU / bins)
            cos, sin = math.cos(theta), math.sin(theta)
            for at_end in range(2):
                own, to = (b, d) if at_end else (a, c)
                x, y = to[0] - cos * own[0] + sin * own[1], to[1] - sin * own[0] - cos * own[1]
                for corner in range(m):
                    moved[corner, 0] = cos * piece[corner, 0] - sin * piece[corner, 1] + x
                    moved[corner, 1] = sin * piece[corner, 0] + cos * piece[corner, 1] + y
                wrong = -shared_area(moved, m, region, len(region), spare, other_spare)
                bound(moved, m, box)
                for ring in range(len(begins) - 1):
                    there = boxes[ring]
                    if box[0] < there[2] and there[0] < box[2] and box[1] < there[3] and there[1] < box[3]:
                        other = others[begins[ring] : begins[ring + 1]]
                        wrong += shared_area(moved, m, other, len(other), spare, other_spare)
                poses[way, 0], poses[way, 1], poses[way, 2], off[way] = x, y, theta, wrong
                way += 1
    area = 0.0
    for k in range(m):
        area += (piece[k, 0] * piece[(k + 1) % m, 1] - piece[k, 1] * piece[(k + 1) % m, 0]) / 2.0
    for k in range(way):
        off[k] += area
