"""Simulated annealing of IoU: piece by piece as the paper's baseline does, or all poses at once.

The paper (supplement, "Baselines") selects and places one fragment after the other, each time so that IoU
with the target is largest. Here a step anneals which piece, where and at which angle; then the piece stays.
The joint mode moves all pieces until the end and so can repair an early mistake.

Both start over with twice the evaluations until they are told to stop, and keep the best complete assembly.
The schedule is our own because scipy's `dual_annealing` knows neither a choice between pieces nor a
temperature in units of the objective, and calls back into Python for every evaluation; docs/baselines.md has
the comparison.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from sherd.core.assembly import Assembly
from sherd.core.errors import ArgumentError, UnsupportedError
from sherd.core.geometry import Pose
from sherd.core.puzzle import Puzzle
from sherd.solvers.base import OnProgress, Progress, Proposal
from sherd.solvers.baselines.annealing_moves import (
    DRAWS,
    Cooling,
    Freedom,
    anneal_all,
    anneal_piece,
    lay,
    random_state,
)
from sherd.solvers.objective import Objective, proposal_by_iou, tiny_puzzle
from sherd.solvers.stop import MaxEvaluations, Stop
from sherd.solvers.union_area import Floats

# Evaluations between two questions whether to stop.
CHUNK = 100


@dataclass(frozen=True, kw_only=True)
class AnnealingParams:
    """How to anneal.

    ``hot`` and ``cold`` are the first and last temperature in units of IoU, ``far`` and ``near`` the first
    and last length of a step in units of the target's size. ``evaluations`` is what a piece gets in the first
    run; every further run gets twice as many, ``runs`` times at most. ``burst`` is how often the joint mode
    tries a piece before it takes the next. It stops from an IoU of ``enough`` on.
    """

    hot: float = 0.02
    cold: float = 1e-4
    far: float = 0.3
    near: float = 0.002
    evaluations: int = 32
    runs: int = 20
    burst: int = 8
    enough: float = 0.99

    def __post_init__(self) -> None:
        if not 0.0 < self.cold <= self.hot:
            raise ArgumentError(f"temperatures must satisfy 0 < cold <= hot, not {self.cold} and {self.hot}")
        if not 0.0 < self.near <= self.far:
            raise ArgumentError(f"steps must satisfy 0 < near <= far, not {self.near} and {self.far}")
        if min(self.evaluations, self.runs, self.burst) < 1:
            raise ArgumentError(
                "evaluations, runs and burst must be at least 1, "
                f"not {self.evaluations}, {self.runs} and {self.burst}"
            )
        if not 0.0 < self.enough <= 1.0:
            raise ArgumentError(f"enough must be an IoU above 0, not {self.enough}")


class AnnealingSolver:
    """Anneals piece by piece, or all poses at once if ``joint``."""

    def __init__(self, params: AnnealingParams | None = None, *, joint: bool = False) -> None:
        self.params = AnnealingParams() if params is None else params
        self.joint = joint
        tiny = self._kind(tiny_puzzle(), self.params, 1, np.random.default_rng(0))
        for _ in tiny.steps(MaxEvaluations(CHUNK), 0):
            pass

    @property
    def _kind(self) -> type[_AnnealingRun]:
        return _JointRun if self.joint else _AnnealingRun

    def solve(
        self, puzzle: Puzzle, *, stop: Stop, rng: np.random.Generator, on_progress: OnProgress | None = None
    ) -> Proposal:
        """The best assembly of all runs; a partial one only if not even the first run came to its end."""
        spent, best, best_trace = 0, -1.0, (Assembly(),)
        for run in range(self.params.runs):
            annealing = self._kind(puzzle, self.params, self.params.evaluations << run, rng)
            trace, objective = [Assembly()], 0.0
            for evaluations, assembly, objective in annealing.steps(stop, spent):
                spent = evaluations
                trace.append(assembly)
                if on_progress is not None and (best < 0.0 or objective > best):
                    on_progress(Progress(assembly=assembly, objective=objective, evaluations=spent))
            spent = annealing.spent
            complete = len(trace[-1]) == len(puzzle.fragments)
            if best < 0.0 or (complete and objective > best):
                best, best_trace = objective, tuple(trace)
            if not complete or best >= self.params.enough or stop(spent):
                break
        return proposal_by_iou(puzzle, best_trace, best, evaluations=spent)


class _AnnealingRun:
    """One annealing from nothing to all pieces placed, piece by piece."""

    def __init__(
        self, puzzle: Puzzle, params: AnnealingParams, evaluations: int, rng: np.random.Generator
    ) -> None:
        self.puzzle, self.rng = puzzle, rng
        self.evaluations = evaluations
        self.burst = params.burst
        self.cooling = Cooling(params.hot, params.cold, params.far, params.near)
        self.objective = Objective(puzzle)
        if not isinstance(puzzle.mirror, bool):
            raise UnsupportedError("annealing turns over all pieces or none: choose search")
        low_x, low_y, high_x, high_y = puzzle.target.bounds
        half = 0.5 / self.objective.size
        self.freedom = Freedom(
            (high_x - low_x) * half, (high_y - low_y) * half, puzzle.rotations.bins or 0, puzzle.mirror
        )
        parts = self.objective.parts
        self.edges = np.zeros((len(parts.counts), parts.vertices.shape[1], 5))
        self.spent = 0

    def pose(self, state: Floats) -> Pose:
        """A state of the compiled loops as a pose in the target's frame."""
        x, y, theta, mirrored = state.tolist()
        (middle_x, middle_y), size = self.objective.middle, self.objective.size
        allowed = self.puzzle.rotations.nearest(theta)
        return Pose(middle_x + x * size, middle_y + y * size, allowed, mirrored > 0.5)

    def chunks(self, stop: Stop, evaluations: int) -> Iterator[tuple[Floats, float, float]]:
        """Draws for this number of evaluations, and the shares of the schedule that they begin and end at."""
        done = 0
        while done < evaluations and not stop(self.spent):
            count = min(CHUNK, evaluations - done)
            yield self.rng.random((count, DRAWS)), done / evaluations, (done + count) / evaluations
            done += count
            self.spent += count

    def steps(self, stop: Stop, spent: int) -> Iterator[tuple[int, Assembly, float]]:
        """Evaluations spent, the assembly and its IoU after each piece that is placed."""
        self.spent = spent
        assembly, ids = Assembly(), [fragment.id for fragment in self.puzzle.fragments]
        placed: list[int] = []
        waiting = list(range(len(ids)))
        while waiting:
            now, best = np.zeros(6), np.zeros(6)
            random_state(self.freedom, self.rng.random(DRAWS), now[1:5])
            now[0], now[5], best[5] = self.rng.integers(len(waiting)), -1.0, -1.0
            arrays = np.array(placed, dtype=np.int64), np.array(waiting, dtype=np.int64)
            for draws, begin, end in self.chunks(stop, self.evaluations):
                anneal_piece(
                    self.objective.target,
                    self.objective.parts,
                    self.edges,
                    *arrays,
                    self.freedom,
                    self.cooling,
                    draws,
                    begin,
                    end,
                    now,
                    best,
                )
            if stop(self.spent) or best[5] < 0.0:
                return
            piece = waiting.pop(int(best[0]))
            placed.append(piece)
            lay(self.objective.parts, piece, best[1:5], self.edges)
            assembly = assembly.place(ids[piece], self.pose(best[1:5]))
            yield self.spent, assembly, float(best[5])


