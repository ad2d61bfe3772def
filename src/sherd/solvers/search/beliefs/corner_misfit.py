"""How far corners of pieces lie from the outlines beside them, once all have moved to where they lie best.

Wherever pieces lie as they were cut, each corner is on the outline of another piece or of the target, but for
the noise. So the sum of squared distances weighs whole arrangements against each other, however found.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from sherd.core.arrays import Floats, Ints
from sherd.core.geometry import Pose

# Rounds of moving all pieces at once, after which they rest; not swept.
ROUNDS = 6
# Added to the diagonal, times its mean: a piece that nothing holds stays where it is.
STEADY = 1e-6


class CornerMisfit(NamedTuple):
    """The sum of squared distances, and how many of them are not used up by moving pieces."""

    squares: float
    freedom: int


class _Pairs(NamedTuple):
    """Corners with the nearest point of another outline each."""

    corner: Floats  # (C, 2)
    owner: Ints  # (C,)
    point: Floats  # (C, 2)
    other: Ints  # (C,)
    normal: Floats  # (C, 2) of the edge there, or along the distance where it is a corner


def corner_misfit(
    rings: Sequence[Floats], poses: Mapping[int, Pose], targets: Sequence[Floats], *, turns: bool
) -> CornerMisfit:
    """The misfit of pieces, by number, that have moved a little, and turned if that is allowed."""
    numbers = sorted(poses)
    laid = [poses[number].points(rings[number]) for number in numbers]
    unknowns = (3 if turns else 2) * len(laid)
    for _ in range(ROUNDS):
        pairs = _pairs(laid, targets)
        step = _step(pairs, laid, unknowns, turns=turns)
        laid = [_moved(ring, own) for ring, own in zip(laid, step, strict=True)]
    pairs = _pairs(laid, targets)
    off = pairs.corner - pairs.point
    return CornerMisfit(float((off * off).sum()), max(1, len(off) - unknowns))


def _pairs(laid: Sequence[Floats], targets: Sequence[Floats]) -> _Pairs:
    """Each corner of a piece, and of the target, with the nearest point of what is not its own."""
    rings = [*laid, *targets]
    owners = [min(k, len(laid)) for k in range(len(rings))]
    corner = np.concatenate(rings)
    owner = np.repeat(owners, [len(ring) for ring in rings])
    along = np.concatenate([np.roll(ring, -1, axis=0) - ring for ring in rings])
    from_start = corner[:, None] - corner[None]  # from the start of each edge, which is a corner too
    length = (along * along).sum(axis=1)
    share = np.clip((from_start * along).sum(axis=-1) / length, 0.0, 1.0)
    off = from_start - share[..., None] * along
    distance = np.where(owner[:, None] == owner, np.inf, (off * off).sum(axis=-1))
    nearest = distance.argmin(axis=1)
    rows = np.arange(len(corner))
    away, at = off[rows, nearest], share[rows, nearest]
    across = along[nearest][:, ::-1] * (-1.0, 1.0) / np.sqrt(length[nearest])[:, None]
    reach = np.hypot(away[:, 0], away[:, 1])[:, None]
    is_end = ((at <= 0.0) | (at >= 1.0)) & (reach[:, 0] > 0.0)
    normal = across.copy()
    normal[is_end] = away[is_end] / reach[is_end]
    return _Pairs(corner, owner, corner - away, owner[nearest], normal)


def _step(pairs: _Pairs, laid: Sequence[Floats], unknowns: int, *, turns: bool) -> Floats:
    """How each piece moves, (n, 3): x, y and a turn about the origin, so that distances get less."""
    count, each = len(laid), 3 if turns else 2
    design = np.zeros((len(pairs.corner), (count + 1) * each))
    rows = np.arange(len(pairs.corner))
    for sign, where, whose in ((1.0, pairs.corner, pairs.owner), (-1.0, pairs.point, pairs.other)):
        design[rows, whose * each] += sign * pairs.normal[:, 0]
        design[rows, whose * each + 1] += sign * pairs.normal[:, 1]
        if turns:
            lever = where[:, 0] * pairs.normal[:, 1] - where[:, 1] * pairs.normal[:, 0]
            design[rows, whose * each + 2] += sign * lever
    design = design[:, :unknowns]  # the target stays
    off = ((pairs.corner - pairs.point) * pairs.normal).sum(axis=1)
    square = design.T @ design
    square += STEADY * float(square.diagonal().mean()) * np.eye(unknowns)
    steps = np.zeros((count, 3))
    steps[:, :each] = np.linalg.solve(square, -design.T @ off).reshape(count, each)
    return steps


def _moved(ring: Floats, by: Floats) -> Floats:
    x, y, theta = by.tolist()
    return Pose(x, y, theta).points(ring)
