"""What makes an outline proper: polygons and regions from lists of points, or why they are none."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, cast

import numpy as np
import shapely
import shapely.geometry.polygon
from numpy.typing import NDArray
from scipy.spatial import KDTree
from shapely import MultiPolygon, Polygon
from shapely.geometry.base import BaseGeometry

from sherd.core.errors import InvalidPolygonError
from sherd.core.geometry import (
    AREA_TOLERANCE,
    LENGTH_TOLERANCE,
    Region,
    polygons_in,
    size_of,
    symmetric_difference,
    union,
)

NO_AREA = "the outline encloses no area"
# Parts of a region share no more than this of their area but for rounding. An outline of more corners is not
# looked through for places where it touches itself.
MOST_SHARED = 1e-9
MOST_TOUCHING = 5000
# An outline that crosses itself more often is not mended; so many of its edges are asked.
MOST_SELF_CROSSINGS = 500
CROSSING_SAMPLE = 400


def make_polygon(exterior: Any, holes: Sequence[Any] = ()) -> Polygon:
    """A proper polygon, its exterior counter-clockwise, or `InvalidPolygonError` that says why not.

    >>> make_polygon([[0, 0], [1, 1], [1, 0], [0, 1]])
    Traceback (most recent call last):
    ...
    sherd.core.errors.InvalidPolygonError: the outline crosses itself near (0.5, 0.5)
    """
    rings = [_ring(exterior, "outline"), *(_ring(hole, "hole") for hole in holes)]
    polygon = Polygon(rings[0], rings[1:])
    if not polygon.is_valid:
        raise InvalidPolygonError(_why_invalid(polygon))
    if _is_flat(polygon):
        raise InvalidPolygonError(NO_AREA)
    return shapely.geometry.polygon.orient(polygon)


def make_region(exterior: Any, holes: Sequence[Any] = ()) -> Region:
    """As `make_polygon`, but an outline may touch itself: then it has several parts, or a hole.

    >>> make_region([[0, 0], [1, 0], [1, 1], [2, 1], [2, 2], [1, 2], [1, 1], [0, 1]]).geom_type
    'MultiPolygon'
    """
    try:
        return make_polygon(exterior, holes)
    except InvalidPolygonError:
        each = [touching_parts(ring) for ring in (exterior, *holes)]
        if not all(each) or all(len(parts) == 1 and not parts[0].interiors for parts in each):
            raise
    region: BaseGeometry = Polygon()
    for part in (part for parts in each for part in parts):
        region = symmetric_difference(region, part)
    return join_parts(polygons_in(region))


def crosses_often(outline: Polygon) -> bool:
    """Whether an outline crosses itself so often that mending it would take minutes, judged by a sample.

    >>> crosses_often(Polygon([(0, 0), (2, 2), (2, 0), (0, 2)]))
    False
    """
    points = shapely.get_coordinates(outline.exterior)
    edges = np.asarray(shapely.linestrings(np.stack([points[:-1], points[1:]], axis=1)))
    some = edges[:: max(1, len(edges) // CROSSING_SAMPLE)]
    tree = shapely.STRtree(edges)
    if tree.query(some).shape[1] > 2 * MOST_SELF_CROSSINGS * len(some):
        return True
    crossings = tree.query(some, predicate="crosses").shape[1] * len(edges) / (2.0 * len(some))
    return crossings > MOST_SELF_CROSSINGS


def touching_parts(ring: Any) -> list[Polygon]:
    """The parts that a ring closes in if it touches itself, but crosses itself nowhere; else none.

    >>> len(touching_parts([[0, 0], [1, 0], [1, 1], [2, 1], [2, 2], [1, 2], [1, 1], [0, 1]]))
    2
    """
    points = _ring(ring, "outline")
    outline = Polygon(points)
    if len(np.unique(points, axis=0)) > MOST_TOUCHING:
        return [outline] if outline.is_valid else []
    if crosses_often(outline):
        return []
    mended = shapely.make_valid(outline)
    away: NDArray[np.float64] = cast(Any, KDTree(points)).query(shapely.get_coordinates(mended))[0]
    new = away > LENGTH_TOLERANCE * size_of(outline)
    parts = [shapely.geometry.polygon.orient(part) for part in polygons_in(mended) if not _is_flat(part)]
    return [] if new.any() else parts  # a crossing is a corner that was not there


def join_parts(parts: Sequence[Polygon]) -> Region:
    """One region of parts that lie apart or touch; `InvalidPolygonError` if they overlap.

    >>> join_parts([shapely.box(0, 0, 1, 1), shapely.box(1, 0, 2, 1)]).area
    2.0
    """
    oriented = [shapely.geometry.polygon.orient(part) for part in parts]
    if len(parts) == 1:
        return oriented[0]
    if (apart := MultiPolygon(oriented)).is_valid:
        return apart
    whole = union(parts)
    most = sum(part.area for part in parts)
    if most - whole.area > MOST_SHARED * most:
        raise InvalidPolygonError("parts of it overlap")
    joined = [shapely.geometry.polygon.orient(part) for part in polygons_in(whole)]
    return joined[0] if len(joined) == 1 else MultiPolygon(joined)


def _is_flat(shape: BaseGeometry) -> bool:
    return shape.area <= AREA_TOLERANCE * size_of(shape) ** 2


def _ring(points: Any, what: str) -> NDArray[np.float64]:
    try:
        ring = np.asarray(points, dtype=np.float64)
    except (TypeError, ValueError):
        raise InvalidPolygonError(f"the {what} is not a list of [x, y] numbers") from None
    if ring.ndim != 2 or ring.shape[1] != 2:
        if ring.size == 0:
            raise InvalidPolygonError(f"the {what} is empty")
        raise InvalidPolygonError(f"the {what} is not a list of [x, y] numbers")
    if not np.isfinite(ring).all():
        raise InvalidPolygonError(f"the {what} has a coordinate that is not finite")
    if len({(x, y) for x, y in ring.tolist()}) < 3:
        raise InvalidPolygonError(f"the {what} has fewer than 3 vertices")
    return ring


def _why_invalid(polygon: Polygon) -> str:
    if _is_flat(polygon.convex_hull):
        return NO_AREA
    reason = shapely.is_valid_reason(polygon)
    if "[" in reason:
        kind, place = reason.rstrip("]").split("[", 1)
        near = ", ".join(f"{float(value):.6g}" for value in place.split())
        if kind in ("Self-intersection", "Ring Self-intersection"):
            return f"the outline crosses itself near ({near})"
        return f"{kind[0].lower()}{kind[1:]} near ({near})"
    return reason
