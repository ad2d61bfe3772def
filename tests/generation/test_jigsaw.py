"""Jigsaws: rows, columns and knobs."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from shapely import Polygon

from sherd.generation.dataset import PuzzleKind, make_samples
from sherd.generation.fracture import fracture_outlines
from sherd.generation.jigsaw import JigsawParams, rows_and_columns


def test_a_jigsaw_of_a_thousand_pieces_has_no_two_edges_alike() -> None:
    rings = fracture_outlines(
        shapely.box(0, 0, 40, 25), JigsawParams(rows=25, columns=40), np.random.default_rng(0)
    )
    assert len(rings) == 1000
    areas = np.array([Polygon(ring).area for ring in rings])
    assert areas.sum() == pytest.approx(1000.0)
    assert 0.5 < areas.min() < areas.max() < 1.6
    knobs = {tuple(np.diff(ring[:20], axis=0).ravel().round(6)) for ring in rings[40:]}
    assert len(knobs) == 960


def test_rows_and_columns_need_a_number_that_has_divisors() -> None:
    assert rows_and_columns(1000, 40.0, 25.0) == (25, 40)
    with pytest.raises(ValueError, match="17 pieces do not make rows and columns"):
        rows_and_columns(17, 1.0, 1.0)


@pytest.mark.parametrize("pieces", [6, 24, 100, 500, 1000])
def test_a_square_becomes_a_jigsaw_of_any_number(pieces: int) -> None:
    (sample,) = make_samples(PuzzleKind(pieces=pieces, dissection="jigsaw"), seed=1, stop=1)
    assert len(sample.puzzle.fragments) == pieces
