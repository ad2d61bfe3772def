"""Jigsaws: a rectangle in rows and columns whose inner edges have knobs, each drawn at random.

An edge is three Bezier curves in its own frame: a shoulder, the knob, a shoulder. Edges that come too near to
others are drawn again, smaller and calmer, until none does.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from shapely import Polygon

from sherd.core.arrays import Floats
from sherd.core.errors import ArgumentError, InvalidPolygonError
from sherd.generation.network import tangled

MOST_PIECES = 1024
# Points on each of the three curves of an edge.
POINTS = 14
# Half the width of a knob's neck, how far a knob is off the middle and its curves off their usual course, all
# as shares of the edge, and how far corners of pieces stray from the grid, as a share of its spacing.
NECK = (0.075, 0.11)
OFF_MIDDLE, ASTRAY, CORNERS_ASTRAY = 0.08, 0.03, 0.04
# Edges keep this share of the grid's smaller spacing from each other, but for NEAR_END points at either end.
CLEARANCE, NEAR_END = 0.03, 4
FADING = 0.85
REDRAWS = 60
# Pieces longer than this, relative to their width, are none of a jigsaw.
LONGEST = 2.5


@dataclass(frozen=True, kw_only=True)
class JigsawParams:
    """How many rows and columns, and whether all edges are alike, so that only paint tells pieces apart."""

    rows: int = 4
    columns: int = 6
    alike: bool = False

    def __post_init__(self) -> None:
        if self.rows < 1 or self.columns < 1 or not 2 <= self.rows * self.columns <= MOST_PIECES:
            raise ArgumentError(
                f"a jigsaw has 2 to {MOST_PIECES:,} pieces, not {self.rows} rows of {self.columns}"
            )


def rows_and_columns(pieces: int, width: float, height: float) -> tuple[int, int]:
    """The rows and columns of a jigsaw of this many ``pieces``, as near to squares as can be.

    >>> rows_and_columns(24, 3.0, 2.0), rows_and_columns(100, 1.0, 1.0)
    ((4, 6), (10, 10))
    """

    def length(rows: int) -> float:
        """How much longer than wide a piece is, or wider than long."""
        ratio = (width / (pieces // rows)) / (height / rows)
        return max(ratio, 1.0 / ratio)

    rows = min((rows for rows in range(1, pieces + 1) if pieces % rows == 0), key=length, default=0)
    if rows == 0 or length(rows) > LONGEST:
        raise ArgumentError(
            f"{pieces} pieces do not make rows and columns of a jigsaw: try a number with more divisors"
        )
    return rows, pieces // rows


def jigsaw_outlines(target: Polygon, params: JigsawParams, rng: np.random.Generator) -> list[Floats]:
    """The pieces in place, as counter-clockwise rings (n, 2), row by row from the bottom left."""
    if target.interiors or target.area < target.envelope.area * (1.0 - 1e-9):
        raise InvalidPolygonError("only an upright rectangle is made into a jigsaw")
    rows, columns = params.rows, params.columns
    corners, spacing = _corners(target, params, rng)
    # Inner edges: those that run along rows, (rows - 1) x columns, then up columns, rows x (columns - 1).
    level = np.stack([corners[1:-1, :-1], corners[1:-1, 1:]], axis=2).reshape(-1, 2, 2)
    upright = np.stack([corners[:-1, 1:-1], corners[1:, 1:-1]], axis=2).reshape(-1, 2, 2)
    ends = np.concatenate([level, upright])
    curves = _knobbed(ends, spacing, 0.0, None) if params.alike else _curves(ends, spacing, rng)
    across = curves[: len(level)].reshape(rows - 1, columns, curves.shape[1], 2)
    up = curves[len(level) :].reshape(rows, columns - 1, curves.shape[1], 2)

    def edge(curves: Floats, row: int, column: int, start: Floats, end: Floats) -> Floats:
        """The curve between two corners, or on the border of the target the straight line."""
        inside = 0 <= row < curves.shape[0] and 0 <= column < curves.shape[1]
        return curves[row, column] if inside else np.stack([start, end])

    pieces: list[Floats] = []
    for row in range(rows):
        for column in range(columns):
            a, b = corners[row, column], corners[row, column + 1]
            d, c = corners[row + 1, column], corners[row + 1, column + 1]
            bottom, top = edge(across, row - 1, column, a, b), edge(across, row, column, d, c)
            left, right = edge(up, row, column - 1, a, d), edge(up, row, column, b, c)
            pieces.append(np.concatenate([bottom[:-1], right[:-1], top[:0:-1], left[:0:-1]]))
    return pieces


def _corners(target: Polygon, params: JigsawParams, rng: np.random.Generator) -> tuple[Floats, float]:
    """Where four pieces meet, (rows + 1, columns + 1, 2), and the smaller spacing of the grid."""
    low_x, low_y, high_x, high_y = target.bounds
    x, y = np.linspace(low_x, high_x, params.columns + 1), np.linspace(low_y, high_y, params.rows + 1)
    corners = np.stack(np.meshgrid(x, y), axis=-1)
    spacing = float(min(x[1] - x[0], y[1] - y[0]))
    if params.alike:
        return corners, spacing
    astray = CORNERS_ASTRAY * spacing * rng.uniform(-1.0, 1.0, corners.shape)
    astray[:, [0, -1], 0] = 0.0  # corners on the border stay on it
    astray[[0, -1], :, 1] = 0.0
    return corners + astray, spacing


def _curves(ends: Floats, spacing: float, rng: np.random.Generator) -> Floats:
    """Knobbed edges (E, P, 2) between pairs of corners (E, 2, 2), none of them too near to another."""
    curves = np.empty((len(ends), 3 * POINTS + 1, 2))
    again = np.ones(len(ends), dtype=bool)
    for redraw in range(REDRAWS):
        curves[again] = _knobbed(ends[again], spacing, FADING**redraw, rng)
        if not len(ends):
            return curves
        again = tangled(list(curves), CLEARANCE * spacing, NEAR_END)
        if not again.any():
            return curves
    raise InvalidPolygonError("no knobs were found that keep clear of each other")


def _knobbed(ends: Floats, spacing: float, fade: float, rng: np.random.Generator | None) -> Floats:
    """Edges (E, P, 2) with a knob to either side; ``fade`` is how far they may differ from the usual one.

    Where nothing is random, all knobs are on one side.
    """
    count = len(ends)
    chord = ends[:, 1] - ends[:, 0]
    length = np.hypot(chord[:, 0], chord[:, 1])
    if rng is None:
        neck, side, middle = np.full(count, np.mean(NECK)), np.ones(count), np.full(count, 0.5)
        first, high, lean, last = np.zeros((4, count))
    else:
        neck = np.mean(NECK) + (rng.uniform(*NECK, count) - np.mean(NECK)) * fade
        side = rng.choice([-1.0, 1.0], count)
        middle = 0.5 + OFF_MIDDLE * fade * rng.uniform(-1.0, 1.0, count)
        first, high, lean, last = ASTRAY * fade * rng.uniform(-1.0, 1.0, (4, count))
    # The knob is as large as the grid is wide across it: a long edge has long shoulders.
    scale = spacing / length

    def at(along: Floats, across: Floats) -> Floats:
        return np.stack([along, across * side * scale], axis=-1)

    zero = np.zeros(count)
    base, top = high, high + 3.0 * neck
    left, right = middle - neck * scale, middle + neck * scale
    controls = np.stack(
        [
            at(zero, zero),
            at(zero + 0.2, first),
            at(middle + (lean + 0.05) * scale, base - neck),
            at(left, base + neck),
            at(middle - (2.0 * neck + lean) * scale, top),
            at(middle + (2.0 * neck - lean) * scale, top),
            at(right, base + neck),
            at(middle + (lean - 0.05) * scale, base - neck),
            at(zero + 0.8, last),
            at(zero + 1.0, zero),
        ],
        axis=1,
    )  # (E, 10, 2), along and across in units of the chord
    share = np.arange(POINTS)[:, None] / POINTS
    weights = np.concatenate(
        [(1 - share) ** 3, 3 * share * (1 - share) ** 2, 3 * share**2 * (1 - share), share**3], axis=1
    )
    curves = np.concatenate([weights @ controls[:, 3 * k : 3 * k + 4] for k in range(3)], axis=1)
    across = np.stack([-chord[:, 1], chord[:, 0]], axis=-1)
    points = ends[:, :1] + curves[..., :1] * chord[:, None] + curves[..., 1:] * across[:, None]
    points[:, 0] = ends[:, 0]
    return np.concatenate([points, ends[:, 1:]], axis=1)
