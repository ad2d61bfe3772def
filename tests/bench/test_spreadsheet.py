"""The spreadsheet has every cell of every record, with what a reader needs to judge it."""

from __future__ import annotations

import csv
from collections.abc import Callable
from pathlib import Path

from sherd.bench.cell import Cell
from sherd.bench.entries import load_records
from sherd.bench.record import CellResult, Record, Training
from sherd.bench.spreadsheet import COLUMNS, csv_text

MakeResult = Callable[..., CellResult]
MakeRecord = Callable[..., Record]
RESULTS = Path(__file__).parents[2] / "experiments" / "results"


def rows_of(records: dict[str, Record]) -> list[dict[str, str]]:
    return list(csv.DictReader(csv_text(records).splitlines()))


def test_the_spreadsheet_is_what_the_command_writes_of_the_records() -> None:
    assert csv_text(load_records(RESULTS)) == (RESULTS / "all.csv").read_text(), "write it anew: sherd report"


def test_every_cell_has_a_line_and_only_one_is_reported(
    make_result: MakeResult, make_record: MakeRecord
) -> None:
    cell = Cell(solver="random", shape="hexagon")
    records = {
        "random/table1/0123456.json": make_record(make_result(cell, cov95=0.2), seed=7000),
        "random/table1/0123456-03-05.json": make_record(
            make_result(cell, count=50, cov95=0.5), make_result(Cell(solver="random")), seed=7000
        ),
        "random/custom/0123456-budget-3.json": make_record(make_result(cell), seed=900),
    }
    rows = rows_of(records)
    assert len(rows) == 4
    assert all(list(row) == list(COLUMNS) for row in rows)
    told = [(row["record"], row["variation"], row["reported"], row["test_evaluations"]) for row in rows[:3]]
    assert told == [
        ("random/custom/0123456-budget-3.json", "budget-3", "no", "2"),
        ("random/table1/0123456-03-05.json", "", "yes", "2"),
        ("random/table1/0123456.json", "", "no", "2"),
    ]
    assert (rows[1]["cov95"], rows[1]["cov95_standard_error"]) == ("0.5", "0.069338")
    assert (rows[1]["published_method"], rows[1]["published_cov95"]) == ("fan", "0.439")
    assert (rows[1]["position_error"], rows[1]["train_puzzles"]) == ("", "")


def test_how_a_network_was_trained_is_told(make_result: MakeResult, make_record: MakeRecord) -> None:
    training = Training(train_puzzles=3200, train_minutes=1.25, parameters=7, train_steps=9, dropout=0.1)
    result = make_result(Cell(solver="fan", aggregation="avg"), training=training)
    (row,) = rows_of({"a.json": make_record(result)})
    told = ("aggregation", "train_puzzles", "train_minutes", "shared_encoder", "train_steps", "dropout")
    assert [row[name] for name in told] == ["avg", "3200", "1.25", "no", "9", "0.1"]
    assert row["batch_puzzles"] == ""
