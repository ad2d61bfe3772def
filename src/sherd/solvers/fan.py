"""The paper's network as a solver: one fragment after the other, each placed where it is likeliest."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.resources import as_file, files
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from sherd.assembly import Assembly
from sherd.errors import UnsupportedError
from sherd.geometry import Pose
from sherd.puzzle import Puzzle
from sherd.raster import Grid
from sherd.solvers.base import OnProgress, Progress, Result
from sherd.solvers.stop import Stop

if TYPE_CHECKING:
    from sherd.learn.fan_learner import FanLearner, Greedy

SHIPPED = "fan-compact.safetensors"
# The share of the target, counted in pixels, from which on FAN itself calls a puzzle solved.
SOLVED_COVERAGE = 0.95


class FanSolver:
    """Assembles greedily from masks that it draws of the fragments."""

    batch_size = 250

    def __init__(self, learner: FanLearner, *, train_puzzles: int = 0, train_minutes: float = 0.0) -> None:
        self.learner = learner
        self.train_puzzles, self.train_minutes = train_puzzles, train_minutes
        self.shared_encoder = learner.model.config.shared_encoder
        self.parameters = sum(value.numel() for value in learner.model.parameters())

    @classmethod
    def shipped(cls) -> FanSolver:
        """The compact FAN whose weights come with the package, on the CPU."""
        weights = files("sherd") / "weights" / SHIPPED
        if not weights.is_file():
            raise UnsupportedError(
                "no weights of fan come with this version: train some with 'sherd train fan' and name them "
                "with --weights"
            )
        with as_file(files("sherd") / "weights") as folder:
            return cls.load(folder / SHIPPED)

    @classmethod
    def load(cls, path: Path) -> FanSolver:
        """The FAN whose weights `sherd train` wrote there, on the CPU."""
        import torch

        from sherd.learn.checkpoint import load_weights
        from sherd.learn.fan_learner import FanLearner

        model, training = load_weights(path, torch.device("cpu"))
        return cls(
            FanLearner(model),
            train_puzzles=int(training.get("train_puzzles", 0)),
            train_minutes=float(training.get("train_minutes", 0.0)),
        )

    def solve(
        self,
        puzzle: Puzzle,
        *,
        stop: Stop,
        rng: np.random.Generator,
        on_progress: OnProgress | None = None,
    ) -> Result:
        """One greedy assembly; nothing about it is random."""
        result = self.solve_many([puzzle], stop=stop, rngs=[rng])[0]
        if on_progress is not None:
            for count, assembly in enumerate(result.trace, start=1):
                on_progress(Progress(assembly=assembly, objective=result.objective, evaluations=count))
        return result

    def solve_many(
        self, puzzles: Sequence[Puzzle], *, stop: Stop, rngs: Sequence[np.random.Generator]
    ) -> list[Result]:
        """Assemble puzzles side by side: they must have one target, equally many fragments and rotations."""
        import torch

        from sherd.learn.data import puzzle_images
        from sherd.learn.device import clear_memory_errors

        config = self.learner.model.config
        for puzzle in puzzles:
            self._check(puzzle)
        names = [[fragment.id for fragment in puzzle.fragments] for puzzle in puzzles]
        images, target, middles = puzzle_images(puzzles, names, config.size_px)
        if config.channels == 1:
            images, target = images[:, :, :, :1], target[:, :1]
        device = self.learner.model.device
        with clear_memory_errors(f"{images.shape[1]} pieces at {images.shape[2]} angles are too many for it"):
            answer = self.learner.assemble(
                torch.from_numpy(images).to(device), torch.from_numpy(target).to(device), stop
            )
        return _results(puzzles, middles, answer, target[:, 0].sum(axis=(1, 2)) / 255.0, config.size_px)

    def _check(self, puzzle: Puzzle) -> None:
        config = self.learner.model.config
        if puzzle.rotations.bins is None:
            raise UnsupportedError("fan chooses among rotation bins; it cannot turn pieces freely")
        if puzzle.rotations.bins > 1 and not config.rotates:
            raise UnsupportedError("these weights of fan were trained without rotations")
        if config.channels == 4 and puzzle.texture is None:
            raise UnsupportedError("these weights of fan were trained on painted pieces, and these are not")


def _results(
    puzzles: Sequence[Puzzle],
    middles: NDArray[np.float64],
    answer: Greedy,
    areas_px: NDArray[np.float64],
    size_px: int,
) -> list[Result]:
    grid = Grid.around(puzzles[0].target, size_px)
    angles = puzzles[0].rotations.angles
    at = grid.to_world((answer.cells + answer.offsets).cpu().double().numpy() + 0.5)
    coverage = 1.0 - answer.remaining.sum(dim=(1, 2)).double().cpu().numpy() / areas_px
    results: list[Result] = []
    for k, puzzle in enumerate(puzzles):
        trace = [Assembly()]
        for step in range(len(puzzle.fragments)):
            which = int(answer.chosen[k, step])
            if which < 0:
                break
            turn = int(answer.turns[k, step])
            x, y = (at[k, step] - middles[k, which, turn]).tolist()
            trace.append(trace[-1].place(puzzle.fragments[which].id, Pose(x, y, float(angles[turn]))))
        complete = len(trace[-1]) == len(puzzle.fragments)
        solved = complete and bool(coverage[k] >= SOLVED_COVERAGE)
        results.append(
            Result(
                assembly=trace[-1],
                solved=solved,
                objective=float(coverage[k]),
                evaluations=len(trace) - 1,
                trace=tuple(trace[1:]),
                certainty=tuple(answer.confidence[k].prod(dim=1).tolist()[: len(trace) - 1]),
                reason=_reason(solved, complete, float(coverage[k])),
            )
        )
    return results


def _reason(solved: bool, complete: bool, coverage: float) -> str:
    if solved:
        return ""
    return f"the pieces cover {coverage:.0%} of the target" if complete else "stopped before all were placed"
