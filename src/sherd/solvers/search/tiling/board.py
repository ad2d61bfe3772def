"""The board of a tiling search: pieces, the way so far, and the corners at hand, all in arrays."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sherd.core.arrays import Floats, Ints

# Where a choice of slot was put off: how many slots of the region were listed, and how many are slots; how
# many of these were looked at by match, whether the last is clear, and by count; how few candidates fit one
# at best; and of the slot at hand, how many candidates it has, how many of them were tried, and kept.
LISTED, SLOTS, MATCHED, CLEAR, COUNTED, FEWEST, OPTIONS, TRIED, KEPT = range(9)


class Pieces(NamedTuple):
    """All pieces, and their mirror images where allowed, as one list of corners, and facts about each.

    A variant is a piece as it is or turned over. Edges leave a corner (``out``) or come to it (``into``).
    Corners of the same ``orbit`` put outlines of the same shape into the same place.
    """

    points: Floats  # (C, 2)
    before: Ints  # (C,) the corner before on the same ring
    after: Ints  # (C,)
    angle: Floats  # (C,) inside, in radians
    length: Floats  # (C,) of the edge that leaves
    direction: Floats  # (C, 2) of the edge that leaves
    variant: Ints  # (C,)
    piece: Ints  # (C,)
    rare: NDArray[np.bool_]  # (C,) whether few edges are as long as the one that leaves
    orbit: Ints  # (C,)
    by_angle: Ints  # (K,) the corners of less than a straight angle, narrowest first
    sorted_angle: Floats  # (K,) their angles
    begins: Ints  # (V + 1,) the first corner of each variant
    ring_begins: Ints  # (V + 1,) the first entry of each variant in ``rings``
    rings: Ints  # where the rings of a variant start, and the last one ends, from its first corner
    area: Floats  # (N,) of the pieces
    length_around: Floats  # (V,)
    key: Ints  # (N,) a random number for each shape
    bins: Ints  # (N,) of rotation, 0 if it is free
    turned_within: Floats  # (N,) within how many radians it is turned


class Stack(NamedTuple):
    """The search's way from the empty target to where it is; entry d by level belongs to d placed pieces."""

    points: Floats  # (A, 2) corners of all levels' regions
    same: Ints  # (A,)
    starts: Ints  # (B,) where their rings start
    first_point: Ints  # (N + 2,) by level
    first_ring: Ints  # (N + 2,) by level, in ``starts``
    candidate: Ints  # (E,) corners of pieces to try
    pose: Floats  # (E, 4) cosine, sine, x, y of each
    rank: Floats  # (E,) how promising each is
    first_candidate: Ints  # (N + 2,) by level
    next_candidate: Ints  # (N + 1,) by level, -1 where they are not listed yet
    chosen: Ints  # (N,) by level: which candidate
    hashes: Ints  # (N + 1,) by level
    fruitful: NDArray[np.bool_]  # (N + 1,) by level: whether an assembly was found from there
    used: NDArray[np.bool_]  # (N,) by piece
    best: Ints  # (N,) the corner placed at each level of the best assembly so far
    best_pose: Floats  # (N, 4)
    tally: Ints  # (3,) the level, the best one, placements tried
    halted: Ints  # (9,) a choice of slot that was put off, by `LISTED` and so on
    work: Ints  # (1,) how much is left to do before the next pause, as of `Rules.most_work`
    extent: Floats  # (4,) area placed, the best one, and where no piece fitted after it
    failed: Ints  # (2 ** k,) hashes of states that led nowhere


class RegionCorners(NamedTuple):
    """The corners of the region at hand."""

    before: Ints  # (S,)
    after: Ints  # (S,)
    angle: Floats  # (S,)
    length: Floats  # (S,) of the edge that leaves
    direction: Floats  # (S, 2) of the edge that leaves
    slots: Ints  # (2 S,) twice the corner, plus 1 for the edge that comes to it
    options: Ints  # (2 S,) how many candidates each slot has
    matches: Ints  # (2 S,) how many of them have a rare edge exactly as long as the region's
    seen: Ints  # (orbits,) in which slot an orbit was met last


class Rules(NamedTuple):
    """Tolerance in length, pieces at a corner at most, and what areas say.

    ``most_work`` is how many pairs of corners, or of areas, are compared, more or less, before a pause.
    """

    slack: float
    most: int
    areas_add_up: bool
    most_work: int
