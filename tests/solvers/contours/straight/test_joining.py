"""Merging clusters corner to corner."""

from __future__ import annotations

import numpy as np
import shapely
import shapely.affinity

from sherd.solvers.contours.clusters import singles
from sherd.solvers.contours.straight.corners import corners_of, edge_joints
from sherd.solvers.contours.straight.joining import CORNERS_AT_ONCE, borne_out, merge_edges
from sherd.solvers.stop import MaxEvaluations


def test_three_pieces_about_a_corner_bear_each_other_out_and_are_merged() -> None:
    first = shapely.Polygon([(0, 0), (1.7, 0), (1.2, 0.9), (0, 1.3)])
    second = shapely.Polygon([(1.7, 0), (3, 0), (3, 2), (1.9, 2), (1.2, 0.9)])
    third = shapely.Polygon([(0, 1.3), (1.2, 0.9), (1.9, 2), (0, 2)])
    pieces = [shapely.affinity.rotate(piece, 50 * k) for k, piece in enumerate((first, second, third))]
    corners = corners_of(pieces, 1.0, 0.002, 0.05)
    joints = np.stack(edge_joints(corners, 0.02, partial=False, least=0.05), axis=1)
    liking, _ = borne_out(corners, joints, 0.02, False, MaxEvaluations(1))
    assert (liking > 2.0).sum() == 3
    clusters = singles(3)
    merge_edges(corners, clusters, joints, liking, 0.02, False, MaxEvaluations(1))
    assert len(set(clusters.labels.tolist())) == 1
    turns = clusters.turns * np.exp(1j * np.radians([0.0, 50.0, 100.0]))
    assert np.abs(turns - turns[0]).max() < 1e-6


class Asked:
    """Says stop at a question, by its number, and counts them."""

    def __init__(self, at: int) -> None:
        self.at, self.questions = at, 0

    def __call__(self, evaluations: int) -> bool:
        self.questions += 1
        return self.questions >= self.at


def test_pieces_of_many_corners_are_asked_about_often() -> None:
    wheel = shapely.Point(0, 0).buffer(1.0, quad_segs=75)
    corners = corners_of([wheel, wheel], 1.0, 1e-9, 0.05)
    joints = np.stack(edge_joints(corners, 0.002, partial=False, least=0.01), axis=1)[:1500]
    pairs_of_corners = len(joints) * (len(corners.points) // 2) ** 2
    never = Asked(10**9)
    liking, alone = borne_out(corners, joints, 0.002, False, never)
    assert never.questions >= pairs_of_corners // CORNERS_AT_ONCE - 1 > 3
    assert not alone.unknown.any()
    known, spared = [singles(2), singles(2)], Asked(10**9)
    merge_edges(corners, known[0], joints, liking, 0.002, False, never)
    merge_edges(corners, known[1], joints, liking, 0.002, False, spared, alone)
    assert spared.questions < 3
    assert all((one == other).all() for one, other in zip(*known, strict=True))
    stopped = singles(2)
    merge_edges(corners, stopped, joints, liking, 0.002, False, Asked(1))
    assert stopped.labels.tolist() == [0, 1]
    assert borne_out(corners, joints, 0.002, False, Asked(1))[1].unknown.any()
