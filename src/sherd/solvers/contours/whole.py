"""Whether an arrangement is finished, and which of its pieces really hold together."""

from __future__ import annotations

import numpy as np
import shapely
from numpy.typing import NDArray

from sherd.solvers.contours.closure import OPEN, TOUCHING, closed_points, closed_shares
from sherd.solvers.contours.clusters import Clusters, bonds, copied, relisted
from sherd.solvers.contours.compact import areas_of, hull_of
from sherd.solvers.contours.params import ContoursParams
from sherd.solvers.contours.scene import Scene

# Pieces that fill this share of the target's area fill it; others that are left over are foreign.
FULL = 0.985
# Without a target: how much longer than its convex hull an assembly's outline may be, and how much of the
# hull it fills.
FREE = 1.06
FILLED = 0.985
# Of many pieces, so much of all outlines may be open within, but of each no more than else, and no nearer to
# the hull than this.
OPEN_WITHIN = 0.01
BESIDE_HULL = 0.1
# Fewer pieces are no whole that others would be strangers to.
LEAST_WHOLE = 3
# Among very many pieces few are looked for, since each look takes as long as there are pieces.
LOOKED_FOR, LEAST_LOOKED_FOR = 1500, 4
# This share of its outline is straighter than as much of what its pieces share.
RIM = 0.8


def is_whole(scene: Scene, clusters: Clusters, tolerance: float, params: ContoursParams) -> bool:
    """Whether all pieces are in one cluster without gaps: about the target, or to a convex outline.

    In a target that is filled some may be left over.
    """
    own = clusters.labels[: scene.pieces] == clusters.labels[-1]
    if not own.all():
        areas = areas_of(scene)
        if not (scene.has_target and areas[: scene.pieces][own].sum() >= FULL * abs(areas[-1])):
            return False
    touched, inside = closed_shares(scene.shapes, clusters, max(2.0 * tolerance, params.closing))
    touched_own, inside_own = touched[: scene.pieces][own], inside[: scene.pieces][own]
    if inside_own.mean() > 1.0 - params.closed:
        return False
    if scene.has_target:
        return bool(
            touched_own.mean() > params.closed
            and touched_own.min() > params.closed_least
            and (own.all() or touched[-1] > params.closed)
        )
    closing = max(2.0 * tolerance, params.closing)
    return _is_convex(scene, clusters, np.arange(scene.pieces), touched, closing, params)


def _is_convex(
    scene: Scene,
    clusters: Clusters,
    members: NDArray[np.int64],
    touched: NDArray[np.float64],
    closing: float,
    params: ContoursParams,
) -> bool:
    """Whether pieces that lie together fill their convex hull, given the share of each that is touched."""
    points, starts = scene.shapes.points, scene.shapes.starts
    placed = [
        clusters.turns[p] * points[starts[p] : starts[p + 1]] + clusters.shifts[p] for p in members.tolist()
    ]
    hull = hull_of(np.concatenate(placed))
    # What is not touched must be the outline of the whole, and no more than that.
    free = float(((1.0 - touched) * np.diff(starts))[members].sum()) * scene.spacing
    if float(areas_of(scene)[members].sum()) <= FILLED * hull.area:
        return False
    if free < FREE * hull.length:
        return True
    every = float(np.diff(starts)[members].sum()) * scene.spacing
    if free > hull.length + OPEN_WITHIN * every:
        return False
    states, _ = closed_points(scene.shapes, clusters, closing)
    corners = shapely.get_coordinates(hull.exterior)
    rim = corners[:, 0] + 1j * corners[:, 1]
    sides = np.diff(rim)
    normals = (1j * sides / np.abs(sides)).conj()
    for piece, place in zip(members.tolist(), placed, strict=True):
        is_open = states[starts[piece] : starts[piece + 1]] == OPEN
        off = np.abs(((place[is_open][:, None] - rim[:-1]) * normals).real).min(axis=1)
        if (off > BESIDE_HULL).sum() > (1.0 - params.closed_least) * len(place):
            return False
    return True


