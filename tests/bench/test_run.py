"""The harness itself: random pieces score badly, the truth scores fully, and nothing leaks to a solver."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import pytest

from sherd.bench.cell import DEFAULT_SIZE_PX, Cell, Input
from sherd.bench.record import CellResult
from sherd.bench.run import LearnedSolver, RunParams, cell_result, outcomes, trials
from sherd.core.errors import UnsupportedError
from sherd.core.geometry import Rotations
from sherd.core.puzzle import Puzzle
from sherd.solvers import BatchSolver, OnProgress, Proposal, Solver, Stop, make_solver
from sherd.solvers.baselines.random import RandomSolver

FREE = Rotations(None)


def run_cell(cell: Cell, params: RunParams, solver: Solver | None = None) -> CellResult:
    """Run a cell to its end; ``solver`` may stand in for the registered one."""
    solver = make_solver(cell.registered_name) if solver is None else solver
    return cell_result(cell, params, solver, list(outcomes(cell, params, solver)))


class TruthSolver:
    """Answers what the test told it beforehand, in the order of the puzzles.

    It takes the frame of a fragment that it is shown, at the centroid, for the true fragment's.
    """

    def __init__(self, cell: Cell, params: RunParams) -> None:
        self._trials = trials(cell, params)

    def solve(
        self,
        puzzle: Puzzle,
        *,
        stop: Stop,
        rng: np.random.Generator,
        on_progress: OnProgress | None = None,
    ) -> Proposal:
        trial = next(self._trials)
        assert trial.observation.puzzle == puzzle
        return Proposal(assembly=trial.sample.truth, objective=1.0, evaluations=1)


def run_truth(cell: Cell, params: RunParams) -> CellResult:
    return run_cell(cell, params, solver=TruthSolver(cell, params))


@pytest.mark.parametrize(
    "cell",
    [
        Cell(solver="truth", shape="star", rotations=FREE, dissection="merged", mirror=True),
        Cell(solver="truth", shape="swan", pieces=7, rotations=FREE, dissection="tangram", mirror=True),
        Cell(solver="truth", shape="square", pieces=7, rotations=FREE, dissection="tangram"),
    ],
    ids=lambda cell: cell.puzzle_label,
)
def test_the_truth_of_other_dissections_scores_fully(cell: Cell) -> None:
    figures = run_truth(cell, RunParams(count=3)).figures
    assert figures.cov95 == figures.posed_right == 1.0
    assert figures.cov == pytest.approx(1.0, abs=1e-9)


@pytest.mark.parametrize("shape", ["square", "pentagon", "hexagon", "mondrian", "polygon:7"])
@pytest.mark.parametrize("rotations", [Rotations(1), Rotations(4), Rotations(20), FREE], ids=str)
@pytest.mark.parametrize("degradation", ["none", "missing", "eroded", "distorted"])
def test_the_truth_scores_fully(shape: str, rotations: Rotations, degradation: str) -> None:
    cell = Cell(solver="truth", shape=shape, rotations=rotations, degradation=degradation)
    figures = run_truth(cell, RunParams(count=2)).figures
    assert figures.cov95 == figures.cov90 == figures.posed_right == 1.0
    # Distorted pieces overlap in their true places, and this solver takes outlines to be exact.
    assert figures.solved == (0.0 if degradation == "distorted" else 1.0)
    assert figures.cov == pytest.approx(1.0, abs=1e-9)
    assert figures.position_error == pytest.approx(0.0, abs=1e-9)
    assert figures.rotation_error_deg == pytest.approx(0.0, abs=1e-6)
    if degradation == "none":
        assert figures.iou == pytest.approx(1.0, abs=1e-9)
        assert figures.overlap == pytest.approx(0.0, abs=1e-9)
        assert figures.coverage_whole == figures.cov
    else:
        assert figures.coverage_whole < 0.999


@pytest.mark.parametrize("kind", ["masks", "binary"])
@pytest.mark.parametrize(
    ("shape", "degradation"), [("square", "eroded"), ("hexagon", "none"), ("mondrian", "distorted")]
)
def test_the_truth_survives_masks(kind: Input, shape: str, degradation: str) -> None:
    cell = Cell(solver="truth", shape=shape, rotations=FREE, degradation=degradation, input=kind)
    figures = run_truth(cell, RunParams(count=2)).figures
    assert 0.99 <= figures.cov < 1.0
    assert figures.posed_right == 1.0
    assert figures.position_error is not None
    assert 0.0 < figures.position_error < 0.5 / DEFAULT_SIZE_PX


def test_the_truth_survives_noise_and_paint() -> None:
    cell = Cell(solver="truth", noise=0.01, texture="marble", rotations=Rotations(4))
    figures = run_truth(cell, RunParams(count=2)).figures
    assert figures.cov == pytest.approx(1.0, abs=1e-9)
    assert figures.posed_right == 1.0


def test_random_pieces_score_badly_and_the_same_seed_the_same() -> None:
    cell = Cell(solver="random", rotations=Rotations(20))
    result = run_cell(cell, RunParams(count=6))
    again = run_cell(cell, RunParams(count=6))
    assert result.figures.cov95 == result.figures.solved == 0.0
    assert 0.2 < result.figures.cov < 0.9
    assert result.figures.posed_right < 0.2
    assert result.count == 6
    assert result.published is not None
    assert result.published.cov == 0.603
    timeless = {"seconds_median": 0.0, "seconds_p95": 0.0}
    assert replace(result.figures, **timeless) == replace(again.figures, **timeless)


def scores_of(cell: Cell, params: RunParams) -> list[object]:
    return [outcome.scores for outcome in outcomes(cell, params, RandomSolver())]


def test_a_puzzle_does_not_depend_on_those_around_it() -> None:
    cell = Cell(solver="random", degradation="eroded")
    scores = scores_of(cell, RunParams(count=4, first=498))
    assert scores_of(cell, RunParams(count=2, first=500)) == scores[2:]
    assert scores_of(cell, RunParams(count=2, first=498, seed=8)) != scores[:2]


def test_workers_change_nothing() -> None:
    cell = Cell(solver="random", degradation="missing")
    alone = scores_of(cell, RunParams(count=12))
    assert scores_of(cell, RunParams(count=12, workers=2)) == alone


@dataclass
class BatchOfRandom:
    """Random pieces, several puzzles at a time, by a solver that says how it was trained."""

    batch_size: int = 4
    train_puzzles: int = 0
    train_minutes: float = 1.5
    parameters: int = 12

    def __post_init__(self) -> None:
        self.batches: list[int] = []

    def solve(
        self,
        puzzle: Puzzle,
        *,
        stop: Stop,
        rng: np.random.Generator,
        on_progress: OnProgress | None = None,
    ) -> Proposal:
        return RandomSolver().solve(puzzle, stop=stop, rng=rng)

    def solve_many(
        self, puzzles: Sequence[Puzzle], *, stop: Stop, rngs: Sequence[np.random.Generator]
    ) -> list[Proposal]:
        self.batches.append(len(puzzles))
        return [self.solve(puzzle, stop=stop, rng=rng) for puzzle, rng in zip(puzzles, rngs, strict=True)]


def test_a_batch_solver_gets_batches_and_the_same_scores() -> None:
    solver = BatchOfRandom()
    assert isinstance(solver, BatchSolver)
    assert isinstance(solver, LearnedSolver)
    cell, params = Cell(solver="random"), RunParams(count=6)
    in_batches = list(outcomes(cell, params, solver))
    assert [outcome.scores for outcome in in_batches] == scores_of(cell, params)
    assert solver.batches == [4, 2]
    assert in_batches[0].seconds == in_batches[3].seconds != in_batches[4].seconds
    training = run_cell(cell, params, solver=solver).training
    assert training is not None
    assert (training.train_puzzles, training.train_minutes, training.parameters) == (0, 1.5, 12)


class BreaksOnSome:
    """Random pieces, but every other puzzle breaks it."""

    def __init__(self) -> None:
        self.solved = 0

    def solve(
        self,
        puzzle: Puzzle,
        *,
        stop: Stop,
        rng: np.random.Generator,
        on_progress: OnProgress | None = None,
    ) -> Proposal:
        self.solved += 1
        if self.solved % 2 == 0:
            raise ZeroDivisionError("nothing to divide by")
        return RandomSolver().solve(puzzle, stop=stop, rng=rng)


@pytest.mark.usefixtures("breaks")
def test_a_puzzle_that_breaks_the_solver_is_not_solved_and_the_others_go_on() -> None:
    cell, params = Cell(solver="random"), RunParams(count=4)
    broken = list(outcomes(cell, params, BreaksOnSome()))
    assert [outcome.scores for outcome in broken[::2]] == scores_of(cell, params)[::2]
    for outcome in broken[1::2]:
        assert not outcome.solved
        assert outcome.scores.coverage == outcome.scores.posed_right == 0.0
        assert outcome.reason == "ZeroDivisionError: nothing to divide by"


class BrokenBatch(BatchOfRandom):
    """More than one puzzle at a time breaks it."""

    def solve_many(
        self, puzzles: Sequence[Puzzle], *, stop: Stop, rngs: Sequence[np.random.Generator]
    ) -> list[Proposal]:
        if len(puzzles) > 1:
            raise ZeroDivisionError("nothing to divide by")
        return super().solve_many(puzzles, stop=stop, rngs=rngs)


def test_a_broken_batch_is_solved_one_by_one() -> None:
    cell, params = Cell(solver="random"), RunParams(count=6)
    assert [outcome.scores for outcome in outcomes(cell, params, BrokenBatch())] == scores_of(cell, params)


class Unable(BreaksOnSome):
    """Cannot serve any puzzle."""

    def solve(
        self,
        puzzle: Puzzle,
        *,
        stop: Stop,
        rng: np.random.Generator,
        on_progress: OnProgress | None = None,
    ) -> Proposal:
        raise UnsupportedError("only triangles")


def test_a_solver_that_can_serve_no_puzzle_ends_the_run() -> None:
    with pytest.raises(UnsupportedError, match="only triangles"):
        list(outcomes(Cell(solver="random"), RunParams(count=2), Unable()))


def test_a_puzzle_that_cannot_be_shown_is_not_solved() -> None:
    cell, params = Cell(solver="random", input="binary", size_px=1), RunParams(count=2)
    for solver in (RandomSolver(), BatchOfRandom()):
        for outcome in outcomes(cell, params, solver):
            assert not outcome.solved
            assert outcome.reason.startswith("InvalidPolygonError: the mask ")


def test_a_solver_that_is_not_there_is_named() -> None:
    with pytest.raises(UnsupportedError, match=r"there is no solver 'fan-max' here: choose .*random"):
        run_cell(Cell(solver="fan", aggregation="max"), RunParams(count=1))


def test_a_texture_that_is_not_there_is_named() -> None:
    with pytest.raises(ValueError, match="nor a folder of images"):
        run_cell(Cell(solver="random", texture="no/such/folder"), RunParams(count=1))


@pytest.mark.parametrize(
    "wrong",
    [
        {"count": 0},
        {"count": 1_000_000},
        {"seed": -1},
        {"first": -5},
        {"time_limit": 0.0},
        {"time_limit": float("nan")},
        {"workers": 0},
    ],
)
def test_bad_settings_are_refused(wrong: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="not "):
        RunParams(**wrong)  # type: ignore[arg-type]
