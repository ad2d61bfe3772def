"""Lines that end on shapes or cross them: the regions that they close in are the pieces.

This is how people draw what is to be cut: a border, and lines across it, each drawn once. Lines are carried
on to what lies within the gap, all are cut where they cross, and every face is a region.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import LineString, Polygon
from shapely.geometry.base import BaseGeometry

from sherd.core.errors import FileFormatError
from sherd.core.geometry import polygons_in
from sherd.io.drawings.curves import Floats
from sherd.io.drawings.strokes import Chain

# Lines are carried on beyond what they end on by this share of the drawing's size, so that they surely cross.
BEYOND = 1e-7
# Crossings grow quadratically, and every one may close in a region. They are counted, first on a sample.
MOST_CROSSINGS = 20_000
SAMPLE = 500
# A face that leaves this share of a shape's area to others is not all of it.
WHOLE_SHARE = 1e-6
# A line of which more than this share closes in nothing is left out; of others ends stick out.
MOSTLY = 0.5
# Rows by which regions are numbered.
ROWS = 24


@dataclass(frozen=True)
class ClosedShape:
    """What one element of a drawing closes in: polygons with the name and the groups that it has."""

    polygons: tuple[Polygon, ...]
    name: str
    groups: tuple[str, ...]


@dataclass(frozen=True)
class OpenLine:
    """Points (K, 2) of a line that closes in nothing by itself."""

    chain: Chain
    groups: tuple[str, ...]


@dataclass(frozen=True)
class Cut:
    """What lines make of a drawing: shapes that stay, regions, shapes that were cut up, and open lines.

    ``left`` are the names of lines that close in nothing, ``ends`` of those whose ends stick out.
    """

    whole: list[ClosedShape]
    regions: list[Polygon]
    borders: list[ClosedShape]
    left: list[str]
    ends: list[str]


def cut_up(elements: Sequence[ClosedShape], lines: Sequence[OpenLine], gap: float, size: float) -> Cut:
    """Shapes cut up by the lines that end on them, within the gap, or cross them.

    A drawing of lines alone is cut up, too. A shape that a line only touches stays as it is.

    >>> square = ClosedShape((shapely.box(0, 0, 2, 2),), "square", ())
    >>> line = OpenLine(Chain(np.array([[1.0, -1.0], [1.0, 2.0]]), "cut"), ())
    >>> [region.area for region in cut_up([square], [line], 0.01, 2.0).regions]
    [2.0, 2.0]
    """
    lines = [line for line in lines if np.ptp(line.chain.points, axis=0).any()]
    if not lines:
        return Cut(list(elements), [], [], [], [])
    rims: list[BaseGeometry] = [shapely.MultiPolygon(element.polygons).boundary for element in elements]
    strokes = _lengthened(lines, rims, gap, size)
    taking_part = _taking_part(elements, rims, strokes)
    edges = [*strokes, *(rims[k] for k in taking_part)]
    _check_crossings(edges)
    faces, cuts, dangles, _ = shapely.polygonize_full(list(shapely.get_parts(shapely.union_all(edges))))
    thin = max(gap, BEYOND * size) / 2.0
    regions = np.array([face for face in polygons_in(faces) if not face.buffer(-thin).is_empty], dtype=object)
    inside = shapely.point_on_surface(regions) if len(regions) else regions
    is_region = np.ones(len(regions), dtype=np.bool_)
    whole, borders = (
        [element for k, element in enumerate(elements) if k not in taking_part],
        list[ClosedShape](),
    )
    for k in taking_part:
        element = elements[k]
        shape = shapely.MultiPolygon(element.polygons)
        shapely.prepare(shape)
        own = shapely.contains(shape, inside)
        hull = shapely.MultiPolygon([Polygon(part.exterior) for part in element.polygons])
        is_region &= own | ~shapely.contains(hull, inside)  # what lies in its holes is open
        if own.sum() == 1 and abs(shapely.area(regions[own]).sum() - shape.area) <= WHOLE_SHARE * shape.area:
            is_region &= ~own
            whole.append(element)
        elif own.any():
            borders.append(element)
        else:  # smaller than the gap
            whole.append(element)
    left, ends = _left([cuts, dangles], lines, gap, size)
    return Cut(whole, _in_rows(regions[is_region].tolist()), borders, left, ends)


def _lengthened(
    lines: Sequence[OpenLine], rims: Sequence[BaseGeometry], gap: float, size: float
) -> list[LineString]:
    """The lines, with each end carried on to the nearest thing within the gap, and a little beyond."""
    plain = [LineString(line.chain.points) for line in lines]
    others = shapely.STRtree([*plain, *rims])
    ends = np.concatenate([line.chain.points[[0, -1]] for line in lines])
    places = np.asarray(shapely.points(ends))
    end, other = others.query(places, predicate="dwithin", distance=max(gap, BEYOND * size))
    apart = other != end // 2
    end, other = end[apart], other[apart]
    away = shapely.distance(places[end], others.geometries[other])
    nearest = {int(end[k]): int(other[k]) for k in np.argsort(-away, kind="stable").tolist()}
    found: list[LineString] = []
    for number, line in enumerate(lines):
        points = [line.chain.points]
        for which, (at, before) in enumerate(((0, 1), (-1, -2))):
            target = nearest.get(2 * number + which)
            if target is None or (target < len(lines) and _is_end(lines[target], line.chain.points[at])):
                continue
            beyond = _beyond(
                line.chain.points[at], line.chain.points[before], others.geometries[target], size
            )
            points = [beyond[None], *points] if which == 0 else [*points, beyond[None]]
        found.append(LineString(np.concatenate(points)))
    return found


def _is_end(line: OpenLine, place: Floats) -> bool:
    return bool((line.chain.points[[0, -1]] == place).all(axis=1).any())


def _beyond(end: Floats, before: Floats, thing: BaseGeometry, size: float) -> Floats:
    """Where a line must go on to, to cross a thing that it ends near or on."""
    at = np.asarray(shapely.shortest_line(shapely.Point(end), thing).coords[1])
    way = at - end
    if np.hypot(*way) <= BEYOND * size:
        way = end - before
    return at + way / max(float(np.hypot(*way)), np.finfo(np.float64).tiny) * BEYOND * size


def _taking_part(
    elements: Sequence[ClosedShape], rims: Sequence[BaseGeometry], strokes: Sequence[LineString]
) -> list[int]:
    """The shapes that lines end on or cross, by number, and those inside of such."""
    if not elements:
        return []
    tree = shapely.STRtree(rims)
    touching: list[int] = tree.query(strokes, predicate="intersects")[1].tolist()
    touched = set(touching)
    hulls = [
        shapely.MultiPolygon([Polygon(part.exterior) for part in elements[k].polygons])
        for k in sorted(touched)
    ]
    inner: list[int] = tree.query(hulls, predicate="contains")[1].tolist() if hulls else []
    return sorted(touched.union(inner))


def _check_crossings(edges: Sequence[BaseGeometry]) -> None:
    """`FileFormatError` if lines cross so often that there would be more regions than are ever read."""
    points = [shapely.get_coordinates(part) for edge in edges for part in shapely.get_parts(edge)]
    ends = np.concatenate([np.stack([p[:-1], p[1:]], axis=1) for p in points])
    tree = shapely.STRtree(np.asarray(shapely.linestrings(ends)))
    segments = tree.geometries
    sample = tree.geometries[:: max(1, len(segments) // SAMPLE)]
    expected = tree.query(sample).shape[1] / len(sample) * len(segments)
    # Neighbours on one line meet, too: three a segment, counting itself.
    if expected > 20 * MOST_CROSSINGS + 12 * len(segments):
        raise FileFormatError(_too_many())
    first, second = tree.query(segments, predicate="intersects")
    if int((first < second).sum()) - len(segments) > MOST_CROSSINGS:
        raise FileFormatError(_too_many())


def _too_many() -> str:
    return (
        f"lines that cross each other more than {MOST_CROSSINGS:,} times: draw every cut once, and only cuts"
    )


def _in_rows(regions: list[Polygon]) -> list[Polygon]:
    """The regions row by row from the top, each row from the left."""
    if not regions:
        return []
    low_x, low_y, _, high_y = shapely.total_bounds(regions).tolist()
    height = max((high_y - low_y) / ROWS, np.finfo(np.float64).tiny)
    keyed = [((-round((one.centroid.y - low_y) / height), one.centroid.x - low_x), one) for one in regions]
    return [one for _, one in sorted(keyed, key=lambda pair: pair[0])]


def _left(
    loose: Sequence[BaseGeometry], lines: Sequence[OpenLine], gap: float, size: float
) -> tuple[list[str], list[str]]:
    """The names of lines most of which closes in nothing, and of those with ends longer than the gap."""
    parts: NDArray[np.object_] = shapely.get_parts(list(loose))
    parts = shapely.get_parts(parts)
    parts = parts[shapely.length(parts) > max(2.0 * gap, 2.0 * BEYOND * size)]
    if not len(parts):
        return [], []
    whole = [LineString(line.chain.points) for line in lines]
    middles = shapely.line_interpolate_point(parts, 0.5, normalized=True)
    part, owner = shapely.STRtree(whole).query_nearest(middles, all_matches=False)
    open_length = np.bincount(owner, shapely.length(parts)[part], minlength=len(lines))
    is_open = open_length > MOSTLY * shapely.length(whole)
    sticks_out = (open_length > 0.0) & ~is_open
    left, ends = (np.flatnonzero(which).tolist() for which in (is_open, sticks_out))
    return [lines[k].chain.name for k in left], [lines[k].chain.name for k in ends]
