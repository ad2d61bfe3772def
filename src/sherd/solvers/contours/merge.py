"""Merging clusters where most contact agrees (compiled)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sherd.core.compiled import compiled
from sherd.solvers.contours.clusters import Clusters, joined, shared
from sherd.solvers.contours.joints import Joints
from sherd.solvers.contours.posegraph import relax
from sherd.solvers.contours.shapes import Shapes


class Rules(NamedTuple):
    """What merging holds to: tolerance of contact, least worth of a merge, most overlap of two pieces."""

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

    Joints are (J,) arrays. What a joint's clusters share is worked out when it comes to the top of the
    list after either has changed.
    """
    count = len(first)
    value = worth * liking
    stamp = np.zeros(count, dtype=np.int64)  # the merge after which a value was worked out
    changed = np.zeros(len(clusters.labels), dtype=np.int64)  # the merge that last changed a cluster
    is_single = np.zeros(len(clusters.labels), dtype=np.bool_)
    for label in range(len(clusters.labels)):
        head = clusters.heads[label]
        is_single[label] = head >= 0 and clusters.following[head] < 0
    for j in range(count):
        if not (is_single[clusters.labels[first[j]]] and is_single[clusters.labels[second[j]]]):
            stamp[j] = -1
    merges = 0
    while merges < most:
        # Work out anew all that has changed, and take the best.
        best, best_value = -1, rules.least
        for j in range(count):
            a, b = clusters.labels[first[j]], clusters.labels[second[j]]
            if a == b or value[j] == -np.inf:
                continue
            if stamp[j] < max(changed[a], changed[b]) or stamp[j] < 0:
                value[j] = liking[j] * _share(shapes, clusters, first[j], second[j], turns[j], shifts[j], rules)
                stamp[j] = merges
            if value[j] > best_value:
                best, best_value = j, value[j]
        if best < 0:
            break
        a, b = clusters.labels[first[best]], clusters.labels[second[best]]
        turn, shift = _between(clusters, first[best], second[best], turns[best], shifts[best])
        joined(clusters, a, b, turn, shift)
        merges += 1
        changed[a] = merges
        relax(shapes, clusters, a, rules.tolerance, 2)
    return merges


@compiled
def _between(clusters: Clusters, p: int, q: int, turn: complex, shift: complex) -> tuple[complex, complex]:
    """The pose of q's cluster in the frame of p's, given that of q in p's frame."""
    inner = clusters.turns[p] * turn * clusters.turns[q].conjugate()
    return inner, clusters.turns[p] * shift + clusters.shifts[p] - inner * clusters.shifts[q]


@compiled
def _share(
    shapes: Shapes, clusters: Clusters, p: int, q: int, turn: complex, shift: complex, rules: Rules
) -> float:
    turn, shift = _between(clusters, p, q, turn, shift)
    return shared(
        shapes,
        clusters,
        clusters.labels[p],
        clusters.labels[q],
        turn,
        shift,
        rules.tolerance,
        rules.stride,
        rules.most_inside,
    )


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
        joints.worth,
        liking,
        rules,
        len(clusters.labels),
    )
