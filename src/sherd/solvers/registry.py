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


def _contours() -> Solver:
    from sherd.solvers.grouping import GroupingContours

    return GroupingContours()


def _fan() -> Solver:
    from sherd.solvers.learned.fan import FanSolver

    return FanSolver.shipped()


def _loaded_fan(weights: Path, device: torch.device | None) -> Solver:
    from sherd.solvers.learned.fan import FanSolver

    return FanSolver.load(weights, device)


def _matcher() -> Solver:
    from sherd.solvers.learned.matcher import MatcherSolver

    return MatcherSolver.shipped()


def _loaded_matcher(weights: Path, device: torch.device | None) -> Solver:
    from sherd.solvers.learned.matcher import MatcherSolver

    return MatcherSolver.load(weights, device)


def _matcher_beam() -> Solver:
    from sherd.solvers.learned.beam import BeamSolver

    return BeamSolver.shipped()


def _loaded_matcher_beam(weights: Path, device: torch.device | None) -> Solver:
    from sherd.solvers.learned.beam import BeamSolver

    return BeamSolver.load(weights, device)


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
    "contours": _contours,
    "fan": _fan,
    "matcher": _matcher,
    "matcher-beam": _matcher_beam,
    "nesting": _nesting,
    "random": RandomSolver,
    "search": _search,
    "vgan": _vgan,
}

# How the solvers whose weights `sherd train` makes are made with weights of one's own.
LOADERS: dict[str, Callable[[Path, torch.device | None], Solver]] = {
    "fan": _loaded_fan,
    "matcher": _loaded_matcher,
    "matcher-beam": _loaded_matcher_beam,
}


def load_solver(name: str, weights: Path, device: torch.device | None = None) -> Solver:
    """A learned solver with weights of one's own, on the CPU unless another device is named."""
    if name not in LOADERS:
        raise ValueError(f"weights of one's own go with the solvers {', '.join(LOADERS)}, not with {name}")
    return LOADERS[name](weights, device)
