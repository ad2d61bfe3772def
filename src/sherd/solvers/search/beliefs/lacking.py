"""Whether a piece is lost: more area lacks than corners that are off explain.

Charts lay pieces as if they filled the target, and so what lacks for a lost one passes for noise. But what
the areas of all pieces add up to does not change however cuts and poses are moved, so that no fit hides it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from sherd.core.arrays import Floats
from sherd.solvers.search.constants.beliefs import LACKING_BY_CHANCE, SMALL_PIECE


def lacks_a_piece(
    target: Floats, outlines: Sequence[Floats], variance: float, weights: Sequence[Floats] | None = None
) -> bool:
    """Whether outlines (n, 2) lack area of the target's, by more than corners of such a variance explain.

    And by as much as a small piece has. ``weights`` are those of `fit_cuts`.

    >>> square = np.array([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)])
    >>> [lacks_a_piece(square, [0.9 * square], variance) for variance in (0.01**2, 0.1**2)]
    [True, False]
    """
    slopes = [_by_corners(outline).ravel() for outline in outlines]
    if weights is not None:
        slopes = [np.linalg.solve(w.T, slope) for w, slope in zip(weights, slopes, strict=True)]
    spread = math.sqrt(variance * sum(float(slope @ slope) for slope in slopes))
    whole = _area(target)
    small = SMALL_PIECE * whole / (len(outlines) + 1)
    return whole - sum(map(_area, outlines)) > max(LACKING_BY_CHANCE * spread, small)


def _area(outline: Floats) -> float:
    x, y = outline.T
    return float(x @ np.roll(y, -1) - y @ np.roll(x, -1)) / 2.0


def _by_corners(outline: Floats) -> Floats:
    """How the area changes as corners are moved, (n, 2)."""
    across = (np.roll(outline, -1, axis=0) - np.roll(outline, 1, axis=0)) / 2.0
    return np.stack([across[:, 1], -across[:, 0]], axis=1)
