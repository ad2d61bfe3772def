"""Vertices moved until their pixels are those of a mask."""

from __future__ import annotations

import numpy as np
import pytest

from sherd.core.arrays import Floats
from sherd.tracing.fitting import correct_sides, fit_areas, residual
from sherd.tracing.scanline import add_areas

# Against the clock in a frame whose y points up, as outlines run in pixels.
QUADRILATERAL = np.array([[3.3, 2.6], [2.4, 16.8], [15.1, 18.3], [17.7, 4.2]])
STARTS = np.array([0, 4])


def mask_of(vertices: Floats) -> Floats:
    mask = np.zeros((20, 20))
    add_areas(vertices, STARTS, 0, 0, mask)
    return mask


def test_the_exact_areas_lead_back_to_the_exact_corners() -> None:
    mask = mask_of(QUADRILATERAL)
    assert mask.max() == pytest.approx(1.0)
    off = QUADRILATERAL + np.array([[0.3, -0.2], [-0.25, 0.3], [0.2, 0.25], [-0.3, 0.1]])
    assert np.abs(residual(off, STARTS, mask, False)).max() > 0.1
    found = fit_areas(off, STARTS, mask)
    np.testing.assert_allclose(found, QUADRILATERAL, atol=1e-4)


def test_black_and_white_pixels_end_on_their_side_of_one_half() -> None:
    mask = np.where(mask_of(QUADRILATERAL) >= 0.5, 1.0, 0.0)
    off = QUADRILATERAL + np.array([[0.4, 0.0], [0.0, 0.4], [-0.4, 0.0], [0.0, -0.4]])
    assert np.abs(residual(off, STARTS, mask, True)).sum() > 0.0
    found = correct_sides(off, STARTS, mask)
    assert np.abs(residual(found, STARTS, mask, True)).sum() == 0.0
    assert np.abs(found - off).max() < 1.5


def test_what_is_right_moves_by_a_small_part_of_a_pixel() -> None:
    mask = np.where(mask_of(QUADRILATERAL) >= 0.5, 1.0, 0.0)
    right = correct_sides(QUADRILATERAL, STARTS, mask)
    assert np.abs(right - QUADRILATERAL).max() < 0.2
