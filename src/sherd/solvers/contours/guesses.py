"""How worn and how well known pieces are: guesses, weighed by how joints stand out from chance under each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from shapely import Polygon

from sherd.core.geometry import Region
from sherd.solvers.contours.joints import Joints
from sherd.solvers.contours.outlines import typical_size
from sherd.solvers.contours.params import ContoursParams
from sherd.solvers.contours.scene import Scene, grown
from sherd.solvers.stop import Stop


@dataclass(frozen=True)
class Guess:
    """How far apart outlines that touch may lie, and by how much edges are worn, in units.

    ``weight`` says how likely it is before any joint is seen.
    """

    tolerance: float
    growth: float = 0.0
    weight: float = 1.0


LIKE = 1.5  # two tolerances no further apart than this are one guess


def guesses(
    pieces: Sequence[Polygon], target: Region | None, params: ContoursParams, stop: Stop, pixel: float | None
) -> list[Guess]:
    """Guesses in the order in which they are to be weighed: first that nothing is worn.

    Where pieces were traced from a picture, the size of its ``pixel`` says how well they are known.
    """
    found = [Guess(tolerance) for tolerance in params.tolerances]
    if pixel is not None:
        first = traced_guess(pieces, pixel, params)
        near, far = first.tolerance / LIKE, first.tolerance * LIKE
        found = [first, *(guess for guess in found if not near <= guess.tolerance <= far)]
    growths, weight = params.growths, params.worn_weight
    if target is not None:
        growth = growth_that_fills(pieces, target, params, stop)
        growths, weight = ((growth, 0.7 * growth) if growth > params.least_growth else ()), 1.0
    return found + [Guess(params.wear_tolerance * growth, growth, weight) for growth in growths]


def traced_guess(pieces: Sequence[Polygon], pixel: float, params: ContoursParams) -> Guess:
    """What the size of a pixel says."""
    return Guess(traced_tolerance(pieces, pixel, params), weight=params.traced_weight)


def traced_tolerance(pieces: Sequence[Polygon], pixel: float, params: ContoursParams) -> float:
    """How well outlines are known that were traced from a picture of this ``pixel``, in units."""
    return max(params.pixel_tolerance * pixel / typical_size(pieces), params.tolerances[0])


def growth_that_fills(pieces: Sequence[Polygon], target: Region, params: ContoursParams, stop: Stop) -> float:
    """By how much pieces and target must grow for their areas to be equal, in units, or 0.

    Long outlines take seconds to grow: once ``stop`` says so, no more is worked out.
    """
    unit = typical_size(pieces)

    def short(growth: float) -> float:
        left = grown(target, growth * unit).area
        for piece in pieces:
            if stop(0):
                return 0.0
            left -= grown(piece, growth * unit).area
        return left

    low, high = 0.0, params.most_growth
    if short(low) <= 0.0 or short(high) >= 0.0:
        return 0.0
    for _ in range(6):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if short(middle) > 0.0 else (low, middle)
    return 0.5 * (low + high)


def probes(scene: Scene) -> NDArray[np.int64]:
    """A few pieces with long outlines, which guesses are weighed on."""
    lengths = np.diff(scene.shapes.starts)[: scene.pieces]
    return np.argsort(-lengths, kind="stable")[: 4 + scene.pieces // 16]


def contrast(scene: Scene, joints: Joints, pieces: NDArray[np.int64], params: ContoursParams) -> float:
    """How far the best two joints of pieces stand out, as a multiple of one that is there by chance.

    Joints with the target say little: its edges are mostly straight.
    """
    joints = joints.chosen(joints.first < scene.pieces)
    best: list[float] = []
    chance: list[float] = []
    for piece in pieces.tolist():
        worth = -np.sort(-joints.worth[(joints.first == piece) | (joints.second == piece)])
        best.append(float(worth[:2].mean()) if len(worth) else 0.0)
        chance.append(float(worth[params.rank_of_chance]) if len(worth) > params.rank_of_chance else 0.0)
    return sum(best) / max(sum(chance), params.least_worth * len(pieces))
