"""Suites of broken things: every cell makes its puzzles, the same ones however they are seen."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sherd.bench.contour_suites import (
    CONTOUR_SUITES,
    KINDS,
    ContourCell,
    make_sample,
    score_seen,
)
from sherd.core.geometry import is_convex
from sherd.generation.observation import EXTENT, LEVELS, observation

SMALL = {"jigsaw": (6, 6), "alike": (6, 6), "crosscut": (3, 5)}
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


# What is aimed at, with a target and without, as it was set.
GOALS = {
    **{
        f"{edge}, {count} pieces, {seen}": both
        for edge in ("jagged", "wavy")
        for count, both in ((8, (1.0, 0.99)), (16, (0.99, 0.97)), (32, (0.95, 0.9)))
        for seen in ("moved-0.05", "binary-300", "binary-1000")
    },
    **{
        f"jagged, {count} pieces, {seen}": both
        for count, both in ((64, (0.95, 0.9)), (128, (0.85, 0.75)))
        for seen in ("moved-0.05", "binary-300", "binary-1000")
    },
    "jagged, 8 pieces, worn-0.5": (0.99, 0.9),
    "jagged, 16 pieces, worn-0.5": (0.95, 0.6),
    "wavy, 8 pieces, worn-0.5": (0.85, 0.5),
    "wavy, 16 pieces, worn-0.5": (0.5, 0.2),
    **{
        f"{edge}, 16 pieces, binary-300+{what}": both
        for edge, both in (("jagged", (0.97, 0.95)), ("wavy", (0.9, 0.8)))
        for what in ("missing-1", "missing-2", "foreign-2")
    },
    "mixed, 16 pieces, moved-0.05": (0.95, 0.85),
    "y-cracks, 7 to 16 pieces, moved-0.1": (0.99, 0.95),
    "y-cracks, 7 to 16 pieces, moved-0.2": (0.95, 0.85),
    "crosscut, 3 to 5 cuts, level-0": (None, 0.995),
    "crosscut, 3 to 5 cuts, level-1": (None, 0.985),
    "crosscut, 3 to 5 cuts, level-2": (None, 0.97),
    "crosscut, 3 to 5 cuts, level-3": (0.98, None),
    "crosscut, 3 to 5 cuts, level-4": (0.8, None),
    "voronoi, 3 to 15 pieces, level-0": (None, 0.985),
    "voronoi, 3 to 15 pieces, level-1": (None, 0.97),
    "voronoi, 3 to 15 pieces, level-2": (None, 0.95),
    "jigsaw, 24 pieces, binary-1000-a-piece": (1.0, 0.99),
    "jigsaw, 100 pieces, binary-1000-a-piece": (0.99, 0.95),
    "jigsaw, 500 pieces, binary-1000-a-piece": (0.95, 0.9),
}


def test_the_suites_hold_what_is_aimed_at_row_by_row() -> None:
    assert set(CONTOUR_SUITES) == {"broken", "jigsaw", "colour", "crosscut", "voronoi"}
    every = [cell for cells in CONTOUR_SUITES.values() for cell in cells]
    assert all(len(set(cells)) == len(cells) for cells in CONTOUR_SUITES.values())
    found = {cell.label: cell.goal for cell in every if cell.goal is not None}
    wanted = {
        f"{name}, {which}": goal
        for name, both in GOALS.items()
        for which, goal in zip(("target", "no target"), both, strict=True)
        if goal is not None
    }
    assert found == wanted
    for cell in every:
        published = "in_order" if cell.target else "covered"
        assert cell.measure == (published if cell.kind in ("crosscut", "voronoi") else "all_right")
        if cell not in CONTOUR_SUITES["colour"]:
            assert cell.solver == ("auto" if cell.target else "contours")


def test_cells_that_make_no_sense_are_refused() -> None:
    with pytest.raises(ValueError, match="kind must be one of jagged"):
        ContourCell(kind="torn", pieces=(8, 8))
    with pytest.raises(ValueError, match="a range of positive numbers, not 9 to 8"):
        ContourCell(kind="jagged", pieces=(9, 8))


def test_paint_changes_nothing_but_paint() -> None:
    bare = make_sample(replace(JAGGED, input="worn-1"), 7, 1)
    painted = make_sample(replace(JAGGED, input="worn-1+painted-128"), 7, 1)
    assert painted == bare  # textures do not count
    assert painted.puzzle.texture is None
    assert all(one.texture is not None for one in painted.puzzle.fragments)
    assert all(one.texture is None for one in bare.puzzle.fragments)


def test_all_inner_pieces_of_an_alike_jigsaw_are_alike() -> None:
    puzzle = make_sample(ContourCell(kind="alike", pieces=(24, 24)), 7, 0).puzzle
    areas = sorted(round(one.polygon.area, 9) for one in puzzle.fragments)
    assert max(areas.count(area) for area in areas) >= 8


def test_the_colour_suite_has_each_puzzle_with_paint_and_without() -> None:
    inputs = {cell.input for cell in CONTOUR_SUITES["colour"]}
    assert inputs == {
        *("exact", "painted-512", "worn-1", "worn-1+painted-512"),
        *("missing-1", "missing-1+painted-512", "painted-40-a-piece", "worn-1+painted-40-a-piece"),
    }
    for pieces in (8, 16, 36):  # shape alone, paint alone and both, clean and worn
        seen = {(one.kind, one.input) for one in CONTOUR_SUITES["colour"] if one.pieces == (pieces, pieces)}
        for wear in ("", "worn-1+"):
            assert ("jagged", wear.removesuffix("+") or "exact") in seen
            assert {("jagged", f"{wear}painted-512"), ("alike", f"{wear}painted-40-a-piece")} <= seen
    assert {cell.solver for cell in CONTOUR_SUITES["colour"]} == {"contours", "search"}
