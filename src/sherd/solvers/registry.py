"""Every solver by name; the ones that wrap a network import torch only when they are made."""

from __future__ import annotations

from collections.abc import Callable

from sherd.solvers.base import Solver
from sherd.solvers.random import RandomSolver

SOLVERS: dict[str, Callable[[], Solver]] = {
    "random": RandomSolver,
}
