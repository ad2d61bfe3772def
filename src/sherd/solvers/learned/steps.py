"""What the solvers that wrap a network share: the weights that ship, and a network's steps as proposals."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Generator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field, replace
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import NDArray

from sherd.core.assembly import Assembly
from sherd.core.errors import UnsupportedError
from sherd.core.geometry import Pose
from sherd.core.grid import Grid
from sherd.core.metrics import measure
from sherd.core.puzzle import Puzzle
from sherd.core.tolerance import Tolerance
from sherd.core.verdict import judge
from sherd.solvers.base import OnProgress, Progress, Proposal
from sherd.solvers.stop import Stop

if TYPE_CHECKING:
    import torch

Images = tuple["torch.Tensor", "torch.Tensor", NDArray[np.float64]]

# Networks lay pieces to a pixel or so of the paper's masks: seams of one on average, overlaps of up to
# three.
BY_PIXELS = Tolerance(seam=1.0 / 128, depth=3.0 / 128)
# What solves by pixels alone is often wrong: of whole pieces 5 to 10 of 219 to 240 a solver (seed 791). Next
# to no wrong answer fits as closely as refined exact pieces, but where more is open: worn pieces, and those
# beside the gap of a lost one, lie together in several ways (two each of the matcher's 20 and 13 answers to
# squares, seeds 602 and 603).
FITTING = Tolerance.of_corners(1e-4)
LEAST_FILLED = 0.998
TO_A_PIXEL = "laid by a network to about a pixel: other places may fit as well"


@contextmanager
def shipped_weights(network: str, name: str) -> Generator[Path]:
    """The file of a network's weights that comes with the package."""
    if not (files("sherd") / "weights" / name).is_file():
        raise UnsupportedError(
            f"no weights of {network} come with this version: train some, and name their file"
        )
    with as_file(files("sherd") / "weights") as folder:
        yield folder / name


class NetworkSolver(ABC):
    """A solver that wraps a network and takes many puzzles at once; nothing about it is random."""

    name: str
    weights_file: str
    batch_size: int

    @classmethod
    def shipped(cls) -> Self:
        """With the weights that come with the package, on the CPU."""
        with shipped_weights(cls.name, cls.weights_file) as path:
            return cls.load(path)

    @classmethod
    @abstractmethod
    def load(cls, path: Path, device: torch.device | None = None) -> Self:
        """With the weights that `sherd train` wrote there, on the CPU unless another device is named."""

    @abstractmethod
    def solve_many(
        self, puzzles: Sequence[Puzzle], *, stop: Stop, rngs: Sequence[np.random.Generator]
    ) -> list[Proposal]:
        """Assemble puzzles side by side: they must have one target, equally many fragments and rotations."""

    def solve(
        self, puzzle: Puzzle, *, stop: Stop, rng: np.random.Generator, on_progress: OnProgress | None = None
    ) -> Proposal:
        """One assembly; its steps are reported afterwards."""
        proposal = self.solve_many([puzzle], stop=stop, rngs=[rng])[0]
        if on_progress is not None:
            for count, assembly in enumerate(proposal.trace, start=1):
                on_progress(Progress(assembly=assembly, objective=proposal.objective, evaluations=count))
        return proposal


def training_told(record: Mapping[str, Any]) -> dict[str, Any]:
    """What the record beside weights tells of their training, for a solver."""
    return {
        "train_puzzles": int(record.get("train_puzzles", 0)),
        "train_minutes": float(record.get("train_minutes", 0.0)),
    }


def draw(puzzles: Sequence[Puzzle], size_px: int, channels: int, device: torch.device) -> Images:
    """Images of the fragments and targets on a network's device, as `PuzzleBatch` has them.

    Also where the middle of each image lies from the fragment's origin, (B, N, R, 2) in world units. With 1
    channel, paint is left out.
    """
    import torch

    from sherd.learn.data.sets import puzzle_images

    names = [[fragment.id for fragment in puzzle.fragments] for puzzle in puzzles]
    images, target, middles = puzzle_images(puzzles, names, size_px)
    if channels == 1:
        images, target = np.ascontiguousarray(images[:, :, :, :1]), target[:, :1]
    return torch.from_numpy(images).to(device), torch.from_numpy(target).to(device), middles


