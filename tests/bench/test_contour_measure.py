"""Broken things are measured as other puzzles are: with goals beside figures, whatever the workers."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any, cast

import numpy as np
import pytest

from sherd.bench.contour_measure import ContourRequest, contour_result, measure_contours
from sherd.bench.contour_record import ContourFigures, ContourResult
from sherd.bench.contour_suites import CONTOUR_SUITES, ContourCell
from sherd.bench.contour_trial import NOTHING, ContourOutcome
from sherd.bench.measure import Listener
from sherd.bench.record import Record
from sherd.bench.run import RunParams
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


def timeless(results: tuple[ContourResult, ...]) -> list[ContourFigures]:
    return [replace(result.figures, seconds_median=0.0, seconds_p95=0.0) for result in results]


def test_four_pieces_come_out_right_with_a_target_and_without() -> None:
    record, rows = measured(count=2, time_limit=20.0)
    assert rows == [1, 2]
    assert record.seed == 8000
    assert [result.cell for result in record.contours] == list(SMALL)
    for result in record.contours:
        figures = result.figures
        assert (result.count, getattr(figures, result.cell.measure), figures.largest_right) == (2, 1.0, 1.0)
        assert figures.joint_precision == figures.joint_recall == 1.0
        assert 0.99 < figures.overlap <= figures.covered <= 1.0
    covered, alone = (result.figures for result in record.contours)
    assert covered.cov95 == covered.solved == 1.0
    assert alone.cov95 is alone.cov is alone.iou is None
    assert alone.solved == 1.0 and covered.wrong == alone.wrong == 0.0


@pytest.mark.parametrize(("measure", "wrong"), [("all_right", 2 / 3), ("in_order", 1 / 3)])
def test_what_is_called_solved_and_is_not_is_counted(measure: Any, wrong: float) -> None:
    cell = replace(FOUR, target=False, measure=measure)
    askew = replace(NOTHING, in_order=True)
    finished = [
        ContourOutcome(groups, None, solved=True, seconds=1.0)
        for groups in (NOTHING, askew, replace(askew, all_right=True))
    ]
    figures = contour_result(cell, RunParams(count=3), finished).figures
    assert (figures.solved, figures.wrong) == (1.0, wrong)


def test_workers_change_nothing_and_other_solvers_need_a_target() -> None:
    request = ContourRequest(suite="broken", solvers=("random",), count=3, workers=2)
    assert request.cells == (replace(FOUR, solver="random"),)
    shared = measure_contours(request, command="", listener=Listener())
    assert shared.skipped == ("skipped rows without a target for random",)
    alone, _ = measured(solvers=("random",), count=3)
    assert timeless(shared.record.contours) == timeless(alone.contours)
    assert alone.contours[0].figures.all_right == 0.0
    assert 0.0 < alone.contours[0].figures.overlap < 0.9


class Interrupting(RandomSolver):
    """Ctrl-C is pressed at once."""

    def solve(
        self,
        puzzle: Puzzle,
        *,
        stop: Stop,
        rng: np.random.Generator,
        on_progress: OnProgress | None = None,
    ) -> Proposal:
        raise KeyboardInterrupt


def test_an_interrupted_run_keeps_the_rows_that_are_finished(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SOLVERS, "interrupting", Interrupting)
    request = ContourRequest(suite="broken", solvers=("random", "interrupting"), count=2)
    found = measure_contours(request, command="", listener=Listener())
    assert not found.complete
    assert (found.done, found.wanted) == (2, 4)
    assert [(result.cell.solver, result.count) for result in found.record.contours] == [("random", 2)]


def test_what_is_seen_can_be_chosen_and_then_has_no_goal() -> None:
    cells = ContourRequest(suite="broken", input="binary-300+missing-1").cells
    assert {(cell.input, cell.goal) for cell in cells} == {("binary-300+missing-1", None)}
    assert ContourRequest(suite="crosscut").params.count == 1000
    assert ContourRequest(suite="jigsaw").params.time_limit == 60.0


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"suite": "table1"}, "unknown suite 'table1': choose broken"),
        ({"suite": "broken", "solvers": ("guess",)}, "unknown solver 'guess': choose auto, contours"),
        ({"suite": "broken", "input": "blurred"}, "input 'blurred' is unknown: exact, or moved-P"),
        ({"suite": "broken", "rows": slice(1, 9)}, "rows 1:9 are out of range: broken has rows 0:2"),
        ({"suite": "broken", "rows": slice(1, 2), "solvers": ("random",)}, "without a target only contours"),
        ({"suite": "broken", "workers": 0}, "workers must be at least 1, not 0"),
    ],
)
def test_what_makes_no_sense_is_refused(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        ContourRequest(**wrong)
