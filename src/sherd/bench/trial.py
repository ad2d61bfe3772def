"""One puzzle of a benchmark: made, shown to a solver, and its answer scored.

All that is random about it comes from the seed and the puzzle's number in its set, so that every solver gets
the same, however many puzzles are run and by however many processes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sherd.bench.cell import Input
from sherd.bench.observe import Observation, observe
from sherd.metrics import Scores, score
from sherd.puzzle import Sample
from sherd.solvers import Result, Solver, Stop, run

# Sets the random streams of this module apart from those that the puzzles are made with from the same seed.
STREAM = 0x62656E63


@dataclass(frozen=True)
class Trial:
    """A sample, what the solver may see of it, and the randomness that the solver may use."""

    sample: Sample
    observation: Observation
    rng: np.random.Generator


@dataclass(frozen=True)
class Outcome:
    """What came of one trial; ``solved`` is the solver's own claim."""

    scores: Scores
    solved: bool
    seconds: float


def make_trial(sample: Sample, kind: Input, *, seed: int, number: int) -> Trial:
    """The trial of puzzle ``number`` of the set that the seed makes."""
    # Each purpose has a stream of its own, so that none changes what another draws.
    sight, solving = np.random.default_rng([seed, STREAM, number]).spawn(2)
    return Trial(sample, observe(sample, kind, sight), solving)


def attempt(trial: Trial, solver: Solver, stop: Stop) -> Outcome:
    """Let a solver try; only its own work counts as time."""
    return judge(trial, run(solver, trial.observation.puzzle, stop=stop, rng=trial.rng))


def judge(trial: Trial, result: Result) -> Outcome:
    """Score an answer with the true pieces, whatever the solver was shown of them."""
    scores = score(trial.observation.meant(result.assembly), trial.sample)
    return Outcome(scores, result.solved, result.seconds)
