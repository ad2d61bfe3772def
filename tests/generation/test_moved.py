"""Vertices that are moved."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
import shapely.affinity

from sherd.generation.moved import moved

BAR = shapely.box(0.0, 0.0, 0.5, 0.25)


def test_vertices_move_as_far_as_said_and_close_ones_together() -> None:
    far = np.hypot(
        *(np.asarray(moved(BAR, 0.01, np.random.default_rng(0)).exterior.coords) - BAR.exterior.coords).T
    )
    assert far == pytest.approx(0.01)
    fine = BAR.segmentize(0.001)
    found = moved(fine, 0.01, np.random.default_rng(0))
    assert len(found.exterior.coords) == len(fine.exterior.coords)
    off = np.hypot(*(np.asarray(found.exterior.coords) - fine.exterior.coords).T)
    assert 0.009 < off.max() <= 0.0100001
    steps = np.hypot(*np.diff(np.asarray(found.exterior.coords), axis=0).T)
    assert steps.max() < 0.002
