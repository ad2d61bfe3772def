"""Curves as straight lines."""

from __future__ import annotations

import numpy as np
import shapely
from hypothesis import given
from hypothesis import strategies as st

from sherd.io.drawings.curves import Arc, Cubic


@given(st.lists(st.floats(-100, 100), min_size=8, max_size=8), st.floats(1e-3, 1.0))
def test_chords_stay_within_the_tolerance(values: list[float], tolerance: float) -> None:
    curve = Cubic(np.reshape(values, (4, 2)))
    chords = shapely.LineString(np.concatenate([curve.points[:1], curve.flattened(tolerance)]))
    fine = shapely.MultiPoint(curve.flattened(1e-9))
    assert max(chords.distance(point) for point in list(fine.geoms)[::20]) <= tolerance * 1.001
    back = Cubic(curve.points[::-1]).flattened(tolerance)[::-1]
    assert np.allclose(back[1:], curve.flattened(tolerance)[:-1], atol=1e-9)


def test_an_arc_beyond_all_measure_is_flattened_nevertheless() -> None:
    arc = Arc.ellipse((0.0, 0.0), 1e150, 1e150)
    assert len(arc.flattened(1e-300)) >= 1
