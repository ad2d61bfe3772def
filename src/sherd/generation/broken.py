"""Broken targets: torn along fractal lines, jagged or wavy, with some straight cuts among them if asked."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from shapely import Polygon

from sherd.core.arrays import Floats
from sherd.core.errors import ArgumentError
from sherd.generation.breaking import Line, break_until, check_pieces, outline_of, step_for
from sherd.generation.fractal import JAGGED, check_roughness, fractal_line


@dataclass(frozen=True, kw_only=True)
class BrokenParams:
    """How many pieces, and what their edges are like.

    roughness  how far the middle of a stretch strays, as a share of its length: .1 is jagged, .03 wavy
    straight   the share of breaks that are straight cuts instead
    """

    pieces: int = 8
    roughness: float = JAGGED
    straight: float = 0.0

    def __post_init__(self) -> None:
        check_pieces(self.pieces)
        check_roughness(self.roughness)
        if not 0.0 <= self.straight <= 1.0:
            raise ArgumentError(f"straight must be between 0 and 1, not {self.straight}")


def broken_outlines(target: Polygon, params: BrokenParams, rng: np.random.Generator) -> list[Floats]:
    """The pieces in place, as counter-clockwise rings (n, 2)."""

    def draw() -> Line:
        roughness = 0.0 if rng.random() < params.straight else params.roughness
        return lambda start, end, step, fade: fractal_line(start, end, roughness * fade, step, rng)

    return break_until([outline_of(target)], params.pieces, step_for(target, params.pieces), draw, rng)
