"""Where edges and clusters meet."""

from __future__ import annotations

import numpy as np
import shapely

from sherd.solvers.contours.clusters import singles
from sherd.solvers.contours.straight.corners import corners_of
from sherd.solvers.contours.straight.meeting import edges_meet, shared


def test_a_joint_lays_edge_on_edge_and_pieces_beside_each_other() -> None:
    corners = corners_of([shapely.box(0, 0, 1, 2), shapely.box(5, 5, 7, 8)], 1.0, 0.002, 0.05)
    right = int(np.flatnonzero(corners.points[:4] == 1.0)[0])
    below = 4 + int(np.flatnonzero(corners.points[4:] == 5.0 + 5.0j)[0])
    joint = np.array([0, 1, right, below, 0])
    worth, turn, shift = shared(corners, singles(2), corners.points, joint, 0.1, False)
    assert worth > 1.99
    laid = turn * corners.points[4:] + shift
    assert np.isclose(laid.real.min(), 1.0)
    assert np.isclose(laid.imag.min(), 0.0)


def test_edges_meet_at_both_ends_or_at_one() -> None:
    a, b = 0.0 + 0.0j, 2.0 + 0.0j
    whole, to_c, to_d = edges_meet(a, b, 2.0 + 0.01j, 0.0 + 0.01j, 0.1, False)
    assert (to_c, to_d) == (b, a)
    assert 1.9 < whole < 2.0
    assert edges_meet(a, b, 1.0 + 0.0j, 0.0 + 0.0j, 0.1, False)[0] == 0.0
    partial, to_c, to_d = edges_meet(a, b, 1.0 + 0.05j, 0.0 + 0.0j, 0.1, True)
    assert 0.0 < partial < whole
    assert to_d == a
    assert abs(to_c - 1.0) < 0.01
    assert edges_meet(a, b, 0.0 + 0.0j, 1.0 + 0.0j, 0.1, True)[0] == 0.0  # the same way round
