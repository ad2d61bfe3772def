"""Rows on broken things in records."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from sherd.bench.contour_measure import ContourRequest, measure_contours
from sherd.bench.contour_suites import CONTOUR_SUITES, ContourCell
from sherd.bench.measure import Listener
from sherd.bench.record import Record, read_record, to_json, write_record
from sherd.bench.spreadsheet import contours_csv, csv_text
from sherd.core.errors import FileFormatError

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


def test_rows_are_written_and_read_and_listed(tmp_path: Path, make_record: Callable[..., Record]) -> None:
    record, _ = measured(solvers=("random",), count=1)
    path = tmp_path / "record.json"
    write_record(path, record)
    assert read_record(path) == record
    records = {"record.json": record, "other.json": make_record()}
    assert csv_text(records) == csv_text({})
    header, line = (row.split(",") for row in contours_csv(records).splitlines())
    found = dict(zip(header, line, strict=True))
    assert (found["kind"], found["pieces"], found["target"], found["goal"]) == ("jagged", "4", "yes", "1")
    assert (found["seed"], found["record"]) == ("8000", "record.json")
    assert contours_csv({"other.json": make_record()}) == ""
    path.write_text(to_json(record).replace('"jagged"', '"torn"'))
    with pytest.raises(FileFormatError, match="kind must be one of jagged"):
        read_record(path)
