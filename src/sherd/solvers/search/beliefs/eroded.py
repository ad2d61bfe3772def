"""What an eroded outline is taken for, which is decided here and nowhere else.

Pieces that lost material are given back the outline that they had, from what is left of its edges.

A worn edge wavers inside the line that it was, and a chipped corner is gone. The longest runs of vertices
that lie along a line each are its edges, a line through each run is moved out to where nothing is missing,
and the corners are where the lines meet.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from shapely import Polygon

from sherd.core.arrays import Floats
from sherd.core.geometry import TAU
from sherd.solvers.search.beliefs.roughness import Roughness
from sherd.solvers.search.beliefs.uncertain_outline import Belief, with_lines
from sherd.solvers.search.case import Bend, Case
from sherd.solvers.search.constants.rough_outlines import (
    BEYOND,
    CAUTION,
    EDGE_SHIFT,
    FARTHEST_CORNER,
    LEAST_SCATTER,
    LEAST_TURN,
    MOST_RUNS,
    MOST_SKIPPED,
    MOST_VERTICES,
    ONE_MORE_EDGE,
    SKIPPED_COST,
    SURE,
    WEAR,
)
from sherd.solvers.search.corner_outline import CornerOutline, ring_of


@dataclass(frozen=True)
class _WornEdge:
    """Vertices along a line: its point and direction, their scatter about it and extent along it."""

    point: Floats
    direction: Floats
    width: float
    scatter: float
    extent: float


@dataclass(frozen=True, eq=False)
class TakenFor:
    """What a piece is taken for: a sound ``ring`` (n, 2), or ``guesses`` at what it was, each with a cost."""

    ring: Floats
    guesses: tuple[tuple[Belief, float], ...] = ()


def take(case: Case, number: int, roughness: Roughness, stop: Callable[[], bool]) -> TakenFor | None:
    """What a piece is taken for; None if it is eroded beyond repair, or there is no time to see.

    Convex ones are sound. Of few corners, one that bends inward was moved there, for wear leaves many. What
    cannot be restored and was traced was never eroded: where pieces are thin, tracing may bend an edge
    inward, and the hull is sound.
    """
    ring = ring_of(case.outlines[number])
    if not (case.bends[number] is not Bend.NONE if roughness.traced else case.worn[number]):
        return TakenFor(ring)
    restored = () if stop() else _restored(ring.tobytes(), case.size)
    if restored:
        doubt = max(1.0, roughness.size / SURE)
        guesses = ((Belief(belief.corners, doubt * belief.covariance), cost) for belief, cost in restored)
        return TakenFor(ring, tuple(guesses))
    if not roughness.traced:
        return None
    hull = Polygon(ring).convex_hull
    assert isinstance(hull, Polygon)  # an outline encloses some area
    return TakenFor(ring_of(hull))


def restored_in(case: Case) -> tuple[Belief, ...]:
    """All outlines that worn pieces may have had."""
    rings = (ring_of(outline) for outline, worn in zip(case.outlines, case.worn, strict=True) if worn)
    return tuple(belief for ring in rings for belief, _ in _restored(ring.tobytes(), case.size))


@lru_cache(maxsize=64)
def _restored(ring: bytes, size: float) -> tuple[tuple[Belief, float], ...]:
    """As `restore`, which takes a while, for every guess of the ladder."""
    return tuple(restore(np.frombuffer(ring).reshape(-1, 2), WEAR * size, size))


def restore(ring: Floats, wear: float, size: float) -> Iterator[tuple[Belief, float]]:
    """What a piece may have been like before ``wear`` of up to this depth, and what each guess costs.

    The first has the fewest corners; a short edge that looks like a chip may make it one more.
    """
    found = _best_runs(ring, wear) if len(ring) <= MOST_VERTICES else {}
    fewest = min(found, default=0)
    for count, cost in ((fewest, 0.0), (fewest + 1, ONE_MORE_EDGE)):
        belief = _believed(found[count], wear, size) if count in found else None
        if belief is not None:
            yield belief, cost


def _believed(runs: list[_WornEdge], wear: float, size: float) -> Belief | None:
    """The outline that the lines of some runs make, if they make one."""
    corners = np.array([_meet(runs[k - 1], runs[k]) for k in range(len(runs))])
    outline = CornerOutline(corners)
    along = np.array([run.direction for run in runs])
    if ((outline.edges * along).sum(axis=1) <= 0.0).any():
        return None
    scatter = CAUTION * np.array([run.scatter for run in runs]) + LEAST_SCATTER * wear
    extent = np.array([run.extent for run in runs])
    at_ends = scatter * np.maximum(1.0, outline.lengths / extent)
    return with_lines(corners, at_ends, EDGE_SHIFT * scatter, FARTHEST_CORNER * size)


def _best_runs(ring: Floats, wear: float) -> dict[int, list[_WornEdge]]:
    """The runs, in order around the outline, that leave least unexplained, by how many there are."""
    count = len(ring)
    runs = [_runs_from(ring, start, wear) for start in range(count)]
    best: dict[int, tuple[float, list[_WornEdge]]] = {}
    for first in range(count):
        # Walks that begin at ``first``, by the vertex that they have reached and how many runs they took.
        walks: dict[tuple[int, int], tuple[float, list[_WornEdge]]] = {(first, 0): (0.0, [])}
        for at in range(first, first + count):
            for number in range(MOST_RUNS):
                if (at, number) not in walks:
                    continue
                cost, taken = walks[at, number]
                for length, run in runs[at % count].items():
                    if taken and not LEAST_TURN <= _turn(taken[-1], run) < math.pi:
                        continue
                    for skipped in range(-1, MOST_SKIPPED + 1):  # -1: both runs have the vertex between them
                        onto = at + length + 1 + skipped, number + 1
                        total = cost + SKIPPED_COST * max(0, skipped) + (run.width / wear) ** 2
                        if onto[0] <= first + count and (onto not in walks or total < walks[onto][0]):
                            walks[onto] = total, [*taken, run]
        for number in range(3, MOST_RUNS + 1):
            whole = walks.get((first + count, number))
            if whole is None or not LEAST_TURN <= _turn(whole[1][-1], whole[1][0]) < math.pi:
                continue
            if number not in best or whole[0] < best[number][0]:
                best[number] = whole
    return {number: taken for number, (_, taken) in best.items()}


def _runs_from(ring: Floats, start: int, wear: float) -> dict[int, _WornEdge]:
    """All runs that begin at a vertex, by how many vertices further they end."""
    runs: dict[int, _WornEdge] = {}
    for length in range(2, len(ring) - 3):
        points = ring[(start + np.arange(length + 1)) % len(ring)]
        run = _fitted(points)
        if run.width > 2.0 * wear:
            break
        if run.width <= wear:
            runs[length] = run
    return runs


def _fitted(points: Floats) -> _WornEdge:
    """The line through a run of vertices, moved out to where the edge was."""
    middle = points.mean(axis=0)
    offset = points - middle
    _, _, axes = np.linalg.svd(offset, full_matrices=False)
    direction = axes[0] if axes[0] @ (points[-1] - points[0]) > 0.0 else -axes[0]
    outward = np.array([direction[1], -direction[0]])
    depth, along = offset @ outward, offset @ direction
    return _WornEdge(
        point=middle + BEYOND * depth.max() * outward,
        direction=direction,
        width=float(depth.max() - depth.min()),
        scatter=float(depth.std()),
        extent=float(along.max() - along.min()),
    )


def _turn(first: _WornEdge, second: _WornEdge) -> float:
    angle = math.atan2(second.direction[1], second.direction[0])
    return (angle - math.atan2(first.direction[1], first.direction[0])) % TAU


def _meet(first: _WornEdge, second: _WornEdge) -> Floats:
    """Where two lines meet."""
    a, b = first.direction, second.direction
    apart = second.point - first.point
    share = (apart[0] * b[1] - apart[1] * b[0]) / (a[0] * b[1] - a[1] * b[0])
    return first.point + share * a
