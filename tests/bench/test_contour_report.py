"""What the report says of broken things."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import pytest

from sherd.bench.contour_measure import ContourRequest, measure_contours
from sherd.bench.contour_suites import CONTOUR_SUITES, ContourCell
from sherd.bench.measure import Listener
from sherd.bench.record import Record
from sherd.bench.report import report_text

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


def test_the_report_has_the_latest_run_beside_the_goal() -> None:
    few, many = (measured(solvers=("random",), count=count)[0] for count in (1, 2))
    assert "## Broken things" not in report_text({})
    text = report_text({"random/broken/a.json": many, "random/broken/b.json": replace(few, date="9")})
    (line,) = (line for line in text.splitlines() if line.startswith("| jagged, 4 pieces"))
    assert line.startswith("| jagged, 4 pieces, moved-0.05, random | all right | 1 | 0.000 | 0.000 | 1 | ")
    assert "## Broken things" not in report_text({"a.json": replace(many, seed=7)})
