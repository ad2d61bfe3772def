"""How well pieces lie as if straight cuts had made them: cuts and poses fitted to all corners at once.

Every edge of a piece lies on a side of the target or on a cut, and every corner is where two of these lines
meet. So an arrangement is told by the line of each edge, and what is left when lines and poses are moved to
where corners are off least is a sum of squares that weighs it against any other, however it was found.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from sherd.core.arrays import Floats, Ints
from sherd.core.geometry import Pose
from sherd.solvers.search.beliefs.edge_lines import Lines

# Rounds of moving all at once, at most, and the share of squares by which the last one lessens them; after
# the first few it can be told what will come of it.
ROUNDS, AT_REST, SOON = 12, 1e-4, 4
# Added to the diagonal, as shares of it: the first, tenfold where a round has made it worse.
DAMPED = 1e-6
# Lines whose directions differ by less, in radians, meet nowhere.
PARALLEL = 0.02


class CutFit(NamedTuple):
    """What is left of squares, how many of them are not used up by moving, and where pieces then lie."""

    squares: float
    freedom: int
    poses: dict[int, Pose]
    cuts: Floats  # (lines, 2): the direction of the normal, and how far the line lies along it


class _Corners(NamedTuple):
    """All corners of all pieces: where they are in the frame of their own, and which lines meet there."""

    own: Floats  # (C, 2)
    piece: Ints  # (C,)
    before: Ints  # (C,)
    after: Ints  # (C,)


def fit_cuts(
    rings: Sequence[Floats],
    lines: Lines,
    target: Floats,
    poses: Mapping[int, Pose],
    *,
    turns: bool,
    weights: Sequence[Floats] | None = None,
    most: float = math.inf,
) -> CutFit | None:
    """The best fit of cuts to pieces (n, 2) each that lie about so; None if some lines meet nowhere.

    Pieces may move a little, and turn if that is allowed. ``weights`` (2 n, 2 n) of each piece make how far
    its corners are off, in its own frame, numbers that are as large as each other; without them all corners
    are as uncertain. If squares are soon not going to be ``most`` or less, the fit is left as it is then.
    """
    corners = _corners(rings, lines)
    placed = np.array([[poses[k].x, poses[k].y, poses[k].theta] for k in range(len(rings))])
    sides, count = _sides(target), 1 + int(max(corners.before.max(), corners.after.max()))
    cuts = _begun(corners, placed, sides, count)
    free = (3 if turns else 2) * len(rings) + 2 * (count - len(sides))

    def weighed(values: Floats, placed: Floats) -> Floats:
        return values if weights is None else _weighed(values, weights, placed)

    left = _misfit(corners, placed, cuts)
    if left is None:
        return None
    left = weighed(left, placed)
    squares, damped = float((left * left).sum()), DAMPED
    for round_ in range(ROUNDS):
        slopes = weighed(_slopes(corners, placed, cuts, len(sides), turns=turns), placed)
        square = slopes.T @ slopes
        square[np.diag_indices_from(square)] *= 1.0 + damped
        square[np.diag_indices_from(square)] += 1e-12
        step = np.asarray(np.linalg.solve(square, -slopes.T @ left), dtype=np.float64)
        moved, turned = _stepped(placed, cuts, step, len(sides), turns=turns)
        after = _misfit(corners, moved, turned)
        after = None if after is None else weighed(after, moved)
        squares_after = math.inf if after is None else float((after * after).sum())
        if after is None or squares_after > squares:
            damped = max(10.0 * damped, 1e-3)
            continue
        gained = squares - squares_after
        placed, cuts, left, squares = moved, turned, after, squares_after
        damped /= 10.0
        if gained <= AT_REST * squares or (round_ >= SOON and squares - ROUNDS * gained > most):
            break
    rest = {k: Pose(*row) for k, row in enumerate(placed.tolist())}
    return CutFit(squares, max(1, left.size - free), rest, cuts)


def meeting(cuts: Floats, one: int, other: int) -> complex:
    """Where two lines meet."""
    (a, p), (b, q) = cuts[one].tolist(), cuts[other].tolist()
    cross = math.sin(b - a)
    return complex(p * math.sin(b) - q * math.sin(a), q * math.cos(a) - p * math.cos(b)) / cross


def _corners(rings: Sequence[Floats], lines: Lines) -> _Corners:
    own = np.concatenate(rings)
    piece = np.repeat(np.arange(len(rings)), [len(ring) for ring in rings])
    after = np.concatenate([np.array(one) for one in lines])
    before = np.concatenate([np.roll(np.array(one), 1) for one in lines])
    return _Corners(own, piece, before, after)


def _sides(target: Floats) -> Floats:
    """The lines of the target's sides, (n, 2)."""
    along = np.roll(target, -1, axis=0) - target
    normal = np.arctan2(-along[:, 0], along[:, 1])  # outwards
    return np.stack([normal, target[:, 0] * np.cos(normal) + target[:, 1] * np.sin(normal)], axis=1)


