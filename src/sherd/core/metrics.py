"""How good an assembly is: areas covered, and fragments posed right.

Areas are those of polygons, not pixel counts. docs/concepts.md defines every figure.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, cast

import numpy as np
import shapely
from numpy.typing import NDArray
from scipy import optimize
from scipy.spatial import KDTree
from shapely import Polygon
from shapely.geometry.base import BaseGeometry

from sherd.core.arrays import Floats, Ints
from sherd.core.assembly import Assembly
from sherd.core.errors import ArgumentError
from sherd.core.geometry import AREA_TOLERANCE, Pose, intersection, size_of, union
from sherd.core.overlaps import area_of_union
from sherd.core.puzzle import Puzzle, Sample
from sherd.core.symmetry import allowed_symmetries, lying_on, lying_on_each, reaching_alike, turn_onto

# A fragment is posed right if its outline lies this close to its place, relative to the target's size.
POSE_TOLERANCE = 0.02
# Points a piece: of outlines with fewer a union is made.
MANY_POINTS = 200
# Up to so many pieces, all ways of taking them for each other's places are weighed.
MOST_WEIGHED = 500
# Share of the area: rounding of overlays is less; and the digits of a coverage that count for that.
AS_WELL, DIGITS = 1e-6, 6
# Of more, places are looked for as near as these shares of the allowance, in turn, before all are.
NEAR_SHARES = (1e-4, 1e-2, 0.1)


@dataclass(frozen=True, kw_only=True)
class Measures:
    """What can be said of an assembly without knowing the truth, all relative to the whole target."""

    coverage: float
    iou: float
    overlap: float


@dataclass(frozen=True, kw_only=True)
class Scores:
    """One assembly against the truth.

    coverage, iou        against the target without what damage took away
    coverage_whole       of the whole target
    overlap              area covered more than once, each time but the first, relative to the target's
    posed_right          share of all fragments whose outline lies where it should
    position_error       mean distance of placed fragments from their places, relative to the target's size
    rotation_error_deg   mean angle by which placed fragments are turned wrong; both None if none is placed
    """

    coverage: float
    iou: float
    coverage_whole: float
    overlap: float
    posed_right: float
    position_error: float | None
    rotation_error_deg: float | None


@dataclass(frozen=True, kw_only=True)
class Summary:
    """A set of scores: shares of well covered puzzles, and means."""

    count: int
    cov95: float
    cov90: float
    cov: float
    iou: float
    coverage_whole: float
    overlap: float
    posed_right: float
    position_error: float | None
    rotation_error_deg: float | None


def measure(assembly: Assembly, puzzle: Puzzle) -> Measures:
    """Coverage, IoU and overlap of an assembly on the whole target."""
    placed = puzzle.placed(assembly)
    together = _united(placed)
    coverage, iou = _coverage_and_iou(together, puzzle.target)
    return Measures(coverage=coverage, iou=iou, overlap=_overlap(placed, together, puzzle.target))


def score(assembly: Assembly, sample: Sample) -> Scores:
    """An assembly against the truth, up to those symmetries of the target that the puzzle allows."""
    puzzle, target = sample.puzzle, sample.puzzle.target
    symmetries = allowed_symmetries(puzzle)
    placed = puzzle.placed(assembly)
    together = _united(placed)
    whole = _coverage_and_iou(together, target)
    damaged = target.area - sample.reference.area > AREA_TOLERANCE * size_of(target) ** 2
    if damaged:  # the damage turns with the assembly
        turned = [symmetry.apply(sample.reference) for symmetry in symmetries]
        found = (_coverage_and_iou(together, one) for one in _best_covered(together, turned))
        coverage, iou = max(found, key=lambda pair: pair[1])
    else:
        coverage, iou = whole
    right, position_error, rotation_error = _best_poses(assembly, placed, sample, symmetries)
    return Scores(
        coverage=coverage,
        iou=iou,
        coverage_whole=whole[0],
        overlap=_overlap(placed, together, target),
        posed_right=right / len(puzzle.fragments),
        position_error=position_error,
        rotation_error_deg=rotation_error,
    )


def summarise(scores: Iterable[Scores]) -> Summary:
    """The figures of a whole set."""
    rows = list(scores)
    if not rows:
        raise ArgumentError("there are no scores to summarise")
    coverage = np.array([row.coverage for row in rows])
    return Summary(
        count=len(rows),
        cov95=float((coverage >= 0.95).mean()),
        cov90=float((coverage >= 0.90).mean()),
        cov=float(coverage.mean()),
        iou=float(np.mean([row.iou for row in rows])),
        coverage_whole=float(np.mean([row.coverage_whole for row in rows])),
        overlap=float(np.mean([row.overlap for row in rows])),
        posed_right=float(np.mean([row.posed_right for row in rows])),
        position_error=_mean_of_known(row.position_error for row in rows),
        rotation_error_deg=_mean_of_known(row.rotation_error_deg for row in rows),
    )


def _mean_of_known(values: Iterable[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return float(np.mean(known)) if known else None


def _united(placed: Sequence[Polygon]) -> Sequence[BaseGeometry]:
    """All pieces in one, or the pieces where outlines have many points: `area_of_union` is faster then."""
    points = int(shapely.get_num_coordinates(placed).sum())
    return placed if points > MANY_POINTS * len(placed) else (union(placed),)


def _coverage_and_iou(together: Sequence[BaseGeometry], reference: BaseGeometry) -> tuple[float, float]:
    shared = area_of_union([intersection(part, reference) for part in together])
    both = area_of_union(together) + reference.area - shared
    return min(shared / reference.area, 1.0), min(shared / both, 1.0)


def _best_covered(
    together: Sequence[BaseGeometry], references: Sequence[BaseGeometry]
) -> Sequence[BaseGeometry]:
    """Those references, of one area, that are covered best but for rounding.

    A traced disc is held over itself in hundreds of ways, and one cheap overlay a way tells most of them.
    """
    if len(references) == 1:
        return references
    try:
        shared = shapely.area(shapely.intersection(union(together), references))
    except shapely.GEOSException:  # without a grid, outlines that all but meet may break an overlay
        return references
    near = shared >= shared.max() - AS_WELL * references[0].area
    return [reference for reference, is_near in zip(references, near.tolist(), strict=True) if is_near]


def _overlap(placed: Sequence[Polygon], together: Sequence[BaseGeometry], target: BaseGeometry) -> float:
    doubled = sum(piece.area for piece in placed) - area_of_union(together)
    return max(doubled / target.area, 0.0)


def _best_poses(
    assembly: Assembly, placed: Sequence[Polygon], sample: Sample, symmetries: Sequence[Pose]
) -> tuple[int, float | None, float | None]:
    """Fragments posed right and the mean errors, under the symmetry that puts most of them right.

    Like fragments are interchangeable: what counts is that a place is filled by a fitting outline.
    """
    if not placed:
        return 0, None, None
    size = size_of(sample.puzzle.target)
    allowance = POSE_TOLERANCE * size
    index = {placement.id: k for k, placement in enumerate(sample.truth)}
    own = np.array([index[placement.id] for placement in assembly])
    outlines = np.array(placed)
    places = np.array(sample.puzzle.placed(sample.truth))
    every = [np.asarray(shapely.transform(places, symmetry.points)) for symmetry in symmetries]
    most = [_most_right(outlines, turned, allowance) for turned in every]
    best: tuple[int, float, int, Ints] | None = None
    for k in sorted(range(len(every)), key=lambda k: -most[k]):
        if best is not None and most[k] < -best[0]:
            break
        assign = _weighed if len(own) <= MOST_WEIGHED else _nearest_first
        chosen = assign(own, outlines, every[k], size)
        right = lying_on_each(outlines, every[k][chosen], allowance)
        error = float(_apart(_middles(outlines), _middles(every[k])[chosen]).mean())
        if best is None or (-int(right.sum()), error, k) < best[:3]:
            best = -int(right.sum()), error, k, chosen
    assert best is not None  # turning by 0 is always a symmetry
    count, error, turned, chosen = -best[0], best[1], every[best[2]], best[3]
    angles = [
        turn_onto(outline, place, allowance)
        for outline, place in zip(_centred(outlines), _centred(turned[chosen]), strict=True)
    ]
    wrong = [180.0 if angle is None else abs(np.degrees(angle)) for angle in angles]
    return count, error / size, float(np.mean(wrong))


def _most_right(outlines: NDArray[Any], places: NDArray[Any], allowance: float) -> int:
    """How many outlines lie on places at most, by what they reach to."""
    return len(np.unique(reaching_alike(outlines, places, allowance)[0]))


def _weighed(own: Ints, outlines: NDArray[Any], places: NDArray[Any], size: float) -> Ints:
    """Which place each outline is taken for, (M,): as many right ones as there can be.

    ``own`` (M,) are the outlines' own places.
    """
    distance = _apart(_middles(outlines)[:, None], _middles(places)[None])
    is_right = np.zeros(distance.shape, dtype=bool)
    is_right[lying_on(outlines, places, POSE_TOLERANCE * size)] = True
    # A right place first, one's own place next; the distance only settles what is left. The steps are
    # such that one right and one stray fragment count for more than two at their own wrong places.
    step = 4.0 * (distance.max() + size)
    cost = np.where(is_right, 0.0, 1.5 * step) + distance
    rows = np.arange(len(own))
    cost[rows, own] -= np.where(is_right[rows, own], 0.0, 0.5 * step)
    return cast("Ints", optimize.linear_sum_assignment(cost)[1])


def _nearest_first(own: Ints, outlines: NDArray[Any], places: NDArray[Any], size: float) -> Ints:
    """The same for very many: right places from the nearest on, then one's own, then any that is free.

    Where all pieces lie right this is the same; weighing all against all grows with the cube.
    """
    here, there, allowance = _middles(outlines), _middles(places), POSE_TOLERANCE * size
    chosen, free = np.full(len(own), -1), np.ones(len(there), dtype=bool)

    def take(wishes: Iterable[tuple[int, int]]) -> None:
        for outline, place in wishes:
            if chosen[outline] < 0 and free[place]:
                chosen[outline], free[place] = place, False

    # Far places need no look for outlines that have a near one: all within the allowance are very many.
    for share in (*NEAR_SHARES, None):
        left = np.flatnonzero(chosen < 0)
        if not len(left):
            break
        if share is None:
            first, second = lying_on(outlines[left], places, allowance)
        else:
            first, second = _within(here[left], there, share * allowance)
            right = lying_on_each(outlines[left[first]], places[second], allowance)
            first, second = first[right], second[right]
        first = left[first]
        order = np.argsort(_apart(here[first], there[second]), kind="stable")
        take(zip(first[order].tolist(), second[order].tolist(), strict=True))
    mine: list[int] = own.tolist()
    take(enumerate(mine))
    stray = np.flatnonzero(chosen < 0)
    chosen[stray] = np.flatnonzero(free)[: len(stray)]
    return chosen


def _within(here: Floats, there: Floats, distance: float) -> tuple[Ints, Ints]:
    """Which points (M, 2) are this near to which others (N, 2): both their numbers, sorted, (K,) each."""
    finite = np.flatnonzero(np.isfinite(here).all(axis=1))
    tree: Any = KDTree(there)
    near: list[list[int]] = list(tree.query_ball_point(here[finite], distance, return_sorted=True))
    first = np.repeat(finite, np.array([len(some) for some in near], np.int64))
    return first, np.array([k for some in near for k in some], np.int64)


def _middles(polygons: NDArray[Any]) -> Floats:
    return shapely.get_coordinates(shapely.centroid(polygons))


def _apart(here: Floats, there: Floats) -> Floats:
    apart = here - there
    return np.hypot(apart[..., 0], apart[..., 1])


def _centred(polygons: NDArray[Any]) -> list[Polygon]:
    """The polygons, each moved so that its centroid lies at the origin."""
    centres = _middles(polygons)
    offsets = np.repeat(centres, shapely.get_num_coordinates(polygons), axis=0)
    return np.asarray(shapely.transform(polygons, lambda points: points - offsets)).tolist()
