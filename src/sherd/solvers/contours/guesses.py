"""How worn pieces may be: guesses that are weighed by how well joints fit under each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from shapely import Polygon

from sherd.solvers.contours.joints import Joints
from sherd.solvers.contours.outlines import typical_size
from sherd.solvers.contours.params import ContoursParams
from sherd.solvers.contours.scene import Scene, grown


@dataclass(frozen=True)
class Guess:
    """By how much edges are worn, and how far apart outlines that touch may lie, in units.

    Without a tolerance it follows from the grain of the outlines.
    """

    growth: float
    tolerance: float | None = None


def guesses(pieces: Sequence[Polygon], target: Polygon | None, params: ContoursParams) -> list[Guess]:
    """Guesses in the order in which they are to be tried: first that nothing is worn."""
    found = [Guess(0.0)]
    if target is None:
        found += [Guess(growth) for growth in params.growths]
    else:
        growth = growth_that_fills(pieces, target, params)
        if growth > params.least_growth:
            found += [
                Guess(growth),
                Guess(0.7 * growth),
                Guess(growth, 0.5 * params.tolerance_growths * growth),
            ]
    return found


def growth_that_fills(pieces: Sequence[Polygon], target: Polygon, params: ContoursParams) -> float:
    """By how much pieces and target must grow for their areas to be equal, in units, or 0."""
    unit = typical_size(pieces)

    def short(growth: float) -> float:
        wider = sum(grown(piece, growth * unit).area for piece in pieces)
        return grown(target, growth * unit).area - wider

    low, high = 0.0, params.most_growth
    if short(low) <= 0.0 or short(high) >= 0.0:
        return 0.0
    for _ in range(6):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if short(middle) > 0.0 else (low, middle)
    return 0.5 * (low + high)


def evidence(scene: Scene, joints: Joints) -> float:
    """The best joint of each piece, in the mean."""
    best = np.zeros(len(scene.outlines))
    np.maximum.at(best, joints.first, joints.worth)
    np.maximum.at(best, joints.second, joints.worth)
    return float(best[: scene.pieces].mean())
