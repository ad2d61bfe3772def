"""The conventions of the code that the paper's authors released."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

from sherd.generation.fragmentation import FragmentationParams, generate_arrays
from sherd.generation.released_code import LIFT, removal_order, vertex_means
from sherd.generation.shapes import named_shape

ROW = np.array([[[[k, 0.0], [k + 1.0, 0.0], [k + 1.0, 1.0], [k, 1.0]] for k in range(3)]]) / 3.0
COLUMN = ROW[..., ::-1][:, :, ::-1]


def test_the_order_goes_by_the_mean_of_the_vertices_that_are_real() -> None:
    triangle = np.array([[[[0.0, 0.0], [3.0, 0.0], [0.0, 3.0], [0.0, 3.0]]]])
    assert vertex_means(triangle, np.array([[3]])).tolist() == [[[1.0, 1.0]]]
    square, kind = named_shape("square"), FragmentationParams(pieces=8, order="released")
    found = generate_arrays(square, kind, seed=0, stop=100)
    placed = found.vertices + found.poses[:, :, None, :2]
    heights = np.take_along_axis(vertex_means(placed, found.corners)[..., 1], found.order, axis=1)
    assert (np.diff(heights, axis=1) >= -1e-12).all()
    ours = generate_arrays(square, FragmentationParams(pieces=8), seed=0, stop=100)
    assert np.array_equal(ours.vertices, found.vertices)
    assert 0 < (ours.order != found.order).any(axis=1).sum() < 100


@pytest.mark.parametrize("shape", ["square", "pentagon", "released-hexagon"])
def test_a_random_order_can_be_taken_away_upwards_backwards(shape: str) -> None:
    kind = FragmentationParams(pieces=8, order="released-random")
    found = generate_arrays(named_shape(shape), kind, seed=0, stop=40)
    outlines = shapely.polygons(found.vertices + found.poses[:, :, None, :2])
    free = 0
    for puzzle, order in zip(outlines, found.order, strict=True):
        assert sorted(order) == list(range(8))
        for k in range(8):
            lifted = shapely.transform(puzzle[order[k]], lambda points: points + np.array([0.0, LIFT]))
            free += shapely.disjoint(lifted, puzzle[order[:k]]).all()
    assert free > 0.95 * 8 * 40  # where none was free, the lowest went
    orders = {tuple(row) for row in found.order.tolist()}
    assert len(orders) > 35


@pytest.mark.parametrize("shape", ["square", "released-hexagon"])
def test_left_and_right_exchanged_the_random_order_is_the_same_and_upside_down_another(shape: str) -> None:
    kind, keys = FragmentationParams(pieces=8), np.random.default_rng(0).random((40, 8, 8))
    found = generate_arrays(named_shape(shape), kind, seed=0, stop=40)
    placed, first = found.vertices + found.poses[:, :, None, :2], found.order
    own = removal_order(placed, keys, first, 1.0)
    assert np.array_equal(removal_order(placed * [-1.0, 1.0], keys, first, 1.0), own)
    assert (removal_order(placed * [1.0, -1.0], keys, first, 1.0) != own).any(axis=1).sum() > 35


def test_pieces_on_top_of_each_other_and_side_by_side() -> None:
    keys = np.random.default_rng(0).random((1, 3, 3))
    lowest_first = np.array([[0, 1, 2]])
    assert removal_order(COLUMN, keys, lowest_first, 1.0).tolist() == [[0, 1, 2]]
    # Neighbours that slide along each other touch, so that none is free, as in the released code.
    assert removal_order(ROW, keys, lowest_first, 1.0).tolist() == [[2, 1, 0]]
