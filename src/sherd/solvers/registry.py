"""Every solver by name; the ones that wrap a network import torch only when they are made.

Solvers of other packages join by an entry point of the group ``sherd.solvers`` (see `sherd.solvers.plugins`).
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from sherd.core.errors import ArgumentError
from sherd.solvers.base import Solver
from sherd.solvers.baselines.random import RandomSolver
from sherd.solvers.plugins import plugins

if TYPE_CHECKING:
    import torch

    from sherd.solvers.learned.steps import NetworkSolver


def _annealing(*, joint: bool) -> Solver:
    from sherd.solvers.baselines.annealing import AnnealingSolver  # numba takes a moment to load

    return AnnealingSolver(joint=joint)


def _bayesopt() -> Solver:
    from sherd.solvers.baselines.bayesopt import BayesOptSolver

    return BayesOptSolver()


def _contours() -> Solver:
    from sherd.solvers.grouping import ContoursSolver

    return ContoursSolver()


def _fan() -> type[NetworkSolver]:
    from sherd.solvers.learned.fan import FanSolver

    return FanSolver


def _fan_look() -> type[NetworkSolver]:
    from sherd.solvers.learned.fan_look import FanLookSolver

    return FanLookSolver


def _matcher() -> type[NetworkSolver]:
    from sherd.solvers.learned.matcher import MatcherSolver

    return MatcherSolver


def _matcher_beam() -> type[NetworkSolver]:
    from sherd.solvers.learned.beam import BeamSolver

    return BeamSolver


def _nesting() -> Solver:
    from sherd.solvers.baselines.nesting import NestingSolver

    return NestingSolver()


def _search() -> Solver:
    from sherd.solvers.search import SearchSolver

    return SearchSolver()


def _vgan() -> Solver:
    from sherd.solvers.learned.vgan import VganSolver

    return VganSolver()


# Solvers whose weights `sherd train` makes.
NETWORKS: dict[str, Callable[[], type[NetworkSolver]]] = {
    "fan": _fan,
    "fan-look": _fan_look,
    "matcher": _matcher,
    "matcher-beam": _matcher_beam,
}
SOLVERS: dict[str, Callable[[], Solver]] = {
    "annealing": lambda: _annealing(joint=False),
    "annealing-joint": lambda: _annealing(joint=True),
    "bayesopt": _bayesopt,
    "contours": _contours,
    "fan": lambda: _fan().shipped(),
    "fan-look": lambda: _fan_look().shipped(),
    "matcher": lambda: _matcher().shipped(),
    "matcher-beam": lambda: _matcher_beam().shipped(),
    "nesting": _nesting,
    "random": RandomSolver,
    "search": _search,
    "vgan": _vgan,
}
OURS = frozenset(SOLVERS)


def known_solvers() -> tuple[str, ...]:
    """The names of all solvers, ours first, then those that other packages bring.

    >>> "search" in known_solvers()
    True
    """
    SOLVERS.update(plugins(OURS))
    return tuple(SOLVERS)


def is_known(name: str) -> bool:
    """Whether there is a solver of that name; other packages are asked only if it is none of ours."""
    return name in SOLVERS or name in known_solvers()


def load_solver(name: str, weights: Path, device: torch.device | None = None) -> Solver:
    """A learned solver with weights of one's own, on the CPU unless another device is named."""
    if name not in NETWORKS:
        raise ArgumentError(
            f"weights of one's own go with the solvers {', '.join(NETWORKS)}, not with {name}"
        )
    return NETWORKS[name]().load(weights, device)
