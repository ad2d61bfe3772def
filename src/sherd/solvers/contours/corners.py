"""Joints of straight edges: a straight stretch tells where it lies only by the corners at its ends."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from sherd.solvers.contours.edges import Edges
from sherd.solvers.contours.params import ContoursParams
from sherd.solvers.contours.scene import Scene
from sherd.solvers.contours.screen import Candidates, together


def corner_candidates(scene: Scene, pairs: NDArray[np.int64], params: ContoursParams) -> Candidates:
    """For pairs of pieces (P, 2), straight stretches laid on each other, corner to corner at either end.

    The nearer their lengths, the likelier.
    """
    edges = scene.edges
    found: list[Candidates] = []
    has_edges = np.array([len(own.begins) > 0 for own in edges])
    numbers: list[tuple[int, int]] = pairs[has_edges[pairs].all(axis=1)].tolist()
    for first, second in numbers:
        found += _laid(first, second, edges[first], edges[second], scene)
    every = together(found)
    if len(every.first) > params.most_corner_candidates:
        least = np.partition(every.likeness, -params.most_corner_candidates)[-params.most_corner_candidates]
        every = every.chosen(every.likeness >= least)
    return every


def _laid(first: int, second: int, a: Edges, b: Edges, scene: Scene) -> Sequence[Candidates]:
    i, j = (index.ravel() for index in np.indices((len(a.begins), len(b.begins))))
    along, other = (a.ends - a.begins)[i], (b.ends - b.begins)[j]
    turns = -along / other
    turns /= np.abs(turns)
    sizes = np.abs(along), np.abs(other)
    likeness = -np.abs(sizes[0] - sizes[1]) / np.minimum(*sizes)
    whole = np.full(len(i), first), np.full(len(i), second)
    start = scene.shapes.starts
    points = np.full(len(i), start[first]), np.full(len(i), start[second])
    return [
        Candidates(*whole, *points, turns, corner - turns * met, likeness)
        for corner, met in ((a.begins[i], b.ends[j]), (a.ends[i], b.begins[j]))
    ]
