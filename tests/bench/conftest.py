"""Made-up results for the tests of records and reports."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from sherd.bench.cell import Cell
from sherd.bench.published import published_for
from sherd.bench.record import CellResult, Figures, Record, Training


@pytest.fixture
def make_result() -> Callable[..., CellResult]:
    def make(cell: Cell, *, count: int = 10, training: Training | None = None, **figures: Any) -> CellResult:
        values: dict[str, Any] = {
            "cov95": 0.25,
            "cov90": 0.5,
            "cov": 0.75,
            "iou": 0.625,
            "overlap": 0.125,
            "coverage_whole": 0.7,
            "posed_right": 0.4,
            "position_error": None,
            "rotation_error_deg": 12.5,
            "solved": 0.0,
            "seconds_median": 0.0125,
            "seconds_p95": 0.5,
        }
        return CellResult(
            cell=cell,
            first=0,
            count=count,
            time_limit=10.0,
            figures=Figures(**(values | figures)),
            training=training,
            published=published_for(cell),
        )

    return make


@pytest.fixture
def make_record() -> Callable[..., Record]:
    def make(*cells: CellResult, date: str = "2026-01-02T03:04:05Z", seed: int = 7) -> Record:
        return Record(
            machine="Abacus, 2 cores, Linux",
            commit="0123456789",
            versions={"sherd": "0.1.0", "numpy": "2.4.6"},
            seed=seed,
            date=date,
            command="sherd bench --solver random",
            cells=cells,
        )

    return make
