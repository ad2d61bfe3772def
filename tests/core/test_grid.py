"""Where the world meets pixels."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st

from sherd.core.grid import Grid

numbers = st.floats(-100.0, 100.0)


@given(x=numbers, y=numbers, left=numbers, top=numbers, pixel=st.floats(0.01, 10.0))
def test_there_and_back(x: float, y: float, left: float, top: float, pixel: float) -> None:
    grid = Grid(64, left, top, pixel)
    np.testing.assert_allclose(grid.to_world(grid.to_pixels([x, y])), [x, y], atol=1e-9)


def test_rows_run_down_and_columns_to_the_right() -> None:
    grid = Grid(10, left=2.0, top=7.0, pixel=0.5)
    assert grid.to_pixels([[2.0, 7.0], [3.0, 6.0]]).tolist() == [[0.0, 0.0], [2.0, 2.0]]
    assert grid.to_world([10.0, 10.0]).tolist() == [7.0, 2.0]


@pytest.mark.parametrize("margin", [0.0, 3.0])
def test_a_grid_around_a_shape_just_holds_it_in_the_middle(margin: float) -> None:
    shape = shapely.box(1.0, 2.0, 5.0, 4.0)
    grid = Grid.around(shape, 40, margin)
    corners = grid.to_pixels(shapely.get_coordinates(shape))
    assert corners[:, 0].min() == pytest.approx(margin)
    assert corners[:, 0].max() == pytest.approx(40.0 - margin)
    assert corners[:, 1].min() + corners[:, 1].max() == pytest.approx(40.0)
