"""One puzzle of a benchmark: made, shown to a solver, and its answer scored.

All that is random about it comes from the seed and the puzzle's number in its set, so that every solver gets
the same, however many puzzles are run and by however many processes. A puzzle that cannot be shown, or that a
solver breaks on, counts as not solved, with the reason; the others go on.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sherd.bench.cell import DEFAULT_SIZE_PX, Cell, Input
from sherd.bench.raster_score import RasterScores, raster_score
from sherd.bench.sight import Observation, observe
from sherd.core.assembly import Assembly
from sherd.core.clock import working_seconds
from sherd.core.errors import InvalidPolygonError, InvalidPuzzleError, UnsupportedError
from sherd.core.metrics import Scores, score
from sherd.core.puzzle import Sample
from sherd.core.unforeseen import is_foreseen, told
from sherd.solvers import Result, Solver, Stop, run

logger = logging.getLogger(__name__)

# Sets the random streams of this module apart from those that the puzzles are made with from the same seed.
STREAM = 0x62656E63


@dataclass(frozen=True)
class Trial:
    """A sample, what the solver may see of it, and the randomness that the solver may use."""

    sample: Sample
    observation: Observation
    rng: np.random.Generator


@dataclass(frozen=True)
class TrialOutcome:
    """What came of one trial; ``solved`` is the verdict, made without the truth, ``reason`` why it is not.

    ``ambiguous`` says that it is not since others fit as well, ``decidable`` whether nothing is as likely as
    the truth, if that was weighed.
    """

    scores: Scores
    raster: RasterScores
    solved: bool
    seconds: float
    reason: str = ""
    ambiguous: bool = False
    decidable: bool | None = None


def outcome_from_row(row: Mapping[str, Any]) -> TrialOutcome:
    """What `dataclasses.asdict` made of an outcome, and JSON of that, as the outcome again."""
    own: dict[str, Any] = {"scores": Scores(**row["scores"]), "raster": RasterScores(**row["raster"])}
    return TrialOutcome(**{**row, **own})


def make_trial(
    sample: Sample, kind: Input, *, seed: int, number: int, size_px: int = DEFAULT_SIZE_PX
) -> Trial:
    """The trial of puzzle ``number`` of the set that the seed makes."""
    # Each purpose has a stream of its own, so that none changes what another draws.
    sight, solving = np.random.default_rng([seed, STREAM, number]).spawn(2)
    return Trial(sample, observe(sample, kind, sight, size_px=size_px), solving)


def try_trial(sample: Sample, cell: Cell, *, seed: int, number: int) -> Trial | TrialOutcome:
    """The same as the cell shows it, or a failed outcome where what is seen of the sample makes no puzzle."""
    try:
        return make_trial(sample, cell.input, seed=seed, number=number, size_px=cell.size_px)
    except (InvalidPolygonError, InvalidPuzzleError) as error:
        return failed(sample, error, 0.0)


def attempt(trial: Trial, solver: Solver, stop: Stop) -> TrialOutcome:
    """Let a solver try; only its own work counts as time. One that breaks has not solved this puzzle.

    A solver that cannot serve such puzzles at all still says so.
    """
    started = working_seconds()
    try:
        result = run(solver, trial.observation.puzzle, stop=stop, rng=trial.rng)
    except UnsupportedError:
        raise
    except Exception as error:
        return failed(trial.sample, error, working_seconds() - started)
    return outcome_of(trial, result)


def outcome_of(trial: Trial, result: Result) -> TrialOutcome:
    """Score an answer with the true pieces, whatever the solver was shown of them."""
    answer = trial.observation.meant(result.assembly)
    scores, raster = score(answer, trial.sample), raster_score(answer, trial.sample)
    is_ambiguous = not result.solved and len(result.elsewhere) > 0 and len(result.alternatives) > 0
    return TrialOutcome(scores, raster, result.solved, result.seconds, result.reason, is_ambiguous)


def reason_of(error: Exception) -> str:
    """Why nothing but an error came of a puzzle; there is a report of it where it was not foreseen."""
    reason = f"{type(error).__name__}: {error}"
    said = reason if is_foreseen(error) else told(error, reason)
    logger.warning("a puzzle counts as not solved: %s", said)
    return reason


def failed(sample: Sample, error: Exception, seconds: float) -> TrialOutcome:
    """The outcome of a puzzle of which nothing came but an error."""
    reason = reason_of(error)
    nothing = Assembly()
    scores, raster = score(nothing, sample), raster_score(nothing, sample)
    return TrialOutcome(scores, raster, solved=False, seconds=seconds, reason=reason)
