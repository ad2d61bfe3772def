"""Damage to a puzzle's pieces: one lost, some eroded, or some distorted (the paper's abnormal fragments).

A damaged piece gets its centroid back to (0, 0) and its true pose moved with it, so that the truth still
says where the damaged piece lies. What the damage took away is left out of `Sample.reference`. Damage comes
before paint: a painted sample is refused. As in fragmentation, only operations that IEEE 754 fixes
are used, so that damaged sets are the same bits everywhere too.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from typing import Literal

import numpy as np
import shapely
from shapely import Polygon

from sherd.core.arrays import Floats
from sherd.core.assembly import Assembly, Placement
from sherd.core.errors import ArgumentError, InvalidPolygonError, InvalidPuzzleError
from sherd.core.geometry import TAU, Pose, cos_sin, size_of
from sherd.core.puzzle import LARGEST_PIECE, Sample
from sherd.generation.fragmentation import centroids

Kind = Literal["none", "missing", "eroded", "distorted"]
Damage = Callable[[Polygon, np.random.Generator], Polygon]

LARGEST_STRENGTH = 0.25
# Damage that would break an outline is drawn anew at half its strength or less, at most this often.
ATTEMPTS = 20
# A worn outline has about this many vertices at most.
WORN_VERTICES = 40


@dataclass(frozen=True, kw_only=True)
class DegradationParams:
    """How many pieces are damaged, and how much; lengths are shares of the target's size.

    pieces      how many pieces are eroded or distorted; all of them if there are fewer
    chip        how far a chipped corner may break off along either of its edges; by default a twentieth:
                half a centimetre on a plate of ten
    chipped     the share of corners that are chipped (at least one of each eroded piece is)
    wear        how deep an edge may be ground down, wavering between a fifth of it and all of it; at most
                a tenth of the edge's length
    distortion  how far a vertex of a distorted piece may move
    """

    pieces: int = 4
    chip: float = 0.05
    chipped: float = 0.6
    wear: float = 0.01
    distortion: float = 0.03

    def __post_init__(self) -> None:
        if self.pieces < 1:
            raise ArgumentError(f"pieces must be at least 1, not {self.pieces}")
        if not 0.0 <= self.chipped <= 1.0:
            raise ArgumentError(f"chipped must be between 0 and 1, not {self.chipped}")
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name in ("chip", "wear", "distortion") and not 0.0 < value <= LARGEST_STRENGTH:
                raise ArgumentError(
                    f"{field.name} must be above 0 and at most {LARGEST_STRENGTH}, not {value}"
                )

    def times(self, strength: float) -> DegradationParams:
        """The same with every length multiplied; as many pieces and corners are hit.

        >>> DegradationParams().times(2.0).wear
        0.02
        """
        return replace(
            self, chip=self.chip * strength, wear=self.wear * strength, distortion=self.distortion * strength
        )


def degrade(sample: Sample, kind: Kind, params: DegradationParams, rng: np.random.Generator) -> Sample:
    """The sample with damage of one kind; ids, the order of the truth and undamaged pieces stay."""
    if kind not in DEGRADATIONS:
        raise ArgumentError(f"unknown degradation {kind!r}: choose {', '.join(DEGRADATIONS)}")
    if sample.puzzle.texture is not None:
        raise ArgumentError("a painted puzzle cannot be damaged: damage it first, then paint it")
    return DEGRADATIONS[kind](sample, params, rng)


def intact(sample: Sample, params: DegradationParams, rng: np.random.Generator) -> Sample:
    """No damage at all."""
    return sample


def missing(sample: Sample, params: DegradationParams, rng: np.random.Generator) -> Sample:
    """One piece, each as likely as another, is lost."""
    fragments = sample.puzzle.fragments
    if len(fragments) == 1:
        raise InvalidPuzzleError("the only piece of a puzzle cannot be missing")
    lost = fragments[rng.integers(len(fragments))].id
    left = tuple(fragment for fragment in fragments if fragment.id != lost)
    truth = Assembly(tuple(placement for placement in sample.truth if placement.id != lost))
    return Sample(replace(sample.puzzle, fragments=left), truth)


def eroded(sample: Sample, params: DegradationParams, rng: np.random.Generator) -> Sample:
    """Some pieces lose material all along their outline: corners chipped, edges worn."""
    size = size_of(sample.puzzle.target)

    def erode(outline: Polygon, rng: np.random.Generator) -> Polygon:
        ring = np.asarray(outline.exterior.coords)[:-1]
        if not outline.exterior.is_ccw:
            ring = ring[::-1]
        whole, holes = Polygon(ring), list(outline.interiors)
        for attempt in range(ATTEMPTS):
            # Wear fades faster: edges ground deeper than the chip between them is long would cross.
            chip, wear = params.chip * size / 2.0**attempt, params.wear * size / 4.0**attempt
            worn = Polygon(_worn(ring, chip, wear, params.chipped, rng), holes)
            if worn.is_valid and shapely.contains_properly(whole, Polygon(worn.exterior)):
                return worn
        raise InvalidPolygonError("a piece is too thin to be eroded")

    return _damaged(sample, params.pieces, erode, rng)


def distorted(sample: Sample, params: DegradationParams, rng: np.random.Generator) -> Sample:
    """Some pieces have each of their vertices moved a little, in any direction."""
    # The root makes all places within reach as likely.
    move = _mover(sample, params.distortion, lambda rng, count: np.sqrt(rng.random(count)))
    return _damaged(sample, params.pieces, move, rng)


def jitter(sample: Sample, amount: float, rng: np.random.Generator) -> Sample:
    """Every vertex of every piece moved by this share of the target's size, any way, as by a poor scan."""
    if not 0.0 <= amount <= LARGEST_STRENGTH:
        raise ArgumentError(f"the amount must be between 0 and {LARGEST_STRENGTH}, not {amount}")
    move = _mover(sample, amount, lambda rng, count: np.ones(count))
    return _damaged(sample, len(sample.puzzle.fragments), move, rng)


