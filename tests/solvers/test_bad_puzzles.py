"""Puzzles that cannot be solved, or hardly: a clear answer each time, and soon after it is told to stop.

How well limits of time are kept is for benchmarks/limits.py; here calls are counted, not seconds.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
import shapely
from shapely import Polygon

from sherd.core.errors import InvalidPuzzleError
from sherd.core.geometry import Pose, Rotations, difference
from sherd.core.metrics import measure
from sherd.core.puzzle import Fragment, Puzzle, Sample, without_slivers
from sherd.generation.dataset import PuzzleKind, make_samples
from sherd.generation.merged_parts import DissectionParams, dissect
from sherd.generation.shapes import regular
from sherd.solvers import MaxEvaluations, Result, Solver
from sherd.solvers.run import run
from sherd.solvers.search import SearchSolver
from sherd.solvers.search.case import Case
from sherd.solvers.search.tiling.exact import End
from sherd.solvers.search.tiling.tile_corners import make_tiler
from sherd.solvers.stop import MaxQuestions

EXACT = 1e-6

UntilTold = Callable[[Solver, Puzzle, int], tuple[Result, bool]]


def solve(puzzle: Puzzle, evaluations: int = 3000) -> Result:
    return run(SearchSolver(), puzzle, stop=MaxEvaluations(evaluations), rng=np.random.default_rng(0))


def dissected(pieces: int, seed: int = 0) -> Sample:
    return dissect(regular(4), DissectionParams(pieces=pieces), np.random.default_rng(seed))


def test_areas_that_do_not_add_up_are_said_with_the_difference() -> None:
    puzzle = dissected(8).puzzle
    larger = replace(puzzle, target=shapely.box(0, 0, 5, 0.25))
    result = solve(larger, evaluations=80)
    assert not result.solved
    assert "the pieces have 20.0 % less area than the target" in result.reason
    smaller = solve(replace(puzzle, target=shapely.box(0, 0, 0.8, 1)), evaluations=300)
    assert not smaller.solved
    assert "the pieces have 25.0 % more area than the target" in smaller.reason
    assert measure(smaller.assembly, puzzle).overlap <= EXACT


def test_a_corner_at_nought_but_for_rounding_is_named_so() -> None:
    thin = Polygon([(-1e-17, -1e-17), (4, -1e-17), (-1e-17, 0.5)])
    puzzle = Puzzle(thin, (Fragment("tile", shapely.box(-0.5, -0.5, 0.5, 0.5)),), Rotations(None))
    assert "no piece fits the corner at (0, 0)" in solve(puzzle).reason


def test_a_corner_that_nothing_fits_is_named() -> None:
    thin = Polygon([(0, 0), (4, 0), (0, 0.5)])  # its corners are narrower than any of the pieces
    puzzle = Puzzle(thin, (Fragment("tile", shapely.box(-0.5, -0.5, 0.5, 0.5)),), Rotations(None))
    result = solve(puzzle)
    assert not result.solved
    assert result.reason.startswith("no piece fits the corner at (")
    assert result.reason.endswith("1 of 1 pieces laid only to show something")
    assert result.elsewhere == ("tile",)


def test_a_stopped_search_says_how_much_it_tried() -> None:
    result = solve(dissected(30).puzzle, evaluations=0)
    assert not result.solved
    assert result.reason == "stopped after 0 tries; 30 of 30 pieces not placed"
    assert len(result.assembly) == 0


def test_a_piece_more_than_needed_is_not_solved() -> None:
    puzzle = dissected(6).puzzle
    spare = replace(puzzle.fragments[0], id="spare")
    result = solve(replace(puzzle, fragments=(*puzzle.fragments, spare)))
    assert not result.solved
    assert "more area" in result.reason
    assert measure(result.assembly, replace(puzzle, fragments=(*puzzle.fragments, spare))).overlap <= EXACT


def test_two_pieces_of_the_same_id_are_refused() -> None:
    puzzle = dissected(4).puzzle
    with pytest.raises(InvalidPuzzleError, match="two fragments have the id 'f0'"):
        replace(puzzle, fragments=(*puzzle.fragments, puzzle.fragments[0]))
    with pytest.raises(InvalidPuzzleError, match="two fragments have the id 'f0'"):
        replace(puzzle, set_aside=("f0",))


@pytest.mark.parametrize("seed", range(5))
def test_a_target_with_a_hole_is_filled_around_it(seed: int) -> None:
    sample = dissected(30, seed)
    inner = {
        placement.id: outline
        for placement, outline in zip(sample.truth, sample.puzzle.placed(sample.truth), strict=True)
        if outline.within(shapely.box(0.01, 0.01, 0.99, 0.99))
    }
    lost = next(iter(inner))
    target = difference(sample.puzzle.target, inner[lost])
    assert isinstance(target, Polygon)
    assert target.interiors
    kept = tuple(fragment for fragment in sample.puzzle.fragments if fragment.id != lost)
    puzzle = replace(sample.puzzle, target=target, fragments=kept)
    result = solve(puzzle)
    assert result.solved
    assert measure(result.assembly, puzzle).coverage >= 1.0 - EXACT


def test_slivers_are_set_aside_and_the_rest_is_assembled() -> None:
    puzzle = dissected(6).puzzle
    sliver = Fragment("sliver", Polygon([(-0.3, 0), (0.3, 0), (0, 1e-12)]))
    line = Fragment("line", Polygon([(-0.3, 0), (0, 0), (0.3, 0)]))
    result = solve(replace(puzzle, fragments=(sliver, *puzzle.fragments, line)))
    assert result.solved
    assert result.set_aside == ("sliver", "line")
    assert len(result.assembly) == 6
    assert without_slivers(puzzle) is puzzle
    with pytest.raises(InvalidPuzzleError, match="no fragment has any area"):
        solve(replace(puzzle, fragments=(sliver, line)))


@pytest.mark.parametrize("height", [1e-8, 1e-7, 1e-6, 5e-6])
def test_a_sliver_next_to_two_halves_changes_nothing(height: float) -> None:
    halves = tuple(Fragment(name, shapely.box(-0.25, -0.5, 0.25, 0.5)) for name in ("left", "right"))
    sliver = Fragment("sliver", shapely.box(-0.5, 0.0, 0.5, height))
    result = solve(Puzzle(shapely.box(0, 0, 1, 1), (sliver, *halves), Rotations(None)))
    assert result.solved
    assert result.set_aside == ("sliver",)


@pytest.mark.parametrize("questions", [0, 10, 100, 1000])
def test_the_search_ends_when_told_where_no_piece_is_exact(questions: int, until_told: UntilTold) -> None:
    kind = PuzzleKind(pieces=30, rotations=Rotations(None), noise=0.01)
    rough = next(make_samples(kind, seed=1, stop=1)).puzzle
    result, told = until_told(SearchSolver(), rough, questions)
    assert told
    assert not result.solved
    assert result.reason.startswith("stopped after")


def test_rough_pieces_are_laid_in_haste_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sherd.generation.fragmentation.BLOCK", 1)
    kind = PuzzleKind(pieces=128, rotations=Rotations(None), noise=0.01)
    puzzle = next(make_samples(kind, seed=77, stop=1)).puzzle
    result = solve(puzzle, evaluations=1)
    assert not result.solved
    assert result.objective > 0.1
    assert measure(result.assembly, puzzle).overlap < 0.01


def test_more_time_gives_no_worse_answer_where_little_is_placed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sherd.generation.fragmentation.BLOCK", 1)  # one puzzle is cut, not a block of them
    kind = PuzzleKind(pieces=128, rotations=Rotations(None), degradation="eroded")
    puzzle = next(make_samples(kind, seed=77, stop=1)).puzzle
    short, longer = solve(puzzle, evaluations=1), solve(puzzle, evaluations=1000)
    assert 0.1 < short.objective <= longer.objective


@pytest.fixture
def a_thousand(monkeypatch: pytest.MonkeyPatch) -> Puzzle:
    """A thousand pieces of a square; cutting one puzzle at a time is quicker than a whole block of them."""
    monkeypatch.setattr("sherd.generation.fragmentation.BLOCK", 1)
    kind = PuzzleKind(pieces=1000, rotations=Rotations(None))
    return next(make_samples(kind, seed=2, stop=1)).puzzle


def test_a_thousand_exact_pieces_are_solved(a_thousand: Puzzle) -> None:
    result = solve(a_thousand)
    assert result.solved
    assert measure(result.assembly, a_thousand).coverage >= 1.0 - EXACT


def test_a_thousand_pieces_that_do_not_fit_end_when_told(a_thousand: Puzzle, until_told: UntilTold) -> None:
    target = Pose(theta=0.3).apply(shapely.box(0, 0, 1.0, 1.001))
    result, told = until_told(SearchSolver(), replace(a_thousand, target=target), 1000)
    assert told
    assert not result.solved
    assert result.reason.startswith("stopped after")


def test_a_thousand_pieces_less_one_are_begun(a_thousand: Puzzle, until_told: UntilTold) -> None:
    result, told = until_told(SearchSolver(), replace(a_thousand, fragments=a_thousand.fragments[1:]), 50)
    assert told
    assert not result.solved
    assert result.reason.startswith("stopped after")
    assert len(result.assembly) >= 100
    assert measure(result.assembly, a_thousand).overlap <= EXACT


@pytest.mark.parametrize("holes", [False, True])  # with holes it is filled, without them glued
def test_the_search_ends_when_told_where_pieces_of_many_vertices_fit_nowhere(
    holes: bool, until_told: UntilTold
) -> None:
    along = np.linspace(0.0, 1.0, 150)
    wavy = np.column_stack([0.24 + 0.004 * np.sin(19.0 * along), along])
    outline = Pose(-0.12, -0.5).apply(Polygon([*wavy, (0.0, 1.0), (0.0, 0.0)]))
    if holes:
        outline = difference(outline, shapely.box(-0.02, -0.02, 0.02, 0.02))
    assert isinstance(outline, Polygon)
    pieces = tuple(Fragment(str(k), outline) for k in range(4))
    puzzle = Puzzle(shapely.box(0, 0, 1, 1), pieces, Rotations(None))
    _, told = until_told(SearchSolver(), puzzle, 300 if holes else 50)
    assert told


def comb(teeth: int, depth: float) -> Polygon:
    """A bar of height 1 with slots as wide as its teeth, down to ``depth`` above the bottom."""
    corners = [(0.0, 0.0), (float(teeth), 0.0)]
    for tooth in reversed(range(teeth)):
        corners += [(tooth + 1.0, 1.0), (tooth + 0.5, 1.0), (tooth + 0.5, depth), (float(tooth), depth)]
    return Polygon(corners)


def combs(teeth: int, pieces: int) -> Puzzle:
    """Combs in a box with room to spare, no two of them alike."""
    fragments = tuple(Fragment(str(k), comb(teeth, 0.2 + 0.01 * k)) for k in range(pieces))
    return Puzzle(shapely.box(0, 0, teeth, 0.9 * pieces), fragments, Rotations(None))


def test_parts_glued_by_mistake_across_themselves_are_taken_apart() -> None:
    puzzle = combs(3, 8)  # sides of their slots agree like the banks of a cut
    result = solve(puzzle, evaluations=30)
    assert len(result.assembly) == 8
    assert measure(result.assembly, puzzle).overlap <= EXACT


def test_pieces_of_many_corners_do_not_keep_tiling_from_asking_whether_to_stop() -> None:
    """Where the second of such combs fits takes seconds to find."""
    tiler = make_tiler(Case(combs(40, 14)), 1e-8, most=1)
    assert tiler.run(MaxQuestions(4)) is End.STOPPED
    assert tiler.tried < 4


def rows_with_finger_joints(teeth: int, rows: int) -> Puzzle:
    """A rectangle cut into rows by square waves, no two alike."""
    cuts = [[(0.0, 0.0), (float(teeth), 0.0)]]
    for row in range(1, rows):
        low, high, off = 2.1 * row, 2.1 * row + 0.5 + 0.05 * row, 0.2 + 0.03 * row
        cut = [(0.0, low)]
        for tooth in range(teeth):
            left, right = tooth + off, tooth + off + 0.4
            cut += [(left, low), (left, high), (right, high), (right, low)]
        cuts.append([*cut, (float(teeth), low)])
    height = 2.1 * rows + 1.0
    cuts.append([(0.0, height), (float(teeth), height)])
    outlines = (Polygon(below + above[::-1]) for below, above in pairwise(cuts))
    fragments = tuple(Fragment(str(row), outline) for row, outline in enumerate(outlines))
    return Puzzle(shapely.box(0, 0, teeth, height), fragments, Rotations(None))


def test_what_is_found_only_after_the_limit_is_called_solved_if_it_is() -> None:
    puzzle = rows_with_finger_joints(6, 4)
    result = solve(puzzle, evaluations=1)
    assert measure(result.assembly, puzzle).coverage >= 1.0 - EXACT
    assert result.solved
    assert result.reason == ""
