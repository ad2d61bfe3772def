"""Outlines with errors: vertices moved at random, as by an unsteady hand or a poor scan."""

from __future__ import annotations

from typing import cast

import numpy as np
from numpy.typing import NDArray
from shapely import Polygon

from sherd.core.arrays import Floats
from sherd.core.errors import InvalidPolygonError
from sherd.core.geometry import cos_sin

LARGEST_MOVE = 0.1
# Vertices nearer to each other than this many times their error do not move independently: errors in between
# are interpolated, or the outline of a jagged piece would cross itself everywhere.
INDEPENDENT = 5.0
# Errors that make an outline cross itself are drawn again; after DRAWS draws they are made smaller.
DRAWS, SMALLER_DRAWS = 10, 30
SMALLER = 0.8


def moved(outline: Polygon, far: float, rng: np.random.Generator, *, normal: bool = False) -> Polygon:
    """The outline with each vertex moved this far in any direction, or by normal errors in x and in y.

    Normal errors are independent however close the vertices, as the published protocols have them.
    """
    ring = np.asarray(outline.exterior.coords)[:-1]
    for draw in range(DRAWS + SMALLER_DRAWS):
        reach = far * SMALLER ** max(0, draw - DRAWS + 1)
        errors = _errors(ring, reach, rng, normal)
        found = Polygon(ring + errors)
        if found.is_valid and found.exterior.is_ccw == outline.exterior.is_ccw:
            return found
    raise InvalidPolygonError("a piece is too thin for its vertices to be moved")


def _errors(ring: Floats, reach: float, rng: np.random.Generator, normal: bool) -> Floats:
    """How each vertex of a ring (n, 2) is off."""
    if normal:
        return reach * rng.standard_normal(ring.shape)
    step = np.hypot(*(np.roll(ring, -1, axis=0) - ring).T)
    knots = _knots(step, INDEPENDENT * reach)
    errors = reach * np.stack(cos_sin(rng.random(len(knots))), axis=-1)
    if len(knots) == len(ring):
        return errors
    at = np.cumsum(step) - step
    around = float(step.sum())
    x, y = (cast("Floats", np.interp(at, at[knots], errors[:, axis], period=around)) for axis in (0, 1))
    return np.stack([x, y], axis=-1)


def _knots(step: Floats, apart: float) -> NDArray[np.int64]:
    """Vertices of a ring, each as far from the one before as said, from the lengths (n,) of its edges.

    >>> _knots(np.array([1.0, 0.4, 0.4, 0.4, 2.0]), 1.0).tolist()
    [0, 1, 4]
    """
    knots, since = [0], 0.0
    for k, length in enumerate(step[:-1].tolist(), start=1):
        since += length
        if since >= apart:
            knots.append(k)
            since = 0.0
    return np.array(knots)
