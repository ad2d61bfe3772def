"""Merging clusters where most contact agrees (compiled)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sherd.core.compiled import compiled
from sherd.solvers.contours.clusters import Clusters, joined, pair_collides, pair_worth
from sherd.solvers.contours.contact import corner_worth
from sherd.solvers.contours.joints import Joints
from sherd.solvers.contours.posegraph import relax
from sherd.solvers.contours.shapes import Shapes

# The most pieces that move at once after a merge; the whole cluster moves after every MERGES_BETWEEN merges.
MOST_MOVED = 24
MERGES_BETWEEN = 16
MOST_WHOLE = 160

EITHER, OLD, NEW = 0, 1, 2


class Rules(NamedTuple):
    """What merging holds to: tolerance of contact, least worth of a merge, most overlap of two pieces.

    Contact is measured at every ``stride``-th point.
    """

    tolerance: float
    least: float
    most_inside: float
    stride: int


@compiled
def merge(
    shapes: Shapes,
    clusters: Clusters,
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    turns: NDArray[np.complex128],
    shifts: NDArray[np.complex128],
    worth: NDArray[np.float64],
    liking: NDArray[np.float64],
    rules: Rules,
    most: int,
) -> int:
    """Merge in place, the largest shared contact times ``liking`` first; how many merges, at most ``most``.

    Joints are (J,) arrays; those not liked at all are passed over. What a joint's clusters share grows with
    each merge by what the new neighbours add; it is worked out anew when the joint comes to the top.
    """
    count, pieces = len(first), len(clusters.labels)
    side = np.zeros(pieces, dtype=np.int64)
    value = worth.copy()
    for j in range(count):
        a, b = clusters.labels[first[j]], clusters.labels[second[j]]
        if liking[j] <= 0.0:
            value[j] = -np.inf
        if a == b or liking[j] <= 0.0:
            continue
        if clusters.following[clusters.heads[a]] >= 0 or clusters.following[clusters.heads[b]] >= 0:
            value[j] = _shared(
                shapes, clusters, first[j], second[j], turns[j], shifts[j], rules, side, EITHER
            )
    fresh = np.ones(count, dtype=np.bool_)
    merges = 0
    while merges < most:
        best, best_value = -1, rules.least
        for j in range(count):
            if value[j] * liking[j] > best_value and clusters.labels[first[j]] != clusters.labels[second[j]]:
                best, best_value = j, value[j] * liking[j]
        if best < 0:
            break
        p, q = int(first[best]), int(second[best])
        if not fresh[best]:
            value[best] = _shared(shapes, clusters, p, q, turns[best], shifts[best], rules, side, EITHER)
            fresh[best] = True
            continue
        a, b = int(clusters.labels[p]), int(clusters.labels[q])
        turn, shift = _between(clusters, p, q, turns[best], shifts[best])
        size_a, size_b = _marked(clusters, a, OLD, side), _marked(clusters, b, NEW, side)
        joined(clusters, a, b, turn, shift)
        merges += 1
        _settle(shapes, clusters, a, size_a, size_b, merges, rules, side)
        for j in range(count):
            u, v = first[j], second[j]
            if value[j] == -np.inf or (side[u] == 0) == (side[v] == 0):
                continue
            # The end inside now has new neighbours: those that were not in its cluster before.
            added = NEW if side[u] == OLD or side[v] == OLD else OLD
            value[j] += _shared(shapes, clusters, u, v, turns[j], shifts[j], rules, side, added)
            fresh[j] = False
        side[:] = 0
    return merges


@compiled
def _marked(clusters: Clusters, label: int, mark: int, side: NDArray[np.int64]) -> int:
    """Mark the pieces of a cluster; how many they are."""
    piece, size = clusters.heads[label], 0
    while piece >= 0:
        side[piece] = mark
        size += 1
        piece = clusters.following[piece]
    return size


@compiled
def _settle(
    shapes: Shapes,
    clusters: Clusters,
    label: int,
    size_old: int,
    size_new: int,
    merges: int,
    rules: Rules,
    side: NDArray[np.int64],
) -> None:
    """Let the pieces of a merged cluster find their places: all of a small one, the fewer of a large one."""
    moves = np.ones(len(side), dtype=np.bool_)
    size = size_old + size_new
    if size > MOST_MOVED and (size > MOST_WHOLE or merges % MERGES_BETWEEN != 0):
        if min(size_old, size_new) > MOST_MOVED:
            return
        fewer = NEW if size_new <= size_old else OLD
        for piece in range(len(side)):
            moves[piece] = side[piece] == fewer
    relax(shapes, clusters, label, rules.tolerance, 2, moves)


@compiled
def _between(clusters: Clusters, p: int, q: int, turn: complex, shift: complex) -> tuple[complex, complex]:
    """The pose of q's cluster in the frame of p's, given that of q in p's frame."""
    inner = clusters.turns[p] * turn * clusters.turns[q].conjugate()
    return inner, clusters.turns[p] * shift + clusters.shifts[p] - inner * clusters.shifts[q]


@compiled
def _shared(
    shapes: Shapes,
    clusters: Clusters,
    p: int,
    q: int,
    turn: complex,
    shift: complex,
    rules: Rules,
    side: NDArray[np.int64],
    only: int,
) -> float:
    """All that the clusters of p and q share, given q's pose in p's frame; minus infinity where they overlap.

    With ``only``, of a cluster whose pieces are marked, those with this mark alone count.
    """
    turn, shift = _between(clusters, p, q, turn, shift)
    total, corners = 0.0, 0.0
    for looking in (True, False):  # most poses in a crowd are ruled out by a quick look at all of it
        u = int(clusters.heads[int(clusters.labels[p])])
        while u >= 0:
            if only == EITHER or side[u] == 0 or side[u] == only:
                back = clusters.turns[u].conjugate()
                v = int(clusters.heads[int(clusters.labels[q])])
                while v >= 0:
                    if only == EITHER or side[v] == 0 or side[v] == only:
                        t = back * turn * clusters.turns[v]
                        s = back * (turn * clusters.shifts[v] + shift - clusters.shifts[u])
                        if looking:
                            if pair_collides(shapes, u, v, t, s, rules.tolerance):
                                return -np.inf
                        else:
                            worth, met = pair_worth(
                                shapes, u, v, t, s, rules.tolerance, rules.stride, rules.most_inside
                            )
                            if worth == -np.inf:
                                return worth
                            total += worth
                            corners += met
                    v = int(clusters.following[v])
            u = int(clusters.following[u])
    return total + corner_worth(corners)


def merge_joints(
    shapes: Shapes, clusters: Clusters, joints: Joints, liking: NDArray[np.float64], rules: Rules
) -> int:
    """Merge clusters in place by these joints until none is worth it; how many merges."""
    return merge(
        shapes,
        clusters,
        joints.first,
        joints.second,
        joints.turns,
        joints.shifts,
        joints.hope,
        liking,
        rules,
        len(clusters.labels),
    )
