"""Where the corners of two clusters meet, at the pose at which they meet best (compiled)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from sherd.core.compiled import compiled
from sherd.solvers.contours.clusters import Clusters
from sherd.solvers.contours.straight.corners import BEGINS, WHOLE, Corners

PARTIAL_WORTH = 0.5  # what two edges that meet at one end count, against two that meet at both
FULL_LENGTH = 6.0  # tolerances: shorter edges say less, since they turn more freely
MOST_HELD = 2  # of the points inside a piece, that may be in another
FITS = 3


@compiled
def place(corners: Corners, clusters: Clusters, placed: NDArray[np.complex128]) -> None:
    """Write where all corners lie in the frames of their clusters."""
    for p in range(len(clusters.labels)):
        for k in range(corners.starts[p], corners.starts[p + 1]):
            placed[k] = clusters.turns[p] * corners.points[k] + clusters.shifts[p]


@compiled
def after(corners: Corners, piece: int, k: int) -> int:
    """The corner that follows one of a piece."""
    return k + 1 if k + 1 < corners.starts[piece + 1] else int(corners.starts[piece])


@compiled
def apart(a: complex, b: complex) -> float:
    """The square of the distance of two points."""
    off = a - b
    return off.real * off.real + off.imag * off.imag


@compiled
def near_edge(z: complex, a: complex, b: complex) -> tuple[float, complex]:
    """How far a point is from an edge, and the point of the edge nearest to it."""
    along = b - a
    share = ((z - a) * along.conjugate()).real / max(abs(along) ** 2, 1e-12)
    at = a + min(max(share, 0.0), 1.0) * along
    return abs(z - at), at


@compiled
def edges_meet(
    a: complex, b: complex, c: complex, d: complex, reach: float, partial: bool
) -> tuple[float, complex, complex]:
    """What two edges a-b and c-d, run through in opposite directions, share, and where c and d should lie.

    Nothing if they do not meet within the reach.
    """
    begins, ends = abs(a - d), abs(b - c)
    size, other = abs(b - a), abs(d - c)
    if begins < reach and ends < reach:
        weight = min(1.0, min(size, other) / (FULL_LENGTH * reach))
        return weight * (2.0 - (begins * begins + ends * ends) / (reach * reach)), b, a
    if not partial or (begins >= reach and ends >= reach):
        return 0.0, c, d
    shorter = min(size, other)
    if shorter < 2.0 * reach or ((b - a) * (d - c).conjugate()).real > 0.0:
        return 0.0, c, d
    weight = PARTIAL_WORTH * min(1.0, shorter / (FULL_LENGTH * reach))
    off = min(begins, ends)
    if other < size:
        far, at = near_edge(c if begins < reach else d, a, b)
        to_c, to_d = (at, a) if begins < reach else (b, at)
    else:
        far, at = near_edge(b if begins < reach else a, c, d)
        # The first's corner should lie on the second's edge: the second moves the other way.
        move = (b if begins < reach else a) - at
        to_c, to_d = (c + move, a) if begins < reach else (b, d + move)
    if far >= reach:
        return 0.0, c, d
    return weight * (2.0 - (off * off + far * far) / (reach * reach)), to_c, to_d


@compiled
def holds(
    corners: Corners,
    placed: NDArray[np.complex128],
    u: int,
    centre: complex,
    v: int,
    turn: complex,
    shift: complex,
) -> bool:
    """Whether piece u, placed about its centre, holds points inside v, which this turn and shift place."""
    low, high = corners.starts[u], corners.starts[u + 1]
    far = corners.radii[u] ** 2
    held = 0
    for k in range(corners.inner_starts[v], corners.inner_starts[v + 1]):
        z = turn * corners.inner[k] + shift
        if apart(z, centre) > far:
            continue
        inside = False
        before = placed[high - 1]
        for i in range(low, high):
            here = placed[i]
            if (before.imag <= z.imag) != (here.imag <= z.imag):
                share = (z.imag - before.imag) / (here.imag - before.imag)
                if before.real + share * (here.real - before.real) > z.real:
                    inside = not inside
            before = here
        if inside:
            held += 1
            if held > MOST_HELD:
                return True
    return False


@compiled
def shared(
    corners: Corners,
    clusters: Clusters,
    placed: NDArray[np.complex128],
    joint: NDArray[np.int64],
    tolerance: float,
    partial: bool,
) -> tuple[float, complex, complex]:
    """What two clusters share if a joint holds, and the pose of the second's in the frame of the first's.

    Minus infinity if pieces lie in each other. The pose is fitted to all corners that meet.
    """
    p, q, i, j, way = int(joint[0]), int(joint[1]), int(joint[2]), int(joint[3]), int(joint[4])
    a, b = placed[i], placed[after(corners, p, i)]
    c, d = placed[j], placed[after(corners, q, j)]
    turn = (a - b) / (d - c)
    turn /= abs(turn)
    if way == WHOLE:
        shift = 0.5 * (a + b) - turn * 0.5 * (c + d)
    elif way == BEGINS:
        shift = a - turn * d
    else:
        shift = b - turn * c
    middle, lever = 0.5 * (a + b), min(abs(a - b), abs(c - d))
    worth = 0.0
    for step in range(FITS):
        last = step == FITS - 1
        # At first a pose is known no better than the joint's own corners tell.
        spread = 0.0 if last else 1.0 / (1.0 + step) / lever
        worth = 0.0
        count, here, there, spin = 0.0, 0.0j, 0.0j, 0.0j
        u = int(clusters.heads[clusters.labels[p]])
        while u >= 0:
            centre_u = clusters.turns[u] * corners.centres[u] + clusters.shifts[u]
            v = int(clusters.heads[clusters.labels[q]])
            while v >= 0:
                centre_v = turn * (clusters.turns[v] * corners.centres[v] + clusters.shifts[v]) + shift
                reach = tolerance * (1.0 + spread * abs(centre_v - middle))
                if apart(centre_u, centre_v) < (corners.radii[u] + corners.radii[v] + reach) ** 2:
                    far, square = (corners.radii[u] + reach) ** 2, reach * reach
                    for m in range(corners.starts[v], corners.starts[v + 1]):
                        old_c, old_d = placed[m], placed[after(corners, v, m)]
                        c, d = turn * old_c + shift, turn * old_d + shift
                        if apart(c, centre_u) > far and apart(d, centre_u) > far:
                            continue
                        for k in range(corners.starts[u], corners.starts[u + 1]):
                            a, b = placed[k], placed[after(corners, u, k)]
                            if apart(a, d) >= square and apart(b, c) >= square:
                                continue
                            gain, to_c, to_d = edges_meet(a, b, c, d, reach, partial)
                            if gain > 0.0:
                                worth += gain
                                count += 2.0
                                here += old_c + old_d
                                there += to_c + to_d
                                spin += old_c.conjugate() * to_c + old_d.conjugate() * to_d
                v = int(clusters.following[v])
            u = int(clusters.following[u])
        if count == 0.0:
            return -np.inf, turn, shift
        if not last:
            spin -= here.conjugate() * there / count
            if abs(spin) > 0.0:
                turn = spin / abs(spin)
                shift = (there - turn * here) / count
    if overlap(corners, clusters, placed, p, q, turn, shift):
        return -np.inf, turn, shift
    return worth, turn, shift


@compiled
def overlap(
    corners: Corners,
    clusters: Clusters,
    placed: NDArray[np.complex128],
    p: int,
    q: int,
    turn: complex,
    shift: complex,
) -> bool:
    """Whether pieces of q's cluster, turned and shifted, lie in those of p's."""
    back = turn.conjugate()
    u = int(clusters.heads[clusters.labels[p]])
    while u >= 0:
        centre_u = clusters.turns[u] * corners.centres[u] + clusters.shifts[u]
        v = int(clusters.heads[clusters.labels[q]])
        while v >= 0:
            turn_v = turn * clusters.turns[v]
            shift_v = turn * clusters.shifts[v] + shift
            centre_v = turn_v * corners.centres[v] + shift_v
            if apart(centre_u, centre_v) < (corners.radii[u] + corners.radii[v]) ** 2:
                if holds(corners, placed, u, centre_u, v, turn_v, shift_v):
                    return True
                centre = back * (centre_v - shift)
                turn_u, shift_u = back * clusters.turns[u], back * (clusters.shifts[u] - shift)
                if holds(corners, placed, v, centre, u, turn_u, shift_u):
                    return True
            v = int(clusters.following[v])
        u = int(clusters.following[u])
    return False


@compiled
def edge_bonds(
    corners: Corners,
    clusters: Clusters,
    placed: NDArray[np.complex128],
    tolerance: float,
    partial: bool,
) -> NDArray[np.float64]:
    """What each pair of pieces of a cluster shares, (N, N)."""
    count = len(clusters.labels)
    pairs = np.zeros((count, count))
    for u in range(count):
        centre = clusters.turns[u] * corners.centres[u] + clusters.shifts[u]
        for v in range(u + 1, count):
            if clusters.labels[u] != clusters.labels[v]:
                continue
            other = clusters.turns[v] * corners.centres[v] + clusters.shifts[v]
            if apart(centre, other) >= (corners.radii[u] + corners.radii[v] + tolerance) ** 2:
                continue
            for k in range(corners.starts[u], corners.starts[u + 1]):
                a, b = placed[k], placed[after(corners, u, k)]
                for m in range(corners.starts[v], corners.starts[v + 1]):
                    c, d = placed[m], placed[after(corners, v, m)]
                    if apart(a, d) < tolerance**2 or apart(b, c) < tolerance**2:
                        pairs[u, v] += edges_meet(a, b, c, d, tolerance, partial)[0]
            pairs[v, u] = pairs[u, v]
    return pairs
