"""Facts about outlines: angles, edges, and which corners look alike."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from shapely import Polygon

from sherd.core.geometry import Pose, Rotations
from sherd.solvers.search.tiling.facts import clean_rings, gather_corners, gather_pieces

SLACK = 1e-8
RING = Polygon([(0, 0), (3, 0), (3, 3), (0, 3)], [[(1, 1), (1, 2), (2, 2), (2, 1)]])
KITE = Polygon([(0, 0), (1, -0.3), (1.4, 0.5), (0.2, 0.9)])


def test_insides_are_to_the_left_so_that_all_turns_add_up_to_one() -> None:
    (rings,) = clean_rings([RING], SLACK)
    facts = gather_corners(rings)
    turns = np.pi - facts.angle
    outline, hole = (turns[facts.begins[k] : facts.begins[k + 1]].sum() for k in range(2))
    assert outline == pytest.approx(2.0 * np.pi)
    assert hole == pytest.approx(-2.0 * np.pi)
    assert np.array_equal(facts.after[facts.before], np.arange(8))
    assert np.allclose(np.hypot(*facts.direction.T), 1.0)


def test_corners_along_a_straight_edge_are_none() -> None:
    many = shapely.segmentize(KITE, 0.1)
    ((ring,),) = clean_rings([many], SLACK)
    assert len(shapely.get_coordinates(many)) > 20
    assert Polygon(ring).symmetric_difference(KITE).area < 1e-9
    assert len(ring) == 4


@pytest.mark.parametrize(
    ("rotations", "alike"), [(Rotations(None), True), (Rotations(4), True), (Rotations(1), False)]
)
def test_a_turned_copy_looks_alike_where_it_may_be_turned(rotations: Rotations, alike: bool) -> None:
    turned = Pose(theta=np.pi / 2.0).apply(KITE)
    mirrored, pieces = gather_pieces([KITE, turned], [rotations] * 2, SLACK, [False, False])
    assert mirrored == [False, False]
    assert (set(pieces.orbit[:4]) == set(pieces.orbit[4:])) == alike
    assert (pieces.key[0] == pieces.key[1]) == alike


def test_a_piece_that_may_be_turned_over_has_its_mirror_image_too() -> None:
    mirrored, pieces = gather_pieces([KITE, KITE], [Rotations(None)] * 2, SLACK, [True, False])
    assert mirrored == [False, False, True]
    assert pieces.begins.tolist() == [0, 4, 8, 12]
    assert pieces.piece.tolist() == [0] * 4 + [1] * 4 + [0] * 4
    assert sorted(pieces.angle[:4]) == pytest.approx(sorted(pieces.angle[8:]))
    assert not set(pieces.orbit[:4]) & set(pieces.orbit[4:8])  # only one of the two may be turned over


def test_pieces_that_may_be_turned_otherwise_are_not_alike() -> None:
    square = shapely.box(-1, -1, 1, 1)
    _, pieces = gather_pieces([square, square], [Rotations(None), Rotations(1)], SLACK, [False, False])
    assert len(set(pieces.orbit[:4].tolist())) == 1  # freely turned, all corners are the same
    assert len(set(pieces.orbit[4:].tolist())) == 4
    assert not set(pieces.orbit[:4].tolist()) & set(pieces.orbit[4:].tolist())
    assert pieces.key[0] != pieces.key[1]
    assert pieces.bins.tolist() == [0, 1]
