"""Proposals and results, and which solver can do what."""

from __future__ import annotations

from sherd.core.puzzle import Sample
from sherd.core.verdict import Verdict
from sherd.solvers.base import BatchSolver, ExplainingSolver, GroupingSolver, Result, ThoroughSolver
from sherd.solvers.baselines.random import RandomSolver
from sherd.solvers.grouping import ContoursSolver
from sherd.solvers.search import SearchSolver


def test_the_solvers_words_go_before_the_verdicts(two_halves: Sample) -> None:
    def result(state: str, remark: str) -> Result:
        against = () if state == "solved" else ("they overlap",)
        verdict = Verdict(state=state, against=against)  # pyright: ignore[reportArgumentType]
        return Result(assembly=two_halves.truth, objective=0.0, evaluations=0, remark=remark, verdict=verdict)

    assert (result("partly", "stopped").solved, result("partly", "stopped").reason) == (False, "stopped")
    assert result("not solved", "").reason == "they overlap"
    assert (result("solved", "stopped").solved, result("solved", "stopped").reason) == (True, "")


def test_what_a_solver_can_do_is_seen_from_its_methods() -> None:
    kinds = (ThoroughSolver, GroupingSolver, BatchSolver, ExplainingSolver)
    can = {
        solver: [isinstance(solver(), kind) for kind in kinds]
        for solver in (RandomSolver, SearchSolver, ContoursSolver)
    }
    assert can == {
        RandomSolver: [False] * 4,
        SearchSolver: [True, False, False, False],
        ContoursSolver: [False, True, False, False],
    }
