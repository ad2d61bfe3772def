"""Clusters taken for single pieces: their whole outlines show joints that no two pieces show.

Where both sides of a cut were cut again, pieces along it meet without a common corner, and a stretch that
tells may run over several of them. What is put together has the outline whole again; and about pieces that
lie in the target, the holes that are left do.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray
from shapely import MultiPolygon, Polygon, affinity
from shapely.geometry.base import BaseGeometry

from sherd.core.geometry import Region, Rotations, difference, polygons_in, union
from sherd.solvers.contours.clusters import Clusters, are_near
from sherd.solvers.contours.contact import contact, corner_worth
from sherd.solvers.contours.joints import Joints, allowed, find_joints
from sherd.solvers.contours.params import ContoursParams
from sherd.solvers.contours.scene import Scene, make_scene
from sherd.solvers.stop import Stop

SPECK = 0.02  # units of area: a smaller hole is none
ANY_TURN = Rotations(None)


@dataclass(frozen=True)
class _Fused:
    """An outline in the frame of a cluster, and the pieces that make it."""

    outline: Region
    members: list[int]


def joints_of_clusters(
    scene: Scene,
    clusters: Clusters,
    closing: float,
    params: ContoursParams,
    *,
    rotations: Rotations,
    stop: Stop,
) -> Joints:
    """Joints between pieces of different clusters, found along the outlines of these.

    Gaps within a cluster that are narrower than twice ``closing`` are none. Two single pieces are not looked
    at again.
    """
    own, holes = _fused(scene, clusters, closing)
    every = [*own, *holes]
    count = len(own)
    pairs = np.array(
        [
            (a, b)
            for a, b in (*np.ndindex(count, count), *((count, k) for k in range(count * len(holes))))
            if (a == count or a < b) and len(every[a].members) + len(every[b].members) > 2
        ],
        dtype=np.int64,
    )
    if not len(pairs):
        return Joints.none()
    longer = replace(
        params,
        window_lengths=params.fused_window_lengths,
        joints_per_pair=params.fused_joints,
        straight=params.fused_straight,
    )
    wide = make_scene(
        [one.outline for one in own if isinstance(one.outline, Polygon)],
        holes[0].outline if holes else None,
        longer,
        tolerance=scene.tolerance,
        unit=1.0,
    )
    found = find_joints(wide, pairs, longer, rotations=ANY_TURN, stop=stop)
    return allowed(_between_pieces(scene, clusters, every, found, params, stop), rotations, params)


def _fused(scene: Scene, clusters: Clusters, closing: float) -> tuple[list[_Fused], list[_Fused]]:
    """Clusters as outlines, and the holes that are left in the target, if there are any."""
    own: list[_Fused] = []
    holes: list[_Fused] = []
    for label in np.unique(clusters.labels).tolist():
        members: list[int] = np.flatnonzero(clusters.labels == label).tolist()
        if scene.has_target and members[-1] == scene.pieces:
            placed = union_of(scene, clusters, members[:-1], closing)
            left = difference(_moved(scene, clusters, scene.pieces), placed)
            parts = [part for part in polygons_in(_opened(left, closing)) if part.area > SPECK]
            if parts:
                holes.append(_Fused(MultiPolygon(parts), members))
        else:
            parts = polygons_in(union_of(scene, clusters, members, closing))
            if parts:
                own.append(_Fused(Polygon(max(parts, key=lambda part: part.area).exterior), members))
    return own, holes


def _moved(scene: Scene, clusters: Clusters, piece: int) -> Region:
    """A piece in the frame of its cluster."""
    turn, shift = clusters.turns[piece], clusters.shifts[piece]
    matrix = [turn.real, -turn.imag, turn.imag, turn.real, shift.real, shift.imag]
    return affinity.affine_transform(scene.polygons[piece], matrix)


def union_of(scene: Scene, clusters: Clusters, members: list[int], closing: float) -> BaseGeometry:
    """The pieces of a cluster as one, seams between them closed."""
    if len(members) == 1:
        return _moved(scene, clusters, members[0])
    placed = [_moved(scene, clusters, piece).buffer(closing, join_style="mitre") for piece in members]
    return union(placed).buffer(-closing, join_style="mitre")


def _opened(left: BaseGeometry, closing: float) -> BaseGeometry:
    """Without what is narrower than twice ``closing``."""
    return left.buffer(-closing, join_style="mitre").buffer(closing, join_style="mitre")


def _between_pieces(
    scene: Scene, clusters: Clusters, every: list[_Fused], found: Joints, params: ContoursParams, stop: Stop
) -> Joints:
    """Joints of clusters as those of their pieces that touch: all that do for long, or the best.

    The best joints come first, in case ``stop`` says so.
    """
    middles = clusters.turns * scene.shapes.centres + clusters.shifts
    rows: list[tuple[int, int, complex, complex, NDArray[np.float64]]] = []
    numbers: list[tuple[int, int]] = np.stack([found.first, found.second], axis=1).tolist()
    for k, (first, second) in enumerate(numbers):
        if k and stop(0):
            break
        turn, shift = complex(found.turns[k]), complex(found.shifts[k])
        here: list[tuple[int, int, complex, complex, NDArray[np.float64]]] = []
        ours, theirs = np.array(every[first].members), np.array(every[second].members)
        apart = np.abs(middles[ours][:, None] - (turn * middles[theirs] + shift))
        reach = scene.shapes.radii[ours][:, None] + scene.shapes.radii[theirs] + 2.0 * scene.tolerance
        near = (apart < reach) | scene.shapes.outer[ours][:, None]
        for p, others in zip(every[first].members, near, strict=True):
            back = complex(clusters.turns[p]).conjugate()
            for q in theirs[others].tolist():
                t = back * turn * complex(clusters.turns[q])
                s = back * (turn * complex(clusters.shifts[q]) + shift - complex(clusters.shifts[p]))
                a, b = p, q
                if a > b and a < scene.pieces:
                    a, b, t = q, p, t.conjugate()
                    s = -t * s
                if are_near(scene.shapes, a, b, t, s, scene.tolerance):
                    what = contact(scene.shapes, a, b, t, s, scene.tolerance, 1)
                    corners = corner_worth(what.corners)
                    here.append((a, b, t, s, np.array([what.worth + corners, *what[1:6], corners])))
        here.sort(key=lambda row: -row[4][0])
        rows += here[:1] + [row for row in here[1:] if row[4][0] > params.least_worth]
    if not rows:
        return Joints.none()
    return Joints(
        np.array([row[0] for row in rows]),
        np.array([row[1] for row in rows]),
        np.array([row[2] for row in rows]),
        np.array([row[3] for row in rows]),
        np.array([row[4] for row in rows]),
        np.zeros(len(rows)),
    )
