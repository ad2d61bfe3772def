"""Whether parts of a whole hang together by more than straight edges, which lie along any others."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sherd.solvers.contours.closure import TOUCHING, closed_points
from sherd.solvers.contours.clusters import Clusters
from sherd.solvers.contours.params import ContoursParams
from sherd.solvers.contours.scene import Scene

BENT = 1.0  # tolerances that a stretch is off its straight line, root mean square
LEAST_RUN = 0.2  # units: shorter stretches tell nothing
LEAST_BENT = 0.3  # units: of bent stretches that two parts must share to be one


def parts_by_bends(
    scene: Scene, clusters: Clusters, tolerance: float, params: ContoursParams
) -> NDArray[np.int64]:
    """The part of each piece (N,) when only bent stretches join them, counted for parts as a whole."""
    shared = bent_contacts(scene, clusters, max(2.0 * tolerance, params.closing))
    parts = np.arange(scene.pieces)
    while True:
        first, second = np.unravel_index(int(shared.argmax()), shared.shape)
        if shared[first, second] < LEAST_BENT:
            return parts
        parts[parts == second] = first
        shared[first] += shared[second]
        shared[:, first] += shared[:, second]
        shared[second] = 0.0
        shared[:, second] = 0.0
        shared[first, first] = 0.0


def bent_contacts(scene: Scene, clusters: Clusters, closing: float) -> NDArray[np.float64]:
    """How long the bent stretches are that two pieces share, (N, N)."""
    states, others = closed_points(scene.shapes, clusters, closing)
    points, starts = scene.shapes.points, scene.shapes.starts
    found = np.zeros((len(clusters.labels), len(clusters.labels)))
    for piece in range(scene.pieces):
        own = slice(int(starts[piece]), int(starts[piece + 1]))
        with_whom = np.where(states[own] == TOUCHING, others[own], -1)
        begins = np.flatnonzero(np.r_[True, with_whom[1:] != with_whom[:-1]])
        for low, high in zip(begins.tolist(), [*begins[1:].tolist(), len(with_whom)], strict=True):
            length = (high - low) * scene.spacing
            if with_whom[low] >= 0 and length >= LEAST_RUN:
                run = points[own][low:high]
                run = run - run.mean()
                aside = 0.5 * float((np.abs(run) ** 2).mean() - abs((run**2).mean()))
                if aside > (BENT * scene.tolerance) ** 2:
                    found[piece, with_whom[low]] += length
    return np.maximum(found, found.T)[: scene.pieces, : scene.pieces]
