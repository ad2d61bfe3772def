"""What the authors' released generator does otherwise (github.com/POSTECH-CVLab/LAGS), as named choices.

Their hexagon stands on a point and is stretched to the unit box. Pieces are ordered by the mean of their
vertices, not by their centroids; and a random order is a random way of taking the pieces away upwards, one
after the other, read backwards. Written anew from what that code does, at its commit 95033d5.
"""

from __future__ import annotations

import numpy as np
import shapely
from shapely import Polygon

from sherd.core.arrays import Floats, Ints
from sherd.core.geometry import LENGTH_TOLERANCE
from sherd.core.proper_polygons import make_polygon

# How far up, relative to the target's size, a piece must be free to go to be taken away.
LIFT = 0.01


def released_hexagon() -> Polygon:
    """A hexagon with a point at the bottom and one at the top, as wide as it is high.

    >>> released_hexagon().area, released_hexagon().bounds
    (0.75, (0.0, 0.0, 1.0, 1.0))
    """
    return make_polygon([[0.5, 0.0], [1.0, 0.25], [1.0, 0.75], [0.5, 1.0], [0.0, 0.75], [0.0, 0.25]])


def vertex_means(polygons: Floats, corners: Ints) -> Floats:
    """The means (P, N, 2) of the vertices of polygons (P, N, V, 2), of which ``corners`` (P, N) are real."""
    real = np.arange(polygons.shape[2], dtype=np.int64) < corners[..., None]
    return (polygons * real[..., None]).sum(axis=2) / corners[..., None]


def removal_order(polygons: Floats, keys: Floats, first_of_all: Ints, size: float) -> Ints:
    """A random order (P, N): pieces taken away upwards, the last one first.

    A piece may go if, lifted a little, it touches none that are left. At step k the one of those with the
    largest of ``keys`` (P, N, N) [:, k] goes; where none is free, the one that comes first in
    ``first_of_all`` (P, N), as in the released code.
    """
    puzzles, pieces = polygons.shape[:2]
    outlines = np.asarray(shapely.polygons(polygons))
    lifted = np.asarray(shapely.polygons(polygons + np.array([0.0, LIFT * size])))
    blocks = shapely.dwithin(lifted[:, :, None], outlines[:, None], size * LENGTH_TOLERANCE)
    blocks = np.asarray(blocks) & ~np.eye(pieces, dtype=bool)
    rank = np.argsort(first_of_all, axis=1)
    every = np.arange(puzzles, dtype=np.int64)
    left = np.ones((puzzles, pieces), dtype=bool)
    taken = np.empty((puzzles, pieces), dtype=np.int64)
    for k in range(pieces):
        free = left & ~(blocks & left[:, None]).any(axis=2)
        lowest = np.where(left, rank, pieces).argmin(axis=1)
        chosen = np.where(free, keys[:, k], -1.0).argmax(axis=1)
        taken[:, k] = np.where(free.any(axis=1), chosen, lowest)
        left[every, taken[:, k]] = False
    return taken[:, ::-1].copy()
