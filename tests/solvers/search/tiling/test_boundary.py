"""Edges that are left are followed around into rings."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from sherd.solvers.search.tiling.boundary import (
    Remainder,
    Scratch,
    find_edge,
    link_by_start,
    make_remainder,
    make_scratch,
    trace_rings,
)

# A bow tie of two squares that touch in vertex 2: 0-1-2-3 and 2-4-5-6.
PLACES = [(0, 0), (1, 0), (1, 1), (0, 1), (2, 1), (2, 2), (1, 2)]
EDGES = [(0, 1), (1, 2), (2, 3), (3, 0), (2, 4), (4, 5), (5, 6), (6, 2)]


def edges_of(order: list[int]) -> tuple[Scratch, Remainder]:
    scratch, out = make_scratch(32), make_remainder(32)
    scratch.at[: len(PLACES)] = PLACES
    for k, edge in enumerate(order):
        scratch.start[k], scratch.end[k], scratch.alive[k] = *EDGES[edge], True
    return scratch, out


@pytest.mark.parametrize("seed", range(10))
def test_each_edge_is_followed_once_whatever_their_order(seed: int) -> None:
    order = np.random.default_rng(seed).permutation(len(EDGES)).tolist()
    scratch, out = edges_of(order)
    rings = trace_rings(len(EDGES), len(PLACES), 1e-9, scratch, out)
    followed: set[tuple[int, int]] = set()
    for begin, end in pairwise(out.starts[: rings + 1].tolist()):
        corners = [PLACES.index((x, y)) for x, y in out.points[begin:end].tolist()]
        followed |= set(zip(corners, corners[1:] + corners[:1], strict=True))
    assert followed == set(EDGES)
    assert out.starts[rings] == len(EDGES)
    # The corner in which the squares touch is one place, met twice.
    assert (out.same[:8] != np.arange(8)).sum() == 1
    # From any other corner, a ring comes back to where it began before it meets the other square.
    assert rings == (1 if EDGES[order[0]][0] == 2 else 2)


def test_corners_where_a_ring_runs_straight_on_are_left_out() -> None:
    scratch, out = make_scratch(32), make_remainder(32)
    scratch.at[:5] = [(0, 0), (1, 0), (2, 0), (2, 2), (0, 2)]
    for k in range(5):
        scratch.start[k], scratch.end[k], scratch.alive[k] = k, (k + 1) % 5, True
    assert trace_rings(5, 5, 1e-9, scratch, out) == 1
    assert out.starts[1] == 4
    assert [1.0, 0.0] not in out.points[:4].tolist()


def test_edges_are_found_by_their_ends_while_they_are_there() -> None:
    scratch, _ = edges_of(list(range(len(EDGES))))
    link_by_start(len(EDGES), len(PLACES), scratch)
    assert [find_edge(start, end, scratch) for start, end in EDGES] == list(range(len(EDGES)))
    assert find_edge(1, 0, scratch) == -1
    scratch.alive[4] = False
    assert find_edge(2, 4, scratch) == -1
