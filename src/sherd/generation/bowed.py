"""Bowed targets: cut in two along an arc of a circle, and each part again."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from shapely import Polygon

from sherd.core.arrays import Floats
from sherd.core.errors import ArgumentError
from sherd.generation.breaking import Line, break_until, check_pieces, outline_of, step_for

MOST_BOW = 0.45
# The flattest arcs have this share of the largest bow.
FLATTEST = 0.3


@dataclass(frozen=True, kw_only=True)
class BowedParams:
    """How many pieces, and how far an arc may rise, as a share of its chord."""

    pieces: int = 8
    bow: float = 0.2

    def __post_init__(self) -> None:
        check_pieces(self.pieces)
        if not 0.0 < self.bow <= MOST_BOW:
            raise ArgumentError(f"bow must be above 0 and at most {MOST_BOW}, not {self.bow}")


def bowed_outlines(target: Polygon, params: BowedParams, rng: np.random.Generator) -> list[Floats]:
    """The pieces in place, as counter-clockwise rings (n, 2)."""

    def draw() -> Line:
        rise = params.bow * rng.uniform(FLATTEST, 1.0) * rng.choice([-1.0, 1.0])
        return lambda start, end, step, fade: arc(start, end, rise * fade, step)

    return break_until([outline_of(target)], params.pieces, step_for(target, params.pieces), draw, rng)


def arc(start: Floats, end: Floats, rise: float, step: float) -> Floats:
    """An arc (n, 2) that rises to the left of its chord by a share of its length, at most a half.

    >>> arc(np.array([0.0, 0.0]), np.array([2.0, 0.0]), 0.5, 9.0).round(9).tolist()
    [[0.0, 0.0], [1.0, 1.0], [2.0, 0.0]]
    """
    half = 2.0 * math.atan(2.0 * rise)  # half the angle that the arc spans
    count = 2 * max(1, math.ceil(float(np.hypot(*(end - start))) / step / 2.0)) + 1
    angle = np.linspace(-half, half, count)
    along = (1.0 + np.sin(angle) / math.sin(half)) / 2.0
    across = (np.cos(angle) - math.cos(half)) / (2.0 * math.sin(half))
    chord = end - start
    points = start + along[:, None] * chord + across[:, None] * np.array([-chord[1], chord[0]])
    points[0], points[-1] = start, end
    return points