class _JointRun(_AnnealingRun):
    """One annealing of all poses at once, from pieces dropped at random."""

    def steps(self, stop: Stop, spent: int) -> Iterator[tuple[int, Assembly, float]]:
        """Evaluations spent, the best assembly so far and its IoU, as often as it improves."""
        self.spent = spent
        if stop(spent):
            return
        count = len(self.puzzle.fragments)
        states = np.zeros((count, 4))
        for piece in range(count):
            random_state(self.freedom, self.rng.random(DRAWS), states[piece])
            lay(self.objective.parts, piece, states[piece], self.edges)
        best, value, best_value, told = states.copy(), -1.0, -1.0, -1.0
        for draws, begin, end in self.chunks(stop, self.evaluations * count):
            value, best_value = anneal_all(
                self.objective.target,
                self.objective.parts,
                self.edges,
                self.freedom,
                self.cooling,
                draws,
                self.burst,
                begin,
                end,
                states,
                value,
                best,
                best_value,
            )
            if best_value > told:
                told = best_value
                yield self.spent + len(draws), self._assembly(best), best_value

    def _assembly(self, states: Floats) -> Assembly:
        assembly = Assembly()
        for fragment, state in zip(self.puzzle.fragments, states, strict=True):
            assembly = assembly.place(fragment.id, self.pose(state))
        return assembly
