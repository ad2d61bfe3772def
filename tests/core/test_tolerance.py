"""Tolerances from how far corners are off."""

from __future__ import annotations

import pytest

from sherd.core.tolerance import EXACT, LEAST_DEPTH, Tolerance


@pytest.mark.parametrize(("off", "depth"), [(1e-8, LEAST_DEPTH), (1e-3, LEAST_DEPTH), (0.01, 0.02)])
def test_the_depth_is_twice_as_far_and_never_nothing(off: float, depth: float) -> None:
    assert Tolerance.of_corners(off) == Tolerance(seam=off, depth=depth)


def test_exact_is_the_tightest_that_rounding_allows() -> None:
    assert EXACT.seam == 1e-8
    assert EXACT.depth == LEAST_DEPTH
