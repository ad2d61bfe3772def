"""Parts are laid into a region from outside inwards, each leaving a smaller one."""

from __future__ import annotations

import numpy as np
import pytest
from shapely import Polygon

from sherd.core.geometry import Rotations
from sherd.solvers.search.beliefs.inwards import ChartParts, OpenRegion, regions


def test_cuts_that_shorten_an_edge_to_nothing_leave_none_there() -> None:
    hardly = np.nextafter(5.0, 6.0)  # no place between it and 5
    target = np.array([[5.0, 5.0], [6.0, 5.0], [6.0, 6.0], [5.0, 6.0], [5.0, hardly]])
    thorn = np.array([[0.0, 0.0], [0.5, 0.0], [0.0, 0.004]])
    parts = ChartParts(
        corners=np.concatenate([thorn, thorn]),
        begins=np.array([0, 3, 6]),
        words=np.array([[1], [2]]),
        pieces=np.ones(2, dtype=np.int64),
        costs=np.zeros(2),
    )
    start = OpenRegion(target, np.array([7]), 3, 0.0, ())
    found = list(regions(parts, start, Rotations(1), 0.01, most=100, stop=lambda: False))
    assert max(len(region.laid) for region in found) == 2
    for region in found[1:]:
        assert np.linalg.norm(region.corners - np.roll(region.corners, 1, axis=0), axis=1).min() > 1e-9


def test_what_a_part_leaves_has_the_area_that_is_left() -> None:
    halves = [np.array([[0.0, 0.0], [wide, 0.0], [wide, 1.0], [0.0, 1.0]]) for wide in (0.4, 0.6)]
    parts = ChartParts(
        corners=np.concatenate(halves),
        begins=np.array([0, 4, 8]),
        words=np.array([[1], [2]]),
        pieces=np.ones(2, dtype=np.int64),
        costs=np.zeros(2),
    )
    square = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    start = OpenRegion(square, np.array([3]), 2, 0.0, ())
    found = list(regions(parts, start, Rotations(1), 0.001, most=100, stop=lambda: False))
    assert found[0] is start
    for region in found[1:]:
        ((number, _),) = region.laid
        assert region.left == 1
        assert Polygon(region.corners).area == pytest.approx(1.0 - (0.4, 0.6)[number])
    assert {region.laid[0][0] for region in found[1:]} == {0, 1}
