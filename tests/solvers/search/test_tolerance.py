"""A puzzle's tolerance decides how badly pieces may fit and still count as put together."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import shapely
from shapely import Polygon

from sherd.core.metrics import measure
from sherd.core.puzzle import Puzzle
from sherd.generation.merged_parts import DissectionParams, dissect
from sherd.solvers.run import run
from sherd.solvers.search import SearchSolver
from sherd.solvers.stop import MaxEvaluations

SIDE = 100.0


def grown(by: float, seed: int) -> Puzzle:
    """Six pieces of a square, most of them not convex, each a little too large all around."""
    board = shapely.box(0, 0, SIDE, SIDE)
    puzzle = dissect(board, DissectionParams(pieces=6), np.random.default_rng(seed)).puzzle

    def larger(polygon: Polygon) -> Polygon:
        found = polygon.buffer(by, join_style="mitre")
        assert isinstance(found, Polygon)
        return found

    fragments = tuple(replace(f, polygon=larger(f.polygon)) for f in puzzle.fragments)
    return replace(puzzle, fragments=fragments)


@pytest.mark.parametrize("seed", range(5))
def test_it_is_solved_within_the_tolerance_and_not_beyond(seed: int) -> None:
    puzzle = grown(0.03, seed)
    solver, stop, rng = SearchSolver(), MaxEvaluations(20_000), np.random.default_rng(0)
    found = run(solver, replace(puzzle, tolerance=0.5), stop=stop, rng=rng)
    assert found.solved
    assert measure(found.assembly, puzzle).coverage > 0.995
    assert not run(solver, replace(puzzle, tolerance=0.002), stop=stop, rng=rng).solved
