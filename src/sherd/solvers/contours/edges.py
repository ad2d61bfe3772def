"""Straight stretches of outlines between corners: what a straight edge tells, it tells by these."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import LinearRing

from sherd.core.geometry import Region
from sherd.solvers.contours.outlines import Ring
from sherd.solvers.contours.params import ContoursParams

BESIDE = 3.0  # spacings: points of an outline so near to a corner know it
NOWHERE = complex(np.inf, np.inf)


class Edges(NamedTuple):
    """The straight stretches of an outline, from corner to corner in its direction (E,)."""

    begins: NDArray[np.complex128]
    ends: NDArray[np.complex128]


def edges_of(outline: tuple[Ring, ...], polygon: Region, tolerance: float, params: ContoursParams) -> Edges:
    """The straight stretches of a piece that are long enough; corners are where the piece itself has them."""
    found: list[NDArray[np.complex128]] = [np.empty((0, 2), dtype=np.complex128)]
    for ring in outline:
        closed = LinearRing(np.stack([ring.points.real, ring.points.imag], axis=1))
        corners = np.asarray(closed.simplify(params.straight * tolerance).coords)
        z = corners[:, 0] + 1j * corners[:, 1]
        pairs = np.stack([z[:-1], z[1:]], axis=1)
        found.append(pairs[np.abs(pairs[:, 1] - pairs[:, 0]) > params.least_edge])
    every = np.concatenate(found)
    raw = shapely.get_coordinates(polygon)
    vertices = raw[:, 0] + 1j * raw[:, 1]
    for k, corner in enumerate(every.ravel().tolist()):
        off = np.abs(vertices - corner)
        at = int(off.argmin())
        if off[at] < params.spacing:  # outlines are smoothed, and their points are where they are
            every.flat[k] = vertices[at]
    return Edges(every[:, 0], every[:, 1])


def corners_beside(outline: tuple[Ring, ...], edges: Edges, spacing: float) -> NDArray[np.complex128]:
    """For each point of an outline (n,), the corner of a straight stretch that it lies beside, or NOWHERE."""
    points = np.concatenate([ring.points for ring in outline])
    found = np.full(len(points), NOWHERE)
    nearest = np.full(len(points), BESIDE * spacing)
    for corner in np.concatenate(edges).tolist():
        off = np.abs(points - corner)
        found[off < nearest] = corner
        nearest = np.minimum(nearest, off)
    return found


def on_edges(outline: tuple[Ring, ...], edges: Edges, tolerance: float) -> NDArray[np.bool_]:
    """For each point of an outline (n,), whether it lies on a straight stretch."""
    points = np.concatenate([ring.points for ring in outline])
    found = np.zeros(len(points), dtype=np.bool_)
    for begin, end in zip(edges.begins.tolist(), edges.ends.tolist(), strict=True):
        along = (points - begin) / (end - begin)
        found |= (along.real > 0.0) & (along.real < 1.0) & (np.abs(along.imag) * abs(end - begin) < tolerance)
    return found
