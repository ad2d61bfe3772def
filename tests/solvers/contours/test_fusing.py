"""Clusters matched by their whole outlines."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from numpy.typing import NDArray
from shapely import Polygon, affinity

from sherd.core.geometry import Rotations
from sherd.solvers.contours.clusters import Clusters, relisted, singles
from sherd.solvers.contours.fusing import joints_of_clusters
from sherd.solvers.contours.joints import Joints, find_joints
from sherd.solvers.contours.params import ContoursParams
from sherd.solvers.contours.scene import make_scene, pairs_of
from sherd.solvers.stop import MaxEvaluations

PARAMS = ContoursParams()
FREE, ON = Rotations(None), MaxEvaluations(1)
TARGET = shapely.box(0.0, 0.0, 3.0, 2.0)
# Two rows, cut apart elsewhere: the second piece of the upper and the first of the lower share no corner.
PLACED = [
    Polygon([(0, 1), (0.8, 1), (0.6, 2), (0, 2)]),
    Polygon([(0.8, 1), (3, 1), (3, 2), (0.6, 2)]),
    Polygon([(0, 0), (2.2, 0), (1.9, 1), (0, 1)]),
    Polygon([(2.2, 0), (3, 0), (3, 1), (1.9, 1)]),
]
DEGREES = (0.0, 40.0, 110.0, 200.0)
PIECES = [affinity.rotate(piece, -turn, (0, 0)) for piece, turn in zip(PLACED, DEGREES, strict=True)]


def true_poses(count: int) -> Clusters:
    clusters = singles(count)
    clusters.turns[:4] = np.exp(1j * np.radians(DEGREES))
    return clusters


def labelled(clusters: Clusters, labels: list[int]) -> Clusters:
    clusters.labels[:] = labels
    relisted(clusters)
    return clusters


def are_true(joints: Joints, first: int, second: int) -> NDArray[np.bool_]:
    """Which joints lay the second to the first as it belongs: all pieces turn about the same point."""
    turn = np.exp(1j * np.radians(DEGREES[second] - (DEGREES[first] if first < 4 else 0.0)))
    pair = (joints.first == first) & (joints.second == second)
    return pair & (np.abs(joints.turns - turn) < 0.02) & (np.abs(joints.shifts) < 0.03)


def test_rows_cut_apart_elsewhere_show_how_their_pieces_meet() -> None:
    scene = make_scene(PIECES, None, PARAMS, tolerance=0.003)
    alone = find_joints(scene, pairs_of(scene), PARAMS, rotations=FREE, stop=ON)
    assert not are_true(alone, 1, 2).any()
    rows = labelled(true_poses(4), [0, 0, 2, 2])
    found = joints_of_clusters(scene, rows, 0.006, PARAMS, rotations=FREE, stop=ON)
    assert are_true(found, 1, 2).any()
    assert (found.first < found.second).all()


@pytest.mark.parametrize("left", range(4))
def test_the_last_piece_finds_the_hole_that_is_left(left: int) -> None:
    scene = make_scene(PIECES, TARGET, PARAMS, tolerance=0.003)
    placed = labelled(true_poses(5), [left if piece == left else 4 for piece in range(5)])
    found = joints_of_clusters(scene, placed, 0.006, PARAMS, rotations=FREE, stop=ON)
    assert are_true(found, 4, left).any()
    assert set(np.unique([found.first, found.second], axis=1)[0].tolist()) <= {0, 1, 2, 3, 4}


def test_nothing_put_together_shows_nothing_new() -> None:
    scene = make_scene(PIECES, None, PARAMS, tolerance=0.003)
    found = joints_of_clusters(scene, true_poses(4), 0.006, PARAMS, rotations=FREE, stop=ON)
    assert len(found.first) == 0
