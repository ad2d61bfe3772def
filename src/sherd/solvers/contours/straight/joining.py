"""Merging clusters corner to corner, and bringing them to rest (compiled)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sherd.core.compiled import compiled
from sherd.solvers.contours.clusters import Clusters, copied, joined, singles
from sherd.solvers.contours.improve import parted
from sherd.solvers.contours.loops import support
from sherd.solvers.contours.posegraph import add_equation
from sherd.solvers.contours.straight.corners import Corners
from sherd.solvers.contours.straight.meeting import after, apart, edge_bonds, edges_meet, place, shared
from sherd.solvers.stop import Stop

HOLD = 0.02  # resistance to motion, against one corner's pull
REACH = 1.5  # tolerances: corners that meet within it pull at each other
NOISE = 0.35  # on the logarithm of what joints are worth, when merging again
LEAST_MERGE = 0.15  # what clusters must share to be merged
MOST_OUT = 0.7
LEAST_LIKED = 0.4
LOOP_GAP, LOOP_GAP_TOLERANCES = 0.01, 2.0  # how far the ends of a loop of joints may be apart
LOOP_TURN, LOOP_TURN_TOLERANCES = 0.01, 1.5
LOOP_SHARE = 1.0  # how much more a joint is liked for what the lesser of a loop's other two is worth

# Between two questions whether to stop: pairs of corners of what joints hold, a tenth of a second.
CORNERS_AT_ONCE = 20_000_000


class Alone(NamedTuple):
    """What the two pieces of each joint share (J,), and how the second lies to the first.

    ``unknown`` are those that were not looked at for want of time.
    """

    worth: NDArray[np.float64]
    turns: NDArray[np.complex128]
    shifts: NDArray[np.complex128]
    unknown: NDArray[np.bool_]


class _Merging(NamedTuple):
    """How far merging has come: what the clusters of each joint share (J,), and how they would lie.

    ``due`` are those that must be looked at before the next merge, ``fresh`` those that were since they were
    changed. ``placed`` are all corners in the frames of their clusters, ``sizes`` how many each cluster has.
    """

    value: NDArray[np.float64]
    turns: NDArray[np.complex128]
    shifts: NDArray[np.complex128]
    due: NDArray[np.bool_]
    fresh: NDArray[np.bool_]
    placed: NDArray[np.complex128]
    sizes: NDArray[np.int64]


def borne_out(
    corners: Corners, joints: NDArray[np.int64], tolerance: float, partial: bool, stop: Stop
) -> tuple[NDArray[np.float64], Alone]:
    """How much joints (J, 5) are liked, (J,): more where two others bear one out by way of a third piece.

    And what each is worth alone.
    """
    clusters = singles(len(corners.areas))
    merging = _unmerged(corners, clusters, joints)
    while not _looked_at(corners, clusters, joints, tolerance, partial, merging) and not stop(0):
        pass
    held = np.where(merging.due, 0.0, np.maximum(merging.value, 0.0))
    loops = support(
        joints[:, 0].copy(),
        joints[:, 1].copy(),
        merging.turns,
        merging.shifts,
        held,
        corners.centres,
        LOOP_GAP + LOOP_GAP_TOLERANCES * tolerance,
        LOOP_TURN + LOOP_TURN_TOLERANCES * tolerance,
        stop,
    )
    return 1.0 + LOOP_SHARE * loops, Alone(merging.value, merging.turns, merging.shifts, merging.due)


def merge_edges(
    corners: Corners,
    clusters: Clusters,
    joints: NDArray[np.int64],
    liking: NDArray[np.float64],
    tolerance: float,
    partial: bool,
    stop: Stop,
    alone: Alone | None = None,
) -> None:
    """Merge in place by joints (J, 5), what shares most times ``liking`` first, until none shares enough.

    If ``stop`` says so, what is merged by then stays. ``alone`` spares the first look where no pieces are
    merged yet.
    """
    merging = _unmerged(corners, clusters, joints)
    if alone is not None:
        for known, column in zip(alone, merging[:4], strict=True):
            column[:] = known
    while not _merge_on(corners, clusters, joints, liking, tolerance, partial, merging) and not stop(0):
        pass


@compiled
def _unmerged(corners: Corners, clusters: Clusters, joints: NDArray[np.int64]) -> _Merging:
    count = len(joints)
    placed = np.empty(len(corners.points), dtype=np.complex128)
    place(corners, clusters, placed)
    due = np.empty(count, dtype=np.bool_)
    for j in range(count):
        due[j] = clusters.labels[joints[j, 0]] != clusters.labels[joints[j, 1]]
    sizes = np.zeros(len(clusters.labels), dtype=np.int64)
    for p in range(len(clusters.labels)):
        sizes[clusters.labels[p]] += corners.starts[p + 1] - corners.starts[p]
    return _Merging(
        np.full(count, -np.inf),
        np.ones(count, dtype=np.complex128),
        np.zeros(count, dtype=np.complex128),
        due,
        np.ones(count, dtype=np.bool_),
        placed,
        sizes,
    )


@compiled
def _looked_at(
    corners: Corners,
    clusters: Clusters,
    joints: NDArray[np.int64],
    tolerance: float,
    partial: bool,
    merging: _Merging,
) -> bool:
    """Look at joints that are due, as many as a call may; whether that was all."""
    value, turns, shifts, due, fresh, placed, sizes = merging
    work = 0
    for j in range(len(joints)):
        if not due[j]:
            continue
        if work > CORNERS_AT_ONCE:
            return False
        work += sizes[clusters.labels[joints[j, 0]]] * sizes[clusters.labels[joints[j, 1]]]
        value[j], turns[j], shifts[j] = shared(corners, clusters, placed, joints[j], tolerance, partial)
        due[j], fresh[j] = False, True
    return True


@compiled
def _merge_on(
    corners: Corners,
    clusters: Clusters,
    joints: NDArray[np.int64],
    liking: NDArray[np.float64],
    tolerance: float,
    partial: bool,
    merging: _Merging,
) -> bool:
    """Go on merging, as far as a call may; whether that was all."""
    value, turns, shifts, due, fresh, placed, sizes = merging
    count = len(joints)
    work = 0
    while _looked_at(corners, clusters, joints, tolerance, partial, merging):
        best, best_value = -1, LEAST_MERGE
        for j in range(count):
            if (
                value[j] * liking[j] > best_value
                and clusters.labels[joints[j, 0]] != clusters.labels[joints[j, 1]]
            ):
                best, best_value = j, value[j] * liking[j]
        if best < 0:
            return True
        a, b = int(clusters.labels[joints[best, 0]]), int(clusters.labels[joints[best, 1]])
        if not fresh[best]:
            if work > CORNERS_AT_ONCE:
                return False
            work += sizes[a] * sizes[b]
            value[best], turns[best], shifts[best] = shared(
                corners, clusters, placed, joints[best], tolerance, partial
            )
            fresh[best] = True
            continue
        was_b = clusters.labels == b
        turn, shift = turns[best], shifts[best]
        joined(clusters, a, b, turn, shift)
        sizes[a] += sizes[b]
        relax_edges(corners, clusters, placed, a, tolerance, 2, partial)
        for j in range(count):
            p, q = joints[j, 0], joints[j, 1]
            first, second = clusters.labels[p], clusters.labels[q]
            if value[j] == -np.inf or first == second or a not in (first, second):
                continue
            if was_b[p]:
                turns[j], shifts[j] = turn * turns[j], turn * shifts[j] + shift
            elif was_b[q]:
                turns[j] *= turn.conjugate()
                shifts[j] -= turns[j] * shift
            fresh[j] = False
            due[j] = _meets_new(corners, clusters, p, q, turns[j], shifts[j], was_b, first == a, tolerance)
    return False


@compiled
def _meets_new(
    corners: Corners,
    clusters: Clusters,
    p: int,
    q: int,
    turn: complex,
    shift: complex,
    was_b: NDArray[np.bool_],
    into_first: bool,
    tolerance: float,
) -> bool:
    """Whether what is laid against a merged cluster comes near the part of it that is new there."""
    new = not (was_b[p] or was_b[q])
    u = int(clusters.heads[clusters.labels[p]])
    while u >= 0:
        centre = clusters.turns[u] * corners.centres[u] + clusters.shifts[u]
        v = int(clusters.heads[clusters.labels[q]])
        while v >= 0:
            inside = u if into_first else v
            if was_b[inside] == new:
                other = turn * (clusters.turns[v] * corners.centres[v] + clusters.shifts[v]) + shift
                if apart(centre, other) < (corners.radii[u] + corners.radii[v] + tolerance) ** 2:
                    return True
            v = int(clusters.following[v])
        u = int(clusters.following[u])
    return False


@compiled
def relax_edges(
    corners: Corners,
    clusters: Clusters,
    placed: NDArray[np.complex128],
    label: int,
    tolerance: float,
    steps: int,
    partial: bool,
) -> None:
    """Move the pieces of a cluster by Gauss-Newton steps until corners that meet lie together."""
    members = np.empty(len(clusters.labels), dtype=np.int64)
    count = 0
    piece = clusters.heads[label]
    while piece >= 0:
        members[count] = piece
        count += 1
        for k in range(corners.starts[piece], corners.starts[piece + 1]):
            placed[k] = clusters.turns[piece] * corners.points[k] + clusters.shifts[piece]
        piece = clusters.following[piece]
    if count < 2:
        return
    reach = REACH * tolerance
    row = np.empty(6)
    middles = np.empty(count, dtype=np.complex128)
    for _ in range(steps):
        matrix = np.zeros((3 * count, 3 * count))
        right = np.zeros(3 * count)
        for i in range(count):
            u = members[i]
            middles[i] = clusters.turns[u] * corners.centres[u] + clusters.shifts[u]
        for i in range(count):
            u = members[i]
            for other in range(i):
                v = members[other]
                if apart(middles[i], middles[other]) >= (corners.radii[u] + corners.radii[v] + reach) ** 2:
                    continue
                for k in range(corners.starts[u], corners.starts[u + 1]):
                    a, b = placed[k], placed[after(corners, u, k)]
                    for m in range(corners.starts[v], corners.starts[v + 1]):
                        c, d = placed[m], placed[after(corners, v, m)]
                        if apart(a, d) >= reach**2 and apart(b, c) >= reach**2:
                            continue
                        gain, to_c, to_d = edges_meet(a, b, c, d, reach, partial)
                        if gain > 0.0:
                            for z, to in ((c, to_c), (d, to_d)):
                                off = z - to
                                lever_u, lever_v = to - middles[i], z - middles[other]
                                # In x and then in y: what a turn and a shift of each piece change.
                                row[0], row[1], row[2] = lever_u.imag, -1.0, 0.0
                                row[3], row[4], row[5] = -lever_v.imag, 1.0, 0.0
                                add_equation(matrix, right, row, i, other, 1.0, off.real)
                                row[0], row[1], row[2] = -lever_u.real, 0.0, -1.0
                                row[3], row[4], row[5] = lever_v.real, 0.0, 1.0
                                add_equation(matrix, right, row, i, other, 1.0, off.imag)
        for i in range(count):
            matrix[3 * i, 3 * i] += HOLD * corners.radii[members[i]] ** 2
            matrix[3 * i + 1, 3 * i + 1] += HOLD
            matrix[3 * i + 2, 3 * i + 2] += HOLD
        step = np.linalg.solve(matrix, right)
        for i in range(count):
            piece = members[i]
            small = complex(np.cos(step[3 * i]), np.sin(step[3 * i]))
            shift = complex(step[3 * i + 1], step[3 * i + 2])
            clusters.turns[piece] *= small
            clusters.turns[piece] /= abs(clusters.turns[piece])
            clusters.shifts[piece] = small * (clusters.shifts[piece] - middles[i]) + middles[i] + shift
            for k in range(corners.starts[piece], corners.starts[piece + 1]):
                placed[k] = clusters.turns[piece] * corners.points[k] + clusters.shifts[piece]


@compiled
def _out(
    corners: Corners, clusters: Clusters, pairs: NDArray[np.float64], rng: np.random.Generator
) -> NDArray[np.bool_]:
    """The pieces to take out, drawn in one of several ways; or some bonds are cut, in place."""
    count = len(clusters.labels)
    out = np.zeros(count, dtype=np.bool_)
    some = 1 + int(rng.random() ** 2 * max(1, int(MOST_OUT * count)))
    way = rng.random()
    order = np.empty(count)
    if way < 0.35:  # those that share least for their corners
        for p in range(count):
            size = corners.starts[p + 1] - corners.starts[p]
            order[p] = pairs[p].sum() / size + 0.5 * rng.random()
    elif way < 0.7:  # a piece and those about it
        seed = int(rng.random() * count)
        here = clusters.turns[seed] * corners.centres[seed] + clusters.shifts[seed]
        for p in range(count):
            there = clusters.turns[p] * corners.centres[p] + clusters.shifts[p]
            order[p] = abs(there - here) if clusters.labels[p] == clusters.labels[seed] else np.inf
    else:  # weak bonds
        every = pairs.ravel()
        held = np.sort(every[every > 0.0])
        if len(held) > 0:
            limit = held[int(rng.random() * 0.8 * len(held))]
            for p in range(count):
                for q in range(p):
                    if pairs[p, q] * np.exp(NOISE * rng.standard_normal()) <= limit:
                        pairs[p, q] = 0.0
                        pairs[q, p] = 0.0
        return out
    for p in np.argsort(order)[:some]:
        out[p] = order[p] < np.inf
    return out


def shaken_edges(
    corners: Corners,
    clusters: Clusters,
    joints: NDArray[np.int64],
    base: NDArray[np.float64],
    tolerance: float,
    partial: bool,
    rng: np.random.Generator,
    stop: Stop,
) -> tuple[Clusters, float]:
    """Another arrangement near this one, and what it is worth: some pieces taken out, and merged again.

    If ``stop`` says so, some may be left apart.
    """
    other, liking = _shaken_apart(corners, clusters, joints, base, tolerance, partial, rng)
    merge_edges(corners, other, joints, liking, tolerance, partial, stop)
    return other, _worth(corners, other, tolerance, partial)


@compiled
def _worth(corners: Corners, clusters: Clusters, tolerance: float, partial: bool) -> float:
    placed = np.empty(len(corners.points), dtype=np.complex128)
    place(corners, clusters, placed)
    return edge_bonds(corners, clusters, placed, tolerance, partial).sum() / 2.0


@compiled
def _shaken_apart(
    corners: Corners,
    clusters: Clusters,
    joints: NDArray[np.int64],
    base: NDArray[np.float64],
    tolerance: float,
    partial: bool,
    rng: np.random.Generator,
) -> tuple[Clusters, NDArray[np.float64]]:
    """An arrangement of which some pieces are taken out, and how much joints are liked next."""
    other = copied(clusters)
    placed = np.empty(len(corners.points), dtype=np.complex128)
    place(corners, other, placed)
    pairs = edge_bonds(corners, other, placed, tolerance, partial)
    out = _out(corners, other, pairs, rng)
    parted(other, pairs, out)
    liking = np.empty(len(joints))
    noise = NOISE * (0.5 + 1.5 * rng.random())
    for j in range(len(joints)):
        liking[j] = base[j] * np.exp(noise * rng.standard_normal())
        p, q = joints[j, 0], joints[j, 1]
        if clusters.labels[p] == clusters.labels[q] and other.labels[p] != other.labels[q]:
            a, b = placed[joints[j, 2]], placed[after(corners, p, joints[j, 2])]
            c, d = placed[joints[j, 3]], placed[after(corners, q, joints[j, 3])]
            if abs(a - d) < tolerance and abs(b - c) < tolerance:
                # What was just taken apart should not always come back the same.
                liking[j] *= LEAST_LIKED + (1.0 - LEAST_LIKED) * rng.random()
    return other, liking
