"""How outlines lie against each other: what lies in another piece is seen, wherever it lies."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

from sherd.solvers.contours import assemble_contours
from sherd.solvers.contours.contact import contact
from sherd.solvers.contours.params import ContoursParams
from sherd.solvers.contours.scene import make_scene
from sherd.solvers.stop import MaxEvaluations

SQUARE = shapely.box(-1, -1, 1, 1)
TOLERANCE = 0.02


@pytest.mark.parametrize(("shift", "lies_inside"), [(0.0, True), (2.0, False), (2.0 + 1.0j, False)])
def test_a_piece_that_lies_on_another_of_its_shape_is_inside(shift: complex, lies_inside: bool) -> None:
    scene = make_scene([SQUARE, SQUARE], None, ContoursParams(), tolerance=TOLERANCE, growth=0.0)
    unit = 2.0  # the root of the mean area
    what = contact(scene.shapes, 0, 1, 1.0 + 0.0j, shift / unit, TOLERANCE, 1)
    assert (what.inside > 0.5) is lies_inside


@pytest.mark.parametrize("seed", range(3))
def test_no_piece_lies_within_another_whichever_comes_first(seed: int) -> None:
    rng = np.random.default_rng(seed)
    blobs = [
        shapely.Polygon(
            [
                size * (1.0 + 0.2 * rng.random()) * np.array([np.cos(a), np.sin(a)])
                for a in np.arange(0.0, 6.2, 0.2)
            ]
        )
        for size in (0.3, 0.4, 1.0, 1.2)
    ]
    found = assemble_contours(blobs, None, stop=MaxEvaluations(60), rng=np.random.default_rng(seed))
    for group in found.groups:
        laid = [pose.apply(blobs[k]) for k, pose in group.poses.items()]
        for k, one in enumerate(laid):
            for other in laid[:k]:
                assert one.intersection(other).area < 0.2 * min(one.area, other.area)