def enough_memory(puzzle: Puzzle) -> AbstractContextManager[None]:
    """Says in one line if the memory does not suffice for a puzzle."""
    from sherd.learn.training.device import clear_memory_errors

    pieces, angles = len(puzzle.fragments), puzzle.rotations.bins or 0
    return clear_memory_errors(f"{pieces} pieces at {angles} angles are too many for it")


@dataclass(frozen=True)
class Steps:
    """What a network did with B puzzles of N fragments, step by step.

    chosen     (B, N)     which fragment each step placed, -1 where it was stopped before
    places     (B, N, 2)  where the middle of its image lies, in pixels, (column, row)
    turns      (B, N)     at which rotation
    certainty  (B, N)     how likely it held that to be
    coverage   (B,)       the share of the target that is covered in the end, counted in pixels
    size_px               the size of the image that the target's box fills
    chances    (B, N)     the probabilities that the certainty is the product of, by name
    """

    chosen: NDArray[np.int64]
    places: NDArray[np.float64]
    turns: NDArray[np.int64]
    certainty: NDArray[np.floating]
    coverage: NDArray[np.float64]
    size_px: int
    chances: Mapping[str, NDArray[np.floating]] = field(default_factory=dict[str, NDArray[np.floating]])


def proposals_of(steps: Steps, puzzles: Sequence[Puzzle], middles: NDArray[np.float64]) -> list[Proposal]:
    """A proposal for each puzzle; ``middles`` (B, N, R, 2) are the images' middles in fragments' frames."""
    if np.isnan(steps.certainty).any():
        raise UnsupportedError("these weights make numbers that are not finite: train others")
    grid = Grid.around(puzzles[0].target, steps.size_px)
    angles = puzzles[0].rotations.angles
    at = grid.to_world(steps.places)
    proposals: list[Proposal] = []
    for k, puzzle in enumerate(puzzles):
        trace = [Assembly()]
        chosen: list[int] = steps.chosen[k].tolist()
        turns: list[int] = steps.turns[k].tolist()
        for step, (which, turn) in enumerate(zip(chosen, turns, strict=True)):
            if which < 0:
                break
            x, y = (at[k, step] - middles[k, which, turn]).tolist()
            trace.append(trace[-1].place(puzzle.fragments[which].id, Pose(x, y, float(angles[turn]))))
        taken = len(trace) - 1
        chances = [
            {name: float(value[k, step]) for name, value in steps.chances.items()} for step in range(taken)
        ]
        proposals.append(
            Proposal(
                assembly=trace[-1],
                objective=float(steps.coverage[k]),
                evaluations=taken,
                trace=tuple(trace[1:]),
                certainty=tuple(steps.certainty[k, :taken].tolist()),
                chances=tuple(chances) if steps.chances else (),
                **_said_of(puzzle, trace[-1], measure(trace[-1], puzzle).coverage),
            )
        )
    return proposals


def _said_of(puzzle: Puzzle, assembly: Assembly, coverage: float) -> dict[str, Any]:
    """How far outlines are taken to be off, what speaks against an answer by pixels alone, and a remark."""
    complete = len(assembly) == len(puzzle.fragments)
    covers = f"the pieces cover {coverage:.0%} of the target"
    fits = coverage >= LEAST_FILLED and judge(puzzle, assembly, FITTING).is_solved
    return {
        "tolerance": FITTING if fits else BY_PIXELS,
        "doubt": "" if fits else TO_A_PIXEL,
        "remark": covers if complete else "stopped before all were placed",
    }


def refined_proposal(puzzle: Puzzle, proposal: Proposal, assembly: Assembly) -> Proposal:
    """A network's proposal with its last assembly refined to this one."""
    coverage = measure(assembly, puzzle).coverage
    return replace(
        proposal,
        assembly=assembly,
        objective=coverage,
        trace=(*proposal.trace[:-1], assembly),
        **_said_of(puzzle, assembly, coverage),
    )
