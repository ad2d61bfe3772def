"""All assemblies of a puzzle: how many there are, and whether these are all."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
import shapely
from numpy.typing import NDArray

from sherd.core.geometry import Rotations
from sherd.core.metrics import measure
from sherd.core.puzzle import Fragment, Puzzle
from sherd.core.symmetry import are_same
from sherd.generation.merged_parts import DissectionParams, dissect
from sherd.generation.shapes import regular
from sherd.generation.tangram import tangram
from sherd.solvers import MaxEvaluations, Result
from sherd.solvers.run import run_thoroughly
from sherd.solvers.search import SearchSolver


def solve_all(puzzle: Puzzle, most: int = 50, evaluations: int = 20_000) -> Result:
    rng = np.random.default_rng(0)
    return run_thoroughly(SearchSolver(), puzzle, most=most, stop=MaxEvaluations(evaluations), rng=rng)


@pytest.mark.parametrize(("name", "count"), [("square", 1), ("cat", 1), ("boat", 4), ("arrow", 4)])
def test_tangrams_have_so_many_assemblies(name: str, count: int) -> None:
    puzzle = tangram(name, np.random.default_rng(1)).puzzle
    result = solve_all(puzzle)
    assert result.solved
    assert result.all_found
    found = [result.assembly, *result.alternatives]
    assert len(found) == count
    for assembly in found:
        measures = measure(assembly, puzzle)
        assert measures.coverage >= 1.0 - 1e-6
        assert measures.overlap <= 1e-6
    assert not any(are_same(one, other, puzzle, 1e-4) for one, other in combinations(found, 2))


@pytest.mark.parametrize("mirror", [False, True])
@pytest.mark.parametrize("seed", [1, 3])
def test_none_is_missed_where_rings_of_what_remains_touch(mirror: bool, seed: int) -> None:
    """On the way to one of the triangle's six, a corner of one ring lies on an edge of another."""
    result = solve_all(tangram("triangle", np.random.default_rng(seed), mirror=mirror).puzzle)
    assert 1 + len(result.alternatives) == 6
    assert result.all_found


def test_no_more_are_sought_than_asked_for() -> None:
    result = solve_all(tangram("boat", np.random.default_rng(1)).puzzle, most=2)
    assert len(result.alternatives) == 1
    assert not result.all_found


def test_a_stopped_search_does_not_claim_to_have_found_all() -> None:
    result = solve_all(tangram("boat", np.random.default_rng(1)).puzzle, evaluations=200)
    assert not result.all_found


def test_a_random_dissection_has_one_assembly() -> None:
    puzzle = dissect(regular(5), DissectionParams(pieces=7), np.random.default_rng(0)).puzzle
    result = solve_all(puzzle)
    assert result.solved
    assert result.all_found
    assert not result.alternatives


def test_rows_of_a_rectangle_may_be_in_any_order() -> None:
    """Three unlike bars side by side: 6 orders, each the same as its reverse, which is a half turn."""
    widths = (0.2, 0.3, 0.5)
    bars = tuple(Fragment(str(width), shapely.box(-width / 2, -1.0, width / 2, 1.0)) for width in widths)
    puzzle = Puzzle(shapely.box(0, 0, 1, 2), bars, Rotations(2))
    result = solve_all(puzzle)
    assert 1 + len(result.alternatives) == 3
    assert result.all_found


def test_an_unsolved_puzzle_has_no_alternatives_and_bad_numbers_are_refused() -> None:
    puzzle = tangram("boat", np.random.default_rng(1)).puzzle
    result = solve_all(puzzle, evaluations=0)
    assert not result.solved
    assert result.alternatives == ()
    with pytest.raises(ValueError, match="at least 1 assembly must be asked for, not 0"):
        solve_all(puzzle, most=0)


@pytest.mark.parametrize("decimals", [12, 5])
@pytest.mark.parametrize("seed", range(4))
def test_rounded_outlines_have_as_many_assemblies(decimals: int, seed: int) -> None:
    whole = tangram("boat", np.random.default_rng(seed)).puzzle

    def rounded(points: NDArray[np.float64]) -> NDArray[np.float64]:
        return np.round(points, decimals)

    puzzle = Puzzle(
        shapely.transform(whole.target, rounded),
        tuple(Fragment(f.id, shapely.transform(f.polygon, rounded)) for f in whole.fragments),
        whole.rotations,
        whole.mirror,
    )
    result = solve_all(puzzle)
    assert result.solved
    assert len(result.alternatives) == 3
    # Outlines rounded so much lie within the loosest rung only: no looser one confirms that these are all.
    assert result.all_found or decimals == 5
