"""Cutting a target into puzzles by binary space partition (the paper's Algorithm s.2).

All puzzles of a block are cut at once in arrays: a polygon is a row of V vertices, shorter ones padded by
repeating their last vertex, which changes neither area nor centroid. Only operations that IEEE 754 fixes
are used, so a seed gives the same bits on every machine.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import Polygon

from sherd.core.arrays import Floats, Ints
from sherd.core.assembly import Assembly, Placement
from sherd.core.errors import ArgumentError, InvalidPolygonError
from sherd.core.geometry import FIXED, LENGTH_TOLERANCE, TAU, Pose, Rotations, cos_sin, size_of
from sherd.core.puzzle import Fragment, Puzzle, Sample
from sherd.generation.released_code import removal_order, vertex_means
from sherd.generation.shapes import Shape

# By centroids from the bottom left, or random among neighbours; the other two as the authors' released code
# has them (`sherd.generation.released_code`).
Order = Literal["bottom-left", "random", "released", "released-random"]

# Puzzles are drawn in blocks, each with a random stream of its own, so that the first puzzles of a set do
# not depend on how many follow.
BLOCK = 500
MOST_PIECES = 4096
# A cut passes each of its two edges within this share of the edge's length.
CUT_RANGE = (0.25, 0.75)
# Pairs of edges compared at once when neighbours are found: bounds memory to some hundred MiB.
PAIRS_AT_ONCE = 2_000_000


@dataclass(frozen=True, kw_only=True)
class FragmentationParams:
    """How many pieces, how they may be turned, and in which order a learner is taught to place them."""

    pieces: int = 8
    rotations: Rotations = FIXED
    order: Order = "bottom-left"

    def __post_init__(self) -> None:
        if not 1 <= self.pieces <= MOST_PIECES:
            raise ArgumentError(f"pieces must be between 1 and {MOST_PIECES:,}, not {self.pieces:,}")
        if self.order not in get_args(Order):
            raise ArgumentError(f"order must be one of {', '.join(get_args(Order))}, not {self.order!r}")


@dataclass(frozen=True)
class Fragmentation:
    """P puzzles of N fragments with at most V vertices each, as arrays.

    vertices  (P, N, V, 2)  outlines in the fragments' own frames, padded with their last vertex
    corners   (P, N)        how many of the V vertices are real
    poses     (P, N, 3)     true x, y and theta
    order     (P, N)        fragment indices in the order of assembly
    begins    (P, N)        the vertex that an outline begins with as an object; the first one here ends a cut
    """

    target: Polygon
    rotations: Rotations
    vertices: Floats
    corners: Ints
    poses: Floats
    order: Ints
    begins: Ints

    def __len__(self) -> int:
        return len(self.vertices)

    def __getitem__(self, part: slice) -> Fragmentation:
        arrays = (self.vertices[part], self.corners[part], self.poses[part], self.order[part])
        return Fragmentation(self.target, self.rotations, *arrays, self.begins[part])

    def outlines(self) -> tuple[Floats, NDArray[np.bool_]]:
        """Vertices (P, N, V, 2) that begin as they do as objects, and which of them are real (P, N, V)."""
        around = np.arange(self.vertices.shape[2], dtype=np.int64)
        turned = (self.begins[..., None] + around) % self.corners[..., None]
        vertices = np.take_along_axis(self.vertices, turned[..., None], axis=2)
        return vertices, around < self.corners[..., None]

    def samples(self) -> Iterator[Sample]:
        """The same puzzles as objects, each outline beginning anywhere, so as to tell nothing of its cuts."""
        puzzles, pieces = self.corners.shape
        vertices, real = self.outlines()
        rings = shapely.linearrings(
            vertices[real],
            indices=np.repeat(np.arange(puzzles * pieces, dtype=np.int64), self.corners.ravel()),
        )
        polygons = np.asarray(shapely.polygons(rings)).reshape(puzzles, pieces)
        ids = [f"f{k}" for k in range(pieces)]
        orders: list[list[int]] = self.order.tolist()
        for outlines, poses, order in zip(polygons, self.poses.tolist(), orders, strict=True):
            fragments = tuple(map(Fragment, ids, outlines))
            truth = Assembly(tuple(Placement(ids[k], Pose(*poses[k])) for k in order))
            yield Sample(Puzzle(self.target, fragments, self.rotations), truth)


def generate(shape: Shape, params: FragmentationParams, *, count: int, seed: int) -> Iterator[Sample]:
    """``count`` samples; the same seed gives the same ones, and a longer set begins with a shorter one."""
    for block in range(-(-count // BLOCK)):
        arrays = fragment_block(shape, params, seed=seed, block=block, keep=min(BLOCK, count - block * BLOCK))
        yield from arrays.samples()


def generate_arrays(
    shape: Shape, params: FragmentationParams, *, seed: int, start: int = 0, stop: int
) -> Fragmentation:
    """Puzzles ``start`` to ``stop`` of the set that `generate` makes from this seed, as arrays."""
    if not 0 <= start < stop:
        raise ArgumentError(f"start and stop must satisfy 0 <= start < stop, not {start} and {stop}")
    first, last = start // BLOCK, (stop - 1) // BLOCK
    blocks = [
        fragment_block(shape, params, seed=seed, block=b, keep=min(BLOCK, stop - b * BLOCK))
        for b in range(first, last + 1)
    ]
    arrays = zip(*((b.vertices, b.corners, b.poses, b.order, b.begins) for b in blocks), strict=True)
    whole = Fragmentation(shape.outline, params.rotations, *map(np.concatenate, arrays))
    return whole[start - first * BLOCK :]


def split(count: int) -> dict[str, range]:
    """The paper's 64 / 16 / 20 % split of a set, by puzzle.

    >>> {name: len(part) for name, part in split(5000).items()}
    {'train': 3200, 'validation': 800, 'test': 1000}
    """
    train, validation = count * 64 // 100, count * 80 // 100
    return {"train": range(train), "validation": range(train, validation), "test": range(validation, count)}


def fragment_block(
    shape: Shape, params: FragmentationParams, *, seed: int, block: int, keep: int = BLOCK
) -> Fragmentation:
    """The first ``keep`` puzzles of one block of a set."""
    if not shape.is_convex:
        raise InvalidPolygonError(f"{shape.name}: the outline is not convex, and only convex shapes are cut")
    rng = np.random.default_rng([seed, block])
    placed, corners = _partition(shape, params.pieces, rng)
    shuffle = np.argsort(rng.random(corners.shape), axis=1)  # so that ids tell nothing of the answer
    turns = _draw_turns(params.rotations, corners.shape, rng)
    order_keys = rng.random(corners.shape)
    begin_at = rng.random(corners.shape)[:keep]

    placed = np.take_along_axis(placed, shuffle[..., None, None], axis=1)[:keep]
    corners, turns = np.take_along_axis(corners, shuffle, axis=1)[:keep], turns[:keep]
    centres = centroids(placed)[1]
    size = size_of(shape.outline)
    if params.order == "random":
        order = _random_order(placed, order_keys[:keep], size)
    elif params.order == "bottom-left":
        order = _bottom_left_order(centres, size)
    else:
        order = _bottom_left_order(vertex_means(placed, corners), size)
    if params.order == "released-random":
        keys = rng.random((BLOCK, *[params.pieces] * 2))[:keep]  # drawn last: other orders stay as they are
        order = removal_order(placed, keys, order, size)

    offset = placed - centres[:, :, None]
    cos, sin = (c[..., None] for c in cos_sin(turns))
    x, y = offset[..., 0], offset[..., 1]
    own = np.stack([cos * x + sin * y, cos * y - sin * x], axis=-1)  # turned back by the true angle
    poses = np.concatenate([centres, (turns * TAU)[..., None]], axis=-1)
    begins = (begin_at * corners).astype(np.int64)
    return Fragmentation(shape.outline, params.rotations, own, corners, poses, order, begins)


def _draw_turns(rotations: Rotations, shape: tuple[int, ...], rng: np.random.Generator) -> Floats:
    """True angles in turns, drawn alike whatever the rotations, so that only they change with them."""
    draw = rng.random(shape)
    return draw if rotations.bins is None else np.floor(draw * rotations.bins) / rotations.bins


def _partition(shape: Shape, pieces: int, rng: np.random.Generator) -> tuple[Floats, Ints]:
    """Cut `BLOCK` copies of the outline: whole rounds of cuts first, then the largest piece each time."""
    outline = shape.vertices
    longest = max(len(outline), 4)
    row = np.concatenate([outline, np.repeat(outline[-1:], longest - len(outline), axis=0)])
    polygons = np.tile(row, (BLOCK, 1, 1, 1))
    corners = np.full((BLOCK, 1), len(outline))
    every = np.arange(BLOCK)
    while polygons.shape[1] * 2 <= pieces:
        halves, counts = _cut(polygons.reshape(-1, longest, 2), corners.ravel(), shape.axis_aligned, rng)
        polygons, corners = halves.reshape(BLOCK, -1, longest, 2), counts.reshape(BLOCK, -1)
    while polygons.shape[1] < pieces:
        largest = centroids(polygons)[0].argmax(axis=1)
        cut, counts = polygons[every, largest], corners[every, largest]
        halves, counts = _cut(cut, counts, shape.axis_aligned, rng)
        polygons[every, largest], corners[every, largest] = halves[:, 0], counts[:, 0]
        polygons = np.concatenate([polygons, halves[:, 1:]], axis=1)
        corners = np.concatenate([corners, counts[:, 1:]], axis=1)
    return polygons, corners


def _cut(
    polygons: Floats, corners: Ints, axis_aligned: bool, rng: np.random.Generator
) -> tuple[Floats, Ints]:
    """Cut each of M polygons (M, V, 2) in two: (M, 2, V, 2) and their numbers of vertices (M, 2).

    The two edges that the cut crosses are never adjacent, so both parts keep at least 4 vertices. A
    triangle has only adjacent edges; it becomes a triangle and a quadrilateral.
    """
    count, longest, _ = polygons.shape
    draw = rng.random((count, 4))
    low, high = CUT_RANGE
    first_at = (low + (high - low) * draw[:, 2])[:, None]
    # Across a rectangle, the same share of both edges, one of them walked backwards, is an upright cut.
    second_at = 1.0 - first_at if axis_aligned else (low + (high - low) * draw[:, 3])[:, None]

    triangle = corners == 3
    apart = np.where(triangle, 1, 2 + (draw[:, 1] * (corners - 3)).astype(np.int64))
    first = (draw[:, 0] * corners).astype(np.int64)
    k = np.arange(longest, dtype=np.int64)
    rolled = np.take_along_axis(polygons, ((first[:, None] + k) % corners[:, None])[..., None], axis=1)
    every = np.arange(count, dtype=np.int64)
    after = (apart + 1) % corners
    cut_first = rolled[:, 0] + first_at * (rolled[:, 1] - rolled[:, 0])
    cut_second = rolled[every, apart] + second_at * (rolled[every, after] - rolled[every, apart])

    # One part walks from the first cut along vertices 1 .. apart to the second cut; the other goes on
    # from the second cut along vertices apart + 1 .. n (which is vertex 0) back to the first.
    near = rolled.copy()
    near[:, 0] = cut_first
    near_count = apart + 2
    beyond = k >= near_count[:, None] - 1
    near = np.where(beyond[..., None], cut_second[:, None], near)
    far_count = corners - apart + 2
    walk = np.where(k < far_count[:, None] - 1, (apart[:, None] + k) % corners[:, None], 0)
    far = np.take_along_axis(rolled, walk[..., None], axis=1)
    far[:, 0] = cut_second
    end = k >= far_count[:, None] - 1
    far = np.where(end[..., None], cut_first[:, None], far)
    return np.stack([near, far], axis=1), np.stack([near_count, far_count], axis=1)


def centroids(polygons: Floats) -> tuple[Floats, Floats]:
    """Areas (...) and area centroids (..., 2) of padded counter-clockwise polygons (..., V, 2)."""
    origin = polygons[..., 0, :]
    x = polygons[..., 0] - origin[..., 0, None]
    y = polygons[..., 1] - origin[..., 1, None]
    twice_area = np.zeros(polygons.shape[:-2])
    sum_x, sum_y = np.zeros_like(twice_area), np.zeros_like(twice_area)
    for k in range(1, polygons.shape[-2] - 1):  # a fan of triangles; a loop fixes the order of summation
        cross = x[..., k] * y[..., k + 1] - x[..., k + 1] * y[..., k]
        twice_area = twice_area + cross
        sum_x = sum_x + cross * (x[..., k] + x[..., k + 1])
        sum_y = sum_y + cross * (y[..., k] + y[..., k + 1])
    centre = np.stack([sum_x, sum_y], axis=-1) / (3.0 * twice_area[..., None])
    return twice_area / 2.0, origin + centre


def _bottom_left_order(centres: Floats, size: float) -> Ints:
    """By the centre's y, then x; heights that differ by rounding alone count as equal."""
    height = np.round(centres[..., 1] / (size * LENGTH_TOLERANCE))
    return np.lexsort((centres[..., 0], height), axis=1)


