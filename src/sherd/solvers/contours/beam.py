"""Arrangements that grow piece by piece, many at once: what each is, and how a piece is added (compiled)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sherd.core.compiled import compiled
from sherd.solvers.contours.clusters import (
    Clusters,
    are_near,
    bonds,
    pair_collides,
    pair_worth,
    relisted,
)
from sherd.solvers.contours.compact import Outer, looks_within
from sherd.solvers.contours.contact import RUN_POINTS, pull, pulled
from sherd.solvers.contours.merge import Rules
from sherd.solvers.contours.posegraph import relax
from sherd.solvers.contours.shapes import Shapes

# A piece is looked for where it touches within so many tolerances; then it is fitted by steps within these.
WIDE = 2.5
FIT = (4.0, 2.0, 1.0)
RELAXED = ((2.0, 1), (1.0, 2))  # tolerances and steps of least squares after a piece was added


class Links(NamedTuple):
    """Joints by the array: two pieces, the second's pose in the first's frame, and how much each is liked."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    turns: NDArray[np.complex128]
    shifts: NDArray[np.complex128]
    liking: NDArray[np.float64]


class GrownBeam(NamedTuple):
    """Arrangements (B,) of as many pieces each, (B, N), and what each joint would add to them, (B, J).

    ``root`` is the joint that an arrangement began with, ``newest`` the piece that came last, ``contact``
    what its pieces share, ``worth`` that and how it looks; ``added`` is what the piece at the other end of a
    joint would share, without the ``corners`` that it would meet.
    """

    inner: NDArray[np.bool_]
    turns: NDArray[np.complex128]
    shifts: NDArray[np.complex128]
    root: NDArray[np.int64]
    newest: NDArray[np.int64]
    contact: NDArray[np.float64]
    worth: NDArray[np.float64]
    added: NDArray[np.float64]
    corners: NDArray[np.float64]


class Taste(NamedTuple):
    """What emptiness costs and a rim is worth; how many arrangements there are, of a root, tries of each."""

    emptiness: float
    rim_worth: float
    width: int
    of_a_root: int
    tries: int


@compiled
def empty_beam(width: int, pieces: int, joints: int) -> GrownBeam:
    return GrownBeam(
        np.zeros((width, pieces), dtype=np.bool_),
        np.ones((width, pieces), dtype=np.complex128),
        np.zeros((width, pieces), dtype=np.complex128),
        np.zeros(width, dtype=np.int64),
        np.zeros(width, dtype=np.int64),
        np.zeros(width),
        np.full(width, -np.inf),
        np.full((width, joints), -np.inf),
        np.zeros((width, joints)),
    )


@compiled
def first_of(beam: GrownBeam, count: int) -> GrownBeam:
    return GrownBeam(
        beam.inner[:count],
        beam.turns[:count],
        beam.shifts[:count],
        beam.root[:count],
        beam.newest[:count],
        beam.contact[:count],
        beam.worth[:count],
        beam.added[:count],
        beam.corners[:count],
    )


@compiled
def placed_by(links: Links, beam: GrownBeam, b: int, j: int) -> tuple[int, complex, complex]:
    """The piece at the end of a joint that is not in an arrangement, and its pose there."""
    first, second = links.first[j], links.second[j]
    if beam.inner[b, first]:
        turn = beam.turns[b, first]
        return second, turn * links.turns[j], turn * links.shifts[j] + beam.shifts[b, first]
    turn = beam.turns[b, second] * links.turns[j].conjugate()
    return first, turn, beam.shifts[b, second] - turn * links.shifts[j]


@compiled
def fitted_to(
    shapes: Shapes, beam: GrownBeam, b: int, piece: int, turn: complex, shift: complex, rules: Rules
) -> tuple[complex, complex]:
    """The pose of a piece at which it lies best against all pieces of an arrangement."""
    for wide in FIT:
        tolerance = wide * rules.tolerance
        matrix, right = np.zeros((3, 3)), np.zeros(3)
        count, middle = 0, 0.0 + 0.0j
        for p in range(beam.inner.shape[1]):
            if beam.inner[b, p]:
                frame, origin = beam.turns[b, p], beam.shifts[b, p]
                back = frame.conjugate()
                t, s = back * turn, back * (shift - origin)
                if are_near(shapes, p, piece, t, s, tolerance):
                    more, where = pull(
                        shapes, p, piece, t, s, frame, origin, tolerance, rules.stride, matrix, right
                    )
                    count, middle = count + more, middle + where
        if count * rules.stride < RUN_POINTS:
            break
        turn, shift = pulled(turn, shift, count, middle, matrix, right)
    return turn, shift


