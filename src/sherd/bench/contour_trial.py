"""One puzzle of broken things: made, solved with its target or without, and its answer scored."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import shapely

from sherd.bench.contour_suites import ContourCell, make_sample, score_seen
from sherd.bench.run import RunParams
from sherd.bench.trial import STREAM, reason_of
from sherd.core.alignment import GroupScores
from sherd.core.assembly import Assembly
from sherd.core.clock import working_seconds
from sherd.core.errors import InvalidPuzzleError, UnsupportedError
from sherd.core.metrics import Scores, score
from sherd.core.puzzle import Sample
from sherd.generation.observed import Observed
from sherd.solvers import Assembler

# Outlines with more points in all are thinned by this share of the size before areas are told.
MOST_POINTS, THINNED = 200_000, 1e-4
NOTHING = GroupScores(
    all_right=False,
    largest_right=0.0,
    in_order=False,
    overlap=0.0,
    covered=0.0,
    joint_precision=None,
    joint_recall=None,
)


@dataclass(frozen=True)
class ContourOutcome:
    """What came of one puzzle; ``covering`` only with a target. ``solved`` is what the verdict says."""

    groups: GroupScores
    covering: Scores | None
    solved: bool
    seconds: float
    reason: str = ""


def contour_outcome_from_row(row: Mapping[str, Any]) -> ContourOutcome:
    """What `dataclasses.asdict` made of an outcome, and JSON of that, as the outcome again."""
    covering = None if row["covering"] is None else Scores(**row["covering"])
    own: dict[str, Any] = {"groups": GroupScores(**row["groups"]), "covering": covering}
    return ContourOutcome(**{**row, **own})


@dataclass(frozen=True)
class ContourAttempts:
    """The attempt at any puzzle, by its cell and its number there."""

    params: RunParams

    def __call__(self, job: tuple[ContourCell, int]) -> ContourOutcome:
        """What came of it; one that cannot be made, or breaks the solver, has come to nothing."""
        cell, number = job
        try:
            observed = make_sample(cell, self.params.seed, number)
        except InvalidPuzzleError as error:
            return _failed(cell, None, error, 0.0)
        rng = np.random.default_rng([self.params.seed, STREAM, number])
        started = working_seconds()
        try:
            return _tried(cell, observed, self.params.time_limit, rng)
        except UnsupportedError:
            raise
        except Exception as error:
            return _failed(cell, observed, error, working_seconds() - started)

    def lost(self, job: tuple[ContourCell, int], reason: str) -> ContourOutcome:
        """One that ends whoever tries it has come to nothing."""
        cell, number = job
        return _failed(cell, make_sample(cell, self.params.seed, number), MemoryError(reason), 0.0)


def _tried(cell: ContourCell, observed: Observed, seconds: float, rng: np.random.Generator) -> ContourOutcome:
    puzzle = observed.puzzle if cell.target else observed.puzzle.without_target()
    _, result = Assembler(cell.solver)(puzzle, seconds=seconds, rng=rng)
    assemblies = [result.assembly] if cell.target else [group.assembly for group in result.groups]
    return ContourOutcome(
        score_seen(observed, [{one.id: one.pose for one in assembly} for assembly in assemblies]),
        _covering(observed, result.assembly) if cell.target else None,
        result.solved,
        result.seconds,
        result.reason,
    )


def _covering(observed: Observed, assembly: Assembly) -> Scores:
    """How the target is covered by those pieces that belong to it."""
    own = tuple(placement for placement in assembly if placement.id in observed.truth)
    return score(Assembly(own), _thinned(observed.own))


def _thinned(sample: Sample) -> Sample:
    """The same with fewer points where outlines have very many: unions of them would take minutes."""
    outlines = [fragment.polygon for fragment in sample.puzzle.fragments]
    if shapely.get_num_coordinates(outlines).sum() <= MOST_POINTS:
        return sample
    fewer = shapely.simplify(outlines, THINNED * sample.puzzle.size)
    fragments = tuple(
        replace(fragment, polygon=outline)
        for fragment, outline in zip(sample.puzzle.fragments, fewer, strict=True)
    )
    return replace(sample, puzzle=replace(sample.puzzle, fragments=fragments))


def _failed(cell: ContourCell, observed: Observed | None, error: Exception, seconds: float) -> ContourOutcome:
    reason = reason_of(error)
    covering = _covering(observed, Assembly()) if cell.target and observed is not None else None
    return ContourOutcome(NOTHING, covering, solved=False, seconds=seconds, reason=reason)
