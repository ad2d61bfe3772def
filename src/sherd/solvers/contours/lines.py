"""Straight lines along which an arrangement could be taken apart: all pieces lie on one side or the other.

What was cut straight through may lie together wrongly along such a line, each side right in itself.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sherd.solvers.contours.clusters import Clusters
from sherd.solvers.contours.compact import Outer

ACROSS = 2.0  # how far pieces may reach across a line, as a multiple of how near edges lie to a hull


def sides_of_lines(clusters: Clusters, outer: Outer) -> list[NDArray[np.bool_]]:
    """For each line along an edge that parts the pieces, which lie on one side, (N,): each parting once."""
    count = len(outer.hulls)
    rows = np.repeat(np.arange(count), [len(hull) for hull in outer.hulls])
    hulls = clusters.turns[rows] * np.concatenate(outer.hulls) + clusters.shifts[rows]
    firsts = np.flatnonzero(np.r_[True, rows[1:] != rows[:-1]])
    found: dict[bytes, NDArray[np.bool_]] = {}
    for piece, edges in enumerate(outer.edges[:count]):
        begins = clusters.turns[piece] * edges.begins + clusters.shifts[piece]
        ends = clusters.turns[piece] * edges.ends + clusters.shifts[piece]
        for begin, end in zip(begins.tolist(), ends.tolist(), strict=True):
            along = (end - begin) / abs(end - begin)
            off = ((hulls - begin) * np.conj(along)).imag
            low, high = np.minimum.reduceat(off, firsts), np.maximum.reduceat(off, firsts)
            reach = ACROSS * outer.reach
            is_left = low > -reach
            if is_left.any() and not is_left.all() and (high[~is_left] < reach).all():
                side = is_left if is_left[0] else ~is_left
                found.setdefault(side.tobytes(), side)
    return list(found.values())
