"""What ``sherd assemble`` was asked for, checked before any work is done."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from sherd.cli.pieces import PieceOptions
from sherd.core.clock import working_seconds
from sherd.core.errors import ArgumentError

if TYPE_CHECKING:
    from sherd.many.shards import Keeping
    from sherd.solvers import Assembler
    from sherd.solvers.base import ExplainingSolver, Solver


@dataclass(frozen=True, kw_only=True)
class AssembleRequest:
    """A file, how its puzzles or its pieces are to be put together, and what is to be written where.

    ``began`` is when it was asked for: loading what solves takes a second of what people wait for.
    """

    file: Path
    out: Path
    solver: str = "auto"
    seconds: float = 10.0
    weights: Path | None = None
    seed: int = 0
    index: int | None = None
    most: int | None = None
    refine: bool = False
    explain: bool = False
    check: bool = False
    verbose: bool = False
    hints: int | None = None
    start: Path | None = None
    keep: tuple[str, ...] = ()
    ignore_colour: bool = False
    export: str = "all"
    paper: str = "a4"
    pieces: PieceOptions = field(default_factory=PieceOptions)
    workers: int | None = None
    engine: str = "local"
    keeping: Keeping | None = None
    began: float = field(default_factory=working_seconds, compare=False, repr=False)

    def __post_init__(self) -> None:
        from sherd.solvers import MaxSeconds, solver_names

        MaxSeconds(self.seconds)  # which checks it
        solver_names(self.solver)
        if self.seed < 0:
            raise ArgumentError(f"--seed must be at least 0, not {self.seed}")
        if self.index is not None and self.index < 0:
            raise ArgumentError(f"--index must be at least 0, not {self.index}")
        if self.hints is not None and self.hints < 1:
            raise ArgumentError(f"--hints must be at least 1, not {self.hints}")
        if self.workers is not None and self.workers < 1:
            raise ArgumentError(f"--workers must be at least 1, not {self.workers}")
        if self.keep and self.start is None:
            raise ArgumentError("--keep goes with --start, the answer that the pieces are kept of")
        if self.most is not None:
            if self.most < 1:
                raise ArgumentError(f"--all must be at least 1, not {self.most}")
            if self.refine:
                raise ArgumentError("--refine does not go with --all, whose assemblies are exact")

    @property
    def writes_nothing(self) -> bool:
        """Whether no file is asked for, only what is said."""
        return self.export.strip().casefold() == "none"

    @property
    def is_shared(self) -> bool:
        """Whether the puzzles of a set go to several workers, or are kept in shards."""
        return self.workers not in (None, 1) or self.engine != "local" or self.keeping is not None

    def make_all(self) -> tuple[Assembler, ExplainingSolver | None]:
        """What solves, and what explains if that is asked for."""
        from sherd.solvers import Assembler

        explainer = self.make_explainer() if self.explain else None
        return (self.make_assembler() if explainer is None else Assembler(self.solver, explainer)), explainer

    def make_assembler(self) -> Assembler:
        """The solver that was named, with the weights that were, ready for many puzzles."""
        from sherd.solvers import Assembler

        return Assembler(
            self.solver, self._with_weights(), ignore_colour=self.ignore_colour, workers=self.workers or 1
        )

    def make_explainer(self) -> ExplainingSolver:
        """The same, if it is a solver that can say what it held likely."""
        from sherd.solvers import make_solver
        from sherd.solvers.base import ExplainingSolver
        from sherd.solvers.registry import is_known

        made = self._with_weights() or (make_solver(self.solver) if is_known(self.solver) else None)
        if not isinstance(made, ExplainingSolver):
            raise ArgumentError(f"--explain goes with --solver fan or matcher, not with {self.solver}")
        return made

    def _with_weights(self) -> Solver | None:
        """The network with the weights that were named; None leaves the choice to the registry."""
        if self.weights is None:
            return None
        from sherd.solvers.registry import load_solver

        return load_solver(self.solver, self.weights)

    def refuse_file_in_the_way(self) -> None:
        """`ValueError` if the folder to write into, or one above it, is a file."""
        if any(part.exists() and not part.is_dir() for part in (self.out, *self.out.parents)):
            raise ArgumentError(f"{self.out}: there is a file in the way of this folder")
