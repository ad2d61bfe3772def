"""Answers as files hold them, be they to puzzles or to jobs."""

from __future__ import annotations

from sherd.core.metrics import Measures, Scores
from sherd.core.puzzle import Puzzle
from sherd.io import SavedAssembly
from sherd.layout.layout import lay_out
from sherd.solvers.base import Result


def answer_to_save(
    puzzle: Puzzle, solver: str, result: Result, found: Measures | Scores, *, counted: bool
) -> SavedAssembly:
    """A result's assembly as files hold it; ``counted`` if more than one was looked for."""
    return SavedAssembly(
        assembly=result.assembly,
        solver=solver,
        seconds=result.seconds,
        solved=result.solved,
        coverage=found.coverage,
        iou=found.iou,
        overlap=found.overlap,
        reason=result.reason,
        assemblies=1 + len(result.alternatives) if counted and result.solved else None,
        all_found=counted and result.solved and result.all_found,
        all_on_grid=result.all_on_grid if counted and result.solved and not result.all_found else 0,
        set_aside={
            **lay_out(puzzle, result.assembly).set_aside,
            **dict.fromkeys(result.set_aside, "hardly any area"),
        },
        verdict=result.verdict,
    )
