"""Filling corner by corner: equal pieces are tried once, and a lost one may leave corners empty."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

from sherd.core.geometry import Rotations
from sherd.generation.tangram import tangram
from sherd.solvers.search.completing.fill_corners import Flush, Partial, fill
from sherd.solvers.stop import MaxEvaluations

EXACTLY = Flush(length=1e-6, angle=2e-5)
QUARTER = shapely.box(-0.25, -0.25, 0.25, 0.25)
SQUARE = shapely.box(0, 0, 1, 1)


def test_four_quarters_fill_the_square_at_the_first_try_each() -> None:
    found, tried = fill(
        [QUARTER] * 4, SQUARE, Rotations(1), EXACTLY, mirror=[False] * 4, stop=MaxEvaluations(99)
    )
    assert tried == 4
    assert found.area == pytest.approx(1.0)
    assert {(round(pose.x, 6), round(pose.y, 6)) for _, pose in found.poses} == {
        (x, y) for x in (0.25, 0.75) for y in (0.25, 0.75)
    }


def test_three_quarters_leave_one_open() -> None:
    found, _ = fill([QUARTER] * 3, SQUARE, Rotations(1), EXACTLY, mirror=[False] * 3, stop=MaxEvaluations(99))
    assert len(found.poses) == 3
    assert found.area == pytest.approx(0.75)


def test_a_tangram_is_filled_with_pieces_turned_over_only_where_allowed() -> None:
    puzzle = tangram("square", np.random.default_rng(2)).puzzle
    pieces = [fragment.polygon for fragment in puzzle.fragments]
    found, _ = fill(
        pieces, puzzle.target, puzzle.rotations, EXACTLY, mirror=[False] * 7, stop=MaxEvaluations(3000)
    )
    laid = [pose.apply(pieces[number]) for number, pose in found.poses]
    assert len(laid) == 7
    assert not any(pose.mirrored for _, pose in found.poses)
    assert shapely.union_all(laid, grid_size=1e-9).symmetric_difference(puzzle.target).area < 1e-5


def test_it_ends_when_it_should_stop() -> None:
    found, tried = fill(
        [QUARTER] * 4, SQUARE, Rotations(1), EXACTLY, mirror=[False] * 4, stop=MaxEvaluations(2)
    )
    assert tried == 2
    assert len(found.poses) == 2


def test_what_is_no_end_is_gone_on_from_and_the_first_is_kept() -> None:
    """Three quarters of a square leave one of four open; the count goes on through all of them."""
    seen = list[Partial]()

    def is_end(whole: Partial) -> bool:
        seen.append(whole)
        return False

    found, tried = fill(
        [QUARTER] * 3,
        SQUARE,
        Rotations(1),
        EXACTLY,
        mirror=[False] * 3,
        stop=MaxEvaluations(999),
        is_end=is_end,
    )
    assert tried < 999
    assert found == seen[0]
    places = {frozenset((round(pose.x, 6), round(pose.y, 6)) for _, pose in one.poses) for one in seen}
    assert len(places) == 4
