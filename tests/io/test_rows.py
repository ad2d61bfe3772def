"""Rows as JSONL and as Parquet."""

from __future__ import annotations

import json
from pathlib import Path

import pyarrow.parquet
import pytest

from sherd.io import rows
from sherd.io.rows import writing_rows

ROWS = [
    {"name": "a", "scores": {"iou": None}, "pieces": 4},
    {"name": "b", "scores": {"iou": 0.5}, "pieces": 4},
    {"name": "c", "scores": {"iou": 0.25}, "pieces": 5},
]
FLAT = [
    {"name": "a", "scores_iou": None, "pieces": 4},
    {"name": "b", "scores_iou": 0.5, "pieces": 4},
    {"name": "c", "scores_iou": 0.25, "pieces": 5},
]


@pytest.mark.parametrize("group", [1, 2, 10])
def test_both_hold_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, group: int) -> None:
    monkeypatch.setattr(rows, "GROUP", group)
    for ending in ("jsonl", "parquet"):
        with writing_rows(tmp_path / f"rows.{ending}") as add:
            for row in ROWS:
                add(row)
    lines = (tmp_path / "rows.jsonl").read_text().splitlines()
    assert [json.loads(line) for line in lines] == FLAT
    assert pyarrow.parquet.read_table(tmp_path / "rows.parquet").to_pylist() == FLAT


@pytest.mark.parametrize("ending", ["jsonl", "parquet"])
def test_nothing_is_left_of_what_fails(tmp_path: Path, ending: str) -> None:
    with pytest.raises(ValueError, match="halfway"), writing_rows(tmp_path / f"rows.{ending}") as add:
        add(ROWS[0])
        raise ValueError("halfway")
    assert not list(tmp_path.iterdir())
