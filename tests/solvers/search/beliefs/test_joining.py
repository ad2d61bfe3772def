"""Conditioning corners on a joint: the Kalman update, against numpy's plain linear algebra."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sherd.core.arrays import Floats
from sherd.core.geometry import Pose
from sherd.solvers.search.beliefs.joining import condition, edge_statistics, merge

LEFT = np.array([[0.0, 0.0], [0.4, 0.0], [0.6, 1.0], [0.0, 1.0]])
RIGHT = np.array([[0.4, 0.0], [1.0, 0.0], [1.0, 1.0], [0.6, 1.0]])
CUT, OTHER_CUT = 1, 3


def misfits(corners: Floats) -> Floats:
    """Of the cut's length and the angles at its ends, (3,)."""
    values: list[Floats] = []
    for ring in (corners[:4], corners[4:]):
        found, covariances = np.empty((4, 4)), np.empty((4, 4, 4))
        edge_statistics(np.ascontiguousarray(ring), np.eye(8), found, covariances)
        values.append(found)
    one, other = values[0][CUT], values[1][OTHER_CUT]
    return np.array([one[0] - other[0], one[1] + other[2] - math.pi, one[2] + other[1] - math.pi])


@pytest.mark.parametrize("seed", range(5))
def test_conditioning_is_the_kalman_update(seed: int) -> None:
    rng = np.random.default_rng(seed)
    corners = np.concatenate([LEFT, RIGHT]) + rng.normal(size=(8, 2)) * 1e-3
    root = rng.normal(size=(16, 16)) * 1e-2
    covariance = root @ root.T
    step = 1e-6
    slopes = np.stack(
        [(misfits(corners + step * unit.reshape(8, 2)) - misfits(corners)) / step for unit in np.eye(16)],
        axis=1,
    )
    off = misfits(corners)
    gain = covariance @ slopes.T @ np.linalg.inv(slopes @ covariance @ slopes.T)
    expected = corners - (gain @ off).reshape(8, 2), covariance - gain @ slopes @ covariance
    condition(corners, covariance, 4, CUT, OTHER_CUT, np.append(off, 0.0), 3)
    assert np.allclose(corners, expected[0], atol=1e-5)
    assert np.allclose(covariance, expected[1], atol=1e-5)
    assert np.abs(misfits(corners)).max() < 1e-2 * max(1e-3, np.abs(off).max())


def test_merging_leaves_the_corners_that_are_not_the_cuts() -> None:
    corners = np.concatenate([LEFT, Pose(0.3, -0.2, 1.0).points(RIGHT)])
    whole, covariance, pose = np.empty((4, 2)), np.empty((8, 8)), np.empty(3)
    merge(corners, np.eye(16) * 1e-6, 4, CUT, OTHER_CUT, math.nan, whole, covariance, pose)
    assert np.allclose(whole, [[0.0, 1.0], [0.0, 0.0], [1.0, 0.0], [1.0, 1.0]])
    assert np.allclose(Pose(pose[0], pose[1], pose[2]).points(corners[4:]), RIGHT)
    assert np.allclose(covariance, covariance.T)
    assert np.all(np.linalg.eigvalsh(covariance) > 0.0)
