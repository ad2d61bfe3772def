"""Whether pieces with straight edges make a whole, and how a whole lies in its target."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from shapely import Polygon
from shapely.geometry.polygon import orient

from sherd.core.geometry import polygons_in
from sherd.solvers.contours.clusters import Clusters
from sherd.solvers.contours.compact import hull_of
from sherd.solvers.contours.straight.corners import Corners
from sherd.solvers.contours.straight.meeting import after

Complexes = NDArray[np.complex128]

FREE = 1.05  # lengths of the convex hull: edges that meet no other are no longer in all
EMPTY = 0.01  # of the hull
EMPTY_TOLERANCES = 0.35  # the same, in tolerances along the hull
LAID_EDGES = 12
LAID_STEPS = 8


def is_whole(corners: Corners, clusters: Clusters, placed: Complexes, tolerance: float) -> bool:
    """Whether all pieces are in one cluster that fills its convex hull, each edge inside along another."""
    if (clusters.labels != clusters.labels[0]).any():
        return False
    hull = hull_of(placed)
    room = hull.area - float(corners.areas.sum())
    if room > max(EMPTY * hull.area, EMPTY_TOLERANCES * tolerance * hull.length):
        return False
    return _free_length(corners, placed, 1.5 * tolerance) < FREE * hull.length + 2.0 * tolerance


def _free_length(corners: Corners, placed: Complexes, tolerance: float) -> float:
    """How long the edges are that lie along no other, wherever along it; short ones do not count."""
    count = len(corners.areas)
    piece = np.repeat(np.arange(count), np.diff(corners.starts))
    following = np.array([after(corners, int(p), k) for k, p in enumerate(piece.tolist())])
    ends = placed[following]
    length = np.abs(ends - placed)
    free = np.where(length < 3.0 * tolerance, 0.0, length)
    for k in np.flatnonzero(free).tolist():
        back = ((ends[k] - placed[k]) / length[k]).conjugate()
        first, last = back * (ends - placed[k]), back * (placed - placed[k])  # others run the other way
        lower, upper = np.maximum(first.real, 0.0), np.minimum(last.real, length[k])
        slope = (last.imag - first.imag) / np.maximum(last.real - first.real, tolerance)
        off = np.maximum(*(np.abs(first.imag + slope * (at - first.real)) for at in (lower, upper)))
        along = (piece != piece[k]) & (upper > lower) & (off < tolerance)
        free[k] = max(free[k] - float((upper - lower)[along].sum()), 0.0)
    return float(free.sum())


def laid_in(target: Polygon, placed: Complexes, tolerance: float) -> tuple[complex, complex]:
    """The turn and the shift that lay corners, placed among each other, into a target (in units)."""
    hull = _edges(hull_of(placed))
    rim = _edges(target)
    best, least = (1.0 + 0.0j, 0.0j), np.inf
    corners = np.asarray(hull_of(placed).exterior.coords) @ np.array([1.0, 1.0j])
    for a, b in hull[np.argsort(-np.abs(hull[:, 1] - hull[:, 0]))][:LAID_EDGES].tolist():
        for c, d in rim.tolist():
            turn = (d - c) / (b - a)
            turn /= abs(turn)
            for shift in (c - turn * a, d - turn * b):
                moved = turn * corners + shift
                there = Polygon(np.stack([moved.real, moved.imag], axis=1))
                outside = there.difference(target).area
                if outside < least:
                    best, least = (turn, shift), outside
    turn, shift = best
    for _ in range(LAID_STEPS):
        z = turn * placed + shift
        at, off = _nearest(z, rim)
        near = off < 2.0 * tolerance
        if near.sum() < 3:
            break
        here, there = z[near], at[near]
        spin = ((here - here.mean()).conj() * (there - there.mean())).sum()
        small = spin / abs(spin) if abs(spin) > 0.0 else 1.0
        turn, shift = small * turn, small * (shift - here.mean()) + there.mean()
    return complex(turn), complex(shift)


def _edges(polygon: Polygon) -> Complexes:
    largest = max(polygons_in(polygon), key=lambda part: part.area)
    ring = np.asarray(orient(largest).exterior.coords)
    z = ring[:, 0] + 1j * ring[:, 1]
    return np.stack([z[:-1], z[1:]], axis=1)


def _nearest(z: Complexes, edges: Complexes) -> tuple[Complexes, NDArray[np.float64]]:
    """The nearest points of edges (E, 2) to points (n,), and how far they are."""
    a, along = edges[:, 0], edges[:, 1] - edges[:, 0]
    share = ((z[:, None] - a) * along.conj()).real / np.abs(along) ** 2
    at = a + np.clip(share, 0.0, 1.0) * along
    off = np.abs(z[:, None] - at)
    best = off.argmin(axis=1)
    rows = np.arange(len(z))
    return at[rows, best], off[rows, best]