def _random_order(polygons: Floats, keys: Floats, size: float) -> Ints:
    """A random fragment first, then each time a random one that touches those already placed."""
    puzzles, pieces, longest, _ = polygons.shape
    at_once = max(1, PAIRS_AT_ONCE // (pieces * longest) ** 2)
    touching = np.concatenate(
        [neighbours(polygons[k : k + at_once], size) for k in range(0, puzzles, at_once)]
    )
    every = np.arange(puzzles, dtype=np.int64)
    order = np.empty((puzzles, pieces), dtype=np.int64)
    placed = np.zeros((puzzles, pieces), dtype=bool)
    reachable = np.ones((puzzles, pieces), dtype=bool)
    for step in range(pieces):
        order[:, step] = np.where(reachable & ~placed, keys, -1.0).argmax(axis=1)
        placed[every, order[:, step]] = True
        reached = touching[every, order[:, step]]
        reachable = reached if step == 0 else reachable | reached
    return order


def neighbours(polygons: Floats, size: float) -> NDArray[np.bool_]:
    """Which of N fragments (P, N, V, 2) share a stretch of boundary in place: (P, N, N)."""
    puzzles, pieces, longest, _ = polygons.shape
    at_once = max(1, PAIRS_AT_ONCE // (puzzles * pieces * longest**2))
    touches = np.concatenate(
        [_touching(polygons[:, k : k + at_once], polygons, size) for k in range(0, pieces, at_once)], axis=1
    )
    return touches & ~np.eye(pieces, dtype=bool)


def _touching(some: Floats, polygons: Floats, size: float) -> NDArray[np.bool_]:
    """Which of M fragments (P, M, V, 2) share a stretch of boundary with which of N: (P, M, N)."""
    slack = size * LENGTH_TOLERANCE
    own, vector = (array[:, :, None] for array in _edges(some))  # (P, E, 1, 2)
    length = np.sqrt(vector[..., 0] ** 2 + vector[..., 1] ** 2)
    along = vector / np.maximum(length, slack)[..., None]  # padding has no length
    start, other_vector = (array[:, None] for array in _edges(polygons))  # (P, 1, F, 2)

    def of_each_edge(points: Floats) -> tuple[Floats, Floats]:
        """Position along and distance from each edge's line, of points relative to its start: (P, E, F)."""
        (x, y), (ux, uy) = np.moveaxis(points, -1, 0), np.moveaxis(along, -1, 0)
        return ux * x + uy * y, np.abs(ux * y - uy * x)

    to_start = start - own
    first, first_off = of_each_edge(to_start)
    last, last_off = of_each_edge(to_start + other_vector)
    shared = np.minimum(np.maximum(first, last), length) - np.maximum(np.minimum(first, last), 0.0)
    touches = (np.maximum(first_off, last_off) <= slack) & (shared > 1e3 * slack)
    return np.asarray(touches.reshape(*some.shape[:3], *polygons.shape[1:3]).any(axis=(2, 4)))


def _edges(polygons: Floats) -> tuple[Floats, Floats]:
    """The starts and vectors of all edges of each puzzle's polygons (P, N, V, 2): (P, N V, 2) each."""
    vectors = np.roll(polygons, -1, axis=2) - polygons
    return polygons.reshape(len(polygons), -1, 2), vectors.reshape(len(polygons), -1, 2)
