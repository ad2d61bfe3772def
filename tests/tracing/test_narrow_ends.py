"""Narrow ends in binary masks."""

from __future__ import annotations

import shapely
from hypothesis import given, settings
from hypothesis import strategies as st
from shapely import Polygon

from sherd.core.geometry import TAU, Pose
from sherd.core.grid import Grid
from sherd.tracing.raster import binary, masks
from sherd.tracing.vectorise import vectorise

GRID = Grid.centred((0.0, 0.0), 1.0 / 128.0, 160)


@settings(max_examples=30)
@given(st.floats(0.0, TAU), st.floats(2.0, 4.0), st.floats(2.0, 4.0), st.floats(-0.004, 0.004))
def test_narrow_ends_of_binary_masks_are_not_drawn_out(
    theta: float, one_px: float, other_px: float, x: float
) -> None:
    one, other = one_px * GRID.pixel / 2.0, other_px * GRID.pixel / 2.0
    strip = Pose(x, 0.0, theta).apply(Polygon([(-0.2, -one), (0.2, -other), (0.2, other), (-0.2, one)]))
    found = vectorise(binary(masks([strip], GRID)[0]), GRID)
    assert shapely.hausdorff_distance(found, strip) < 2.0 * GRID.pixel
