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


def as_if_by_auto(record: Record, right: float) -> Record:
    """What a record would be if "auto" had been measured, and had so many right."""
    return replace(
        record,
        contours=tuple(
            replace(
                result,
                cell=replace(result.cell, solver="auto"),
                figures=replace(result.figures, all_right=right),
            )
            for result in record.contours
        ),
    )


def line_of(records: dict[str, Record]) -> str:
    (line,) = (line for line in report_text(records).splitlines() if line.startswith("| jagged"))
    return line


def test_the_report_has_the_latest_run_beside_the_goal() -> None:
    few, many = (measured(solvers=("random",), count=count)[0] for count in (1, 2))
    assert "## Broken things" not in report_text({})
    old, new = as_if_by_auto(many, 1.0), replace(as_if_by_auto(few, 0.0), date="9")
    found = line_of({"a/broken/a.json": old, "a/broken/b.json": new})
    assert found == "| jagged, 4 | moved-0.05 | 1 | 0 of 1 | 0 | 0.99 | – |  |"
    assert "## Broken things" not in report_text({"a.json": replace(old, seed=7)})
    assert "## Broken things" not in report_text({"a.json": many}), "only what the suite has counts"


def test_seeds_of_a_commit_are_pooled_and_rows_of_a_goal_stand_in_a_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    wavy = replace(FOUR, kind="wavy", input="moved-0.05+missing-1")
    seen = replace(FOUR, input="moved-0.05+missing-2")
    monkeypatch.setitem(cast("dict[str, Any]", CONTOUR_SUITES), "broken", (seen, wavy))
    record = as_if_by_auto(measured(solvers=("random",), count=1)[0], 1.0)
    first, second = record.contours
    worse = replace(second, count=3, figures=replace(second.figures, all_right=0.0))
    found = line_of({"a.json": record, "b.json": replace(record, seed=8001, contours=(first, worse))})
    assert found == (
        "| jagged, wavy, 4 | moved-0.05+missing-2, +missing-1 | 1 | 0.5 of 6 "
        "(wavy moved-0.05+missing-1 0.25) | 0 | – | – |  |"
    )
