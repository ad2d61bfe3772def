"""The records of a folder as entries, one a measured cell, and which of them count.

Records are kept as ``SOLVER/SUITE/COMMIT[-ROWS][-seedSEED][-trainSEED][-WHAT].json``: the first solver of the
run, its suite ("custom" where options described the puzzles), the commit, the rows where it was not the whole
suite, the seed of the puzzles where a commit was run on several, that of the training where it is another
one, and WHAT, in what the run varies from the suite as it stands, such as a network trained without dropout.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Protocol, TypeVar

from sherd.bench.cell import Cell
from sherd.bench.record import CellResult, Record, read_record
from sherd.bench.suites import FIRST_TEST_SEED
from sherd.core.errors import FileFormatError

RECORD_NAME = re.compile(
    r"[0-9a-f]{7}(-[0-9]{2,3}(-[0-9]{2,3})?)?(-seed[0-9]+)?(-train[0-9]+)?(-(?P<what>[a-z][a-z0-9.-]*))?"
)
CUSTOM = "custom"
FREE_COMES_LAST = 1 << 30
# Of the puzzles of the largest run of a row: a run over fewer does not stand for it.
LEAST_SHARE = 0.25
# The paper's network has 42 M parameters and more, whatever relates its candidates; with one encoder for both
# it has 31 M, and the compact one 3 M. What is smaller is no row of the paper's network, whatever its name.
LEAST_PARAMETERS = 40_000_000
OF_THE_PAPERS_NETWORK = frozenset({"fan", "fan-look"})


@dataclass(frozen=True)
class Entry:
    """A result, the record that it stands in, and that record's path within its folder."""

    result: CellResult
    record: Record
    source: str

    @property
    def puzzles(self) -> int:
        """How many puzzles it is over."""
        return self.result.count

    @property
    def variation(self) -> str:
        """In what the run varies from the suite as it stands, by its name; "" where it does not."""
        return variation_of(self.source)

    @property
    def train_seed(self) -> int | None:
        """The seed that a network was trained from for this row; None where none was."""
        training = self.result.training
        if training is None or training.train_steps is None:
            return None
        return self.record.seed if training.train_seed is None else training.train_seed

    @property
    def is_custom(self) -> bool:
        """Whether options described the puzzles, by where the record lies, and not a suite."""
        return CUSTOM in PurePosixPath(self.source).parts

    @property
    def is_full_network(self) -> bool:
        """Whether FAN was the paper's full network; true of other solvers, and where it is not known."""
        training = self.result.training
        if training is None or self.result.cell.solver not in OF_THE_PAPERS_NETWORK:
            return True
        return training.parameters >= LEAST_PARAMETERS

    @property
    def on_test_puzzles(self) -> bool:
        """Whether the run took a seed that is kept for tests, and not one for tuning."""
        return self.record.seed >= FIRST_TEST_SEED


def variation_of(source: str) -> str:
    """In what the run of a record varies from the suite, by the path of its file."""
    found = RECORD_NAME.fullmatch(PurePosixPath(source).stem)
    return "" if found is None else found["what"] or ""


def load_records(folder: Path) -> dict[str, Record]:
    """All records (``*.json``) under a folder, by their path within it, in order."""
    if not folder.is_dir():
        raise FileFormatError(f"{folder}: there is no such folder")
    paths = sorted(folder.rglob("*.json"), key=lambda path: path.relative_to(folder).as_posix())
    return {path.relative_to(folder).as_posix(): read_record(path) for path in paths}


def entries_of(records: Mapping[str, Record]) -> list[Entry]:
    """All entries by puzzles, solvers and paths: an order that does not depend on when they were measured."""
    entries = (Entry(result, record, source) for source, record in records.items() for result in record.cells)
    return sorted(entries, key=lambda entry: (_place(entry.result.cell), entry.source))


def _place(cell: Cell) -> tuple[str | int | float | bool, ...]:
    return (
        cell.shape,
        cell.pieces,
        cell.dissection,
        cell.mirror,
        FREE_COMES_LAST if cell.rotations.bins is None else cell.rotations.bins,
        cell.degradation,
        cell.strength,
        cell.order,
        cell.noise,
        cell.texture or "",
        cell.registered_name,
        cell.input,
        cell.size_px,
    )


def counting(entries: Iterable[Entry]) -> dict[Cell, tuple[Entry, ...]]:
    """The entries that count for each cell: those of one commit, one a seed of puzzles and training.

    Tuning seeds, variations and smaller networks than the paper's count for none. The commit is that of the
    latest run that is not much smaller than the largest (`latest_run`); never of the best.
    """
    found: dict[Cell, list[Entry]] = {}
    for entry in entries:
        if entry.on_test_puzzles and not entry.variation and entry.is_full_network:
            found.setdefault(entry.result.cell, []).append(entry)
    return {cell: runs_that_count(candidates) for cell, candidates in found.items()}


class CountedRun(Protocol):
    """A measured row of a record; ``train_seed`` is None where nothing was trained for it."""

    @property
    def puzzles(self) -> int:
        """How many there were."""
        ...

    @property
    def train_seed(self) -> int | None:
        """The seed of the training."""
        ...

    @property
    def record(self) -> Record:
        """The record that the row stands in."""
        ...

    @property
    def source(self) -> str:
        """The record's path."""
        ...


R = TypeVar("R", bound=CountedRun)


def runs_that_count(runs: Sequence[R]) -> tuple[R, ...]:
    """The runs of the commit of `latest_run`, one a seed of puzzles and training."""
    commit = latest_run(runs).record.commit
    by_seed: dict[tuple[int, int], list[R]] = {}
    for run in runs:
        if run.record.commit == commit:
            by_seed.setdefault((run.record.seed, run.train_seed or 0), []).append(run)
    return tuple(latest_run(by_seed[seeds]) for seeds in sorted(by_seed))


def latest_run(runs: Sequence[R]) -> R:
    """The run that a row is shown by: the latest of those over at least a quarter of the most puzzles.

    A few puzzles say too little to stand for many, but those of an older commit must not hide those of a
    newer one for being some more.
    """
    most = max(run.puzzles for run in runs)
    substantial = [run for run in runs if run.puzzles >= LEAST_SHARE * most]
    return max(substantial, key=lambda run: (run.record.date, run.puzzles, run.source))


def count_evaluations(entries: Iterable[Entry]) -> Counter[Cell]:
    """How many records have each cell on a test seed: how often its test puzzles were looked at, at least."""
    return Counter(entry.result.cell for entry in entries if entry.on_test_puzzles)
