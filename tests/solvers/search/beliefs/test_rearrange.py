"""Parts that change places, and parts that are turned."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

from sherd.core.geometry import FIXED, Pose, Rotations
from sherd.solvers.search.beliefs.cut_lines import fit_cuts
from sherd.solvers.search.beliefs.edge_lines import Lines
from sherd.solvers.search.beliefs.rearrange import parts_of, rearranged
from sherd.solvers.search.corner_outline import ring_of
from true_lines import noisy_and_lines

SQUARE = np.array([(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)])
# Strips from left to right; sides are 0 below, 1 on the right, 2 above, 3 on the left.
STRIPS: Lines = ((0, 4, 2, 3), (0, 5, 2, 4), (0, 1, 2, 5))
WIDTHS = (0.2, 0.5, 0.3)


@pytest.mark.parametrize("shape", ["square", "hexagon"])
def test_cuts_leave_parts(shape: str) -> None:
    _, lines = noisy_and_lines(shape, 8, 0.0, 2)
    parts, neighbours = parts_of(lines)
    assert len(parts) >= 2 * 8 - 2  # whatever the order of cuts, these many
    assert len({part.pieces for part in parts}) == len(parts)
    assert all(parts[one].pieces.isdisjoint(parts[other].pieces) for one, other in neighbours)
    assert {part.pieces for part in parts[:8]} == {frozenset({number}) for number in range(8)}


def test_strips_of_any_width_change_places() -> None:
    lefts = np.cumsum((0.0, *WIDTHS[:-1]))
    rings = [ring_of(shapely.box(0, 0, width, 1)) for width in WIDTHS]
    below = [np.roll(ring, -int(np.argmin(ring.sum(axis=1))), axis=0) for ring in rings]
    poses = {k: Pose(float(left)) for k, left in enumerate(lefts)}
    fit = fit_cuts(below, STRIPS, SQUARE, poses, turns=False)
    assert fit is not None
    others = list(rearranged(STRIPS, fit, FIXED, 1e-6))
    fits = [fit_cuts(below, other.lines, SQUARE, other.poses, turns=False) for other in others]
    orders = {
        tuple(sorted(one.poses, key=lambda number: one.poses[number].x))
        for one in fits
        if one is not None and one.squares < 1e-12
    }
    # Neighbours, and one with the two beside it.
    assert {(1, 0, 2), (0, 2, 1), (2, 0, 1), (1, 2, 0)} <= orders


def test_what_differs_by_more_stays_where_it_is() -> None:
    sample, lines = noisy_and_lines("hexagon", 8, 0.0, 5)
    rings = [ring_of(piece.polygon) for piece in sample.puzzle.fragments]
    poses = {k: sample.truth[piece.id] for k, piece in enumerate(sample.puzzle.fragments)}
    fit = fit_cuts(rings, lines, ring_of(sample.puzzle.target), poses, turns=True)
    assert fit is not None
    none, some = (list(rearranged(lines, fit, Rotations(None), most)) for most in (1e-9, 0.1))
    assert none == []
    assert some
    assert all(0.0 <= other.off <= 0.1 for other in some)
    assert all(sorted(map(len, other.lines)) == sorted(map(len, lines)) for other in some)