@compiled
def shared_with(
    shapes: Shapes,
    beam: GrownBeam,
    b: int,
    piece: int,
    turn: complex,
    shift: complex,
    only: int,
    tolerance: float,
    rules: Rules,
) -> tuple[float, float]:
    """What a further piece shares with those of an arrangement, or one of them, and corners that meet."""
    total, corners = 0.0, 0.0
    for looking in (True, False):  # most places are ruled out by a quick look
        for p in range(beam.inner.shape[1]):
            if beam.inner[b, p] and only in (-1, p):
                back = beam.turns[b, p].conjugate()
                t, s = back * turn, back * (shift - beam.shifts[b, p])
                if looking:
                    if pair_collides(shapes, p, piece, t, s, tolerance):
                        return -np.inf, 0.0
                else:
                    worth, met = pair_worth(
                        shapes, p, piece, t, s, tolerance, rules.stride, rules.most_inside
                    )
                    if worth == -np.inf:
                        return worth, 0.0
                    total, corners = total + worth, corners + met
    return total, corners


@compiled
def grow_into(
    shapes: Shapes,
    outer: Outer,
    beam: GrownBeam,
    b: int,
    piece: int,
    turn: complex,
    shift: complex,
    following: GrownBeam,
    to: int,
    rules: Rules,
    taste: Taste,
) -> None:
    """Write an arrangement with a piece added, at rest."""
    pieces = len(shapes.starts) - 1
    following.inner[to], following.turns[to], following.shifts[to] = (
        beam.inner[b],
        beam.turns[b],
        beam.shifts[b],
    )
    following.inner[to, piece] = True
    following.turns[to, piece], following.shifts[to, piece] = turn, shift
    following.root[to], following.newest[to] = beam.root[b], piece
    following.added[to], following.corners[to] = beam.added[b], beam.corners[b]
    clusters = Clusters(
        np.arange(pieces),
        following.turns[to],
        following.shifts[to],
        np.empty(pieces, dtype=np.int64),
        np.empty(pieces, dtype=np.int64),
    )
    clusters.labels[following.inner[to]] = piece
    relisted(clusters)
    for wide, steps in RELAXED:
        relax(shapes, clusters, piece, wide * rules.tolerance, steps, np.ones(pieces, dtype=np.bool_))
    pairs, _ = bonds(shapes, clusters, rules.tolerance, rules.stride)
    following.contact[to] = pairs.sum() / 2.0
    looks = worth_for_looks(outer, following.inner[to], following.turns[to], following.shifts[to], taste)
    following.worth[to] = following.contact[to] + looks


@compiled
def worth_for_looks(
    outer: Outer,
    inner: NDArray[np.bool_],
    turns: NDArray[np.complex128],
    shifts: NDArray[np.complex128],
    taste: Taste,
) -> float:
    """What pieces that lie so are worth for how they look, where no target tells."""
    if len(outer.areas) < len(inner):
        return 0.0
    empty, rim = looks_within(outer, inner, turns, shifts)
    return taste.rim_worth * rim - taste.emptiness * empty


@compiled
def look_about(shapes: Shapes, links: Links, beam: GrownBeam, b: int, all_new: bool, rules: Rules) -> None:
    """What further pieces would share with an arrangement whose newest piece, or all of it, is new."""
    new = beam.newest[b]
    for j in range(len(links.first)):
        u, v = links.first[j], links.second[j]
        if beam.inner[b, u] == beam.inner[b, v] or links.liking[j] <= 0.0:
            continue
        is_fresh = all_new or new == (u if beam.inner[b, u] else v)
        if is_fresh:
            beam.added[b, j], beam.corners[b, j] = 0.0, 0.0
        if beam.added[b, j] > -np.inf:
            piece, turn, shift = placed_by(links, beam, b, j)
            worth, met = shared_with(
                shapes, beam, b, piece, turn, shift, -1 if is_fresh else new, WIDE * rules.tolerance, rules
            )
            beam.added[b, j] += worth
            beam.corners[b, j] += met
