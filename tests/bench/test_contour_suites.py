"""Suites of broken things: every cell makes its puzzles, the same ones however they are seen."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sherd.bench.contour_suites import (
    CONTOUR_SUITES,
    EXTENT,
    KINDS,
    LEVELS,
    ContourCell,
    make_sample,
    observation,
    score_seen,
)
from sherd.core.geometry import is_convex
from sherd.generation.observed import EXACT, ObservedParams

SMALL = {"jigsaw": (6, 6), "crosscut": (3, 5)}
JAGGED = ContourCell(kind="jagged", pieces=(5, 5), input="binary-100")


@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_makes_puzzles_whose_truth_scores_in_full(kind: str) -> None:
    cell = ContourCell(kind=kind, pieces=SMALL.get(kind, (5, 7)), input="moved-0.05")
    for index in range(3):
        observed = make_sample(cell, 7, index)
        truth = {at.id: at.pose for at in observed.truth}
        found = score_seen(observed, [truth])
        assert found.all_right
        assert found.joint_recall == 1.0
        assert found.joint_precision == 1.0
        assert make_sample(cell, 7, index) == observed
    assert make_sample(cell, 7, 0).puzzle != make_sample(cell, 8, 0).puzzle


def test_cells_that_differ_in_what_is_seen_have_the_same_puzzles() -> None:
    scan, exact, alone = (
        make_sample(cell, 7, 1)
        for cell in (JAGGED, replace(JAGGED, input="exact"), replace(JAGGED, target=False))
    )
    assert scan.exact == exact.exact
    assert scan.puzzle != exact.puzzle
    assert scan == alone
    lost = make_sample(replace(JAGGED, input="binary-100+missing-1+foreign-2"), 7, 1)
    assert (len(lost.puzzle.fragments), len(lost.truth)) == (6, 4)


def test_numbers_of_pieces_are_drawn_from_the_range() -> None:
    cell = ContourCell(kind="voronoi", pieces=(3, 15), input="level-0")
    counts = {len(make_sample(cell, 7, index).truth) for index in range(40)}
    assert min(counts) < 6
    assert max(counts) > 12
    assert counts <= set(range(3, 16))


def test_published_protocols_have_convex_targets_and_their_levels_of_noise() -> None:
    for kind in ("crosscut", "voronoi"):
        cells = CONTOUR_SUITES[kind]
        assert {cell.input for cell in cells} == {f"level-{k}" for k in range(5)}
        assert {cell.puzzles for cell in cells} == {1000}
        assert is_convex(make_sample(cells[0], 7, 0).puzzle.target)
    assert observation("level-4").normal == LEVELS[4] / EXTENT == 2.05 / 105.0


def test_words_for_what_is_seen_are_read() -> None:
    assert observation("exact") == EXACT
    assert observation("moved-0.05").moved == pytest.approx(0.0005)
    assert observation("worn-2+foreign-2") == ObservedParams(worn=0.02, foreign=2)
    assert observation("grey-100-a-piece", 6) == ObservedParams(scan_px=600)


@pytest.mark.parametrize("word", ["blurred", "binary", "level-5", "missing-0.5", "worn-x", "exact+torn-1"])
def test_unknown_words_are_refused(word: str) -> None:
    with pytest.raises(ValueError, match="is unknown: exact, or moved-P"):
        observation(word)


def test_the_suites_hold_what_is_aimed_at() -> None:
    assert set(CONTOUR_SUITES) == {"broken", "jigsaw", "crosscut", "voronoi"}
    for cells in CONTOUR_SUITES.values():
        assert len(set(cells)) == len(cells)
        assert {cell.target for cell in cells} == {True, False}
    goals = {cell.label: cell.goal for cells in CONTOUR_SUITES.values() for cell in cells}
    assert goals["wavy, 16 pieces, worn-0.5, no target"] == 0.2
    assert goals["jigsaw, 500 pieces, binary-1000-a-piece, target"] == 0.95
    assert goals["crosscut, 3 to 5 cuts, level-2, no target"] == 0.97


def test_cells_that_make_no_sense_are_refused() -> None:
    with pytest.raises(ValueError, match="kind must be one of jagged"):
        ContourCell(kind="torn", pieces=(8, 8))
    with pytest.raises(ValueError, match="a range of positive numbers, not 9 to 8"):
        ContourCell(kind="jagged", pieces=(9, 8))
