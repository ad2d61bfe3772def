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
from sherd.solvers.search.beliefs.cut_rounds import fit_rounds
from sherd.solvers.search.beliefs.edge_lines import Lines

# Rounds of moving all at once, at most, and the share of squares by which the last one lessens them; after
# the first few it can be told what will come of it.
ROUNDS, AT_REST, SOON = 12, 1e-4, 4


class CutFit(NamedTuple):
    """What is left of squares, how many of them are not used up by moving, and where pieces then lie."""

    squares: float
    freedom: int
    poses: dict[int, Pose]
    cuts: Floats  # (lines, 2): the direction of the normal, and how far the line lies along it


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

    Pieces may move a little, and turn if that is allowed. ``weights`` of each piece, lower triangles (2 n,
    2 n), make how far its corners are off, in its own frame, numbers that are as large as each other; without
    them all corners are as uncertain. If squares are soon not going to be ``most`` or less, the fit is left
    as it is then.
    """
    begins = np.concatenate([[0], np.cumsum([len(ring) for ring in rings])]).astype(np.int64)
    after = np.array([line for edges in lines for line in edges], dtype=np.int64)
    corners = np.concatenate(rings)
    placed = np.array([[poses[k].x, poses[k].y, poses[k].theta] for k in range(len(rings))])
    cuts = _begun(rings, lines, placed, _sides(target))
    each = 3 if turns else 2
    row = np.concatenate([weight.ravel() for weight in weights]) if weights else np.empty(0)
    squares = fit_rounds(
        corners, begins, after, placed, cuts, len(target), each, row, most, ROUNDS, SOON, AT_REST
    )
    if not math.isfinite(squares):
        return None
    freedom = 2 * len(corners) - each * len(rings) - 2 * (len(cuts) - len(target))
    rest = {k: Pose(*pose) for k, pose in enumerate(placed.tolist())}
    return CutFit(squares, max(1, freedom), rest, cuts)


def meeting(cuts: Floats, one: int, other: int) -> complex:
    """Where two lines meet."""
    (a, p), (b, q) = cuts[one].tolist(), cuts[other].tolist()
    return complex(p * math.sin(b) - q * math.sin(a), q * math.cos(a) - p * math.cos(b)) / math.sin(b - a)


def _sides(target: Floats) -> Floats:
    """The lines of the target's sides, (n, 2)."""
    along = np.roll(target, -1, axis=0) - target
    normal = np.arctan2(-along[:, 0], along[:, 1])  # outwards
    return np.stack([normal, target[:, 0] * np.cos(normal) + target[:, 1] * np.sin(normal)], axis=1)


def _begun(rings: Sequence[Floats], lines: Lines, placed: Floats, sides: Floats) -> Floats:
    """Lines through all corners that lie on them, each by the sums of its points."""
    count = 1 + max(max(edges) for edges in lines)
    laid = np.concatenate(
        [Pose(*pose).points(ring) for ring, pose in zip(rings, placed.tolist(), strict=True)]
    )
    after = np.concatenate([np.array(edges) for edges in lines])
    before = np.concatenate([np.roll(np.array(edges), 1) for edges in lines])
    line: Ints = np.concatenate([before, after])
    x, y = np.concatenate([laid, laid]).T
    number = np.maximum(np.bincount(line, minlength=count), 1)

    def mean(values: Floats) -> Floats:
        return np.bincount(line, weights=values, minlength=count) / number

    middle_x, middle_y = mean(x), mean(y)
    off_x, off_y = x - middle_x[line], y - middle_y[line]
    along = 0.5 * np.arctan2(2.0 * mean(off_x * off_y), mean(off_x**2 - off_y**2))
    normal = along + math.pi / 2.0
    cuts = np.stack([normal, middle_x * np.cos(normal) + middle_y * np.sin(normal)], axis=1)
    cuts[: len(sides)] = sides
    return cuts
