"""Outlines on their way to fitting a mask: rings of vertices, and the small changes that may mend them.

Coordinates are (column, row) of the mask. A change gives bare rings, (vertices, starts), which are still to
be fitted.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
import shapely
from numpy.typing import NDArray

from sherd.tracing.contours import meet

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
Rings = tuple[Floats, Ints]

# Keeps a division by the length of an edge sound where two vertices coincide.
NO_LENGTH_PX = 1e-9


def joined(rings: Sequence[Floats]) -> Rings:
    """Rings (V, 2) each as one array of vertices, and where each begins and the last one ends."""
    return np.concatenate(rings), np.concatenate([[0], np.cumsum([len(ring) for ring in rings])])


@dataclass(frozen=True)
class TracedOutline:
    """Rings as in `sherd.tracing.scanline`, and the squared error of their mask (mismatches if binary)."""

    vertices: Floats
    starts: Ints
    error: float

    def rings(self) -> list[Floats]:
        """The vertices ring by ring."""
        return [self.vertices[begin:end] for begin, end in pairwise(self.starts.tolist())]

    @property
    def perimeter(self) -> float:
        """The length of all rings."""
        return float(sum(shapely.LinearRing(ring).length for ring in self.rings()))

    def neighbours(self, k: int) -> tuple[int, int]:
        """The vertices before and after vertex k on its ring."""
        ring = self._ring_of(k)
        begin, end = int(self.starts[ring]), int(self.starts[ring + 1])
        return (k - 1 if k > begin else end - 1), (k + 1 if k + 1 < end else begin)

    def shorter_edge(self, k: int) -> float:
        """The length of the shorter of the two edges at vertex k."""
        return min(float(np.hypot(*(self.vertices[j] - self.vertices[k]))) for j in self.neighbours(k))

    def nearest_on_edges(self, points: Floats) -> tuple[Floats, Floats]:
        """Distances (P, V) of points from all edges, and the nearest places (P, V, 2) but the very ends."""
        along = self.vertices[[self.neighbours(k)[1] for k in range(len(self.vertices))]] - self.vertices
        to = points[:, None] - self.vertices
        square = np.maximum((along * along).sum(axis=-1), NO_LENGTH_PX**2)
        share = np.clip((along * to).sum(axis=-1) / square, 0.1, 0.9)
        places = self.vertices + share[..., None] * along
        return np.linalg.norm(points[:, None] - places, axis=-1), places

    def split_corner(self, k: int, distance: float) -> Rings:
        """Two vertices for vertex k, some way along its two edges."""
        corner = self.vertices[k]
        ends = [self.vertices[j] - corner for j in self.neighbours(k)]
        pair = [corner + end * min(0.3, distance / _length(end)) for end in ends]
        return self._instead_of(k, np.stack(pair))

    def split_edge(self, at: Floats) -> Rings:
        """One more vertex on the edge nearest to a point."""
        distances, places = self.nearest_on_edges(at[None])
        k = int(distances[0].argmin())
        return self._instead_of(k, np.stack([self.vertices[k], places[0, k]]))

    def without_vertex(self, k: int) -> Rings:
        """All vertices but one."""
        return self._instead_of(k, np.empty((0, 2)))

    def without_edge(self, k: int) -> Rings:
        """One vertex, where the edges beside it meet, for the two ends of the shorter edge at vertex k."""
        before, after = self.neighbours(k)
        to_before, to_after = (self.vertices[j] - self.vertices[k] for j in (before, after))
        if np.hypot(*to_before) < np.hypot(*to_after):
            k, after, before = before, k, self.neighbours(before)[0]
        beyond = self.neighbours(after)[1]
        start, end = self.vertices[k], self.vertices[after]
        first, second = start - self.vertices[before], end - self.vertices[beyond]
        corner = (start + end) / 2.0
        meet(
            np.concatenate([start, first / _length(first)]),
            np.concatenate([end, second / _length(second)]),
            corner,
        )
        vertices, starts = self.without_vertex(k)
        vertices[after - 1 if after > k else after] = corner
        return vertices, starts

    def _ring_of(self, k: int) -> int:
        return int(np.searchsorted(self.starts, k, side="right")) - 1

    def _instead_of(self, k: int, vertices: Floats) -> Rings:
        """All vertices, but these (M, 2) in the place of vertex k."""
        changed = np.concatenate([self.vertices[:k], vertices, self.vertices[k + 1 :]])
        later = np.arange(len(self.starts)) > self._ring_of(k)
        return changed, self.starts + later * (len(vertices) - 1)


def _length(vector: Floats) -> float:
    return max(float(np.hypot(*vector)), NO_LENGTH_PX)
