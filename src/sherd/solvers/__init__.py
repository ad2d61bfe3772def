"""Finding poses: solvers by name, stop rules, and what every solver takes and gives."""

from __future__ import annotations

from sherd.solvers.base import BatchSolver, OnProgress, Progress, Proposal, Result, Solver
from sherd.solvers.registry import SOLVERS
from sherd.solvers.run import Assembler, assemble, make_solver, refine_result, run, run_many, solver_names
from sherd.solvers.stop import AnyOf, MaxEvaluations, MaxSeconds, Stop

__all__ = [
    "SOLVERS",
    "AnyOf",
    "Assembler",
    "BatchSolver",
    "MaxEvaluations",
    "MaxSeconds",
    "OnProgress",
    "Progress",
    "Proposal",
    "Result",
    "Solver",
    "Stop",
    "assemble",
    "make_solver",
    "refine_result",
    "run",
    "run_many",
    "solver_names",
]
