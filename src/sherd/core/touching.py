"""Where the outlines of placed pieces touch, in which direction they run there, and where they go on.

For what `sherd.core.slides` weighs: outlines are taken as points at even distances.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple, cast

import numpy as np
import shapely
from numpy.typing import NDArray
from scipy import ndimage
from scipy.spatial import KDTree
from shapely import Polygon

from sherd.core.arrays import Floats, Ints

Complexes = NDArray[np.complex128]

# Outlines continue each other that differ by no more than this in direction, seen over these stretches, in
# roots of the mean piece's area, the longest first.
SAME_DIRECTION = math.radians(3.0)
STRETCHES = (0.2, 0.1, 0.06)
# Points on outlines, for each root of the mean piece's area, and at least so many on each.
POINTS_A_UNIT, LEAST_POINTS = 48, 64
# Directions are told over this far to either side, in roots of the mean area, or over halves of it.
ASIDE, HALVINGS = 0.12, 3
# Points that touch face each other, and are looked for among so many.
FACING, NEAREST = -0.6, 16
# Contact ends where it is interrupted for so many points, after so many of the last few.
ENDED, BEFORE, OF_LAST = 3, 4, 5


class Outlines(NamedTuple):
    """Points on rings, one after the other: where, the outward normal, whose, how far from the next.

    Ring k has the points from ``starts[k]`` to ``starts[k + 1]``.
    """

    points: Complexes
    normals: Complexes
    owners: Ints
    steps: Floats
    starts: Ints


class TouchingPoints(NamedTuple):
    """Points by number that touch one of another piece each."""

    one: Ints
    other: Ints


class Directed(NamedTuple):
    """Contacts of known direction: where, both pieces, the normal as either tells, and what it counts."""

    points: Complexes
    first: Ints
    second: Ints
    normals: Complexes
    facing: Complexes
    weights: Floats


def sampled(laid: list[Polygon], unit: float) -> Outlines:
    points, owners, steps, starts = list[Complexes](), list[Ints](), list[Floats](), [0]
    for number, piece in enumerate(laid):
        turned = shapely.geometry.polygon.orient(piece)
        for ring in (turned.exterior, *turned.interiors):
            corners = np.asarray(ring.coords)
            at = np.concatenate([[0.0], np.cumsum(np.hypot(*np.diff(corners, axis=0).T))])
            around, count = float(at[-1]), max(LEAST_POINTS, round(float(at[-1]) / unit * POINTS_A_UNIT))
            where = np.arange(count) * (around / count)
            points.append(np.interp(where, at, corners[:, 0]) + 1j * np.interp(where, at, corners[:, 1]))
            owners.append(np.full(count, number))
            steps.append(np.full(count, around / count))
            starts.append(starts[-1] + count)
    return Outlines(
        np.concatenate(points),
        np.concatenate([_normals(ring, 2) for ring in points]),
        np.concatenate(owners),
        np.concatenate(steps),
        np.array(starts),
    )


def _normals(ring: Complexes, reach: int) -> Complexes:
    """Outward normals by a line through the points up to ``reach`` to either side."""
    lever = np.arange(-reach, reach + 1, dtype=np.float64)
    correlate = cast(Any, ndimage).correlate1d
    along: Complexes = correlate(ring.real, lever, mode="wrap") + 1j * correlate(
        ring.imag, lever, mode="wrap"
    )
    return -1j * along / np.maximum(np.abs(along), np.finfo(np.float64).tiny)


def contacts_of(outlines: Outlines, near: float) -> TouchingPoints:
    """The nearest point of another piece that each faces, no farther off it than ``near``."""
    places = np.stack([outlines.points.real, outlines.points.imag], axis=-1)
    reach = math.hypot(near, float(outlines.steps.max()))
    tree: Any = KDTree(places)
    nearest: Ints = tree.query(places, k=min(NEAREST, len(places)), distance_upper_bound=reach)[1]
    one, place = np.nonzero(nearest < len(places))
    other = nearest[one, place]
    normals = outlines.normals
    off = ((outlines.points[one] - outlines.points[other]) * normals[other].conj()).real
    faces = (normals[one] * normals[other].conj()).real < FACING
    touches = (outlines.owners[one] != outlines.owners[other]) & faces & (np.abs(off) < near)
    one, other = one[touches], other[touches]
    first = np.concatenate([[True], one[1:] != one[:-1]]) if len(one) else np.zeros(0, dtype=np.bool_)
    return TouchingPoints(one[first], other[first])


def _partners(outlines: Outlines, contacts: TouchingPoints) -> Ints:
    """The piece that each point touches, -1 if none."""
    found = np.full(len(outlines.points), -1)
    found[contacts.one] = outlines.owners[contacts.other]
    return found


def _rings(outlines: Outlines) -> Iterator[slice]:
    for start, end in zip(outlines.starts[:-1].tolist(), outlines.starts[1:].tolist(), strict=True):
        yield slice(start, end)


def directed(outlines: Outlines, contacts: TouchingPoints, unit: float) -> Directed:
    """The contacts in the midst of a run along one piece, with the direction of the run there.

    Corners at the end of a run would turn it.
    """
    partners = _partners(outlines, contacts)
    normals = np.full(len(outlines.points), np.nan, dtype=np.complex128)
    least = cast(Any, ndimage).minimum_filter1d
    most = cast(Any, ndimage).maximum_filter1d
    for ring in _rings(outlines):
        points, own = outlines.points[ring], partners[ring]
        for halved in reversed(range(HALVINGS + 1)):
            reach = max(2, round(ASIDE * unit / float(outlines.steps[ring.start])) // 2**halved)
            width = 2 * reach + 1
            if width > len(points):
                continue
            is_one_run = (own >= 0) & (least(own, width, mode="wrap") == most(own, width, mode="wrap"))
            normals[ring][is_one_run] = _normals(points, reach)[is_one_run]
    one, other = contacts
    known = np.isfinite(normals[one].real) & np.isfinite(normals[other].real)
    one, other = one[known], other[known]
    return Directed(
        outlines.points[one],
        outlines.owners[one],
        outlines.owners[other],
        normals[one],
        -normals[other],
        outlines.steps[one] / 2.0,  # each stretch is met from both sides
    )


class Continued(NamedTuple):
    """Where outlines continue each other: points, normals there, and both pieces."""

    points: Complexes
    normals: Complexes
    first: Ints
    second: Ints


def continued(
    outlines: Outlines, contacts: TouchingPoints, unit: float, off: float, broken: float
) -> Continued:
    """Where the outlines of two pieces go on in each other at the end of their contact.

    They may be ``off`` a common curve by that much, and part of it by ``broken`` from the other.
    """
    points, normals, first, second = list[complex](), list[complex](), list[int](), list[int]()
    mates = np.full(len(outlines.points), -1)
    mates[contacts.one] = contacts.other
    ring_of = np.repeat(np.arange(len(outlines.starts) - 1), np.diff(outlines.starts))
    for at, way in _ends(outlines, _partners(outlines, contacts)):
        mate, here = int(mates[at]), complex(outlines.points[at])
        mine, theirs = (slice(*outlines.starts[ring_of[k] : ring_of[k] + 2].tolist()) for k in (at, mate))
        for stretch in (share * unit for share in STRETCHES):
            ahead = _beyond(outlines, mine, at, way, stretch)
            behind = _beyond(outlines, theirs, mate, -way, stretch)
            normal = _common_normal(here, ahead, behind, stretch, off, broken)
            if normal is not None:
                points.append(here)
                normals.append(normal)
                first.append(int(outlines.owners[at]))
                second.append(int(outlines.owners[mate]))
                break
    return Continued(
        np.array(points, np.complex128),
        np.array(normals, np.complex128),
        np.array(first, np.int64),
        np.array(second, np.int64),
    )


def _ends(outlines: Outlines, partners: Ints) -> Iterator[tuple[int, int]]:
    """The last point of each run of contact with one piece, and which way of the ring it ends."""
    for ring in _rings(outlines):
        own = partners[ring]
        for way in (1, -1):
            after = np.stack([np.roll(own, -way * k) for k in range(1, ENDED + 1)]) == own
            before = np.stack([np.roll(own, way * k) for k in range(1, OF_LAST + 1)]) == own
            ends = (own >= 0) & ~after.any(axis=0) & (before.sum(axis=0) >= BEFORE)
            for k in np.flatnonzero(ends).tolist():
                yield ring.start + k, way


def _beyond(outlines: Outlines, ring: slice, at: int, way: int, stretch: float) -> Complexes:
    """The points of a ring after one of them, but for the next."""
    points = outlines.points[ring]
    count = max(4, int(stretch / float(outlines.steps[ring.start])))
    return points[(at - ring.start + way * np.arange(2, count + 2)) % len(points)]


def _common_normal(
    here: complex, mine: Complexes, theirs: Complexes, stretch: float, off: float, broken: float
) -> complex | None:
    """The normal where one stretch continues the other, both alike bent; None if it does not."""
    along = complex(mine[-1] - theirs[-1])
    if abs(along) <= stretch:
        return None
    along /= abs(along)
    ahead, behind = (mine - here) * along.conjugate(), (theirs - here) * along.conjugate()
    if ahead.real.min() < -0.2 * stretch or behind.real.max() > 0.2 * stretch:
        return None
    x = np.concatenate([ahead.real, behind.real])
    y = np.concatenate([ahead.imag, behind.imag])
    first = np.arange(len(x)) < len(ahead)
    terms = np.stack([first, first * x, ~first, ~first * x, x**2], axis=-1).astype(np.float64)
    found: list[float] = np.linalg.lstsq(terms, y, rcond=None)[0].tolist()
    rest = float(np.sqrt(np.mean((terms @ np.array(found) - y) ** 2)))
    turn = math.atan(found[1]) - math.atan(found[3])
    if abs(found[0] - found[2]) > broken or abs(turn) > SAME_DIRECTION or rest > off:
        return None
    return 1j * along
