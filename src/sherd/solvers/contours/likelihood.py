"""How likely joints are to be right: a logistic function of what was measured along them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sherd.solvers.contours.joints import Joints
from sherd.solvers.contours.scene import Scene

# Weights of the features below: fitted to 80,023 joints, 1,703 of them right, of jagged, wavy, worn, bowed
# and mixed squares and of jigsaws, 8 to 64 pieces, seeds 645 and 646, with a target and without.
WEIGHTS = np.array([-4.44, 9.23, 1.61, -1.858, -64.127, 4.664, 15.358])


def features(scene: Scene, joints: Joints) -> NDArray[np.float64]:
    """What tells right joints from false ones, shape (J, 7).

    A constant; what the joint is worth; the telling length; the root mean square distance in tolerances;
    the overlap; by how much it beats, or falls behind, the best other joint of its two pieces; and what
    closed loops bear out.
    """
    worth = joints.worth - joints.measures[:, 6]  # of equal edges there are many by chance
    best = np.zeros(len(scene.outlines))
    second = np.zeros(len(scene.outlines))
    for piece, value in zip(
        np.concatenate([joints.first, joints.second]).tolist(),
        np.concatenate([worth, worth]).tolist(),
        strict=True,
    ):
        if value > best[piece]:
            best[piece], second[piece] = value, best[piece]
        elif value > second[piece]:
            second[piece] = value
    ahead = np.full(len(worth), np.inf)
    for ends in (joints.first, joints.second):
        rival = np.where(worth >= best[ends], second[ends], best[ends])
        margin = np.where(ends < scene.pieces, worth - rival, np.inf)
        ahead = np.minimum(ahead, margin)
    return np.stack(
        [
            np.ones(len(worth)),
            worth,
            joints.measures[:, 2],
            np.sqrt(joints.measures[:, 3]) / scene.tolerance,
            joints.measures[:, 4],
            np.where(np.isfinite(ahead), ahead, 0.0),
            joints.support,
        ],
        axis=1,
    )


def likelihoods(scene: Scene, joints: Joints) -> NDArray[np.float64]:
    """The likelihood of each joint, (J,)."""
    return 1.0 / (1.0 + np.exp(-np.clip(features(scene, joints) @ WEIGHTS, -30.0, 30.0)))
