"""IoU of an assembly with the target while one piece moves: exact, and a few microseconds each time.

Pieces that stay are traced once (`rest_of`); trying a pose of the moving piece then costs only what it
touches. With U the pieces that stay, P the moving one and T the target, IoU needs the areas of U + P and of
U + P + T, and each is that of what stays plus what of P lies outside it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import shapely
from shapely import MultiPolygon, Polygon

from sherd.core.assembly import Assembly
from sherd.core.compiled import compiled
from sherd.core.geometry import LENGTH_TOLERANCE, Pose, is_convex, size_of
from sherd.core.puzzle import Fragment, Puzzle
from sherd.solvers.base import BY_AREA, Proposal
from sherd.solvers.union_area import Floats, Ints, area_outside, copy_to, set_box, set_edges, trace_union

# How far an IoU from here may be from that of an overlay: what edges that nearly share a line can cost.
IOU_TOLERANCE = 1e-6


class Parts(NamedTuple):
    """Polygons in convex parts: vertices (M, V, 2) of which ``counts`` (M,) are real.

    The parts of polygon n are ``starts[n]`` to ``starts[n + 1]``.
    """

    vertices: Floats
    counts: Ints
    starts: Ints


class TracedUnion(NamedTuple):
    """A union of placed parts with its boundary traced; see `sherd.solvers.union_area`."""

    edges: Floats
    counts: Ints
    boxes: Floats
    free: Floats
    free_starts: Ints
    area: float
    slack: float


class Rest(NamedTuple):
    """What stays while one piece moves: the other pieces, and the same together with the target."""

    alone: TracedUnion
    with_target: TracedUnion
    target_area: float


@compiled
def make_region(edges: Floats, counts: Ints, slack: float) -> TracedUnion:
    """The union of parts given by their edges (M, V, 5)."""
    parts, longest, _ = edges.shape
    boxes = np.empty((parts, 4))
    for m in range(parts):
        set_box(edges[m], counts[m], boxes[m])
    free = np.empty((counts.sum() * parts, 2))
    free_starts = np.empty(parts * longest + 1, dtype=np.int64)
    area = trace_union(edges, counts, boxes, slack, free, free_starts)
    return TracedUnion(edges, counts, boxes, free, free_starts, area, slack)


@compiled
def rest_of(
    target: TracedUnion, edges: Floats, counts: Ints, starts: Ints, stays: Ints, target_area: float
) -> Rest:
    """What stays, of pieces given by the edges of their parts as they lie; ``stays`` are their indices."""
    parts = 0
    for n in stays:
        parts += starts[n + 1] - starts[n]
    longest, targets = edges.shape[1], len(target.counts)
    # The target goes first, so that its boundary is traced where pieces lie flush with it.
    own = np.zeros((targets + parts, longest, 5))
    own_counts = np.empty(targets + parts, dtype=np.int64)
    copy_to(target.edges, own[:targets])
    copy_to(target.counts, own_counts[:targets])
    at = targets
    for n in stays:
        for m in range(starts[n], starts[n + 1]):
            copy_to(edges[m], own[at])
            own_counts[at] = counts[m]
            at += 1
    alone = make_region(own[targets:], own_counts[targets:], target.slack)
    return Rest(alone, make_region(own, own_counts, target.slack), target_area)


@compiled
def iou_with(rest: Rest, parts: Parts, piece: int, matrix: Floats) -> float:
    """IoU with the target of what stays and one more piece, moved by ``matrix`` (a, b, c, d, e, f)."""
    alone, with_target = rest.alone.area, rest.with_target.area
    edges = np.empty((parts.vertices.shape[1], 5))
    box = np.empty(4)
    for m in range(parts.starts[piece], parts.starts[piece + 1]):
        count = parts.counts[m]
        set_edges(parts.vertices[m], count, matrix, edges)
        set_box(edges, count, box)
        alone += _area_outside(edges, count, box, rest.alone)
        with_target += _area_outside(edges, count, box, rest.with_target)
    return (alone + rest.target_area - with_target) / with_target


@compiled
def _area_outside(edges: Floats, count: int, box: Floats, region: TracedUnion) -> float:
    return area_outside(
        edges,
        count,
        box,
        region.edges,
        region.counts,
        region.boxes,
        region.slack,
        region.free,
        region.free_starts,
    )


@dataclass(frozen=True)
class Objective:
    """IoU with a puzzle's target, for solvers.

    Inside, lengths are relative to the target's size and places to its middle, so that neither units nor the
    origin matter; `matrix` brings a pose there.

    >>> half = shapely.box(-0.25, -0.5, 0.25, 0.5)
    >>> puzzle = Puzzle(shapely.box(0, 0, 1, 1), (Fragment("a", half), Fragment("b", half)))
    >>> objective = Objective(puzzle)
    >>> left = Assembly().place("a", Pose(0.25, 0.5))
    >>> rest = objective.rest(left)
    >>> round(objective.iou(rest, 1, Pose(0.25, 0.5)), 9), round(objective.iou(rest, 1, Pose(0.75, 0.5)), 9)
    (0.5, 1.0)
    """

    puzzle: Puzzle

    @cached_property
    def size(self) -> float:
        """The target's size, which lengths inside are relative to."""
        return size_of(self.puzzle.target)

    @cached_property
    def middle(self) -> tuple[float, float]:
        """The middle of the target's bounds, where places inside are counted from."""
        low_x, low_y, high_x, high_y = self.puzzle.target.bounds
        return (low_x + high_x) / 2.0, (low_y + high_y) / 2.0

    @cached_property
    def parts(self) -> Parts:
        """The pieces in convex parts, in their own frames."""
        return _parts([fragment.polygon for fragment in self.puzzle.fragments], self._longest, self.size)

    @cached_property
    def target(self) -> TracedUnion:
        """The target, traced."""
        parts = _parts([self.puzzle.target], self._longest, self.size)
        return make_region(self.edges(parts, 0, Pose()), parts.counts, LENGTH_TOLERANCE)

    @cached_property
    def intervals(self) -> int:
        """How many intervals there must be room for while all pieces are traced with the target."""
        counts = (self.parts.counts, self.target.counts)
        return sum(int(each.sum()) for each in counts) * sum(map(len, counts))

    @cached_property
    def _longest(self) -> int:
        polygons = [self.puzzle.target, *(fragment.polygon for fragment in self.puzzle.fragments)]
        return max(len(part.exterior.coords) - 1 for polygon in polygons for part in convex_parts(polygon))

    def matrix(self, pose: Pose) -> Floats:
        """The pose as (a, b, c, d, e, f), relative to the target's size and middle."""
        a, b, c, d, e, f = pose.matrix
        return np.array([a, b, c, d, (e - self.middle[0]) / self.size, (f - self.middle[1]) / self.size])

    def edges(self, parts: Parts, piece: int, pose: Pose) -> Floats:
        """The edges (M, V, 5) of a piece's parts as they lie."""
        begin, end = int(parts.starts[piece]), int(parts.starts[piece + 1])
        edges = np.zeros((end - begin, parts.vertices.shape[1], 5))
        for m in range(begin, end):
            set_edges(parts.vertices[m], int(parts.counts[m]), self.matrix(pose), edges[m - begin])
        return edges

    def rest(self, assembly: Assembly) -> Rest:
        """The pieces of an assembly as what stays."""
        index = {fragment.id: k for k, fragment in enumerate(self.puzzle.fragments)}
        edges = np.zeros((len(self.parts.counts), self.parts.vertices.shape[1], 5))
        stays = np.array([index[placement.id] for placement in assembly], dtype=np.int64)
        for n, placement in zip(stays.tolist(), assembly, strict=True):
            begin, end = int(self.parts.starts[n]), int(self.parts.starts[n + 1])
            edges[begin:end] = self.edges(self.parts, n, placement.pose)
        return rest_of(self.target, edges, self.parts.counts, self.parts.starts, stays, self.target.area)

    def iou(self, rest: Rest, piece: int, pose: Pose) -> float:
        """IoU of what stays together with one more piece."""
        return iou_with(rest, self.parts, piece, self.matrix(pose))

    def iou_of(self, assembly: Assembly) -> float:
        """IoU of an assembly as it is."""
        rest = self.rest(assembly)
        return (rest.alone.area + rest.target_area - rest.with_target.area) / rest.with_target.area


