"""Whether rough pieces that are called solved lie right: ``python benchmarks/rough.py --suite heavy``.

Puzzles of a suite, the first of every row, then the second and so on. A place is right if a like piece lies
there within three times the noise, or 2 % of the size, of distorted ones 6 %. A puzzle is decidable if the
true arrangement, weighed as the search weighs what it finds, leaves nothing as likely (see `decidable`).
Where that cannot be told, as of masks, it is if nothing that was found, answer or rival, lies otherwise and
covers as much of the target as the true places do when they are refined. ``--record`` keeps the same rows as
`sherd bench` does. Time is that of the processor.
"""

from __future__ import annotations

import argparse
import datetime
import re
import shlex
import signal
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from multiprocessing import Pool
from pathlib import Path

from decidable import weigh_truth
from sherd.bench.cell import Cell
from sherd.bench.provenance import commit, machine, versions
from sherd.bench.record import Record, write_record
from sherd.bench.run import RunParams, cell_result
from sherd.bench.suites import suite_cells
from sherd.bench.trial import TrialOutcome, outcome_of, try_trial
from sherd.core.assembly import Assembly
from sherd.core.clock import working_seconds
from sherd.core.metrics import measure
from sherd.core.puzzle import Sample
from sherd.generation.dataset import make_samples
from sherd.layout.holding import moved_pieces
from sherd.solvers import MaxSeconds, run
from sherd.solvers.refine import refine
from sherd.solvers.search import SearchSolver
from sherd.solvers.search.arrangement import assembly_of
from sherd.solvers.search.polish import POLISH
from sherd.solvers.stop import MaxEvaluations

# Results after which a record is written anew, and moves that bring true places to rest.
KEPT_EVERY, MOVES = 20, 1000


@dataclass(frozen=True)
class Job:
    """A puzzle of a row, by its number."""

    row: int
    cell: Cell
    seed: int
    number: int
    seconds: float


@dataclass(frozen=True)
class Told:
    """What came of a puzzle, and how much of it is right; ``sure`` pieces are those not named as doubtful."""

    job: Job
    outcome: TrialOutcome
    is_right: bool
    placed: int
    sure: int
    sure_right: int


def tell(job: Job) -> Told:
    """Solve a puzzle and compare with the truth."""
    working_seconds.now = time.process_time
    (sample,) = make_samples(job.cell.kind, seed=job.seed, start=job.number, stop=job.number + 1)
    trial = try_trial(sample, job.cell, seed=job.seed, number=job.number)
    if isinstance(trial, TrialOutcome):  # what pixels show of it makes no puzzle
        unseen = replace(trial, decidable=False)
        return Told(job, unseen, is_right=False, placed=0, sure=0, sure_right=0)
    result = run(SearchSolver(), trial.observation.puzzle, stop=MaxSeconds(job.seconds), rng=trial.rng)
    answers = [trial.observation.meant(one) for one in (result.assembly, *result.alternatives)]
    wrong = [misplaced(sample, one, job.cell) for one in answers]
    sure = {one.id for one in answers[0]} - set(result.elsewhere)
    others = [one for one, off in zip(answers, wrong, strict=True) if off]
    return Told(
        job,
        replace(outcome_of(trial, result), decidable=is_decidable(job, sample, others)),
        is_right=not wrong[0],
        placed=len(answers[0]),
        sure=len(sure),
        sure_right=len(sure - wrong[0]),
    )


def is_decidable(job: Job, sample: Sample, others: Sequence[Assembly]) -> bool:
    """Whether nothing is as likely as the truth, or, where that is not known, no other covers as much."""
    weighed = weigh_truth(job.cell, sample, job.seed, job.number)
    if weighed is not None:
        likeliest = assembly_of(sample.puzzle, weighed.poses)
        return not weighed.evidence.elsewhere and not misplaced(sample, likeliest, job.cell)
    refined = refine(sample.puzzle, sample.truth, stop=MaxEvaluations(MOVES), params=POLISH)
    own = measure(refined, sample.puzzle).coverage
    return all(measure(one, sample.puzzle).coverage < own for one in others)


def misplaced(sample: Sample, answer: Assembly, cell: Cell) -> frozenset[str]:
    """The pieces that do not lie right, those without a place too."""
    share = 0.06 if cell.degradation == "distorted" else max(3.0 * cell.noise, 0.02)
    missing = frozenset(piece.id for piece in sample.puzzle.fragments if piece.id not in answer)
    return missing | moved_pieces(sample.puzzle, answer, [sample.truth], share * sample.puzzle.size)


