"""Parts of a whole that only straight edges join, and that could lie turned in their place.

A part between straight cuts that looks the same when it is turned fits both ways, and little tells
which is right.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from shapely import affinity
from shapely.geometry.base import BaseGeometry

from sherd.core.geometry import symmetric_difference
from sherd.solvers.contours.bends import parts_by_bends
from sherd.solvers.contours.clusters import Clusters, copied
from sherd.solvers.contours.fusing import union_of
from sherd.solvers.contours.params import ContoursParams
from sherd.solvers.contours.scene import Scene

TURNS_DEG = (180.0, 120.0, 90.0)
SAME = 2.0  # tolerances that an outline and itself turned are apart, on average, and still the same
MOST_PARTS = 10  # more have too many sets to look at


def turned_otherwise(
    scene: Scene, clusters: Clusters, tolerance: float, params: ContoursParams
) -> Iterator[Clusters]:
    """The same pieces with some parts, of two pieces and more together, turned where they lie."""
    parts = parts_by_bends(scene, clusters, tolerance, params)
    placed = np.flatnonzero(clusters.labels[: scene.pieces] == clusters.labels[-1])
    own = [placed[parts[placed] == name] for name in np.unique(parts[placed])]
    if not 1 < len(own) <= MOST_PARTS:
        return
    for count in range(1, len(own)):
        for chosen in itertools.combinations(own, count):
            members = np.concatenate(chosen)
            if len(members) > 1 and _may_look_the_same(scene, clusters, members, SAME * tolerance):
                whole = union_of(scene, clusters, members.tolist(), tolerance)
                for turn in TURNS_DEG:
                    if _looks_the_same(whole, turn, SAME * tolerance):
                        yield _turned(clusters, members, whole, turn)


def _may_look_the_same(scene: Scene, clusters: Clusters, members: NDArray[np.int64], apart: float) -> bool:
    """A quick look: of whatever looks the same turned, this moment about its middle is zero."""
    rings: list[NDArray[np.complex128]] = [
        clusters.turns[p] * scene.outlines[p][0].points + clusters.shifts[p] for p in members.tolist()
    ]
    steps = np.concatenate([np.roll(ring, -1) - ring for ring in rings])
    at = np.concatenate(rings) + 0.5 * steps
    # By Green's theorem a sum over the area of z^a conj(z)^b is one along outlines.
    area = (at.conj() * steps).sum() / 2j
    at = at - (at.conj() * at * steps).sum() / 2j / area
    moment = (at**2 * at.conj() ** 2 * steps).sum() / 4j
    return bool(abs(moment) < apart * np.abs(steps).sum() * np.abs(at).max() ** 3)


def _looks_the_same(whole: BaseGeometry, turn_deg: float, apart: float) -> bool:
    """Whether a shape turned about its middle is the shape again."""
    turned = affinity.rotate(whole, turn_deg, whole.centroid)
    return symmetric_difference(whole, turned).area < apart * whole.length


def _turned(clusters: Clusters, members: NDArray[np.int64], whole: BaseGeometry, turn_deg: float) -> Clusters:
    """Some pieces turned about the middle of what they make."""
    other, middle = copied(clusters), complex(whole.centroid.x, whole.centroid.y)
    turn = np.exp(1j * np.radians(turn_deg))
    other.turns[members] *= turn
    other.shifts[members] = turn * (other.shifts[members] - middle) + middle
    return other
