"""What of placed pieces lies in other pieces, and how far it reaches."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import shapely
from shapely import MultiPolygon, Polygon
from shapely.geometry.base import BaseGeometry

from sherd.core.geometry import intersection, polygons_in, union

# No piece lies with more than this share of its area in one other, or outside of the target.
MOST_OF_A_PIECE = 0.6
# Of what misfits, pieces are named that reach at least this share as far as the worst, MOST_NAMES at most.
NAMED_SHARE = 0.5
MOST_NAMES = 5
# In a whole, pieces touch that run along each other for this many times how near they must be, as no corner
# does, or for this share of an outline.
ALONG = 6.0
LEAST_ALONG = 0.1
# How far something reaches is looked at in at least this number of points around it, one by one from
# borders of few points, and by way of a tree from others.
REACH_POINTS = 50
# Pieces that lie beside each other touch fewer others; of more, a union is made.
PAIRS_A_PIECE = 6
# Outlines are simplified by this share of how near pieces must be, before it is looked at which touch.
SIMPLER = 0.05
FEW_POINTS = 1000


def shared(laid: list[Polygon]) -> list[tuple[int, BaseGeometry]]:
    """What of each piece lies in another one, one by one, by the piece's number."""
    pairs: list[list[int]] = shapely.STRtree(laid).query(laid, predicate="intersects").T.tolist()
    both = {(one, other): intersection(laid[one], laid[other]) for one, other in pairs if one < other}
    return [(one, both[min(one, other), max(one, other)]) for one, other in pairs if one != other]


def area_of_union(geometries: Sequence[BaseGeometry]) -> float:
    """The area that geometries cover together, from what each shares with those before it.

    Where pieces of thousands of corners share little, that is many times as fast as their union.

    >>> round(area_of_union([shapely.box(0, 0, 2, 1), shapely.box(1, 0, 3, 1), shapely.box(1, 0, 2, 3)]), 9)
    5.0
    """
    areas = [MultiPolygon(polygons_in(one)) for one in geometries]  # without the lines that some touch along
    every: list[list[int]] = shapely.STRtree(areas).query(areas, predicate="intersects").T.tolist()
    pairs = [(one, other) for one, other in every if other < one]
    if len(pairs) > PAIRS_A_PIECE * len(areas):
        return union(areas).area
    before: dict[int, list[BaseGeometry]] = {}
    for one, other in pairs:
        both = intersection(areas[one], areas[other])
        if both.area > 0.0:
            before.setdefault(one, []).append(both)
    twice = sum(area_of_union(own) if len(own) > 1 else own[0].area for own in before.values())
    return float(shapely.area(areas).sum()) - twice


def is_too_much(laid: list[Polygon], parts: list[tuple[int, BaseGeometry]], radius: float) -> bool:
    """Whether a disc of this radius, or most of a piece, is in what is misplaced of pieces, by number."""
    wrong = [(laid[number], misplaced) for number, misplaced in parts]
    if not wrong:
        return False
    areas = np.array([(piece.area, misplaced.area) for piece, misplaced in wrong])
    discs = shapely.buffer([misplaced for _, misplaced in wrong], -radius)
    return bool((areas[:, 1] > MOST_OF_A_PIECE * areas[:, 0]).any() or not shapely.is_empty(discs).all())


def reaches(laid: list[Polygon]) -> list[float]:
    """How deep each piece reaches into another, or another into it."""
    into_others = [0.0] * len(laid)
    pairs: list[tuple[int, int]] = shapely.STRtree(laid).query(laid, predicate="intersects").T.tolist()
    for one, other in pairs:
        if one != other:
            depth = reach(intersection(laid[one], laid[other]), laid[other].boundary)
            into_others[one], into_others[other] = (
                max(into_others[one], depth),
                max(into_others[other], depth),
            )
    return into_others


def reach(misplaced: BaseGeometry, border: BaseGeometry) -> float:
    """How far points around, and inside of, what is misplaced are from where it should have ended."""
    inner = [part.point_on_surface() for part in shapely.get_parts(misplaced)]
    around = shapely.segmentize(misplaced, misplaced.length / REACH_POINTS) if misplaced.length else misplaced
    points = np.atleast_1d(np.asarray(shapely.points(shapely.get_coordinates([around, *inner]))))
    if shapely.get_num_coordinates(border) <= FEW_POINTS:
        return float(shapely.distance(points, border).max(initial=0.0))
    outside = points[~shapely.contains_properly(border, points)]  # in an area, none is away from it
    lines = border.boundary if border.area > 0.0 else border
    chains = [np.asarray(line.coords) for line in shapely.get_parts(lines).tolist()]
    sides = np.concatenate([np.stack([chain[:-1], chain[1:]], axis=1) for chain in chains])
    tree = shapely.STRtree(np.asarray(shapely.linestrings(sides)))
    _, far = tree.query_nearest(outside, return_distance=True, all_matches=False)
    return float(far.max(initial=0.0))


def farthest(names: list[str], lengths: list[float], least: float, verbs: tuple[str, str]) -> list[str]:
    """A sentence about those that reach about as far as the farthest, if that is more than rounding."""
    worst = max(lengths)
    if worst <= least:
        return []
    far = [name for name, own in zip(names, lengths, strict=True) if own >= NAMED_SHARE * worst]
    return [f"{listed(far)} {verbs[len(far) > 1]} by up to {worst:.3g}"]


def listed(names: list[str]) -> str:
    """The first few names, and how many more there are."""
    shown = ", ".join(names[:MOST_NAMES])
    return shown if len(names) <= MOST_NAMES else f"{shown} and {len(names) - MOST_NAMES:,} more"


def hang_together(laid: list[Polygon], near: float, border: BaseGeometry | None = None) -> bool:
    """Whether one can go from any piece to any other by way of pieces that run along each other this near.

    The border of a target, if there is one, is a way too, and all must lead to it.
    """
    every: list[BaseGeometry] = [*laid] if border is None else [*laid, border]
    places = [place.simplify(SIMPLER * near) for place in every]
    lines = [place.exterior if isinstance(place, Polygon) else place for place in places]
    around = shapely.buffer(places, near)
    pairs: list[list[int]] = shapely.STRtree(places).query(places, "dwithin", near).T.tolist()
    beside: dict[int, set[int]] = {number: set() for number in range(len(places))}
    for one, other in pairs:
        if one == other:
            continue
        along = intersection(lines[one], around[other]).length
        if along >= min(ALONG * near, LEAST_ALONG * places[one].length):
            beside[one].add(other)
            beside[other].add(one)
    reached, ways = {0}, [0]
    while ways:
        new = beside[ways.pop()] - reached
        reached |= new
        ways += new
    return len(reached) == len(places)