def strangers(scene: Scene, clusters: Clusters, tolerance: float, params: ContoursParams) -> list[int]:
    """The few pieces without which the largest cluster is a whole, parted from it in place, if it is one so.

    They are looked for among those that share least for the length of their outlines.
    """
    labels, counts = np.unique(clusters.labels, return_counts=True)
    largest = int(labels[counts.argmax()])
    kept = copied(clusters)
    lengths = np.diff(scene.shapes.starts) * scene.spacing
    most = min(params.most_strangers * scene.pieces, max(LOOKED_FOR // scene.pieces, LEAST_LOOKED_FOR))
    while True:
        inner = kept.labels == largest
        members, found = np.flatnonzero(inner), np.flatnonzero(~inner)
        if len(found) > most or len(members) < LEAST_WHOLE:
            return []
        if len(found) and is_a_whole(scene, kept, inner, tolerance, params):
            clusters.labels[:] = kept.labels
            relisted(clusters)
            return found.tolist()
        pairs, _ = bonds(scene.shapes, kept, tolerance, 1)
        density = pairs[members].sum(axis=1) / lengths[members]
        least = int(density.argmin())
        if density[least] > params.stranger_held * float(np.median(density)):
            return []
        kept.labels[members[least]] = np.setdiff1d(np.arange(len(kept.labels)), kept.labels)[0]
        relisted(kept)


def is_a_whole(
    scene: Scene, clusters: Clusters, inner: NDArray[np.bool_], tolerance: float, params: ContoursParams
) -> bool:
    """Whether these pieces, a cluster, fill a convex hull without any other, and look so from outside."""
    closing, members = max(2.0 * tolerance, params.closing), np.flatnonzero(inner)
    touched, inside = closed_shares(scene.shapes, clusters, closing)
    return (
        len(members) >= LEAST_WHOLE
        and float(inside[members].mean()) <= 1.0 - params.closed
        and _is_convex(scene, clusters, members, touched, closing, params)
        and _has_a_rim(scene, clusters, inner, closing)
    )


def _has_a_rim(scene: Scene, clusters: Clusters, inner: NDArray[np.bool_], closing: float) -> bool:
    """Whether what is open of these pieces is straighter than what they share, as no broken edge would be."""
    states, _ = closed_points(scene.shapes, clusters, closing)
    own = np.repeat(inner, np.diff(scene.shapes.starts))
    bending = scene.shapes.bending
    free, shared = bending[own & (states == OPEN)], bending[own & (states == TOUCHING)]
    if not (len(free) and len(shared)):
        return False
    # Corners bend, and what lies beside them.
    return float(np.quantile(free, RIM)) < float(np.quantile(shared, 1.0 - RIM))


def holding(scene: Scene, clusters: Clusters, tolerance: float, params: ContoursParams) -> None:
    """Part clusters, in place, where hardly anything holds them together: pieces that do not belong.

    Strong bonds make parts; parts stay together if what they share in all is not little.
    """
    pairs, by_piece = bonds(scene.shapes, clusters, tolerance, 1)
    lengths = np.diff(scene.shapes.starts) * scene.spacing
    held = by_piece[: scene.pieces]
    if not (held > 0.0).any():
        return
    typical = float(np.median(held[held > 0.0]))
    # A small piece has less to share, and one that is enclosed belongs, whatever it shares.
    density = float(np.median((held / lengths[: scene.pieces])[held > 0.0]))
    touched, _ = closed_shares(scene.shapes, clusters, max(2.0 * tolerance, params.closing))
    wanted = params.least_held * density * lengths
    wanted[touched > params.closed_least] = 0.0
    labels = np.arange(len(clusters.labels))
    shared = np.where(clusters.labels[:, None] == clusters.labels[None, :], pairs, 0.0)
    sizes = np.ones(len(labels))
    if scene.has_target:
        wanted[scene.pieces] = params.least_held * typical
    while True:
        several = np.minimum(sizes[:, None], sizes[None, :]) > 1.0
        single = np.where(sizes == 1.0, wanted, np.inf)
        least = np.minimum(single[:, None], single[None, :])
        excess = shared - np.where(several, params.least_held_parts * typical, least)
        excess[shared <= 0.0] = -np.inf
        first, second = np.unravel_index(int(excess.argmax()), excess.shape)
        if not excess[first, second] >= 0.0:
            break
        # The second part becomes one with the first.
        labels[labels == labels[second]] = labels[first]
        sizes[first] += sizes[second]
        shared[first] += shared[second]
        shared[:, first] += shared[:, second]
        shared[second] = 0.0
        shared[:, second] = 0.0
        shared[first, first] = 0.0
    clusters.labels[:] = labels
    relisted(clusters)
