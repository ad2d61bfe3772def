"""One puzzle: all that is random about it comes from the seed and its number, and its failure is its own."""

from __future__ import annotations

import numpy as np
import pytest

from sherd.bench.cell import Cell
from sherd.bench.trial import Trial, TrialOutcome, attempt, make_trial, try_trial
from sherd.core.puzzle import Puzzle, Sample
from sherd.solvers import MaxSeconds, OnProgress, Proposal, Stop
from sherd.solvers.baselines.random import RandomSolver


def test_the_seed_and_the_number_make_the_trial(square_of_four: Sample) -> None:
    draws = [
        make_trial(square_of_four, "polygons", seed=seed, number=number).rng.random()
        for seed, number in ((7, 0), (7, 0), (7, 1), (8, 0))
    ]
    assert draws[0] == draws[1]
    assert len(set(draws)) == 3


def test_what_is_seen_does_not_change_what_the_solver_draws(square_of_four: Sample) -> None:
    shown = [make_trial(square_of_four, kind, seed=7, number=0) for kind in ("polygons", "masks")]
    assert shown[0].rng.random() == shown[1].rng.random()


def test_a_trial_is_as_its_cell_says(square_of_four: Sample) -> None:
    areas: list[float] = []
    for size_px in (32, 128):
        cell = Cell(solver="random", input="binary", size_px=size_px)
        trial = try_trial(square_of_four, cell, seed=7, number=0)
        assert isinstance(trial, Trial)
        again = make_trial(square_of_four, "binary", seed=7, number=0, size_px=size_px)
        assert trial.observation.puzzle == again.observation.puzzle
        areas.append(trial.observation.puzzle.target.area)
    assert areas[0] != areas[1]


def test_a_mask_of_one_pixel_is_a_failed_outcome(square_of_four: Sample) -> None:
    cell = Cell(solver="random", input="binary", size_px=1)
    outcome = try_trial(square_of_four, cell, seed=7, number=0)
    assert isinstance(outcome, TrialOutcome)
    assert not outcome.solved
    assert outcome.reason.startswith("InvalidPolygonError: ")


class Broken(RandomSolver):
    """Breaks on every puzzle."""

    def solve(
        self,
        puzzle: Puzzle,
        *,
        stop: Stop,
        rng: np.random.Generator,
        on_progress: OnProgress | None = None,
    ) -> Proposal:
        raise ZeroDivisionError("nothing to divide by")


@pytest.mark.usefixtures("breaks")
def test_a_solver_that_breaks_has_placed_nothing(square_of_four: Sample) -> None:
    trial = make_trial(square_of_four, "polygons", seed=7, number=0)
    outcome = attempt(trial, Broken(), MaxSeconds(1.0))
    assert (outcome.solved, outcome.scores.coverage) == (False, 0.0)
    assert outcome.reason == "ZeroDivisionError: nothing to divide by"
