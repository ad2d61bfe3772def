"""Worn pieces: material taken off along their edges, here more and there less, and corners rounded."""

from __future__ import annotations

import math

import numpy as np
import shapely
import shapely.geometry.polygon
from shapely import MultiPoint, Polygon
from shapely.geometry.base import BaseGeometry

from sherd.core.arrays import Floats
from sherd.core.errors import InvalidPolygonError
from sherd.core.geometry import polygons_in

DEEPEST = 0.05
# Depth wavers by this share of the mean, smoothly over about WAVE depths along the outline.
WAVERING, WAVE = 0.5, 12.0
# A corner is rounded with this share of the depth; wear is worked out at places STEP depths apart.
ROUNDING, STEP = 0.5, 0.6
# What lies this near to the target's border, in depths, is an edge of the target.
ON_BORDER = 1e-3


def worn(outline: Polygon, depth: float, rng: np.random.Generator, target: Polygon | None = None) -> Polygon:
    """The piece with edges worn by ``depth`` on average; the edges of ``target``, in the same frame, are not.

    `InvalidPolygonError` if nothing is left.
    """
    ring = outline.exterior
    count = max(8, math.ceil(ring.length / (STEP * depth)))
    places = shapely.line_interpolate_point(ring, np.arange(count) * (ring.length / count))
    depths = depth * _wavering(count, ring.length / depth, rng)
    if target is not None:
        rubbed = shapely.distance(places, target.exterior) > ON_BORDER * depth
        places, depths = places[rubbed], depths[rubbed]
    bites = shapely.union_all(shapely.buffer(places, depths, quad_segs=3))
    left = shapely.difference(outline, bites)
    rounding = ROUNDING * depth
    rounded = left.buffer(-rounding).buffer(rounding, quad_segs=3)
    if target is not None:  # whose own corners stay sharp
        corners = MultiPoint(target.exterior.coords[:-1]).buffer(2.0 * depth)
        rounded = rounded.union(left.intersection(corners))
    return _largest(shapely.simplify(rounded, 0.02 * depth))


def _wavering(count: int, depths_long: float, rng: np.random.Generator) -> Floats:
    """Depths at evenly spaced places around an outline, (count,), of mean 1."""
    waves = max(3, round(depths_long / WAVE))
    heights = rng.uniform(1.0 - WAVERING, 1.0 + WAVERING, waves)
    return np.interp(np.arange(count) / count, np.arange(waves) / waves, heights, period=1.0)


def _largest(shape: BaseGeometry) -> Polygon:
    parts = polygons_in(shape)
    if not parts:
        raise InvalidPolygonError("nothing is left of a worn piece")
    largest = max(parts, key=lambda part: part.area)
    return shapely.geometry.polygon.orient(Polygon(largest.exterior))
