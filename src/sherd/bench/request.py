"""What a benchmark is asked for: solvers, puzzles and how long for each, checked before any work is done."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from sherd.bench.cell import DEFAULT_SIZE_PX, Cell, Input
from sherd.bench.run import RunParams
from sherd.bench.suites import BEYOND, DEFAULT_SEED, REPORT_SEED, TEST_SPLIT, suite_cells
from sherd.core.errors import ArgumentError
from sherd.many.shards import Keeping
from sherd.solvers.registry import is_known, known_solvers

if TYPE_CHECKING:
    import torch

    from sherd.bench.train import TrainingPlan

DEFAULT_COUNT = 200


@dataclass(frozen=True, kw_only=True)
class BenchRequest:
    """A suite, or else ``puzzles``, which is a cell of no solver, for the solvers that are named.

    A suite has rows of its own, of which ``rows`` are taken, and solvers unless some are named. ``input`` and
    ``size_px`` stand in for what the rows say they are shown, and without ``count`` and ``seed`` these are
    the suite's. ``training`` trains the paper's network for each of
    its rows, ``weights`` are read for all of them; ``device`` is where either computes.
    """

    solvers: tuple[str, ...] = ()
    suite: str | None = None
    rows: slice | None = None
    puzzles: Cell | None = None
    input: Input | None = None
    size_px: int | None = None
    count: int | None = None
    seed: int | None = None
    time_limit: float = 10.0
    workers: int | None = None
    keeping: Keeping | None = None
    training: TrainingPlan | None = None
    weights: Path | None = None
    device: torch.device | None = None

    def __post_init__(self) -> None:
        for name in self.solvers:
            if not is_known(name):
                raise ArgumentError(f"unknown solver {name!r}: choose {', '.join(known_solvers())}")
        if (self.suite is None) == (self.puzzles is None):
            raise ArgumentError("a benchmark has a suite or puzzles, one of them")
        if self.training is not None and self.weights is not None:
            raise ArgumentError("weights are trained or read, not both")
        if self.suite is not None and self.count is not None and self.count > len(TEST_SPLIT):
            raise ArgumentError(f"count must be at most {len(TEST_SPLIT):,} with a suite, not {self.count:,}")
        if not self.cells:
            raise ArgumentError("training is for the paper's network: name fan, or rows of a suite with it")
        self.params  # noqa: B018  (checks them)

    @property
    def cells(self) -> tuple[Cell, ...]:
        """What is to be run, in order; only the paper's network where it is trained."""
        if self.puzzles is None:
            assert self.suite is not None
            cells = suite_cells(self.suite, rows=self.rows, solvers=self.solvers)
        else:
            cells = tuple(dict.fromkeys(map(self.puzzles.with_solver, self.solvers)))
        if self.training is not None:
            cells = tuple(cell for cell in cells if cell.solver == "fan")
        return tuple(map(self._shown, cells))

    def _shown(self, cell: Cell) -> Cell:
        """The cell with what is asked for in the place of what it says it is shown."""
        shown = cell.input if self.input is None else self.input
        own_size = DEFAULT_SIZE_PX if shown == "polygons" else cell.size_px
        return replace(cell, input=shown, size_px=own_size if self.size_px is None else self.size_px)

    @property
    def params(self) -> RunParams:
        """Which puzzles of each cell's set are run, and how."""
        return RunParams(
            count=self._default_count if self.count is None else self.count,
            seed=self._default_seed if self.seed is None else self.seed,
            # What a network is trained on comes before the test split of the same set.
            first=0 if self.suite is None and self.training is None else TEST_SPLIT.start,
            time_limit=self.time_limit,
            workers=self.workers,
            keeping=self.keeping,
        )

    @property
    def _default_count(self) -> int:
        return DEFAULT_COUNT if self.suite is None or self.suite in BEYOND else len(TEST_SPLIT)

    @property
    def _default_seed(self) -> int:
        return DEFAULT_SEED if self.suite is None else REPORT_SEED
