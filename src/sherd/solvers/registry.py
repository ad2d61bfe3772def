"""Every solver by name; the ones that wrap a network import torch only when they are made."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from sherd.solvers.base import Solver
from sherd.solvers.baselines.random import RandomSolver

if TYPE_CHECKING:
    import torch


def _annealing(*, joint: bool) -> Solver:
    from sherd.solvers.baselines.annealing import AnnealingSolver  # numba takes a moment to load

    return AnnealingSolver(joint=joint)


def _bayesopt() -> Solver:
    from sherd.solvers.baselines.bayesopt import BayesOptSolver

    return BayesOptSolver()


def _fan() -> Solver:
    from sherd.solvers.learned.fan import FanSolver

    return FanSolver.shipped()


def _matcher(*, follows_several: bool) -> Solver:
    from sherd.solvers.learned.matcher import MatcherSolver

    return MatcherSolver.shipped(follows_several=follows_several)


def _nesting() -> Solver:
    from sherd.solvers.baselines.nesting import NestingSolver

    return NestingSolver()


def _search() -> Solver:
    from sherd.solvers.search import SearchSolver

    return SearchSolver()


def _vgan() -> Solver:
    from sherd.solvers.learned.vgan import VganSolver

    return VganSolver()


SOLVERS: dict[str, Callable[[], Solver]] = {
    "annealing": lambda: _annealing(joint=False),
    "annealing-joint": lambda: _annealing(joint=True),
    "bayesopt": _bayesopt,
    "fan": _fan,
    "matcher": lambda: _matcher(follows_several=False),
    "matcher-beam": lambda: _matcher(follows_several=True),
    "nesting": _nesting,
    "random": RandomSolver,
    "search": _search,
    "vgan": _vgan,
}

# The solvers whose weights `sherd train` makes.
TRAINED = ("fan", "matcher", "matcher-beam")


def load_solver(name: str, weights: Path, device: torch.device | None = None) -> Solver:
    """A learned solver with weights of one's own, on the CPU unless another device is named."""
    if name not in TRAINED:
        raise ValueError(f"--weights goes with the solvers {', '.join(TRAINED)}, not with {name}")
    if name == "fan":
        from sherd.solvers.learned.fan import FanSolver

        solver = FanSolver.load(weights)
        if device is not None:
            solver.learner.to(device)
        return solver
    from sherd.solvers.learned.matcher import MatcherSolver

    return MatcherSolver.load(weights, device, follows_several=name == "matcher-beam")
