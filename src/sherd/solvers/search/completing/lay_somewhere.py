"""The last resort: pieces that fit no corner are laid somewhere in the target, flush with an edge of it.

Whatever is wrong with a puzzle, an answer with some pieces in it shows more than none: how large they are
beside the target, and that they were read as they were meant.
"""

from __future__ import annotations

import numpy as np
import shapely
from shapely import Polygon
from shapely.geometry.base import BaseGeometry

from sherd.core.arrays import Floats
from sherd.core.geometry import Pose, Region, Rotations, difference, size_of
from sherd.solvers.search.arrangement import Arrangement, arrangement_of
from sherd.solvers.search.case import Case
from sherd.solvers.search.constants.completing import (
    FLUSH,
    MOST_CORNERS_SOMEWHERE,
    MOST_SOMEWHERE,
    MOST_WAYS_SOMEWHERE,
    SIMPLER_SOMEWHERE,
)
from sherd.solvers.search.corner_outline import ring_of

# Points of a room, each way, that the middle of a piece is held over.
EACH_WAY = 17


def lay_somewhere(case: Case) -> Arrangement:
    """Some pieces, the largest first, each within what the others leave; one that sticks out if none fits."""
    whole = _simple_room(case.puzzle.target, case.size)
    room, poses, slack = whole, dict[int, Pose](), FLUSH * case.size
    largest = sorted(range(case.pieces), key=lambda number: -case.outlines[number].area)[:MOST_SOMEWHERE]
    for number in largest:
        outline = _simple_piece(case.outlines[number])
        ways = _ways(ring_of(outline), room, case.rotations[number])
        within = _within(ring_of(outline), room, ways, slack)
        if len(within):
            poses[number] = Pose(*ways[within[0]].tolist())
            room = difference(room, poses[number].apply(outline))
    if not poses:
        ring = ring_of(_simple_piece(case.outlines[largest[-1]]))
        ways = _ways(ring, whole, case.rotations[largest[-1]])
        inside = shapely.area(shapely.intersection(shapely.polygons(_laid(ring, ways)), whole))
        poses[largest[-1]] = Pose(*ways[int(inside.argmax())].tolist())
    return arrangement_of(case.puzzle, poses)


def _simple_piece(outline: Polygon) -> Polygon:
    """An outline of few corners around a piece: of thousands, seconds would go by."""
    if shapely.get_num_coordinates(outline) <= MOST_CORNERS_SOMEWHERE:
        return outline
    filled, size = Polygon(outline.exterior), size_of(outline)
    for share in SIMPLER_SOMEWHERE:
        simple = filled.simplify(share * size)
        if shapely.get_num_coordinates(simple) <= MOST_CORNERS_SOMEWHERE:
            return Polygon(simple.buffer(share * size, join_style="mitre").exterior)
    return shapely.box(*filled.bounds)


def _simple_room(target: Region, size: float) -> BaseGeometry:
    """A target of few corners within one of very many, if that leaves anything."""
    if shapely.get_num_coordinates(target) <= MOST_CORNERS_SOMEWHERE:
        return target
    for share in SIMPLER_SOMEWHERE:
        simple = target.simplify(share * size)
        if shapely.get_num_coordinates(simple) <= MOST_CORNERS_SOMEWHERE:
            within = simple.buffer(-share * size, join_style="mitre")
            return target if within.is_empty else within
    return target


def _edges(room: BaseGeometry) -> Floats:
    """The ends of a room's edges, which have it to their left, (n, 2, 2); the longest first."""
    parts = [part for part in shapely.get_parts(room) if isinstance(part, Polygon) and not part.is_empty]
    sides = shapely.orient_polygons(parts)
    rings = [np.asarray(ring.coords) for part in sides for ring in (part.exterior, *part.interiors)]
    edges = np.concatenate([np.stack([ring[:-1], ring[1:]], axis=1) for ring in rings])
    return edges[np.argsort(-np.hypot(*(edges[:, 1] - edges[:, 0]).T), kind="stable")]


def _ways(ring: Floats, room: BaseGeometry, rotations: Rotations) -> Floats:
    """Poses to try, x, y and theta: flush with an edge where it begins or ends, then all over the room."""
    edges, starts, ends = _edges(room), ring, np.roll(ring, -1, axis=0)
    own = np.arctan2(*(ends - starts).T[::-1])
    along = np.arctan2(*(edges[:, 1] - edges[:, 0]).T[::-1])
    theta = np.repeat((along[:, None] - own).ravel(), 2)[:MOST_WAYS_SOMEWHERE]
    corners = np.stack([np.tile(starts, (len(edges), 1)), np.tile(ends, (len(edges), 1))], axis=1)
    places = np.repeat(edges, len(ring), axis=0)
    corner, place = (points.reshape(-1, 2)[: len(theta)] for points in (corners, places))
    left, bottom, right, top = room.bounds
    across, up = np.linspace(left, right, EACH_WAY), np.linspace(bottom, top, EACH_WAY)
    over = np.stack(np.meshgrid(across, up), axis=2).reshape(-1, 2)
    middle = np.broadcast_to((ring.min(axis=0) + ring.max(axis=0)) / 2.0, over.shape)
    theta = np.concatenate([theta, np.zeros(len(over))])
    corner, place = np.concatenate([corner, middle]), np.concatenate([place, over])
    if rotations.bins is not None:
        theta = np.array([rotations.nearest(one) for one in theta.tolist()])
    cos, sin = np.cos(theta), np.sin(theta)
    x = place[:, 0] - cos * corner[:, 0] + sin * corner[:, 1]
    y = place[:, 1] - sin * corner[:, 0] - cos * corner[:, 1]
    return np.column_stack([x, y, theta])


def _laid(ring: Floats, ways: Floats) -> Floats:
    """The ring in each of some poses, (k, n, 2)."""
    cos, sin = np.cos(ways[:, 2, None]), np.sin(ways[:, 2, None])
    x = ways[:, 0, None] + cos * ring[:, 0] - sin * ring[:, 1]
    y = ways[:, 1, None] + sin * ring[:, 0] + cos * ring[:, 1]
    return np.stack([x, y], axis=2)


def _within(ring: Floats, room: BaseGeometry, ways: Floats, slack: float) -> list[int]:
    """The numbers of the poses in which a piece lies in a room."""
    wider = shapely.buffer(room, slack, join_style="mitre")
    left, bottom, right, top = wider.bounds
    laid = _laid(ring, ways)
    low, high = laid.min(axis=1), laid.max(axis=1)
    near = np.flatnonzero((low >= (left, bottom)).all(axis=1) & (high <= (right, top)).all(axis=1))
    shapely.prepare(wider)
    return near[shapely.covers(wider, shapely.polygons(laid[near]))].tolist()