DEGRADATIONS: dict[str, Callable[[Sample, DegradationParams, np.random.Generator], Sample]] = {
    "none": intact,
    "missing": missing,
    "eroded": eroded,
    "distorted": distorted,
}


def _damaged(sample: Sample, pieces: int, damage: Damage, rng: np.random.Generator) -> Sample:
    """The sample with ``pieces`` of its pieces, drawn at random, put through ``damage`` and centred again."""
    fragments = list(sample.puzzle.fragments)
    poses = {placement.id: placement.pose for placement in sample.truth}
    chosen: list[int] = rng.permutation(len(fragments))[:pieces].tolist()
    for k in chosen:
        fragment = fragments[k]
        outline = damage(fragment.polygon, rng)
        x, y = _centroid(outline)
        fragments[k] = replace(fragment, polygon=Pose(-x, -y).apply(outline))
        poses[fragment.id] = _moved_within(poses[fragment.id], x, y)
    truth = Assembly(tuple(Placement(placement.id, poses[placement.id]) for placement in sample.truth))
    return Sample(replace(sample.puzzle, fragments=tuple(fragments)), truth)


def _centroid(outline: Polygon) -> tuple[float, float]:
    """The area centroid; holes count against it, as their rings run the other way or are made to."""
    areas, centres = zip(
        *(centroids(np.asarray(ring.coords)[:-1]) for ring in (outline.exterior, *outline.interiors)),
        strict=True,
    )
    weights = np.abs(areas) * np.array([1.0] + [-1.0] * len(outline.interiors))
    x, y = ((weights[:, None] * np.array(centres)).sum(axis=0) / weights.sum()).tolist()
    return x, y


def _moved_within(pose: Pose, x: float, y: float) -> Pose:
    """``pose @ Pose(x, y)`` with the sine and cosine that are the same bits everywhere."""
    cos, sin = (float(value) for value in cos_sin(pose.theta / TAU))
    x = -x if pose.mirrored else x
    return replace(pose, x=pose.x + cos * x - sin * y, y=pose.y + sin * x + cos * y)


