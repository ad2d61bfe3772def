"""The board of a search on a grid: ways to lay pieces, the region, and the way so far, all in arrays.

Every edge is a row of steps from one point of the grid to the next on its line. Directions of steps are
numbered by their angle, so that to turn is to add, and the opposite of a direction is half of all farther on.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sherd.core.arrays import Floats, Ints
from sherd.solvers.search.constants.on_grid import GRID_STATES, MOST_GRID_CANDIDATES, MOST_TOUCHING
from sherd.solvers.search.lattice.grid import GridPuzzle, Ring, area_twice

Words = NDArray[np.uint64]

# Sample points lie this far into each square, in shares of a prime: no edge on the grid meets one.
PRIME, SAMPLE_X, SAMPLE_Y = 2147483647, 889516852, 1327217885


class Shapes(NamedTuple):
    """All ways to lay a piece, its like counted once, and what is known of each.

    A kind is a set of pieces that can be laid in the same ways. A place of a way is a point of the grid on
    its outline.
    """

    kind: Ints  # (V,) by way
    width: Ints  # (V,)
    height: Ints  # (V,)
    around: Floats  # (V,) the length of the outline
    first_place: Ints  # (V + 1,)
    place: Ints  # (P, 2) x and y
    step_in: Ints  # (P,) the direction of the step that comes to a place
    step_out: Ints  # (P,) and of the one that leaves it
    first_corner: Ints  # (V + 1,)
    corner: Ints  # (C, 2) x and y, in turn
    first_word: Ints  # (V + 1,) the first word of each way's samples
    words: Words  # rows of samples from the bottom up, bits from left to right
    first_leaving: Ints  # (D + 1,) convex corners by the direction of the edge that leaves them:
    leaving: Ints  # (K, 2) way and place
    first_coming: Ints  # (D + 1,) and by that of the edge that comes to them
    coming: Ints  # (K, 2)
    area: Ints  # (kinds,) twice the area over ``area_unit``
    key: Ints  # (kinds,) a random number
    step: Ints  # (D, 2) the steps by direction
    length: Floats  # (D,) of the steps
    area_unit: int


class Region(NamedTuple):
    """What is still open: the steps along its border by point of the grid, and samples."""

    leaving: Ints  # (points, most) the directions of the steps that leave a point
    coming: Ints  # (points, most) and of those that come to it
    count_out: Ints  # (points,) how many leave
    count_in: Ints  # (points,) and come, the same number once a piece is laid
    rows: Words  # (height, words)
    left: Ints  # (kinds,) pieces of each kind that are left
    seen: Ints  # (points, most) when a step was met last
    state: Ints  # (3,) a hash of the border, one of the pieces laid, and the last time


class Way(NamedTuple):
    """The search's way from the empty target to where it is; entries by level belong to that many pieces."""

    slot: Ints  # (S, 6) point, direction in and out, side, first candidate, how many, of all levels
    first_slot: Ints  # (N + 2,) by level
    candidate: Ints  # (E, 3) way, x and y, of all levels
    rank: Floats  # (E,)
    first_candidate: Ints  # (N + 2,) by level, -1 in the place of the next level where none are listed
    border: Ints  # (B, 6) corners of all levels' regions: point, directions in and out, next corner, x, y
    first_border: Ints  # (N + 2,) by level
    chosen: Ints  # (N + 1,) the slot whose candidates are tried, by level
    order: Ints  # (N + 1, most) their order
    next: Ints  # (N + 1,) how many were tried, by level
    placed: Ints  # (N, 3) way, x and y, by level
    hashes: Ints  # (N + 1,) by level
    fruitful: NDArray[np.bool_]  # (N + 1,) whether an assembly was found from there, by level
    best: Ints  # (N, 3) the most area placed so far
    tally: (
        Ints  # (6,) level, pieces of the best, its area, placements, the area now, and whether room ran out
    )
    dead: Ints  # (2 ** k,) hashes of states that led nowhere
    slot_at: Ints  # (points,) where the slots of a point stand, while the next level is listed
    ring_area: Ints  # (B,) twice the area of each ring of the region at hand, below 0 of a hole
    ring_first: Ints  # (B,) its first corner
    sums: Words  # (words,) areas that pieces add up to
    lean: Floats  # (2,) x and y: where slots are about as tight, those at one end of the target come first


class Board(NamedTuple):
    """Sizes: points in a row of the grid, its height, how many directions there are."""

    row: int
    height: int
    directions: int


