"""Clusters of pieces that lie together, and what two of them share at a given pose (compiled)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sherd.core.compiled import compiled
from sherd.solvers.contours.contact import contact, corner_worth
from sherd.solvers.contours.shapes import DEEP, Shapes, nearest_to

PROBE_STRIDE = 8  # a first look for overlap takes one point in this many
PROBE_MOST = 2  # probes deep inside, at most


class Clusters(NamedTuple):
    """Which cluster each piece is in, its pose there, and the pieces of a cluster as linked lists.

    A cluster is named by any number below that of pieces; ``heads[c]`` is its first piece or -1,
    ``following[p]`` the next one or -1.
    """

    labels: NDArray[np.int64]
    turns: NDArray[np.complex128]
    shifts: NDArray[np.complex128]
    heads: NDArray[np.int64]
    following: NDArray[np.int64]


@compiled
def singles(count: int) -> Clusters:
    """Every piece a cluster of its own."""
    return Clusters(
        np.arange(count),
        np.ones(count, dtype=np.complex128),
        np.zeros(count, dtype=np.complex128),
        np.arange(count),
        np.full(count, -1),
    )


@compiled
def copied(clusters: Clusters) -> Clusters:
    return Clusters(
        clusters.labels.copy(),
        clusters.turns.copy(),
        clusters.shifts.copy(),
        clusters.heads.copy(),
        clusters.following.copy(),
    )


@compiled
def joined(clusters: Clusters, into: int, other: int, turn: complex, shift: complex) -> None:
    """Move the pieces of one cluster, turned and shifted, into another."""
    piece, last = clusters.heads[other], -1
    while piece >= 0:
        clusters.labels[piece] = into
        clusters.turns[piece] = turn * clusters.turns[piece]
        clusters.turns[piece] /= abs(clusters.turns[piece])  # or errors grow with every merge
        clusters.shifts[piece] = turn * clusters.shifts[piece] + shift
        last, piece = piece, clusters.following[piece]
    clusters.following[last] = clusters.heads[into]
    clusters.heads[into] = clusters.heads[other]
    clusters.heads[other] = -1


@compiled
def relisted(clusters: Clusters) -> None:
    """Make the linked lists anew from the labels."""
    clusters.heads[:] = -1
    for piece in range(len(clusters.labels) - 1, -1, -1):
        label = clusters.labels[piece]
        clusters.following[piece] = clusters.heads[label]
        clusters.heads[label] = piece


@compiled
def are_near(shapes: Shapes, first: int, second: int, turn: complex, shift: complex, reach: float) -> bool:
    """Whether the second piece, moved into the first's frame, may touch it."""
    if shapes.outer[first]:
        return True
    between = turn * shapes.centres[second] + shift - shapes.centres[first]
    most = shapes.radii[first] + shapes.radii[second] + reach
    return between.real * between.real + between.imag * between.imag < most * most


@compiled
def collides(shapes: Shapes, first: int, second: int, turn: complex, shift: complex) -> bool:
    """Whether a look at a few points of the second finds it deep inside the first."""
    deep = 0
    for k in range(shapes.starts[second], shapes.starts[second + 1], PROBE_STRIDE):
        if nearest_to(shapes, first, turn * shapes.points[k] + shift) == DEEP:
            deep += 1
            if deep > PROBE_MOST:
                return True
    return False


@compiled
def one_way(
    shapes: Shapes, first: int, second: int, turn: complex, shift: complex
) -> tuple[int, int, complex, complex]:
    """Two pieces and the second's pose in the first's frame, one way round for each pair.

    A target is the first: its field is always the one that is asked.
    """
    if shapes.outer[second] or (not shapes.outer[first] and first > second):
        turn = turn.conjugate()
        return second, first, turn, -turn * shift
    return first, second, turn, shift


@compiled
def pair_worth(
    shapes: Shapes,
    first: int,
    second: int,
    turn: complex,
    shift: complex,
    tolerance: float,
    stride: int,
    most_inside: float,
) -> tuple[float, float]:
    """What two pieces share at a pose of the second in the first's frame, and how many of their corners meet.

    They share minus infinity if they overlap.
    """
    first, second, turn, shift = one_way(shapes, first, second, turn, shift)
    if not are_near(shapes, first, second, turn, shift, tolerance):
        return 0.0, 0.0
    what = contact(shapes, first, second, turn, shift, tolerance, stride)
    if what.inside > most_inside:
        return -np.inf, 0.0
    return what.worth, what.corners


@compiled
def pair_collides(
    shapes: Shapes, first: int, second: int, turn: complex, shift: complex, tolerance: float
) -> bool:
    """Whether a quick look tells that two pieces lie in each other."""
    first, second, turn, shift = one_way(shapes, first, second, turn, shift)
    return are_near(shapes, first, second, turn, shift, tolerance) and collides(
        shapes, first, second, turn, shift
    )


@compiled
def bonds(
    shapes: Shapes, clusters: Clusters, tolerance: float, stride: int
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """What each pair of pieces of a cluster shares, (N, N), and by piece (N,); overlaps count against."""
    count = len(clusters.labels)
    pairs = np.zeros((count, count))
    for p in range(count):
        back = clusters.turns[p].conjugate()
        for q in range(p + 1, count):
            if clusters.labels[p] != clusters.labels[q]:
                continue
            t = back * clusters.turns[q]
            s = back * (clusters.shifts[q] - clusters.shifts[p])
            first, second = p, q
            if shapes.outer[q]:
                first, second = q, p
                t = t.conjugate()
                s = -t * s
            if are_near(shapes, first, second, t, s, tolerance):
                what = contact(shapes, first, second, t, s, tolerance, stride)
                worth = what.worth + corner_worth(what.corners)
                pairs[p, q] = worth
                pairs[q, p] = worth
    return pairs, pairs.sum(axis=1)
