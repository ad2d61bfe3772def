"""Which edges of pieces lie on one line, seen from where pieces lie, if nothing else tells it.

Edges that face each other along some of their length are the two banks of a cut, or lie on a side of the
target. The nearest are taken to be in line first, until there are as many lines as sides and cuts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from sherd.core.arrays import Floats, Ints
from sherd.core.geometry import Pose
from sherd.solvers.search.beliefs.edge_lines import Lines

# Cosine: edges in line that face each other are turned against each other by no more. Not swept.
FACING = 0.3


def seen_lines(outlines: Sequence[Floats], poses: Mapping[int, Pose], target: Floats) -> Lines | None:
    """The line of each edge of each piece; None where there are not enough edges in line."""
    rings = [target, *(poses[number].points(outline) for number, outline in enumerate(outlines))]
    owner = np.repeat(np.arange(len(rings)) - 1, [len(ring) for ring in rings])
    begin = np.concatenate(rings)
    end = np.concatenate([np.roll(ring, -1, axis=0) for ring in rings])
    first, second, off = _facing(owner, begin, end)
    line = np.arange(len(owner))
    on: list[set[int]] = [{own} for own in owner.tolist()]
    left = len(owner) - (len(target) + len(outlines) - 1)
    for k in np.argsort(off, kind="stable").tolist():
        if left == 0:
            break
        one, other = sorted((int(line[first[k]]), int(line[second[k]])))
        if one == other or on[one] & on[other]:
            continue
        on[one] |= on[other]
        line[line == other] = one
        left -= 1
    if left:
        return None
    numbers = {side: side for side in range(len(target))}
    every = [numbers.setdefault(one, len(numbers)) for one in line.tolist()]
    at = np.cumsum([len(ring) for ring in rings])
    return tuple(
        tuple(every[begin:end]) for begin, end in zip(at[:-1].tolist(), at[1:].tolist(), strict=True)
    )


def _facing(owner: Ints, begin: Floats, end: Floats) -> tuple[Ints, Ints, Floats]:
    """Pairs of edges that may be in line, and how far they are from that, squared."""
    along = end - begin
    length = np.hypot(along[:, 0], along[:, 1])
    along = along / length[:, None]
    first, second = np.nonzero(np.triu(owner[:, None] != owner, 1))
    # A piece runs along the target's side as that runs, and against its neighbours.
    direction = np.where(owner < 0, -1.0, 1.0)[first]
    keep = -direction * (along[first] * along[second]).sum(axis=1) > FACING
    first, second = first[keep], second[keep]
    is_longer = (owner[first] < 0) | (length[first] >= length[second])
    longer, shorter = np.where(is_longer, first, second), np.where(is_longer, second, first)
    axis = along[longer]
    normal = np.stack([-axis[:, 1], axis[:, 0]], axis=1)
    ends = [point[shorter] - begin[longer] for point in (begin, end)]
    across = np.stack([(one * normal).sum(axis=1) ** 2 for one in ends]).sum(axis=0)
    at = np.sort(np.stack([(one * axis).sum(axis=1) for one in ends]), axis=0)
    overlap = np.minimum(at[1], length[longer]) - np.maximum(at[0], 0.0)
    return first, second, across + np.minimum(overlap, 0.0) ** 2
