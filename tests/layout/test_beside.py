"""What lies beside an outline is found without looking at all others."""

from __future__ import annotations

import numpy as np
import shapely
from hypothesis import given
from hypothesis import strategies as st

from sherd.layout.beside import Beside


@given(st.lists(st.tuples(st.floats(0, 9), st.floats(0, 9), st.floats(0.1, 3)), min_size=1, max_size=12))
def test_distances_are_those_to_the_nearest_of_all_others(boxes: list[tuple[float, float, float]]) -> None:
    outlines = [shapely.box(x, y, x + side, y + side) for x, y, side in boxes]
    for k, outline in enumerate(outlines):
        points = np.asarray(shapely.points(shapely.get_coordinates(outline.segmentize(0.5))))
        apart, near = Beside(outlines).distances(k, points)
        others = outlines[:k] + outlines[k + 1 :]
        every = [shapely.distance(points, other) for other in others]
        assert apart.tolist() == np.min([np.full(len(points), np.inf), *every], axis=0).tolist()
        assert {m for m, other in enumerate(outlines) if m != k and other.intersects(outline)} <= set(
            near.tolist()
        )
