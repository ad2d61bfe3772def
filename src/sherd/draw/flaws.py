"""Where an assembly goes wrong, as shapes to paint: overlaps, gaps, and what sticks out."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from shapely import MultiLineString, MultiPolygon, Polygon
from shapely.geometry.base import BaseGeometry

from sherd.core.geometry import Region, difference, intersection, polygons_in, union

NOTHING = MultiPolygon()
# By this share of a width pieces are shrunk to see whether they overlap by it.
SHRUNK = 0.4


@dataclass(frozen=True)
class Flaws:
    """Parts of the plane covered twice, of the target not covered, and of pieces beyond the target."""

    overlap: BaseGeometry = NOTHING
    gap: BaseGeometry = NOTHING
    outside: BaseGeometry = NOTHING


def find_flaws(target: Region, placed: Sequence[Polygon], thinnest: float) -> Flaws:
    """All flaws that are at least ``thinnest`` wide, a length in the target's units.

    Without a target, only what pieces enclose is a gap, and nothing is outside.
    """
    covered = union(placed) if placed else NOTHING
    if target.is_empty:
        enclosed = [Polygon(ring) for part in polygons_in(covered) for ring in part.interiors]
        return Flaws(find_overlap(placed, thinnest), wide_parts(MultiPolygon(enclosed), thinnest))
    return Flaws(
        find_overlap(placed, thinnest),
        wide_parts(difference(target, covered), thinnest),
        wide_parts(difference(covered, target), thinnest),
    )


def find_overlap(placed: Sequence[Polygon], thinnest: float) -> BaseGeometry:
    """What two or more pieces cover, wherever that is at least ``thinnest`` wide."""
    if not placed:
        return NOTHING
    # What is so wide on average holds a disc half as wide, so that pieces shrunk by less overlap there too:
    # most neighbours need no look.
    cores = shapely.buffer(placed, -SHRUNK * thinnest, join_style="mitre")
    pairs: list[list[int]] = shapely.STRtree(cores).query(cores, predicate="intersects").T.tolist()
    shared = [intersection(placed[i], placed[k]) for i, k in pairs if i < k]
    wide = [part for whole in shared if not (part := wide_parts(whole, thinnest)).is_empty]
    return union(wide) if wide else NOTHING


def wide_parts(geometry: BaseGeometry, thinnest: float) -> BaseGeometry:
    """The polygons of a geometry that are at least ``thinnest`` wide on average.

    >>> slab, sliver = shapely.box(0, 0, 1, 1), shapely.box(2, 0, 2.001, 1)
    >>> wide_parts(shapely.union(slab, sliver), 0.01).equals(slab)
    True
    """
    parts = shapely.get_parts(geometry)
    wide = [p for p in parts if isinstance(p, Polygon) and 2.0 * p.area >= thinnest * p.length > 0.0]
    return MultiPolygon(wide) if wide else NOTHING


def hatch(region: BaseGeometry, spacing: float, *, rising: bool = True) -> BaseGeometry:
    """Parallel lines at 45 degrees, cut to the region, ``spacing`` apart; they line up between regions."""
    if region.is_empty:
        return NOTHING
    low_x, low_y, high_x, high_y = region.bounds
    step = spacing * math.sqrt(2.0)  # along the x axis
    slope = 1.0 if rising else -1.0
    at_low, at_high = sorted((low_y * slope, high_y * slope))
    first, last = math.floor((low_x - at_high) / step), math.ceil((high_x - at_low) / step)
    crossings = np.arange(first, last + 1) * step
    ends = np.array([low_y, high_y])
    lines = np.stack(np.broadcast_arrays(crossings[:, None] + slope * ends, ends), axis=-1)
    return intersection(MultiLineString(list(lines)), region)
