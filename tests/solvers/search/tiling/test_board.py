"""The board is plain arrays, so that compiled code can hold it."""

from __future__ import annotations

import numpy as np
import shapely

from sherd.core.geometry import Rotations
from sherd.solvers.search.tiling.board import KEPT, LISTED, Pieces, RegionCorners, Stack
from sherd.solvers.search.tiling.facts import gather_pieces


def test_each_place_of_a_choice_that_was_put_off_has_a_number_of_its_own() -> None:
    assert LISTED == 0
    assert KEPT == 8  # there is room for one more than the last


def test_no_field_of_the_arrays_is_forgotten() -> None:
    box = shapely.box(0, 0, 1, 2)
    _, pieces = gather_pieces([box, box], [Rotations(None)] * 2, 1e-8, [False, False])
    assert isinstance(pieces, Pieces)
    corners = len(pieces.points)
    for name in ("before", "after", "angle", "length", "variant", "piece", "rare", "orbit"):
        assert len(getattr(pieces, name)) == corners
    assert all(isinstance(field, np.ndarray) for field in pieces)
    assert not set(Stack._fields) & set(RegionCorners._fields)