def tiny_puzzle() -> Puzzle:
    """One piece and nothing to do: what solvers run on when they are made.

    All is compiled or loaded then, and no puzzle pays for it out of its time.
    """
    box = shapely.box(-0.5, -0.5, 0.5, 0.5)
    return Puzzle(box, (Fragment("f0", box),))


def compile_objective() -> None:
    """Evaluate IoU once, so that it is compiled."""
    objective = Objective(tiny_puzzle())
    objective.iou(objective.rest(Assembly()), 0, Pose())


def convex_parts(polygon: Polygon | MultiPolygon) -> list[Polygon]:
    """Convex polygons that together are the polygon: itself, or triangles."""
    if isinstance(polygon, Polygon) and is_convex(polygon):
        return [polygon]
    triangles = shapely.get_parts(shapely.constrained_delaunay_triangles(polygon))
    return triangles[shapely.area(triangles) > 0.0].tolist()


def _parts(polygons: Sequence[Polygon | MultiPolygon], longest: int, size: float) -> Parts:
    """Polygons in convex parts, relative to ``size``."""
    each = [convex_parts(polygon) for polygon in polygons]
    starts = np.cumsum([0, *map(len, each)], dtype=np.int64)
    vertices = np.zeros((int(starts[-1]), longest, 2))
    counts = np.zeros(int(starts[-1]), dtype=np.int64)
    for m, part in enumerate(part for parts in each for part in parts):
        ring = shapely.get_coordinates(shapely.orient_polygons(part).exterior)[:-1]
        vertices[m, : len(ring)], counts[m] = ring / size, len(ring)
    return Parts(vertices, counts, starts)


def proposal_by_iou(puzzle: Puzzle, steps: Sequence[Assembly], iou: float, *, evaluations: int) -> Proposal:
    """What a solver proposes that maximises IoU: ``steps`` lead from nothing to its best assembly."""
    complete = len(steps[-1]) == len(puzzle.fragments)
    return Proposal(
        assembly=steps[-1],
        objective=iou,
        evaluations=evaluations,
        tolerance=BY_AREA,
        trace=tuple(steps[1:]),
        remark=f"the best IoU found is {iou:.3f}" if complete else "stopped before all were placed",
    )
