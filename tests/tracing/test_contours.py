from __future__ import annotations

import numpy as np
import pytest

from sherd.tracing.contours import polygon_of_runs, separable_lengths, straight_runs, trace
from sherd.tracing.scanline import signed_area


def test_outlines_and_holes_run_opposite_ways() -> None:
    mask = np.zeros((9, 9))
    mask[2:7, 2:7] = 1.0
    mask[4, 4] = 0.0
    points, inner, starts = trace(mask, 0.5)
    assert starts.tolist() == [0, 4, 24]  # the hole's lower side comes first
    assert signed_area(points[4:]) < 0.0 < signed_area(points[:4])
    assert (mask[inner[:, 1].astype(int), inner[:, 0].astype(int)] == 1.0).all()
    np.testing.assert_array_equal(np.abs(points - inner).sum(axis=1), 0.5)


def test_points_lie_where_the_mask_crosses_the_level() -> None:
    mask = np.zeros((5, 5))
    mask[2, 2], mask[2, 3] = 1.0, 0.25
    points, _, _ = trace(mask, 0.5)
    assert points[:, 0].max() == pytest.approx(2.5 + 0.5 / 0.75)
    assert points[:, 0].min() == pytest.approx(2.0)


def test_pixels_that_touch_at_a_corner_are_joined() -> None:
    mask = np.zeros((6, 6))
    mask[2, 2] = mask[3, 3] = 1.0
    assert len(trace(mask, 0.5)[2]) == 2


@pytest.mark.parametrize("slope", [0.0, 0.03, 0.4, 1.0])
def test_a_digital_line_is_one_separable_run(slope: float) -> None:
    rows, columns = np.mgrid[:60, :60] + 0.5
    mask = (
        (rows < 20.3 + slope * columns) & (rows > 1.0) & (columns > 1.0) & (columns < 38.0) & (rows < 59.0)
    ).astype(np.float64)
    points, inner, _ = trace(mask, 0.5)
    lengths = separable_lengths(points, inner, 0.02)
    bottom = np.flatnonzero(np.abs(points[:, 1] - 20.3 - slope * points[:, 0]) < 0.8)
    assert lengths.max() >= len(bottom) - 2
    assert lengths.max() < len(points)


def test_lines_through_runs_meet_in_the_corners() -> None:
    corners = np.array([[3.0, 3.0], [4.0, 20.0], [25.0, 17.0], [18.0, 2.0]])
    sides = [np.linspace(a, b, 15)[1:-1] for a, b in zip(corners, np.roll(corners, -1, 0), strict=True)]
    chain = np.concatenate(sides)
    runs = straight_runs(chain, np.full(len(chain), len(chain)), 1.0, 1)
    found = polygon_of_runs(chain, runs, 1)
    assert sorted(map(tuple, found.round(6).tolist())) == sorted(map(tuple, corners.tolist()))
