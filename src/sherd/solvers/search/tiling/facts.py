"""Facts about outlines, in arrays: corners, edges and angles, and which corners look alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import Polygon

from sherd.core.arrays import Floats, Ints
from sherd.core.compiled import compiled
from sherd.core.geometry import TAU, Region, Rotations
from sherd.core.plain_at_first import plain_at_first
from sherd.solvers.search.constants.tiling import LOOK_GRID, RARE
from sherd.solvers.search.tiling.board import Pieces

# Lengths and angles are rounded for comparing outlines; the shift keeps round numbers off the boundaries.
LOOK_SHIFT = 0.1372
# Corners this close to straight, in radians, are none.
EXACTLY_STRAIGHT = 1e-9


@dataclass(frozen=True)
class CornerFacts:
    """The corners of many rings one after another; edge k leaves corner k."""

    points: Floats  # (C, 2)
    begins: Ints  # (R + 1,) the first corner of each ring
    before: Ints  # (C,)
    after: Ints  # (C,)
    length: Floats  # (C,) of the edges
    direction: Floats  # (C, 2) of the edges
    angle: Floats  # (C,) to the left of the ring, in radians


def gather_corners(rings: Sequence[Floats]) -> CornerFacts:
    """The facts about all corners of some rings."""
    begins = np.concatenate([[0], np.cumsum([len(ring) for ring in rings])])
    points = np.concatenate(rings)
    before, after = np.arange(len(points)) - 1, np.arange(len(points)) + 1
    before[begins[:-1]], after[begins[1:] - 1] = begins[1:] - 1, begins[:-1]
    edges = points[after] - points
    length = np.hypot(edges[:, 0], edges[:, 1])
    direction = edges / length[:, None]
    into = direction[before]
    angle = np.pi - np.arctan2(
        into[:, 0] * direction[:, 1] - into[:, 1] * direction[:, 0],
        into[:, 0] * direction[:, 0] + into[:, 1] * direction[:, 1],
    )
    return CornerFacts(points, begins, before, after, length, direction, angle)


@plain_at_first
@compiled
def clean_ring(ring: Floats, slack: float) -> Floats:
    """A ring (n, 2) without the corners that lie within ``slack`` of the line between their neighbours."""
    kept, count = ring.copy(), len(ring)
    while count > 3:
        nearest, least = 0, np.inf
        for k in range(count):
            x, y = kept[k - 1 if k else count - 1]
            next_x, next_y = kept[k + 1 if k + 1 < count else 0]
            chord_x, chord_y = next_x - x, next_y - y
            off = abs(chord_x * (kept[k, 1] - y) - chord_y * (kept[k, 0] - x))
            off /= max(np.hypot(chord_x, chord_y), slack)
            if off < least:
                nearest, least = k, off
        if least > slack:
            break
        for k in range(nearest, count - 1):
            kept[k] = kept[k + 1]
        count -= 1
    return kept[:count].copy()


def clean_rings(polygons: Sequence[Region], slack: float) -> list[list[Floats]]:
    """The clean rings (n, 2) of each shape: outlines counter-clockwise, after each its holes clockwise."""
    parts, owner = shapely.get_parts(polygons, return_index=True)
    rings, part = shapely.get_rings(parts, return_index=True)
    owner, is_hole = owner[part], np.concatenate([[False], part[1:] == part[:-1]])
    reverse = shapely.is_ccw(rings) == is_hole
    corners = shapely.get_coordinates(rings)
    ends = np.cumsum(shapely.get_num_coordinates(rings))
    found: list[list[Floats]] = [[] for _ in polygons]
    for number, end, count, backwards in zip(
        owner.tolist(), ends.tolist(), np.diff(ends, prepend=0).tolist(), reverse.tolist(), strict=True
    ):
        ring = corners[end - count : end - 1]
        found[number].append(clean_ring(ring[::-1].copy() if backwards else ring, slack))
    return found


def gather_pieces(
    polygons: Sequence[Polygon], rotations: Sequence[Rotations], slack: float, mirror: Sequence[bool]
) -> tuple[list[bool], Pieces]:
    """The facts about pieces and, of those that may be, their mirror images; which variants are such."""
    rings: list[Floats] = []
    of_variant: list[list[int]] = []
    mirrored: list[bool] = []
    for outline in clean_rings(polygons, slack):
        of_variant.append([len(rings) + k for k in range(len(outline))])
        rings += outline
        mirrored.append(False)
    owner = list(range(len(polygons)))
    for number in np.flatnonzero(mirror).tolist():
        originals = of_variant[number]
        of_variant.append([len(rings) + k for k in range(len(originals))])
        rings += [rings[k][::-1] * (-1.0, 1.0) for k in originals]
        mirrored.append(True)
        owner.append(number)
    facts = gather_corners(rings)
    is_lone = [len(own) > 1 for own in of_variant for _ in own]
    bins = np.array([one.bins or 0 for one in rotations])
    of_ring = np.array([bins[owner[variant]] for variant, own in enumerate(of_variant) for _ in own])
    orbit = find_orbits(rings, facts, is_lone, of_ring, slack)
    points, begins = facts.points, facts.begins
    variant_begins = np.array([begins[own[0]] for own in of_variant] + [len(points)])
    relative = [[int(begins[k] - begins[own[0]]) for k in (*own, own[-1] + 1)] for own in of_variant]
    variant = np.repeat(np.arange(len(of_variant)), np.diff(variant_begins))
    convex = np.flatnonzero(facts.angle < np.pi - EXACTLY_STRAIGHT)
    by_angle = convex[np.argsort(facts.angle[convex], kind="stable")]
    piece = np.array(owner)
    # Pieces that look alike are not, if one of them may be turned, or turned over, as the other may not.
    orbit = np.unique(2 * orbit + np.asarray(mirror)[piece[variant]], return_inverse=True)[1]
    if (bins != bins[0]).any():
        orbit = np.unique(np.stack([orbit, bins[piece[variant]]]), axis=1, return_inverse=True)[1].ravel()
    kind = np.full(len(polygons), len(points))
    np.minimum.at(kind, piece[variant], orbit)
    keys = np.random.default_rng(0).integers(1, 1 << 62, len(points))
    return mirrored, Pieces(
        points=points,
        before=facts.before,
        after=facts.after,
        angle=facts.angle,
        length=facts.length,
        direction=facts.direction,
        variant=variant,
        orbit=orbit,
        by_angle=by_angle,
        sorted_angle=facts.angle[by_angle],
        begins=variant_begins,
        ring_begins=np.concatenate([[0], np.cumsum([len(own) for own in relative])]),
        rings=np.array([start for own in relative for start in own]),
        piece=piece[variant],
        rare=_rare(facts.length, orbit, slack),
        area=np.array([polygon.area for polygon in polygons]),
        length_around=np.add.reduceat(facts.length, variant_begins[:-1]),
        key=keys[kind],
        bins=bins,
        turned_within=np.full(len(polygons), TAU),
    )


def find_orbits(
    rings: Sequence[Floats],
    facts: CornerFacts,
    is_lone: Sequence[bool],
    bins: Ints,
    slack: float,
) -> Ints:
    """The same number for corners from which outlines look alike, turned by the ``bins`` of each ring (R,).

    Rings that are not all of an outline are like no other.
    """
    length, direction = facts.length, facts.direction
    size = max(float(length.max()), slack)
    looks = [
        np.round(length / (LOOK_GRID * slack) + LOOK_SHIFT),
        np.round(facts.angle * size / (LOOK_GRID * slack) + LOOK_SHIFT),
    ]
    if bins.any():
        own = np.repeat(bins, np.diff(facts.begins))
        turn = np.arctan2(direction[:, 1], direction[:, 0]) * own
        for along in (np.cos(turn), np.sin(turn)):
            looks.append(np.round(along * size / (LOOK_GRID * slack * np.maximum(own, 1)) + LOOK_SHIFT))
    table = np.stack(looks, axis=1).astype(np.int64)
    numbers: dict[object, int] = {}
    orbit: list[int] = []
    at = 0
    for ring, lone in zip(rings, is_lone, strict=True):
        seen = table[at : at + len(ring)].tobytes()
        around, row = seen + seen, len(seen) // len(ring)
        for k in range(len(ring)):
            look = at + k if lone else around[k * row : k * row + len(seen)]
            orbit.append(numbers.setdefault(look, len(numbers)))
        at += len(ring)
    return np.array(orbit)


def _rare(length: Floats, orbit: Ints, slack: float) -> NDArray[np.bool_]:
    """Which edges are as long as no more than a few others, those of like pieces counted once."""
    distinct = length[np.unique(orbit, return_index=True)[1]]
    distinct.sort()
    like = np.searchsorted(distinct, length + 2.0 * slack) - np.searchsorted(distinct, length - 2.0 * slack)
    return like <= RARE
