"""One puzzle of broken things."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest

from sherd.bench.contour_measure import ContourRequest, measure_contours
from sherd.bench.contour_suites import CONTOUR_SUITES, ContourCell
from sherd.bench.measure import Listener
from sherd.bench.record import Record
from sherd.core.puzzle import Puzzle
from sherd.solvers import SOLVERS, OnProgress, Proposal, Stop
from sherd.solvers.baselines.random import RandomSolver

FOUR = ContourCell(kind="jagged", pieces=(4, 4), input="moved-0.05", goal=1.0)


SMALL = (FOUR, replace(FOUR, target=False, goal=0.99))


@pytest.fixture(autouse=True)
def _small_suite(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(cast("dict[str, Any]", CONTOUR_SUITES), "broken", SMALL)


def measured(**wanted: Any) -> tuple[Record, list[int]]:
    """The record, and how many rows it had each time that it was heard of."""
    rows: list[int] = []
    listener = Listener(on_record=lambda record: rows.append(len(record.contours)))
    request = ContourRequest(suite="broken", **wanted)
    return measure_contours(request, command="sherd bench", listener=listener).record, rows


class Broken(RandomSolver):
    """Breaks on every puzzle."""

    def solve(
        self,
        puzzle: Puzzle,
        *,
        stop: Stop,
        rng: np.random.Generator,
        on_progress: OnProgress | None = None,
    ) -> Proposal:
        raise ZeroDivisionError("nothing to divide by")


@pytest.mark.usefixtures("breaks")
def test_a_puzzle_that_breaks_the_solver_has_come_to_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SOLVERS, "broken", Broken)
    figures = measured(solvers=("broken",), count=2)[0].contours[0].figures
    assert figures.all_right == figures.overlap == figures.cov == figures.solved == 0.0
    assert figures.joint_recall is None
