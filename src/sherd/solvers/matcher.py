"""The matcher as a solver: the likeliest placement of any fragment again and again, or a beam of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
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
    import torch

    from sherd.learn.matcher_learner import Answer, BeamParams, MatcherLearner

SHIPPED = "matcher.safetensors"
# The share of the target, counted in pixels, from which on the matcher itself calls a puzzle solved.
SOLVED_COVERAGE = 0.95


class MatcherSolver:
    """Assembles from masks that it draws of the fragments: greedily, or along a beam and then refined."""

    batch_size = 100

    def __init__(
        self,
        learner: MatcherLearner,
        *,
        beam: BeamParams | None = None,
        train_puzzles: int = 0,
        train_minutes: float = 0.0,
    ) -> None:
        self.learner, self.beam = learner, beam
        self.train_puzzles, self.train_minutes = train_puzzles, train_minutes
        self.parameters = sum(value.numel() for value in learner.model.parameters())

    @classmethod
    def shipped(cls, *, follows_several: bool = False) -> MatcherSolver:
        """The matcher whose weights come with the package, on the CPU."""
        weights = files("sherd") / "weights" / SHIPPED
        if not weights.is_file():
            raise UnsupportedError(
                "no weights of matcher come with this version: train some with 'sherd train matcher' and "
                "name them with --weights"
            )
        with as_file(files("sherd") / "weights") as folder:
            return cls.load(folder / SHIPPED, follows_several=follows_several)

    @classmethod
    def load(
        cls, path: Path, device: torch.device | None = None, *, follows_several: bool = False
    ) -> MatcherSolver:
        """The matcher whose weights `sherd train` wrote there, on the CPU unless another device is named."""
        import torch

        from sherd.learn.checkpoint import load_matcher
        from sherd.learn.matcher_learner import BeamParams, MatcherLearner

        model, training = load_matcher(path, device or torch.device("cpu"))
        return cls(
            MatcherLearner(model),
            beam=BeamParams() if follows_several else None,
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
        """One assembly; nothing about it is random."""
        result = self.solve_many([puzzle], stop=stop, rngs=[rng])[0]
        if on_progress is not None:
            for count, assembly in enumerate(result.trace, start=1):
                on_progress(Progress(assembly=assembly, objective=result.objective, evaluations=count))
        return result

    def solve_many(
        self, puzzles: Sequence[Puzzle], *, stop: Stop, rngs: Sequence[np.random.Generator]
    ) -> list[Result]:
        """Assemble puzzles side by side: they must have one target, equally many fragments and rotations."""
        from sherd.learn.device import clear_memory_errors
        from sherd.learn.matcher_learner import joined

        images, target, middles = self.draw(puzzles)
        with clear_memory_errors(f"{images.shape[1]} pieces at {images.shape[2]} angles are too many for it"):
            if self.beam is None:
                answer = self.learner.assemble(images, target, stop)
            else:
                ones = [slice(k, k + 1) for k in range(len(puzzles))]
                answer = joined([self.learner.beam(images[k], target[k], self.beam, stop) for k in ones])
        areas_px = target[:, 0].double().sum(dim=(1, 2)).cpu().numpy() / 255.0
        results = _results(puzzles, middles, answer, areas_px)
        if self.beam is None:
            return results
        return [
            _refined(puzzle, result, stop) if result.trace else result
            for puzzle, result in zip(puzzles, results, strict=True)
        ]

    def explain(self, puzzle: Puzzle) -> list[NDArray[np.float32]]:
        """What a greedy assembly holds likely before each step, for `draw_scores`: maps (H, W).

        The logarithm of the probability that some fragment's middle lies at a pixel, the likeliest of all.
        """
        images, target, _ = self.draw([puzzle])
        return [seen.amax(dim=(0, 1)).float().cpu().numpy() for seen in self.learner.explain(images, target)]

    def draw(self, puzzles: Sequence[Puzzle]) -> tuple[torch.Tensor, torch.Tensor, NDArray[np.float64]]:
        """Images of the fragments and targets on the network's device, as `PuzzleBatch` has them.

        Also where the middle of each image lies from the fragment's origin, (B, N, R, 2) in world units.
        """
        import torch

        from sherd.learn.data import puzzle_images

        for puzzle in puzzles:
            _check(puzzle)
        names = [[fragment.id for fragment in puzzle.fragments] for puzzle in puzzles]
        images, target, middles = puzzle_images(puzzles, names, self.learner.model.config.size_px)
        device = self.learner.model.device
        masks = np.ascontiguousarray(images[:, :, :, :1])  # paint tells the matcher nothing
        return torch.from_numpy(masks).to(device), torch.from_numpy(target[:, :1]).to(device), middles


def _check(puzzle: Puzzle) -> None:
    if puzzle.rotations.bins is None:
        raise UnsupportedError(
            "matcher chooses among rotation bins; it cannot turn pieces freely: give them 20 rotations, or "
            "choose search"
        )
    if puzzle.mirror:
        raise UnsupportedError("matcher cannot turn pieces over: choose search")


def _results(
    puzzles: Sequence[Puzzle], middles: NDArray[np.float64], answer: Answer, areas_px: NDArray[np.float64]
) -> list[Result]:
    grid = Grid.around(puzzles[0].target, answer.remaining.shape[-1])
    angles = puzzles[0].rotations.angles
    at = grid.to_world(answer.centres.double().cpu().numpy())
    coverage = 1.0 - answer.remaining.double().sum(dim=(1, 2)).cpu().numpy() / areas_px
    chosen, turns = answer.chosen.tolist(), answer.turns.tolist()
    certainty = answer.certainty.tolist()
    results: list[Result] = []
    for k, puzzle in enumerate(puzzles):
        trace = [Assembly()]
        for step, (which, turn) in enumerate(zip(chosen[k], turns[k], strict=True)):
            if which < 0:
                break
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
                certainty=tuple(certainty[k][: len(trace) - 1]),
                reason=_reason(solved, complete, float(coverage[k])),
            )
        )
    return results


def _refined(puzzle: Puzzle, result: Result, stop: Stop) -> Result:
    from sherd.solvers.refine import refine  # numba takes a moment to load

    assembly = refine(puzzle, result.assembly, stop=stop)
    return replace(result, assembly=assembly, trace=(*result.trace[:-1], assembly))


def _reason(solved: bool, complete: bool, coverage: float) -> str:
    if solved:
        return ""
    return f"the pieces cover {coverage:.0%} of the target" if complete else "stopped before all were placed"
