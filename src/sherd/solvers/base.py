"""What every solver takes and gives."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from sherd.core.assembly import Assembly, Group, Joint
from sherd.core.puzzle import Puzzle
from sherd.core.showing import shown
from sherd.core.tolerance import EXACT, Tolerance
from sherd.core.verdict import Verdict
from sherd.solvers.stop import Stop

# What is judged of solvers that maximise area alone: close to an IoU of 0.99 for 8 pieces.
BY_AREA = Tolerance(seam=1e-3, depth=1e-2)


@dataclass(frozen=True, kw_only=True)
class Progress:
    """How far a solver has come: the best assembly so far and what it is worth to the solver.

    ``trying`` is what it does next, in a word or two, where it goes several ways. ``groups`` and ``joints``
    are as in a `Proposal`, where they are known by then. ``judged`` is what one of several solvers ended
    with.
    """

    assembly: Assembly
    objective: float
    evaluations: int
    trying: str = ""
    groups: tuple[Group, ...] = ()
    joints: tuple[Joint, ...] = ()
    judged: Result | None = None


OnProgress = Callable[[Progress], None]


# Whether paint decided between arrangements that outlines allow; "" where there was nothing to decide.
ByPaint = Literal["", "decided", "undecided"]


@dataclass(frozen=True)
class Tried:
    """An attempt that a solver made: how many evaluations it took, and what came of it in a word or two."""

    name: str
    tries: int
    outcome: str


@dataclass(frozen=True, kw_only=True)
class Proposal:
    """What a solver proposes; whether that solves the puzzle is for the verdict to say.

    ``objective`` is in the solver's own terms, larger being better, and ``tolerance`` how far it took
    outlines to be off. ``trace`` holds the partial assemblies on the way, for pictures and replay.
    ``certainty``, where a solver can tell, is how likely it held each placement to be, in order, and
    ``chances``, where it decides one thing after the other, the probabilities that this is the product of.
    ``remark`` says in a few words why a solver ended with less than it was asked for. ``doubt`` is what
    the solver itself holds against its answer, where it laid pieces for want of better. ``set_aside`` names
    pieces without area, which are not missed in an assembly, and ``excused`` those that the others show to be
    foreign, with the reason. ``alternatives`` are further assemblies where they were asked for, and
    ``all_found`` says that there are no others; ``all_on_grid`` is how many there are, proven, with all
    corners on the grid that the puzzle lies on, 0 if that is not known. ``attempts`` are those that a solver
    made in turn, where it makes several; the answer is that of the last one that fits, or else of the
    one that covers most. Without a target ``groups`` are the pieces that belong together, the largest first,
    which is the assembly; with one, those that found no place in it. ``joints`` are pairs that may lie
    together, the likeliest first, of solvers that look for them. ``by_paint`` says whether
    the paint of pieces decided between arrangements. ``elsewhere`` names pieces that lie elsewhere in
    alternatives which fit about as well: nothing tells which is meant. Of an answer that is not solved it
    names those that nothing firm holds where they lie, too.
    """

    assembly: Assembly
    objective: float
    evaluations: int
    tolerance: Tolerance = EXACT
    trace: Sequence[Assembly] = ()
    certainty: tuple[float, ...] = ()
    chances: tuple[Mapping[str, float], ...] = ()
    remark: str = ""
    doubt: str = ""
    set_aside: tuple[str, ...] = ()
    excused: Mapping[str, str] = field(default_factory=dict[str, str])
    alternatives: tuple[Assembly, ...] = ()
    all_found: bool = False
    all_on_grid: int = 0
    attempts: tuple[Tried, ...] = ()
    groups: tuple[Group, ...] = ()
    joints: tuple[Joint, ...] = ()
    by_paint: ByPaint = ""
    elsewhere: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True, repr=False)
class Result(Proposal):
    """A proposal that was judged, how many seconds it took, and the puzzle that it is an answer to."""

    verdict: Verdict
    seconds: float = 0.0
    puzzle: Puzzle | None = field(default=None, compare=False)

    def __repr__(self) -> str:
        return f"<Result {self._in_a_line}, {self.seconds:.2f} s>"

    @property
    def _in_a_line(self) -> str:
        placed = len(self.assembly)
        every = "" if self.puzzle is None else f" of {len(self.puzzle.fragments)}"
        why = "" if self.solved else f": {self.reason}"
        return f"{self.verdict.in_words}, {placed}{every} pieces placed{why}"

    def _repr_svg_(self) -> str:
        if self.puzzle is None:
            return shown("poses_in_svg", self.assembly)
        return shown("answer_in_svg", self.puzzle, self.assembly, self._in_a_line)

    @property
    def solved(self) -> bool:
        """Whether the verdict is that the puzzle is solved."""
        return self.verdict.is_solved

    @property
    def reason(self) -> str:
        """Why the puzzle is not solved, "" if it is: in the solver's words if it has any."""
        return "" if self.solved else self.remark or self.verdict.why


class Solver(Protocol):
    """Finds poses. It prints nothing and reads no clock of its own."""

    def solve(
        self, puzzle: Puzzle, *, stop: Stop, rng: np.random.Generator, on_progress: OnProgress | None = None
    ) -> Proposal:
        """The best assembly found before ``stop`` says so; the same ``rng`` state gives the same one."""
        ...


@runtime_checkable
class ThoroughSolver(Protocol):
    """A solver that can go on after a first assembly, and tell whether there are more."""

    def solve_all(
        self,
        puzzle: Puzzle,
        *,
        most: int,
        stop: Stop,
        rng: np.random.Generator,
        on_progress: OnProgress | None = None,
    ) -> Proposal:
        """Up to ``most`` assemblies that differ by more than a symmetry or an exchange of like pieces."""
        ...


@runtime_checkable
class GroupingSolver(Protocol):
    """A solver that needs no target."""

    def solve_groups(
        self, puzzle: Puzzle, *, stop: Stop, rng: np.random.Generator, on_progress: OnProgress | None = None
    ) -> Proposal:
        """The pieces that belong together, as groups, each in a frame of its own."""
        ...


@runtime_checkable
class BatchSolver(Protocol):
    """A solver that is quicker on many puzzles at once; ``rngs`` has a generator for each of them."""

    batch_size: int

    def solve_many(
        self, puzzles: Sequence[Puzzle], *, stop: Stop, rngs: Sequence[np.random.Generator]
    ) -> list[Proposal]:
        """A proposal for every puzzle, the same as `Solver.solve` gives."""
        ...


@runtime_checkable
class ExplainingSolver(Solver, Protocol):
    """A solver that can say what it held likely."""

    def explain(self, puzzle: Puzzle) -> Iterable[NDArray[np.float32]]:
        """For `draw_scores`: before each step, log-probabilities (H, W) of a piece's middle over pixels."""
        ...
