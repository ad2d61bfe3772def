"""Large-neighbourhood search: take some pieces out where they hold least, and merge again (compiled)."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sherd.core.compiled import compiled
from sherd.solvers.contours.clusters import Clusters, bonds, copied, relisted
from sherd.solvers.contours.joints import Joints
from sherd.solvers.contours.merge import Rules, merge
from sherd.solvers.contours.shapes import Shapes

NOISE = 0.3  # on the logarithm of what joints are worth, when merging again
MOST_OUT = 0.7  # of the pieces, at once; mostly fewer
SAME_TURN = 0.05  # radians
SAME_SHIFT = 0.06
LEAST_LIKED = 0.3  # of its worth that a joint just taken apart keeps, at least
HOLDING = 0.02  # a bond worth less holds nothing


class Arrangement(NamedTuple):
    """Clusters and what they are worth: all contact within them, less overlap."""

    clusters: Clusters
    worth: float


@compiled
def worth_of(shapes: Shapes, clusters: Clusters, rules: Rules) -> float:
    pairs, _ = bonds(shapes, clusters, rules.tolerance, rules.stride)
    return pairs.sum() / 2.0


@compiled
def parted(clusters: Clusters, pairs: NDArray[np.float64], out: NDArray[np.bool_]) -> None:
    """Make single pieces of those marked, and clusters of what still holds together, in place."""
    count = len(clusters.labels)
    before = clusters.labels.copy()
    clusters.labels[:] = -1
    stack = np.empty(count, dtype=np.int64)
    for start in range(count):
        if clusters.labels[start] >= 0:
            continue
        clusters.labels[start] = start
        if out[start]:
            continue
        stack[0], height = start, 1
        while height > 0:
            height -= 1
            p = stack[height]
            for q in range(count):
                if clusters.labels[q] < 0 and not out[q] and before[q] == before[p] and pairs[p, q] > HOLDING:
                    clusters.labels[q] = start
                    stack[height] = q
                    height += 1
    relisted(clusters)


@compiled
def loosened(
    shapes: Shapes, clusters: Clusters, rules: Rules, rng: np.random.Generator
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    """Bonds, some of them cut, and the pieces to take out, drawn in one of several ways."""
    count = len(clusters.labels)
    pairs, by_piece = bonds(shapes, clusters, rules.tolerance, rules.stride)
    out = np.zeros(count, dtype=np.bool_)
    most = max(1, int(MOST_OUT * count))
    some = 1 + int(rng.random() ** 2 * most)
    way = rng.random()
    if way < 0.4:  # those that hold least for their outline
        order = np.empty(count)
        for p in range(count):
            length = (shapes.starts[p + 1] - shapes.starts[p]) * shapes.spacing
            order[p] = by_piece[p] / length * np.exp(0.5 * rng.standard_normal())
        for p in np.argsort(order)[:some]:
            out[p] = True
    elif way < 0.7:  # a piece and those about it
        seed = int(rng.random() * count)
        order = np.full(count, np.inf)
        here = clusters.turns[seed] * shapes.centres[seed] + clusters.shifts[seed]
        for p in range(count):
            if clusters.labels[p] == clusters.labels[seed]:
                order[p] = abs(clusters.turns[p] * shapes.centres[p] + clusters.shifts[p] - here)
        for p in np.argsort(order)[:some]:
            if order[p] < np.inf:
                out[p] = True
    else:  # weak bonds
        every = pairs.ravel()
        held = np.sort(every[every > HOLDING])
        if len(held) > 0:
            limit = held[int(rng.random() * 0.7 * len(held))]
            for p in range(count):
                for q in range(p):
                    if pairs[p, q] * np.exp(NOISE * rng.standard_normal()) < limit:
                        pairs[p, q] = 0.0
                        pairs[q, p] = 0.0
    for p in range(count):
        if shapes.outer[p]:
            out[p] = False
    return pairs, out


@compiled
def shaken(
    shapes: Shapes,
    clusters: Clusters,
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    turns: NDArray[np.complex128],
    shifts: NDArray[np.complex128],
    worth: NDArray[np.float64],
    often: NDArray[np.float64],
    rules: Rules,
    rng: np.random.Generator,
) -> tuple[Clusters, float]:
    """Another arrangement near this one: loosened, and merged again with noise on what joints are worth.

    Joints are looked at as ``often`` as said.
    """
    other = copied(clusters)
    pairs, out = loosened(shapes, other, rules, rng)
    parted(other, pairs, out)
    liking = np.empty(len(first))
    noise = NOISE * (0.5 + 1.5 * rng.random())
    for j in range(len(first)):
        liking[j] = np.exp(noise * rng.standard_normal()) if rng.random() < often[j] else 0.0
        a, b = first[j], second[j]
        if clusters.labels[a] == clusters.labels[b] and other.labels[a] != other.labels[b]:
            # What was just taken apart should not always come back the same.
            back = clusters.turns[a].conjugate()
            turned = abs(back * clusters.turns[b] - turns[j])
            if turned < SAME_TURN:
                there = back * (clusters.shifts[b] - clusters.shifts[a])
                centre = shapes.centres[b]
                if abs(there - shifts[j] + (back * clusters.turns[b] - turns[j]) * centre) < SAME_SHIFT:
                    liking[j] *= LEAST_LIKED + (1.0 - LEAST_LIKED) * rng.random()
    merge(shapes, other, first, second, turns, shifts, worth, liking, rules, len(other.labels))
    return other, worth_of(shapes, other, rules)


def shake(
    shapes: Shapes,
    arrangement: Arrangement,
    joints: Joints,
    rules: Rules,
    rng: np.random.Generator,
    bonus: Callable[[Clusters], float],
) -> Arrangement:
    """One step of the search, not yet accepted; ``bonus`` is what an arrangement is worth besides contact."""
    clusters, worth = shaken(
        shapes,
        arrangement.clusters,
        joints.first,
        joints.second,
        joints.turns,
        joints.shifts,
        joints.hope,
        joints.often,
        rules,
        rng,
    )
    return Arrangement(clusters, worth + bonus(clusters))
