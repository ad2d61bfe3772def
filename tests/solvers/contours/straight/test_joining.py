"""Merging clusters corner to corner."""

from __future__ import annotations

import numpy as np
import shapely
import shapely.affinity

from sherd.solvers.contours.clusters import singles
from sherd.solvers.contours.straight.corners import corners_of, edge_joints
from sherd.solvers.contours.straight.joining import borne_out, merge_edges
from sherd.solvers.stop import MaxEvaluations


def test_three_pieces_about_a_corner_bear_each_other_out_and_are_merged() -> None:
    first = shapely.Polygon([(0, 0), (1.7, 0), (1.2, 0.9), (0, 1.3)])
    second = shapely.Polygon([(1.7, 0), (3, 0), (3, 2), (1.9, 2), (1.2, 0.9)])
    third = shapely.Polygon([(0, 1.3), (1.2, 0.9), (1.9, 2), (0, 2)])
    pieces = [shapely.affinity.rotate(piece, 50 * k) for k, piece in enumerate((first, second, third))]
    corners = corners_of(pieces, 1.0, 0.002, 0.05)
    joints = np.stack(edge_joints(corners, 0.02, partial=False, least=0.05), axis=1)
    liking = borne_out(corners, joints, 0.02, False, MaxEvaluations(1))
    assert (liking > 2.0).sum() == 3
    clusters = singles(3)
    merge_edges(corners, clusters, joints, liking, 0.02, False)
    assert len(set(clusters.labels.tolist())) == 1
    turns = clusters.turns * np.exp(1j * np.radians([0.0, 50.0, 100.0]))
    assert np.abs(turns - turns[0]).max() < 1e-6
