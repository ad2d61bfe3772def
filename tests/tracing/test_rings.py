from __future__ import annotations

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from sherd.tracing.rings import TracedOutline, joined

SQUARE = np.array([[0.0, 0.0], [0.0, 8.0], [8.0, 8.0], [8.0, 0.0]])
HOLE = np.array([[2.0, 2.0], [6.0, 2.0], [4.0, 6.0]])


def outline(*rings: np.ndarray) -> TracedOutline:
    return TracedOutline(*joined(rings), error=0.0)


def test_rings_come_back_as_they_were_joined() -> None:
    both = outline(SQUARE, HOLE)
    assert_array_equal(both.starts, [0, 4, 7])
    for found, given in zip(both.rings(), (SQUARE, HOLE), strict=True):
        assert_array_equal(found, given)
    assert both.perimeter == pytest.approx(32.0 + 4.0 + 2.0 * np.hypot(2.0, 4.0))


def test_neighbours_stay_on_the_ring() -> None:
    both = outline(SQUARE, HOLE)
    assert [both.neighbours(k) for k in range(7)] == [
        *((3, 1), (0, 2), (1, 3), (2, 0)),
        *((6, 5), (4, 6), (5, 4)),
    ]


@pytest.mark.parametrize("k", range(7))
def test_without_a_vertex_only_its_ring_is_shorter(k: int) -> None:
    rings = TracedOutline(*outline(SQUARE, HOLE).without_vertex(k), error=0.0).rings()
    expected = (np.delete(SQUARE, k, axis=0), HOLE) if k < 4 else (SQUARE, np.delete(HOLE, k - 4, axis=0))
    for found, wanted in zip(rings, expected, strict=True):
        assert_array_equal(found, wanted)


@pytest.mark.parametrize("k", range(4))
def test_a_corner_that_is_split_is_restored_without_its_edge(k: int) -> None:
    split = TracedOutline(*outline(SQUARE, HOLE).split_corner(k, 1.0), error=0.0)
    assert len(split.rings()[0]) == 5
    assert split.shorter_edge(k) == pytest.approx(np.sqrt(2.0))
    for either_end in (k, k + 1):
        again, starts = split.without_edge(either_end)
        assert_array_equal(starts, [0, 4, 7])
        assert_allclose(sorted(again[:4].tolist()), sorted(SQUARE.tolist()), atol=1e-9)
        assert_array_equal(again[4:], HOLE)


def test_an_edge_is_split_where_a_point_is_nearest() -> None:
    vertices, starts = outline(SQUARE, HOLE).split_edge(np.array([9.0, 3.0]))
    assert_array_equal(starts, [0, 5, 8])
    assert_allclose(vertices[3], [8.0, 3.0])
    distances, places = outline(SQUARE).nearest_on_edges(np.array([[4.0, 1.0]]))
    assert_allclose(distances[0], [4.0, 7.0, 4.0, 1.0], rtol=0.02)
    assert_allclose(places[0, 3], [4.0, 0.0])
