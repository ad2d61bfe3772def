"""Which of several answers to a puzzle is the best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sherd.core.metrics import DIGITS, measure
from sherd.core.puzzle import Puzzle
from sherd.solvers.base import Progress, Result


def best_of(puzzle: Puzzle, found: Sequence[tuple[str, Result]]) -> tuple[str, Result]:
    """The best answer, with the seconds of all; joints and groups that any of them found are its hints."""
    name, best = max(reversed(found), key=lambda one: _rank(puzzle, one[1]))
    seen = next((one for one in (best, *(result for _, result in found)) if one.joints), best)
    seconds = sum(result.seconds for _, result in found)
    return name, replace(best, seconds=seconds, joints=seen.joints, groups=seen.groups)


def told_of(result: Result) -> Progress:
    """A result as far as a search has come with it."""
    return Progress(
        assembly=result.assembly,
        objective=result.objective,
        evaluations=result.evaluations,
        groups=result.groups,
        joints=result.joints,
    )


def _rank(puzzle: Puzzle, result: Result) -> tuple[bool, bool, float, float]:
    """How good an answer is beside others: solved, then all pieces and all fit, then how much it covers.

    A few pieces that fit come after more that are off a little: a piece by itself always fits somewhere.
    Of two that cover the same, that is better which needs less area for it.
    """
    is_whole = len(result.assembly) == len(puzzle.fragments)
    fits = is_whole and result.verdict.state != "not solved"
    laid = sum(one.polygon.area for one in puzzle.fragments if one.id in result.assembly)
    return result.solved, fits, round(measure(result.assembly, puzzle).coverage, DIGITS), -laid
