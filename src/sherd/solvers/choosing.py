"""Which of several answers to a puzzle is the best."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sherd.core.metrics import DIGITS, measure
from sherd.core.puzzle import Puzzle
from sherd.solvers.base import Progress, Result


def best_of(
    puzzle: Puzzle, found: Sequence[tuple[str, Result]], *, is_over: bool = True
) -> tuple[str, Result]:
    """The best answer; joints and groups that any of them found are its hints.

    Unless the time of all ``is_over``, what an earlier solver says of the end of its own is not true of them.
    """
    name, best = max(reversed(found), key=lambda one: _rank(puzzle, one[1]))
    seen = next((one for one in (best, *(result for _, result in found)) if one.joints), best)
    remark = best.remark if is_over or best is found[-1][1] else ""
    return name, replace(best, joints=seen.joints, groups=seen.groups, remark=remark)


def told_of(result: Result) -> Progress:
    """A result as far as a search has come with it."""
    return Progress(
        assembly=result.assembly,
        objective=result.objective,
        evaluations=result.evaluations,
        groups=result.groups,
        joints=result.joints,
        judged=result,
    )


def _rank(puzzle: Puzzle, result: Result) -> tuple[bool, bool, bool, bool, float, float]:
    """How good an answer is beside others: solved, then all pieces and all fit, then how much it covers.

    A few pieces that fit come after more that are off a little: a piece by itself always fits somewhere.
    Of what fits that is better of which some pieces are sure, then what was weighed against rivals and tells
    them; of two that cover the same, that which needs less area for it.
    """
    is_whole = len(result.assembly) == len(puzzle.fragments)
    fits = is_whole and result.verdict.state != "not solved"
    some_sure = fits and len(result.elsewhere) < len(result.assembly)
    laid = sum(one.polygon.area for one in puzzle.fragments if one.id in result.assembly)
    covered = round(measure(result.assembly, puzzle).coverage, DIGITS)
    return result.solved, fits, some_sure, fits and bool(result.alternatives), covered, -laid
