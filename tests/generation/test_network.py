"""Networks of lines: their faces, and which are in each other's way."""

from __future__ import annotations

import numpy as np

from sherd.generation.network import faces, tangled
from sherd.generation.shapes import named_shape

SQUARE, DISC = named_shape("square").outline, named_shape("disc").outline


def test_lines_in_each_others_way_are_found() -> None:
    lines = [np.array(line) for line in ([[0, 0], [1, 1.0]], [[0, 1], [1, 0.0]], [[0, 0], [0, 1.0]])]
    assert tangled(lines).tolist() == [True, True, False]
    assert tangled(lines[1:]).tolist() == [False, False]  # they share an end


def test_loose_ends_and_vertices_on_straight_edges_are_left_out() -> None:
    lines = [np.array([[0.5, -1.0], [0.5, 2.0]]), np.array([[-1.0, 0.5], [0.6, 0.5]])]
    assert sorted(map(len, faces(lines, SQUARE))) == [4, 4, 4]
