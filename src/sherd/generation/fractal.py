"""Fractal lines: what a crack or a tear looks like, by midpoint displacement."""

from __future__ import annotations

import math

import numpy as np

from sherd.core.arrays import Floats
from sherd.core.errors import ArgumentError

JAGGED, WAVY = 0.1, 0.03
MOST_ROUGHNESS = 0.2


def check_roughness(roughness: float) -> None:
    """`ValueError` unless lines can be so rough."""
    if not 0.0 <= roughness <= MOST_ROUGHNESS:
        raise ArgumentError(f"roughness must be between 0 and {MOST_ROUGHNESS}, not {roughness}")


def fractal_line(
    start: Floats, end: Floats, roughness: float, step: float, rng: np.random.Generator
) -> Floats:
    """A line (n, 2) from one point to another, halved until no stretch is longer than about ``step``.

    Each halving moves the middle across its stretch by a normal draw of ``roughness`` times its length.
    Nothing keeps the line from crossing itself: at a roughness of .1 a few in a hundred do.
    """
    line = np.stack([start, end])
    if roughness <= 0.0:
        return line
    halvings = math.ceil(math.log2(max(float(np.hypot(*(end - start))) / step, 1.0)))
    for _ in range(halvings):
        along = np.diff(line, axis=0)
        across = np.stack([-along[:, 1], along[:, 0]], axis=-1)
        middle = (line[:-1] + line[1:]) / 2.0 + roughness * rng.standard_normal((len(along), 1)) * across
        finer = np.empty((2 * len(line) - 1, 2))
        finer[::2], finer[1::2] = line, middle
        line = finer
    return line
