"""Outlines as evenly spaced points: smoothed along the arc, with normals, for matching stretches of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import Polygon

from sherd.core.geometry import Region

Floats = NDArray[np.float64]
Complexes = NDArray[np.complex128]

FINER = 3  # raw outlines are first sampled this many times as densely as the spacing
MOST_RAW = 30_000
MOST_POINTS = 8_000
LEAST_POINTS = 12


@dataclass(frozen=True)
class Ring:
    """A closed outline, evenly spaced: points (n,) and outward unit normals (n,), as complex numbers.

    The inside lies to the left of its direction.
    """

    points: Complexes
    normals: Complexes

    def reversed(self) -> Ring:
        """The same outline with inside and outside exchanged."""
        return Ring(self.points[::-1].copy(), -self.normals[::-1])


def outline_of(polygon: Region, *, spacing: float, smoothing: float) -> tuple[Ring, ...]:
    """The rings of a shape, an exterior first, smoothed over ``smoothing`` of arc and resampled."""
    rings = shapely.get_rings(shapely.orient_polygons(shapely.get_parts(polygon)))
    found = (_ring_of(np.asarray(ring.coords)[:, :2], spacing, smoothing) for ring in rings)
    return tuple(ring for ring in found if ring is not None)


def _ring_of(coordinates: Floats, spacing: float, smoothing: float) -> Ring | None:
    corners = coordinates[:, 0] + 1j * coordinates[:, 1]
    raw = _evenly(corners, spacing / FINER, MOST_RAW)
    if raw is None:
        return None
    length = float(np.abs(np.diff(raw, append=raw[:1])).sum())
    frequency = np.fft.fftfreq(len(raw), length / len(raw))
    damping = np.exp(-0.5 * (2.0 * math.pi * smoothing * frequency) ** 2)
    smooth = np.fft.ifft(np.fft.fft(raw) * damping)
    points = _evenly(np.append(smooth, smooth[:1]), spacing, MOST_POINTS)
    if points is None or len(points) < LEAST_POINTS:
        return None
    ahead = np.roll(points, -1) - np.roll(points, 1)
    size = np.abs(ahead)
    if not (size > 0.0).all():
        return None
    return Ring(points, -1j * ahead / size)


def _evenly(closed: Complexes, spacing: float, most: int) -> Complexes | None:
    """Points at equal steps along a closed chain, or None where it has no length."""
    steps = np.abs(np.diff(closed))
    along = np.concatenate([[0.0], np.cumsum(steps)])
    length = float(along[-1])
    if not length > 0.0:
        return None
    count = min(max(LEAST_POINTS, round(length / spacing)), most)
    at = np.arange(count) * (length / count)
    return np.interp(at, along, closed.real) + 1j * np.interp(at, along, closed.imag)


def typical_size(pieces: Sequence[Polygon]) -> float:
    """The root of the mean area of the pieces: the unit of every length here."""
    return math.sqrt(sum(piece.area for piece in pieces) / max(1, len(pieces)))


def has_outline(polygon: Region) -> bool:
    """Whether a shape has an area and an outline that can be followed."""
    size = math.sqrt(polygon.area) if polygon.area > 0.0 else 0.0
    return size > 0.0 and bool(outline_of(polygon, spacing=size / 16, smoothing=0.0))
