"""Every solver by name; the ones that wrap a network import torch only when they are made."""

from __future__ import annotations

from collections.abc import Callable

from sherd.solvers.base import Solver
from sherd.solvers.random import RandomSolver


def _annealing(*, joint: bool) -> Solver:
    from sherd.solvers.annealing import AnnealingSolver  # numba takes a moment to load

    return AnnealingSolver(joint=joint)


def _bayesopt() -> Solver:
    from sherd.solvers.bayesopt import BayesOptSolver

    return BayesOptSolver()


def _fan() -> Solver:
    from sherd.solvers.fan import FanSolver

    return FanSolver.shipped()


def _nesting() -> Solver:
    from sherd.solvers.nesting import NestingSolver

    return NestingSolver()


def _search() -> Solver:
    from sherd.solvers.search import SearchSolver

    return SearchSolver()


def _vgan() -> Solver:
    from sherd.solvers.vgan import VganSolver

    return VganSolver()


SOLVERS: dict[str, Callable[[], Solver]] = {
    "annealing": lambda: _annealing(joint=False),
    "annealing-joint": lambda: _annealing(joint=True),
    "bayesopt": _bayesopt,
    "fan": _fan,
    "nesting": _nesting,
    "random": RandomSolver,
    "search": _search,
    "vgan": _vgan,
}
