"""Voronoi cells of a target: what lies nearest to each of some points drawn in it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import shapely
from shapely import MultiPoint, Polygon

from sherd.core.arrays import Floats
from sherd.core.errors import InvalidPolygonError
from sherd.generation.breaking import area, check_pieces, outline_of
from sherd.generation.network import faces

# Puzzles with a cell below this share of the mean one are drawn again, as often as said.
LEAST_CELL = 0.05
DRAWS = 200


@dataclass(frozen=True, kw_only=True)
class VoronoiParams:
    """How many cells."""

    pieces: int = 8

    def __post_init__(self) -> None:
        check_pieces(self.pieces)


def voronoi_outlines(target: Polygon, params: VoronoiParams, rng: np.random.Generator) -> list[Floats]:
    """The cells in place, as counter-clockwise rings (n, 2); convex if the target is."""
    if params.pieces == 1:
        return [outline_of(target)]
    least = LEAST_CELL * target.area / params.pieces
    for _ in range(DRAWS):
        rings = faces(voronoi_lines(target, params.pieces, rng), target)
        if len(rings) == params.pieces and min(map(area, rings)) >= least:
            return rings
    raise InvalidPolygonError(f"the target cannot be divided into {params.pieces} Voronoi cells")


def voronoi_lines(target: Polygon, cells: int, rng: np.random.Generator, relaxed: int = 0) -> list[Floats]:
    """The straight borders (2, 2) between the cells of at least two points within a target.

    ``relaxed`` times the points move into the middle of their cells, which makes these more even.
    """
    outline_of(target)  # refuses holes
    points = _points(target, cells, rng)
    for _ in range(relaxed):
        whole = shapely.voronoi_polygons(MultiPoint(points), extend_to=target)
        own = shapely.intersection(shapely.get_parts(whole), target)
        points = shapely.get_coordinates(shapely.centroid(own))
    edges = shapely.voronoi_polygons(MultiPoint(points), extend_to=target, only_edges=True)
    within = shapely.get_parts(shapely.intersection(_single(edges), target))
    lines = [np.asarray(part.coords) for part in within.tolist() if part.geom_type == "LineString"]
    return [line for line in lines if len(line)]


def _single(edges: shapely.Geometry) -> list[shapely.LineString]:
    """Each straight border of a diagram as a line of two points."""
    return [
        shapely.LineString(pair)
        for line in shapely.get_parts(edges).tolist()
        for pair in zip(line.coords[:-1], line.coords[1:], strict=True)
    ]


def _points(target: Polygon, count: int, rng: np.random.Generator) -> Floats:
    """Points in a target, each place as likely as another."""
    low_x, low_y, high_x, high_y = target.bounds
    found = np.empty((0, 2))
    while len(found) < count:
        points = rng.uniform((low_x, low_y), (high_x, high_y), (4 * count, 2))
        found = np.concatenate([found, points[shapely.contains_xy(target, points)]])
    return found[:count]
