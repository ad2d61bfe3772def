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
    rows = np.repeat(np.arange(len(outer.areas)), np.diff(outer.hull_starts))
    hulls = clusters.turns[rows] * outer.hulls + clusters.shifts[rows]
    firsts = outer.hull_starts[:-1]
    owners = np.repeat(np.arange(len(outer.areas)), np.diff(outer.edge_starts))
    begins = clusters.turns[owners] * outer.begins + clusters.shifts[owners]
    ends = clusters.turns[owners] * outer.ends + clusters.shifts[owners]
    found: dict[bytes, NDArray[np.bool_]] = {}
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