def _mover(sample: Sample, share: float, how_far: Callable[[np.random.Generator, int], Floats]) -> Damage:
    """Damage that moves vertices by a share of the target's size; ``how_far`` draws how much of that each."""
    reach = share * size_of(sample.puzzle.target)
    largest = LARGEST_PIECE * sample.puzzle.target.area

    def moved_ring(ring: Floats, reach: float, rng: np.random.Generator) -> Floats:
        cos, sin = cos_sin(rng.random(len(ring)))
        distance = reach * how_far(rng, len(ring))
        return ring + distance[:, None] * np.stack([cos, sin], axis=-1)

    def move(outline: Polygon, rng: np.random.Generator) -> Polygon:
        rings = [np.asarray(ring.coords)[:-1] for ring in (outline.exterior, *outline.interiors)]
        for attempt in range(ATTEMPTS):
            exterior, *holes = (moved_ring(ring, reach / 2.0**attempt, rng) for ring in rings)
            moved = Polygon(exterior, holes)
            same_way = moved.exterior.is_ccw == outline.exterior.is_ccw
            if moved.is_valid and same_way and moved.area <= largest:
                return moved
        raise InvalidPolygonError("a piece is too thin to be distorted")

    return move


def _worn(ring: Floats, chip: float, wear: float, chipped: float, rng: np.random.Generator) -> Floats:
    """A counter-clockwise ring (n, 2) with corners broken off and edges ground down, as (m, 2).

    A chip replaces its corner by three points: where it leaves the edge before, a point between that is
    hollow or bulges towards the lost corner, and where it meets the edge after.
    """
    count = len(ring)
    edge = np.roll(ring, -1, axis=0) - ring
    length = np.sqrt(edge[:, 0] ** 2 + edge[:, 1] ** 2)
    along = edge / length[:, None]
    inward = np.stack([-along[:, 1], along[:, 0]], axis=-1)
    before, inward_before = np.roll(along, 1, axis=0), np.roll(inward, 1, axis=0)

    convex = before[:, 0] * along[:, 1] - before[:, 1] * along[:, 0] > 0.0
    is_chipped = rng.random(count) < chipped
    is_chipped[rng.integers(count)] = True
    is_chipped &= convex
    reach = chip * rng.uniform(0.3, 1.0, (count, 2))
    reach = np.minimum(reach, 0.4 * np.stack([np.roll(length, 1), length], axis=-1))
    reach = np.where(is_chipped[:, None], reach, 0.0)

    per_edge = min(max((WORN_VERTICES - 3 * count) // count, 1), 4)
    # A short edge is ground down less, and so are its neighbours, or their points would pass each other.
    shortest = np.minimum(length, np.minimum(np.roll(length, 1), np.roll(length, -1)))
    deepest = np.minimum(wear, 0.1 * shortest)[:, None]
    depth = deepest * rng.uniform(0.2, 1.0, (count, 3 + per_edge))
    points = np.empty((count, 3 + per_edge, 2))
    points[:, 0] = ring - reach[:, :1] * before + depth[:, :1] * inward_before
    points[:, 2] = ring + reach[:, 1:] * along + depth[:, 2:3] * inward
    share, bulge = rng.uniform(0.3, 0.7, (count, 1)), rng.uniform(-0.5, 0.4, (count, 1))
    between = points[:, 0] + share * (points[:, 2] - points[:, 0])
    corner = ring + depth[:, 1:2] * (inward_before + inward)
    points[:, 1] = np.where(is_chipped[:, None], between + bulge * (corner - between), corner)

    # Points on an edge, one in each of equal stretches of what the chips at its ends have left.
    low = reach[:, 1:] / length[:, None]
    high = 1.0 - np.roll(reach[:, :1], -1, axis=0) / length[:, None]
    at = low + (high - low) * (np.arange(per_edge) + rng.uniform(0.2, 0.8, (count, per_edge))) / per_edge
    points[:, 3:] = ring[:, None] + at[..., None] * edge[:, None] + depth[:, 3:, None] * inward[:, None]

    keep = np.ones(points.shape[:2], dtype=bool)
    keep[:, 0] = keep[:, 2] = is_chipped
    return points[keep]