def _laid(corners: _Corners, placed: Floats) -> Floats:
    cos, sin = np.cos(placed[:, 2])[corners.piece], np.sin(placed[:, 2])[corners.piece]
    x, y = corners.own.T
    turned = np.stack([cos * x - sin * y, sin * x + cos * y], axis=1)
    return turned + placed[corners.piece, :2]


def _begun(corners: _Corners, placed: Floats, sides: Floats, count: int) -> Floats:
    """Lines through all corners that lie on them."""
    laid, cuts = _laid(corners, placed), np.zeros((count, 2))
    cuts[: len(sides)] = sides
    line = np.concatenate([corners.before, corners.after])
    point = np.concatenate([laid, laid])
    for k in range(len(sides), count):
        on = point[line == k]
        if len(on) < 2:
            continue
        middle = on.mean(axis=0)
        x, y = (on - middle).T
        along = 0.5 * math.atan2(2.0 * float((x * y).sum()), float((x * x - y * y).sum()))
        normal = along + math.pi / 2.0
        cuts[k] = normal, middle @ (math.cos(normal), math.sin(normal))
    return cuts


def _met(corners: _Corners, cuts: Floats) -> tuple[Floats, Floats] | None:
    """Where the lines of each corner meet, (C, 2), and the inverse of their normals, (C, 2, 2)."""
    a, b = cuts[corners.before], cuts[corners.after]
    normals = np.stack([np.cos(a[:, 0]), np.sin(a[:, 0]), np.cos(b[:, 0]), np.sin(b[:, 0])], axis=1).reshape(
        -1, 2, 2
    )
    cross = normals[:, 0, 0] * normals[:, 1, 1] - normals[:, 0, 1] * normals[:, 1, 0]
    if np.abs(cross).min() < PARALLEL:
        return None
    inverse = (
        np.stack([normals[:, 1, 1], -normals[:, 0, 1], -normals[:, 1, 0], normals[:, 0, 0]], axis=1).reshape(
            -1, 2, 2
        )
        / cross[:, None, None]
    )
    return (inverse @ np.stack([a[:, 1], b[:, 1]], axis=1)[..., None])[..., 0], inverse


def _misfit(corners: _Corners, placed: Floats, cuts: Floats) -> Floats | None:
    """How far corners are from where their lines meet, x and y in turn, (2 C,)."""
    met = _met(corners, cuts)
    return None if met is None else (_laid(corners, placed) - met[0]).ravel()


def _weighed(values: Floats, weights: Sequence[Floats], placed: Floats) -> Floats:
    """Values or slopes of how far corners are off, (2 C, ...), in the frames of their pieces, and weighed."""
    weighed, at = np.empty_like(values), 0
    for weight, theta in zip(weights, placed[:, 2].tolist(), strict=True):
        cos, sin = math.cos(theta), math.sin(theta)
        block = values[at : at + len(weight)]
        turned = np.empty_like(block)
        turned[0::2] = cos * block[0::2] + sin * block[1::2]
        turned[1::2] = cos * block[1::2] - sin * block[0::2]
        weighed[at : at + len(weight)] = weight @ turned
        at += len(weight)
    return weighed


def _slopes(corners: _Corners, placed: Floats, cuts: Floats, sides: int, *, turns: bool) -> Floats:
    """How misfits change with poses and then with cuts, (2 C, unknowns)."""
    count, each, pieces = len(corners.own), 3 if turns else 2, len(placed)
    slopes = np.zeros((count, 2, each * pieces + 2 * len(cuts)))
    rows = np.arange(count)
    arm = _laid(corners, placed) - placed[corners.piece, :2]
    slopes[rows, 0, each * corners.piece] = 1.0
    slopes[rows, 1, each * corners.piece + 1] = 1.0
    if turns:
        slopes[rows, 0, each * corners.piece + 2] = -arm[:, 1]
        slopes[rows, 1, each * corners.piece + 2] = arm[:, 0]
    found = _met(corners, cuts)
    assert found is not None  # only cuts that meet are gone on from
    met, inverse = found
    for column, line in enumerate((corners.before, corners.after)):
        normal = cuts[line, 0]
        turned = -np.sin(normal) * met[:, 0] + np.cos(normal) * met[:, 1]
        at = each * pieces + 2 * line
        for axis in range(2):
            slopes[rows, axis, at] += inverse[:, axis, column] * turned
            slopes[rows, axis, at + 1] -= inverse[:, axis, column]
    kept = np.r_[0 : each * pieces, each * pieces + 2 * sides : slopes.shape[2]]
    return slopes.reshape(2 * count, -1)[:, kept]


def _stepped(placed: Floats, cuts: Floats, step: Floats, sides: int, *, turns: bool) -> tuple[Floats, Floats]:
    each, pieces = 3 if turns else 2, len(placed)
    moved, turned = placed.copy(), cuts.copy()
    moved[:, :each] += step[: each * pieces].reshape(pieces, each)
    turned[sides:] += step[each * pieces :].reshape(-1, 2)
    return moved, turned
