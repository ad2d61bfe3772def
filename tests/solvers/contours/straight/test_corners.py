"""Corners of pieces, and the edges that may be one."""

from __future__ import annotations

import numpy as np
import shapely
from shapely import Polygon

from sherd.solvers.contours.straight.corners import MOST_PARTNERS, WHOLE, corners_of, edge_joints


def test_edges_as_long_as_each_other_make_joints() -> None:
    pieces = [shapely.box(0, 0, 1, 2), shapely.box(0, 0, 2, 3)]
    corners = corners_of(pieces, 1.0, 0.002, 0.05)
    whole = edge_joints(corners, 0.1, partial=False, least=0.1)
    assert len(whole.first) == 4  # either long side of the one with either short side of the other
    assert set(whole.way.tolist()) == {WHOLE}
    sides = np.abs(corners.points[whole.first_edge + 1] - corners.points[whole.first_edge])
    assert np.allclose(sides, 2.0)
    assert len(edge_joints(corners, 0.1, partial=True, least=0.1).first) == 4 + 2 * 12


def test_a_corner_that_hardly_stands_out_is_none() -> None:
    piece = Polygon([(0, 0), (1, -0.0005), (2, 0), (2, 2), (0, 2)])
    corners = corners_of([piece], 2.0, 0.002, 0.05)
    assert len(corners.points) == 4
    assert shapely.contains_xy(piece, 2 * corners.inner.real, 2 * corners.inner.imag).all()


def test_of_very_many_edges_that_are_alike_some_are_kept_for_each() -> None:
    """Which of them it was, no joint tells, and all of them take long."""
    corners = corners_of([shapely.box(0, 0, 1, 1)] * 64, 1.0, 0.002, 0.05)
    joints = edge_joints(corners, 0.01, partial=False, least=0.1)
    assert len(joints.first) <= MOST_PARTNERS * len(corners.points)
    partners = np.bincount(np.concatenate([joints.first_edge, joints.second_edge]))
    assert len(partners) == len(corners.points)
    assert partners.min() >= MOST_PARTNERS // 2
