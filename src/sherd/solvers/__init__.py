"""Every solver by name; the ones that wrap a network import torch only when they are made."""

from __future__ import annotations

from collections.abc import Callable

from sherd.solvers.base import OnProgress, Progress, Result, Solver
from sherd.solvers.random import RandomSolver
from sherd.solvers.stop import AnyOf, MaxEvaluations, MaxSeconds, Stop

SOLVERS: dict[str, Callable[[], Solver]] = {
    "random": RandomSolver,
}

__all__ = [
    "SOLVERS",
    "AnyOf",
    "MaxEvaluations",
    "MaxSeconds",
    "OnProgress",
    "Progress",
    "Result",
    "Solver",
    "Stop",
]
