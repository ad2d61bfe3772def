"""Whether placed pieces could slide along each other: which motions of a group nothing holds.

A straight cut, or one along an arc of a circle, fits as well when a piece is pushed along it. What holds a
group is told by its contacts: a motion that moves outlines off each other is held, one that moves them along
each other is not, unless outlines that continue each other across a joint, as the straight rim of a sheet
does, would be broken by it. All motions of all pieces are weighed at once, as in the normal equations of
least squares over points and lines: the softest of them tells.
"""

from __future__ import annotations

import contextlib
import math
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from scipy import linalg, sparse
from scipy.sparse import linalg as sparse_linalg
from shapely import Polygon

from sherd.core.arrays import Floats, Ints
from sherd.core.touching import Complexes, contacts_of, continued, directed, sampled

# A slide by this share of the size would be wrong, or by this many times how far outlines may be off.
WRONG_SLIDE, WRONG_TOLERANCES = 0.02, 3.0
# Outlines are known to this share of the size at best, for all that is said here.
LEAST_OFF = 5e-4
# A slide is held that moves this stretch of contact off by as much as outlines may be off, in roots of the
# mean piece's area, or breaks an outline that continues by this share of the size.
HELD_STRETCH, BROKEN = 0.25, 7.5e-3
# How far outlines that touch may lie apart: as far as both may be off and half as much again, or so far, in
# roots of the mean piece's area.
APART, LEAST_APART = 3.0, 0.012
# Motions that are looked at, the softest, and how many unknowns there may be to find all of them at once.
SOFTEST, FEW_UNKNOWNS = 4, 300
RIDGE = 1e-9
# Pieces that move against each other by less than this share of the most move as one.
AS_ONE = 0.5


def sliding(laid: list[Polygon], off: float) -> list[int]:
    """The pieces, by number, that could be pushed along others without any harm; none if all are held.

    ``off`` is how far outlines may be off. Of the parts that move against each other the largest is not
    named.
    """
    held, pieces = least_held(laid, off)
    return pieces if held < 1.0 else []


def seen_off(laid: list[Polygon], near: float) -> float:
    """How far outlines are off as they lie: twice the root mean square distance of what touches this near."""
    unit = math.sqrt(sum(piece.area for piece in laid) / len(laid))
    outlines = sampled(laid, unit)
    one, other = contacts_of(outlines, near)
    if len(one) == 0:
        return near
    apart = ((outlines.points[one] - outlines.points[other]) * outlines.normals[other].conj()).real
    return min(2.0 * float(np.sqrt(np.mean(apart**2))), near)


def least_held(laid: list[Polygon], off: float) -> tuple[float, list[int]]:
    """How well the least held motion is held, 1 or more if well enough, and the pieces that it moves."""
    if len(laid) < 2:
        return math.inf, []
    area = sum(piece.area for piece in laid)
    size, unit = math.sqrt(area), math.sqrt(area / len(laid))
    off = max(off, LEAST_OFF * size)
    outlines = sampled(laid, unit)
    contacts = contacts_of(outlines, max(APART * off, LEAST_APART * unit))
    told = directed(outlines, contacts, unit)
    if len(told.points) == 0:
        return 0.0, list(range(1, len(laid)))
    centres = np.array([complex(piece.centroid.x, piece.centroid.y) for piece in laid])
    along = _equations(told.points, 1j * told.normals, told.first, told.second, centres, unit)
    off_it = _equations(told.points, told.normals, told.first, told.second, centres, unit)
    # What one of the two outlines has of its own is noise: only what both have holds.
    other = _equations(told.points, told.facing, told.first, told.second, centres, unit)
    weights: Any = sparse.diags(told.weights)
    moved = off_it.T @ weights @ off_it + along.T @ weights @ along
    held = off_it.T @ weights @ other / (off**2 * HELD_STRETCH * unit)
    broken = max(BROKEN * size, off)
    ends = continued(outlines, contacts, unit, off, broken)
    rows = _equations(ends.points, ends.normals, ends.first, ends.second, centres, unit)
    held = held + rows.T @ rows / (2.0 * broken**2)  # each is met from both sides
    wrong = max(WRONG_SLIDE * size, WRONG_TOLERANCES * off)
    least, pieces = math.inf, list[int]()
    for motion in _softest(held, moved, 1.0 / (wrong**2 * unit)):
        apart = np.hypot(off_it @ motion, along @ motion)
        most = float(apart.max(initial=0.0))
        how = float(motion @ (held @ motion)) * (wrong / most) ** 2 if most > 0.0 else 0.0
        if how < least:
            least = how
            pieces = _but_the_largest(len(laid), told.first, told.second, apart <= AS_ONE * most)
    return least, pieces


def _equations(
    points: Complexes, normals: Complexes, first: Ints, second: Ints, centres: Complexes, unit: float
) -> Any:
    """How far points move off each other along normals, by the motions of all pieces but the first: (M, U).

    A motion is a turn about the piece's centre, as the way of what is a ``unit`` from it, and a shift.
    """
    rows = np.arange(len(points))
    entries, row, column = list[Floats](), list[Ints](), list[Ints]()
    for who, sign in ((first, 1.0), (second, -1.0)):
        lever = (points - centres[who]) / unit
        turned = lever.real * normals.imag - lever.imag * normals.real
        for k, value in enumerate((turned, normals.real, normals.imag)):
            entries.append(sign * value)
            row.append(rows)
            column.append(3 * who + k)
    shape = (len(points), 3 * len(centres))
    whole: Any = sparse.csr_matrix(
        (np.concatenate(entries), (np.concatenate(row), np.concatenate(column))), shape=shape
    )
    return whole[:, 3:]


def _softest(held: Any, moved: Any, scale: float) -> list[Floats]:
    """The motions that are held least for how far they move pieces against each other."""
    count = int(moved.shape[0])
    firm = cast(Any, sparse.identity(count)) * (RIDGE * float(moved.diagonal().mean()))
    held, moved, most = (held + held.T) / 2.0, moved + firm, min(SOFTEST, count)
    motions: Floats | None = None
    if count > FEW_UNKNOWNS:
        few, start = cast(Any, sparse_linalg).eigsh, np.ones(count)  # the same answer each time
        with contextlib.suppress(sparse_linalg.ArpackNoConvergence):
            motions = few(held.tocsc(), k=most, M=moved.tocsc(), sigma=-scale, v0=start, tol=1e-6)[1]
    if motions is None:
        every = cast(Any, linalg).eigh
        motions = every(held.toarray(), moved.toarray(), subset_by_index=[0, most - 1])[1]
    return list(np.asarray(motions).T)


def _but_the_largest(count: int, first: Ints, second: Ints, together: NDArray[np.bool_]) -> list[int]:
    """The pieces in all but the largest of the parts that contacts hold ``together``, all of a pair."""
    touch, parted = np.zeros((count, count), dtype=np.bool_), np.zeros((count, count), dtype=np.bool_)
    touch[first, second] = True
    parted[first[~together], second[~together]] = True
    joined: Any = sparse.csr_matrix(touch & ~parted)
    components = cast(Any, sparse).csgraph.connected_components
    labels: Ints = components(joined, directed=False)[1]
    return np.flatnonzero(labels != np.bincount(labels).argmax()).tolist()
