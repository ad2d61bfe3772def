"""What every registered solver must keep to."""

from __future__ import annotations

import copy
from collections.abc import Callable

import numpy as np
import pytest
import shapely
from shapely import MultiPolygon

from sherd.core.errors import UnsupportedError
from sherd.core.geometry import Rotations, union
from sherd.core.puzzle import Fragment, Puzzle, Sample
from sherd.generation.fragmentation import FragmentationParams, generate
from sherd.generation.shapes import named_shape
from sherd.solvers import SOLVERS, MaxEvaluations, Progress, Result, Solver
from sherd.solvers.learned.steps import NetworkSolver
from sherd.solvers.run import judged

UntilTold = Callable[[Solver, Puzzle, int], tuple[Result, bool]]

# Enough to place some pieces, few enough for solvers whose evaluations are dear.
EVALUATIONS = 60
PUZZLES = {
    "square, fixed": ("square", 8, Rotations(1)),
    "hexagon, 4 bins": ("hexagon", 5, Rotations(4)),
    "mondrian, free": ("mondrian", 4, Rotations(None)),
}


# By night only: they are others with other settings, and slow.
SLOW = ("fan-look", "matcher-beam")


@pytest.fixture(
    params=[pytest.param(name, marks=[pytest.mark.nightly] * (name in SLOW)) for name in sorted(SOLVERS)]
)
def solver(request: pytest.FixtureRequest) -> Solver:
    try:
        return SOLVERS[request.param]()
    except UnsupportedError as error:
        pytest.skip(str(error))


@pytest.fixture(
    params=[pytest.param(name, marks=[pytest.mark.nightly] * (name != "square, fixed")) for name in PUZZLES]
)
def puzzle(request: pytest.FixtureRequest) -> Puzzle:
    shape, pieces, rotations = PUZZLES[request.param]
    params = FragmentationParams(pieces=pieces, rotations=rotations)
    return next(generate(named_shape(shape), params, count=1, seed=5)).puzzle


def solve(solver: Solver, puzzle: Puzzle, *, evaluations: int = EVALUATIONS, seed: int = 0) -> Result:
    """One run that stops by itself, or the test is skipped where the solver does not take the puzzle."""
    try:
        proposal = solver.solve(puzzle, stop=MaxEvaluations(evaluations), rng=np.random.default_rng(seed))
    except UnsupportedError as error:
        pytest.skip(str(error))
    return judged(puzzle, proposal, seconds=0.0)


def test_the_same_seed_gives_the_same_result(solver: Solver, puzzle: Puzzle) -> None:
    assert solve(solver, puzzle, seed=3) == solve(solver, puzzle, seed=3)


def test_only_known_fragments_are_placed_as_the_puzzle_allows(solver: Solver, puzzle: Puzzle) -> None:
    result = solve(solver, puzzle)
    known = {fragment.id for fragment in puzzle.fragments}
    for assembly in (result.assembly, *result.trace):
        assert {placement.id for placement in assembly} <= known
        for placement in assembly:
            assert puzzle.rotations.allows(placement.pose.theta)
            assert puzzle.mirror or not placement.pose.mirrored
            assert np.isfinite([placement.pose.x, placement.pose.y]).all()


def test_stopping_at_once_still_gives_a_result(solver: Solver, puzzle: Puzzle) -> None:
    result = solve(solver, puzzle, evaluations=0)
    assert len(result.assembly) <= len(puzzle.fragments)
    assert np.isfinite(result.objective)


@pytest.mark.parametrize("questions", [0, 3])
def test_it_asks_often_and_ends_soon_when_told(
    solver: Solver,
    puzzle: Puzzle,
    questions: int,
    until_told: Callable[[Solver, Puzzle, int], tuple[Result, bool]],
) -> None:
    solve(solver, puzzle, evaluations=0)  # skips what it does not take
    result, _ = until_told(solver, puzzle, questions)
    assert result.solved or result.reason


def test_an_unsolved_puzzle_comes_with_a_reason(solver: Solver, puzzle: Puzzle) -> None:
    result = solve(solver, puzzle)
    assert result.solved or result.reason


def test_nothing_is_printed(solver: Solver, puzzle: Puzzle, capfd: pytest.CaptureFixture[str]) -> None:
    solve(solver, puzzle)
    assert capfd.readouterr() == ("", "")


def test_the_puzzle_is_not_changed(solver: Solver, puzzle: Puzzle) -> None:
    before = copy.deepcopy(puzzle)
    solve(solver, puzzle)
    assert puzzle == before


def test_progress_is_reported_in_order(solver: Solver, puzzle: Puzzle) -> None:
    heard: list[Progress] = []
    try:
        proposal = solver.solve(
            puzzle, stop=MaxEvaluations(EVALUATIONS), rng=np.random.default_rng(0), on_progress=heard.append
        )
    except UnsupportedError as error:
        pytest.skip(str(error))
    spent = [progress.evaluations for progress in heard]
    assert spent == sorted(spent)
    assert all(count <= proposal.evaluations for count in spent)
    assert judged(puzzle, proposal, seconds=0.0) == solve(solver, puzzle)  # listening changes nothing


def test_one_piece_is_a_puzzle_too(solver: Solver, two_halves: Sample) -> None:
    half = two_halves.puzzle.fragments[0]
    result = solve(solver, Puzzle(half.polygon, (half,)))
    assert len(result.assembly) <= 1


TWO_PARTS = Puzzle(
    MultiPolygon([shapely.box(0, 0, 2, 4), shapely.box(3, 0, 5, 4)]),
    tuple(
        Fragment(name, shapely.box(-1.0, -height / 2.0, 1.0, height / 2.0))
        for name, height in (("a", 3.0), ("b", 1.0), ("c", 2.0), ("d", 2.0))
    ),
    Rotations(4),
)


def test_a_target_in_two_parts_is_filled_or_refused_in_one_line(solver: Solver) -> None:
    try:
        found = solver.solve(TWO_PARTS, stop=MaxEvaluations(EVALUATIONS), rng=np.random.default_rng(0))
    except UnsupportedError as error:
        assert "\n" not in str(error)
        return
    placed = TWO_PARTS.placed(found.assembly)
    verdict = judged(TWO_PARTS, found, 0.0).verdict
    covered = union([*placed, shapely.Polygon()]).intersection(TWO_PARTS.target).area
    is_filled = len(placed) == 4 and covered == pytest.approx(16.0, rel=1e-2)
    # A network lays pieces to a part of a pixel, which may fill the target and yet not fit.
    assert verdict.is_solved == is_filled or (isinstance(solver, NetworkSolver) and not verdict.is_solved)
