"""Bayesian optimisation of IoU, piece by piece, on the package that the paper used.

The paper's supplement ("Baselines") finds the pose of one fragment after the other by maximising IoU with the
target. Here the largest piece comes first. A Gaussian process models IoU over the poses of one piece: some
poses are spread evenly, each further one is where the expected improvement is largest. As for annealing, the
whole assembly is started over with twice the effort until told to stop, and the best complete one is kept.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import numpy as np

from sherd.core.assembly import Assembly
from sherd.core.errors import ArgumentError, UnsupportedError
from sherd.core.geometry import TAU, Pose
from sherd.core.puzzle import Fragment, Puzzle
from sherd.solvers.base import OnProgress, Progress, Proposal
from sherd.solvers.objective import Objective, compile_objective, proposal_by_iou
from sherd.solvers.stop import Stop
from sherd.solvers.union_area import Floats

# The least width of a range of places, relative to the target's size: an exact fit leaves a piece no room.
LEAST_RANGE = 0.01
MOST_SEED = 2**31


@dataclass(frozen=True, kw_only=True)
class BayesOptParams:
    """How to search.

    ``spread`` poses of each piece are tried evenly in the first run, a power of 2 as Sobol's sequence wants,
    and ``steps`` more where the model expects most; every further run has twice of both, ``runs`` times at
    most. ``starts`` is from how many poses the expected improvement is climbed. It stops from an IoU
    of ``enough`` on.
    """

    spread: int = 16
    steps: int = 4
    starts: int = 4
    runs: int = 6
    enough: float = 0.99

    def __post_init__(self) -> None:
        if self.spread < 2 or self.spread & (self.spread - 1):
            raise ArgumentError(f"spread must be a power of 2 from 2 on, not {self.spread}")
        if self.starts < 1 or self.starts & (self.starts - 1):
            raise ArgumentError(f"starts must be a power of 2, not {self.starts}")
        if min(self.steps, self.runs) < 1:
            raise ArgumentError(f"steps and runs must be at least 1, not {self.steps} and {self.runs}")
        if not 0.0 < self.enough <= 1.0:
            raise ArgumentError(f"enough must be an IoU above 0, not {self.enough}")


class BayesOptSolver:
    """Places the pieces from the largest to the smallest, each by Bayesian optimisation."""

    def __init__(self, params: BayesOptParams | None = None) -> None:
        self.params = BayesOptParams() if params is None else params
        _bayeso()  # so that a missing package is known at once
        compile_objective()

    def solve(
        self, puzzle: Puzzle, *, stop: Stop, rng: np.random.Generator, on_progress: OnProgress | None = None
    ) -> Proposal:
        """The best assembly of all runs; a partial one only if not even the first run came to its end."""
        count = len(puzzle.fragments)
        spent, best, best_trace = 0, 0.0, (Assembly(),)
        for number in range(self.params.runs):
            run = _BayesRun(Objective(puzzle), self.params, number, rng)
            trace, iou = [Assembly()], 0.0
            with _quiet():
                for assembly, iou in run.steps(stop, spent):
                    trace.append(assembly)
                    if on_progress is not None and (len(best_trace) <= count or iou > best):
                        on_progress(Progress(assembly=assembly, objective=iou, evaluations=run.spent))
            spent = run.spent
            if number == 0 or (len(trace) > count and iou > best):
                best, best_trace = iou, tuple(trace)
            if len(trace) <= count or best >= self.params.enough or stop(spent):
                break
        return proposal_by_iou(puzzle, best_trace, best, evaluations=spent)


class _BayesRun:
    """One assembly, with the effort of run ``number``."""

    def __init__(
        self, objective: Objective, params: BayesOptParams, number: int, rng: np.random.Generator
    ) -> None:
        self.objective, self.rng = objective, rng
        self.spread, self.more = params.spread << number, params.steps << number
        self.starts = params.starts
        self.spent = 0

    def steps(self, stop: Stop, spent: int) -> Iterator[tuple[Assembly, float]]:
        """The assembly and its IoU after each piece that is placed."""
        self.spent = spent
        assembly = Assembly()
        fragments = self.objective.puzzle.fragments
        largest_first = sorted(range(len(fragments)), key=lambda k: -fragments[k].polygon.area)
        for piece in largest_first:
            rest = self.objective.rest(assembly)
            ranges = self._ranges(fragments[piece])

            def iou(at: Floats, piece: int = piece, rest: Any = rest) -> float:
                return self.objective.iou(rest, piece, self._pose(at))

            found = self._maximise(iou, ranges, stop)
            if found is None:
                return
            at, value = found
            assembly = assembly.place(fragments[piece].id, self._pose(at))
            yield assembly, value

    def _maximise(
        self, function: Callable[[Floats], float], ranges: Floats, stop: Stop
    ) -> tuple[Floats, float] | None:
        """The best point found and its value; None if told to stop on the way."""
        search = _bayeso()(ranges)
        search.logger.handlers.clear()  # each search adds one that writes to the terminal
        spread = search.get_initials("sobol", self.spread, seed=self._seed())
        points, values = np.empty((0, len(ranges))), np.empty((0, 1))
        for k in range(self.spread + self.more):
            if stop(self.spent):
                return None
            if k < self.spread:
                at = spread[k]
            else:
                at, _ = search.optimize(
                    points, values, num_samples=self.starts, str_mlm_method="converged", seed=self._seed()
                )
            points = np.vstack([points, at])
            values = np.vstack([values, [[-function(at)]]])  # the package minimises
            self.spent += 1
        best = int(values.argmin())
        return points[best], -float(values[best, 0])

    def _ranges(self, fragment: Fragment) -> Floats:
        """The places, in units of the target's size about its middle, and the angles to search: (2 or 3, 2).

        A piece that cannot turn stays within the target's bounds; of one that can, the centre does.
        """
        puzzle, size = self.objective.puzzle, self.objective.size
        target, turns = np.array(puzzle.target.bounds), puzzle.rotations.bins != 1
        own = np.zeros(4) if turns else np.array(fragment.polygon.bounds)
        middle = np.array(self.objective.middle)
        low, high = (target[:2] - own[:2] - middle) / size, (target[2:] - own[2:] - middle) / size
        low, high = np.minimum(low, high), np.maximum(low, high)
        missing = np.maximum(0.0, LEAST_RANGE - (high - low)) / 2.0
        ranges = np.stack([low - missing, high + missing], axis=1)
        return np.vstack([ranges, [[0.0, 1.0]]]) if turns else ranges

    def _pose(self, at: Floats) -> Pose:
        (middle_x, middle_y), size = self.objective.middle, self.objective.size
        rotations = self.objective.puzzle.rotations
        theta = rotations.nearest(float(at[2]) * TAU) if len(at) > 2 else 0.0
        return Pose(middle_x + float(at[0]) * size, middle_y + float(at[1]) * size, theta)

    def _seed(self) -> int:
        return int(self.rng.integers(MOST_SEED))


def _bayeso() -> Any:
    """The package's class for Bayesian optimisation with a Gaussian process; it is an optional extra."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # it misses a plotting library, which is not needed
            return import_module("bayeso.bo.bo_w_gp").BOwGP
    except ImportError:
        raise UnsupportedError(
            "bayesopt needs the package bayeso: install it with pip install 'sherd[bayesopt]'"
        ) from None


@contextmanager
def _quiet() -> Generator[None]:
    """Let the package's searches overflow, and say so, without a word: it goes on from such points."""
    logging.getLogger("bo_w_gp").handlers.clear()
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        yield
