"""Outlines that are too small or too large: what a cut took or a tracing added, and a scale that is off."""

from __future__ import annotations

import math
from collections.abc import Sequence

import shapely
from shapely import Polygon

from sherd.core.errors import InvalidPolygonError
from sherd.core.geometry import Pose, Region, polygons_in, size_of

# A corner that sticks out farther than this, in half kerfs, is cut off when a piece is grown.
MITRE_LIMIT = 5.0
# A kerf wider than this share of the target's size is none; KERF_STEPS steps find what it was.
WIDEST_KERF = 0.01
KERF_STEPS = 2
FINER = 40.0
# A scale that is farther off is a wrong unit, or no matter of scale.
FARTHEST_SCALE = 0.03
# Drawings have so many decimals.
ROUNDED = 1e-4
# What is left of a shape that shrinks must have this share of it in one part.
LEAST_LEFT = 0.9


def grow(polygon: Polygon, by: float) -> Polygon:
    """The polygon with its outline moved outward, or inward if below 0, corners kept sharp.

    `InvalidPolygonError` if it is too narrow to shrink so far.

    >>> grow(shapely.box(0, 0, 1, 1), 0.5).area, grow(shapely.box(0, 0, 4, 4), -0.5).area
    (4.0, 9.0)
    """
    if by == 0.0:
        return polygon
    grown = grow_region(polygon, by)
    parts = polygons_in(grown)
    largest = max(parts, key=lambda part: part.area)
    if largest.area < LEAST_LEFT * grown.area:
        raise InvalidPolygonError(f"narrower than {-2.0 * by:g}")
    return largest


def grow_region(region: Region, by: float) -> Region:
    """The same of a shape in any number of parts, none of which may be lost."""
    if by == 0.0:
        return region
    grown = shapely.buffer(region, by, join_style="mitre", mitre_limit=MITRE_LIMIT)
    parts = [shapely.geometry.polygon.orient(part) for part in polygons_in(grown)]
    if not parts or (by < 0.0 and len(parts) < len(polygons_in(region))):
        raise InvalidPolygonError(f"narrower than {-2.0 * by:g}")
    return parts[0] if len(parts) == 1 else shapely.MultiPolygon(parts)


def scaled(polygon: Polygon, scale: float) -> Polygon:
    """The polygon made larger about its centroid."""
    if scale == 1.0:
        return polygon
    centre = Pose(polygon.centroid.x, polygon.centroid.y)
    return centre.apply(shapely.transform(centre.inverse().apply(polygon), lambda points: points * scale))


def likely_kerf(outlines: Sequence[Polygon], target: Region) -> float:
    """The kerf that would make up for what the outlines lack of the target's area; 0 if it is too wide.

    It is below 0 where they have too much.

    >>> halves = [shapely.box(0, 0, 49.9, 100), shapely.box(50.1, 0, 100, 100)]
    >>> round(likely_kerf(halves, shapely.box(-0.1, -0.1, 100.1, 100.1)), 6)
    0.2
    """
    missing = target.area - float(shapely.area(outlines).sum())
    kerf = 2.0 * missing / float(shapely.length(outlines).sum())
    try:
        for _ in range(KERF_STEPS):  # corners take some area too
            if abs(kerf) > 2.0 * WIDEST_KERF * size_of(target):
                return 0.0
            fine = abs(kerf) / FINER  # outlines of many corners take long to grow
            grown = [grow(shapely.simplify(outline, fine), kerf / 2.0) for outline in outlines]
            left = target.area - float(shapely.area(grown).sum())
            kerf += 2.0 * left / float(shapely.length(grown).sum())
    except InvalidPolygonError:
        return 0.0
    return kerf if abs(kerf) <= WIDEST_KERF * size_of(target) and kerf * missing > 0.0 else 0.0


def likely_scale(outlines: Sequence[Polygon], target: Region) -> float:
    """The scale that would give the outlines the target's area; 1 if that is too far off.

    >>> round(likely_scale([shapely.box(0, 0, 100.6, 100.6)], shapely.box(0, 0, 100, 100)), 4)
    0.994
    """
    scale = math.sqrt(target.area / float(shapely.area(outlines).sum()))
    return scale if abs(1.0 / scale - 1.0) <= FARTHEST_SCALE + ROUNDED else 1.0