def main() -> int:
    """Print a line for each kind of puzzle; fails if one that is wrong is called solved."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--suite", default="heavy")
    parser.add_argument("--rows", default=":", help="such as 0:8")
    parser.add_argument("--pieces", type=int, nargs="*", help="only rows with so many pieces")
    parser.add_argument("--without", nargs="*", default=[], help="shapes and kinds of damage left out")
    parser.add_argument("--seed", type=int, default=7)
    parser.add_argument("--count", type=int, default=4)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--record", type=Path)
    options = parser.parse_args()
    first, last = (int(end) if end else None for end in options.rows.split(":"))
    cells = [
        cell
        for cell in suite_cells(options.suite, rows=slice(first, last))
        if (not options.pieces or cell.pieces in options.pieces)
        and not {cell.shape, cell.degradation} & set(options.without)
    ]
    jobs = [
        Job(row, cell, options.seed, number, options.seconds)
        for number in range(options.count)
        for row, cell in enumerate(cells)
    ]
    found: list[Told] = []
    with Pool(options.workers) as pool, suppress(KeyboardInterrupt):
        signal.signal(
            signal.SIGTERM, signal.default_int_handler
        )  # what was found is told, though it is cut off
        for one in pool.imap(tell, jobs):
            found.append(one)
            if options.record and (len(found) % KEPT_EVERY == 0 or len(found) == len(jobs)):
                write_record(options.record, record_of(found, options.seed, options.seconds))
    wrong = 0
    for line, is_wrong in table(found):
        print(line, flush=True)
        wrong += is_wrong
    return 1 if wrong else 0


def record_of(found: Sequence[Told], seed: int, seconds: float) -> Record:
    """The rows in the form of `sherd bench`."""
    rows: dict[int, list[Told]] = {}
    for one in found:
        rows.setdefault(one.job.row, []).append(one)
    params = RunParams(seed=seed, time_limit=seconds)
    results = [
        cell_result(
            some[0].job.cell, replace(params, count=len(some)), SearchSolver(), [t.outcome for t in some]
        )
        for _, some in sorted(rows.items())
    ]
    return Record(
        machine=machine(),
        commit=commit(),
        versions=versions(),
        seed=seed,
        date=datetime.date.today().isoformat(),
        command=_command_line(sys.argv[1:]),
        cells=tuple(results),
    )


def _command_line(words: Sequence[str]) -> str:
    """The command as it was given, but for the place of its record."""
    given = shlex.join(["python", "benchmarks/rough.py", *words])
    return re.sub(r" --record[ =]\S+", "", given)


def table(found: Sequence[Told]) -> Iterator[tuple[str, int]]:
    """A line for each kind and number of pieces, and how many are wrong and solved."""
    kinds: dict[tuple[str, int], list[Told]] = {}
    for one in found:
        cell = one.job.cell
        kind = cell.input if cell.input != "polygons" else cell.degradation
        kind = f"{kind} {cell.noise:g}" if cell.noise else kind
        shape = " mondrian" if cell.shape == "mondrian" else ""
        kinds.setdefault((f"{kind}{shape}", cell.pieces), []).append(one)
    for (kind, pieces), some in sorted(kinds.items()):
        solved = [one for one in some if one.outcome.solved]
        wrong = [one for one in solved if not one.is_right]
        decidable = [one for one in some if one.outcome.decidable]
        told = (
            f"{len(some)} puzzles, {len(solved)} solved, {len(wrong)} of these wrong",
            f"{sum(one.outcome.ambiguous for one in some)} ambiguous",
            f"{sum(one.is_right for one in some)} right",
            f"{sum(one.outcome.solved for one in decidable)} of {len(decidable)} decidable solved",
            f"{sum(one.sure_right for one in some)} of {sum(one.sure for one in some)} sure pieces right",
            f"cov95 {sum(one.outcome.scores.coverage >= 0.95 for one in some)}",
            f"{sum(not one.placed for one in some)} empty",
        )
        names = [f"{one.job.cell.puzzle_label} no. {one.job.number}" for one in wrong]
        yield f"{kind}, {pieces}: {'; '.join((*told, *names))}", len(wrong)


if __name__ == "__main__":
    sys.exit(main())
