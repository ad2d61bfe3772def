from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from sherd.core.geometry import Rotations
from sherd.core.metrics import measure
from sherd.core.puzzle import Puzzle, Sample
from sherd.generation.fragmentation import FragmentationParams, generate
from sherd.generation.shapes import named_shape
from sherd.solvers import MaxEvaluations, Progress, Result
from sherd.solvers.baselines.annealing import CHUNK, AnnealingParams, AnnealingSolver
from sherd.solvers.baselines.annealing_moves import DRAWS, Freedom, random_state
from sherd.solvers.run import run


def puzzle(shape: str = "square", pieces: int = 8, bins: int | None = 1, seed: int = 0) -> Puzzle:
    params = FragmentationParams(pieces=pieces, rotations=Rotations(bins))
    return next(generate(named_shape(shape), params, count=1, seed=seed)).puzzle


def solve(of: Puzzle, *, joint: bool, stop_at: int, **params: Any) -> Result:
    solver = AnnealingSolver(AnnealingParams(**params), joint=joint)
    return run(solver, of, stop=MaxEvaluations(stop_at), rng=np.random.default_rng(0))


@pytest.mark.parametrize("joint", [False, True])
@pytest.mark.parametrize("seed", range(3))
def test_the_published_figures_are_passed_within_ten_thousand_evaluations(joint: bool, seed: int) -> None:
    of = puzzle(seed=seed)
    found = measure(solve(of, joint=joint, stop_at=10_000).assembly, of)
    assert found.coverage > 0.72
    assert found.iou > 0.655


@pytest.mark.parametrize("joint", [False, True])
def test_the_objective_is_the_iou_of_the_assembly(joint: bool) -> None:
    of = replace(puzzle("hexagon", bins=None, seed=1), mirror=True)
    result = solve(of, joint=joint, stop_at=5000)
    assert {placement.pose.mirrored for placement in result.assembly} == {False, True}
    assert result.objective == pytest.approx(measure(result.assembly, of).iou, abs=1e-6)


@pytest.mark.parametrize("joint", [False, True])
def test_more_evaluations_never_end_worse(joint: bool) -> None:
    of = puzzle(seed=2)
    values = [solve(of, joint=joint, stop_at=count).objective for count in (3000, 12_000, 48_000)]
    assert values == sorted(values)


def test_joint_annealing_solves_easy_puzzles(two_halves: Sample, square_of_four: Sample) -> None:
    assert solve(two_halves.puzzle, joint=True, stop_at=50_000).solved
    free = solve(square_of_four.puzzle, joint=True, stop_at=100_000)
    assert measure(free.assembly, square_of_four.puzzle).iou > 0.9
    assert solve(puzzle("mondrian", pieces=4), joint=True, stop_at=50_000, enough=0.98).solved


@pytest.mark.parametrize("joint", [False, True])
def test_the_stop_rule_is_kept_to_a_chunk(joint: bool) -> None:
    for evaluations in (1, 150, 2500):
        assert solve(puzzle(), joint=joint, stop_at=evaluations).evaluations < evaluations + CHUNK


def test_pieces_are_placed_one_after_the_other() -> None:
    result = solve(puzzle(), joint=False, stop_at=8 * 250, evaluations=250)
    assert [len(assembly) for assembly in result.trace] == list(range(1, 8))
    assert "stopped before" in result.reason
    result = solve(puzzle(), joint=False, stop_at=8 * 250 + 1, evaluations=250)
    assert [len(assembly) for assembly in result.trace] == list(range(1, 9))
    for before, after in zip(result.trace, result.trace[1:], strict=False):
        assert after.placements[:-1] == before.placements


def test_runs_come_to_an_end_by_themselves() -> None:
    solver = AnnealingSolver(AnnealingParams(evaluations=100, runs=3))
    result = run(solver, puzzle(pieces=4), stop=MaxEvaluations(10**9), rng=np.random.default_rng(0))
    assert result.evaluations == 4 * 100 * (1 + 2 + 4)


def test_progress_only_improves_once_an_assembly_is_complete() -> None:
    heard: list[Progress] = []
    run(
        AnnealingSolver(AnnealingParams(evaluations=250), joint=True),
        puzzle(),
        stop=MaxEvaluations(8000),
        rng=np.random.default_rng(0),
        on_progress=heard.append,
    )
    values = [progress.objective for progress in heard if len(progress.assembly) == 8]
    assert len(values) > 1
    first_run = [progress.objective for progress in heard if progress.evaluations <= 2000]
    assert first_run == sorted(first_run)


@pytest.mark.parametrize("bins", [0, 1, 20])
def test_random_states_are_allowed(bins: int, rng: np.random.Generator) -> None:
    state = np.empty(4)
    rotations = Rotations(bins or None)
    for _ in range(100):
        random_state(Freedom(0.5, 0.25, bins, True), rng.random(DRAWS), state)
        assert abs(state[0]) <= 0.5
        assert abs(state[1]) <= 0.25
        assert rotations.allows(state[2])
        assert state[3] in (0.0, 1.0)


@pytest.mark.parametrize(
    "bad",
    [
        {"hot": 0.0},
        {"cold": 0.5},
        {"near": 1.0},
        {"evaluations": 0},
        {"runs": 0},
        {"enough": 1.5},
        {"burst": 0},
    ],
)
def test_bad_params_are_refused(bad: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match="must"):
        AnnealingParams(**bad)