def directions_of(rings: list[Ring]) -> list[tuple[int, int]]:
    """The steps along all edges and their opposites, by angle from 0 on."""
    steps: set[tuple[int, int]] = set()
    for ring in rings:
        for (ax, ay), (bx, by) in zip(ring, (*ring[1:], ring[0]), strict=True):
            times = math.gcd(bx - ax, by - ay)
            steps.add(((bx - ax) // times, (by - ay) // times))
    steps |= {(-x, -y) for x, y in steps}
    # On a grid of this size, angles that differ do so by more than rounding.
    upper = sorted(
        (s for s in steps if s[1] > 0 or (s[1] == 0 and s[0] > 0)), key=lambda s: math.atan2(s[1], s[0])
    )
    return upper + [(-x, -y) for x, y in upper]


def places_of(ring: Ring, number: dict[tuple[int, int], int]) -> list[tuple[int, int, int, int, bool]]:
    """The points of the grid along a ring: x, y, direction in, direction out, whether it is a corner."""
    found: list[tuple[int, int, int, int, bool]] = []
    before: int | None = None
    for (ax, ay), (bx, by) in zip(ring, (*ring[1:], ring[0]), strict=True):
        times = math.gcd(bx - ax, by - ay)
        x, y = (bx - ax) // times, (by - ay) // times
        out = number[x, y]
        found.append((ax, ay, -1 if before is None else before, out, True))
        found += [(ax + k * x, ay + k * y, out, out, False) for k in range(1, times)]
        before = out
    assert before is not None
    return [(*found[0][:2], before, *found[0][3:]), *found[1:]]


def samples_of(rings: Sequence[Ring], words: int, height: int) -> Words:
    """One bit for each square of the grid whose sample point lies in rings, less holes, (height, words)."""
    edges = [edge for ring in rings for edge in zip(ring, (*ring[1:], ring[0]), strict=True)]
    rows = np.zeros((height, words), np.uint64)
    for y in range(height):
        level = PRIME * y + SAMPLE_Y
        inside = [False] * (64 * words)
        for (ax, ay), (bx, by) in edges:
            if (ay <= y) == (by <= y):
                continue
            # Squares to the left of the edge at the height of the sample points change sides.
            along = (level - PRIME * ay) * (bx - ax)  # over (by - ay), in shares of the prime from ax on
            x = (PRIME * ax * (by - ay) + along - SAMPLE_X * (by - ay)) // (PRIME * (by - ay)) + 1
            for k in range(max(0, min(x, 64 * words))):
                inside[k] = not inside[k]
        for k, is_in in enumerate(inside):
            if is_in:
                rows[y, k // 64] |= np.uint64(1 << (k % 64))
    return rows


def make_shapes(puzzle: GridPuzzle) -> tuple[Shapes, list[Ring], list[list[int]]]:
    """The ways to lay pieces, their rings, and the pieces of each kind."""
    kinds: dict[frozenset[Ring], list[int]] = {}
    for piece, lies in enumerate(puzzle.lies):
        kinds.setdefault(frozenset(lie.ring for lie in lies), []).append(piece)
    # A ring that two kinds share, as where only one of them may be turned over, is a way of each.
    ways: list[Ring] = []
    way_kind: list[int] = []
    for number, own in enumerate(kinds):
        for ring in sorted(own):
            ways.append(ring)
            way_kind.append(number)
    steps = directions_of([*puzzle.target, *ways])
    direction = {step: number for number, step in enumerate(steps)}
    places = [places_of(ring, direction) for ring in ways]
    half, every = len(steps) // 2, len(steps)
    leaving: list[list[tuple[int, int]]] = [[] for _ in steps]
    coming: list[list[tuple[int, int]]] = [[] for _ in steps]
    starts = np.concatenate([[0], np.cumsum([len(own) for own in places])])
    for way, own in enumerate(places):
        for k, (_, _, step_in, step_out, is_corner) in enumerate(own):
            if is_corner and (step_in + half - step_out) % every < half:
                leaving[step_out].append((way, int(starts[way]) + k))
                coming[step_in].append((way, int(starts[way]) + k))
    areas = [area_twice(next(iter(own))) for own in kinds]
    unit = math.gcd(*areas)
    widths = [max(x for x, _ in ring) for ring in ways]
    heights = [max(y for _, y in ring) for ring in ways]
    samples = [
        samples_of([ring], -(-width // 64), height)
        for ring, width, height in zip(ways, widths, heights, strict=True)
    ]
    every_place = [place for own in places for place in own]
    flat_leaving = [pair for own in leaving for pair in own]
    flat_coming = [pair for own in coming for pair in own]
    shapes = Shapes(
        kind=np.array(way_kind),
        width=np.array(widths),
        height=np.array(heights),
        around=np.array(
            [sum(math.dist(a, b) for a, b in zip(ring, (*ring[1:], ring[0]), strict=True)) for ring in ways]
        ),
        first_place=starts,
        place=np.array([place[:2] for place in every_place]),
        step_in=np.array([place[2] for place in every_place]),
        step_out=np.array([place[3] for place in every_place]),
        first_corner=np.concatenate([[0], np.cumsum([len(ring) for ring in ways])]),
        corner=np.array([corner for ring in ways for corner in ring]),
        first_word=np.concatenate([[0], np.cumsum([own.size for own in samples])]),
        words=np.concatenate([own.ravel() for own in samples]),
        first_leaving=np.concatenate([[0], np.cumsum([len(own) for own in leaving])]),
        leaving=np.array(flat_leaving).reshape(-1, 2),
        first_coming=np.concatenate([[0], np.cumsum([len(own) for own in coming])]),
        coming=np.array(flat_coming).reshape(-1, 2),
        area=np.array(areas) // unit,
        key=np.random.default_rng(0).integers(1, 1 << 62, len(kinds)),
        step=np.array(steps),
        length=np.array([math.hypot(x, y) for x, y in steps]),
        area_unit=unit,
    )
    return shapes, ways, list(kinds.values())


def make_region(puzzle: GridPuzzle, shapes: Shapes, pieces: list[list[int]]) -> tuple[Board, Region]:
    """The empty target."""
    row, height = puzzle.width + 1, puzzle.height
    points = row * (height + 1)
    region = Region(
        leaving=np.zeros((points, MOST_TOUCHING), np.int64),
        coming=np.zeros((points, MOST_TOUCHING), np.int64),
        count_out=np.zeros(points, np.int64),
        count_in=np.zeros(points, np.int64),
        rows=samples_of(puzzle.target, -(-puzzle.width // 64), height),
        left=np.array([len(own) for own in pieces]),
        seen=np.zeros((points, MOST_TOUCHING), np.int64),
        state=np.zeros(3, np.int64),
    )
    number = {(x, y): k for k, (x, y) in enumerate(shapes.step.tolist())}
    for x, y, step_in, step_out, _ in (place for ring in puzzle.target for place in places_of(ring, number)):
        point = y * row + x
        at = region.count_out[point]
        region.leaving[point, at], region.coming[point, at] = step_out, step_in
        region.count_out[point] += 1
        region.count_in[point] += 1
    return Board(row, height, len(shapes.step)), region


def make_way(
    puzzle: GridPuzzle,
    shapes: Shapes,
    region: Region,
    *,
    lean: tuple[float, float] = (0.0, 0.0),
    levels: int | None = None,
) -> Way:
    """The way before its first step, with room for so many levels, all if it is not said."""
    total = int(region.left.sum())
    levels = total if levels is None else levels
    corners = 2 * (sum(map(len, puzzle.target)) + sum(len(lies[0].ring) for lies in puzzle.lies)) + 8
    area = int((shapes.area * region.left).sum())
    return Way(
        slot=np.zeros((2 * corners * (levels + 2), 6), np.int64),
        first_slot=np.zeros(total + 2, np.int64),
        candidate=np.zeros((MOST_GRID_CANDIDATES, 3), np.int64),
        rank=np.zeros(MOST_GRID_CANDIDATES),
        first_candidate=np.zeros(total + 2, np.int64),
        border=np.zeros((corners * (levels + 2), 6), np.int64),
        first_border=np.zeros(total + 2, np.int64),
        chosen=np.full(total + 1, -1),
        order=np.zeros((levels + 1, 2 * len(shapes.place) + 1), np.int64),
        next=np.zeros(total + 1, np.int64),
        placed=np.zeros((total, 3), np.int64),
        hashes=np.zeros(total + 1, np.int64),
        fruitful=np.zeros(total + 1, np.bool_),
        best=np.zeros((total, 3), np.int64),
        tally=np.zeros(6, np.int64),
        dead=np.zeros(GRID_STATES, np.int64),
        slot_at=np.full(len(region.count_out), -1),
        ring_area=np.zeros(corners * (levels + 2), np.int64),
        ring_first=np.zeros(corners * (levels + 2), np.int64),
        sums=np.zeros(area // 64 + 1, np.uint64),
        lean=np.array(lean),
    )
