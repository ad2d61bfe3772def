"""The report shows every published row, and picks records by its stated rule."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sherd.bench.cell import Cell
from sherd.bench.published import published_rows
from sherd.bench.record import CellResult, Record, Training, to_json
from sherd.bench.report import chosen_entries, load_records, markdown_table, report_text
from sherd.core.errors import FileFormatError
from sherd.core.geometry import Rotations

MakeResult = Callable[..., CellResult]
MakeRecord = Callable[..., Record]


def section(text: str, title: str) -> str:
    return next(part for part in text.split("\n## ") if part.startswith(title))


def test_without_records_every_published_row_is_shown_as_missing() -> None:
    text = report_text({})
    assert text.count("not measured yet") == len(published_rows())
    assert (
        "| square, 8 pieces | fan | 0.470 | – | 0.649 | – | 0.914 | – | 0.882 | – | <1 | – | – "
        "| not measured yet |" in section(text, "Table 1: target shapes")
    )
    assert "Nothing measured yet." in section(text, "Beyond the paper")


def test_ours_stand_beside_the_published(make_result: MakeResult, make_record: MakeRecord) -> None:
    fan = make_result(Cell(solver="fan", aggregation="fram"), count=1000)
    text = report_text({"a.json": make_record(fan)})
    line = (
        "| square, 8 pieces | fan | 0.470 | 0.250 | 0.649 | 0.500 | 0.914 | 0.750 | 0.882 | 0.625 "
        "| {seconds} | 0.0125 | 0.700 | 1,000 puzzles, seed 7, `0123456789` |"
    )
    assert line.format(seconds="<1") in section(text, "Table 1")
    assert line.format(seconds="–") in section(text, "Table 6")
    assert line.format(seconds="–") in section(text, "Table 7")
    assert "| `a.json` | 2026-01-02T03:04:05Z |" in section(text, "Runs")


def test_other_solvers_stand_in_the_first_table_with_their_puzzles(
    make_result: MakeResult, make_record: MakeRecord
) -> None:
    text = report_text({"a.json": make_record(make_result(Cell(solver="random", input="masks")))})
    assert text.count("| random (from masks) | – | 0.250 |") == 1
    rows = section(text, "Table 1").splitlines()
    assert rows.index(next(row for row in rows if "random" in row)) == 2 + 2 + 4


def test_puzzles_beyond_the_paper_have_a_section(make_result: MakeResult, make_record: MakeRecord) -> None:
    result = make_result(Cell(solver="random", noise=0.01), solved=0.3)
    text = report_text({"a.json": make_record(result)})
    assert (
        "| square, 8 pieces, noise 0.01 | random | 0.250 | 0.500 | 0.750 | 0.625 | 0.700 | 0.125 | 0.400 "
        "| 0.300 | 0.0125 | 10 puzzles, seed 7, `0123456789` |" in section(text, "Beyond the paper")
    )


def test_the_order_of_lines_is_not_that_of_files(make_result: MakeResult, make_record: MakeRecord) -> None:
    free = Rotations(None)
    cells = [
        Cell(solver="search", pieces=7, rotations=free),
        Cell(solver="search", pieces=7, rotations=free, dissection="merged"),
        Cell(solver="search", pieces=7, rotations=free, dissection="merged", mirror=True),
        Cell(solver="search", pieces=7, rotations=free, dissection="tangram"),
    ]
    for names in ("abcd", "dcba", "bdac"):
        records = {
            f"{name}.json": make_record(make_result(cell)) for name, cell in zip(names, cells, strict=True)
        }
        assert [entry.result.cell for entry in chosen_entries(records)] == cells


def test_most_puzzles_count_then_the_latest_and_never_the_best(
    make_result: MakeResult, make_record: MakeRecord
) -> None:
    cell = Cell(solver="random")
    records = {
        "lucky.json": make_record(make_result(cell, count=5, cov95=1.0), date="2026-03-01T00:00:00Z"),
        "new.json": make_record(make_result(cell, count=50, cov95=0.3), date="2026-02-01T00:00:00Z"),
        "old.json": make_record(make_result(cell, count=50, cov95=0.9), date="2026-01-01T00:00:00Z"),
    }
    text = report_text(records)
    assert "| random | – | 0.300 |" in text
    assert "1.000" not in text
    assert "0.900" not in text
    assert "old.json" not in section(text, "Runs")
    assert report_text(dict(reversed(records.items()))) == text


def test_networks_with_unlike_training_have_a_line_each(
    make_result: MakeResult, make_record: MakeRecord
) -> None:
    cell = Cell(solver="fan", aggregation="fram")
    results = [
        make_result(cell, training=Training(train_puzzles=n, train_minutes=4.0, parameters=48_000_000))
        for n in (0, 3200)
    ]
    table = section(report_text({"a.json": make_record(*results)}), "Table 1")
    assert "| fan of 48.0 M, endless training puzzles, 4.0 min | 0.470 |" in table
    assert "| fan of 48.0 M, 3,200 training puzzles, 4.0 min | 0.470 |" in table


def test_steps_and_dropout_are_told_where_they_are_known(
    make_result: MakeResult, make_record: MakeRecord
) -> None:
    cell = Cell(solver="fan", aggregation="fram")
    results = [
        make_result(
            cell,
            training=Training(
                train_puzzles=3200,
                train_minutes=1.0,
                parameters=48_000_000,
                train_steps=1800,
                dropout=dropout,
            ),
        )
        for dropout in (0.0, 0.1)
    ]
    table = section(report_text({"a.json": make_record(*results)}), "Table 1")
    assert "| fan of 48.0 M, no dropout, 3,200 training puzzles, 1,800 steps, 1.0 min | 0.470 |" in table
    assert "| fan of 48.0 M, 3,200 training puzzles, 1,800 steps, 1.0 min | 0.470 |" in table


def test_the_time_of_training_is_shown_and_makes_no_line_of_its_own(
    make_result: MakeResult, make_record: MakeRecord
) -> None:
    records = {
        f"{minutes}.json": make_record(
            make_result(
                Cell(solver="fan", aggregation="fram"),
                training=Training(train_puzzles=3200, train_minutes=minutes, parameters=48_000_000),
            ),
            date=f"2026-01-0{day}T00:00:00Z",
        )
        for day, minutes in enumerate((2.5, 1.37, 0.0), start=1)
    }
    shown = "| fan of 48.0 M, 3,200 training puzzles{} | 0.470 |"
    assert shown.format("") in section(report_text(records), "Table 1")  # of the latest it is not known
    del records["0.0.json"]
    table = section(report_text(records), "Table 1")
    assert shown.format(", 1.4 min") in table
    assert "2.5 min" not in table


def test_records_are_read_from_a_folder(
    make_result: MakeResult, make_record: MakeRecord, tmp_path: Path
) -> None:
    record = make_record(make_result(Cell(solver="random")))
    (tmp_path / "deep").mkdir()
    for name in ("b.json", "deep/a.json"):
        (tmp_path / name).write_text(to_json(record))
    (tmp_path / "README.md").write_text("no record")
    assert load_records(tmp_path) == {"b.json": record, "deep/a.json": record}
    with pytest.raises(FileFormatError, match="no such folder"):
        load_records(tmp_path / "nowhere")


def test_bars_and_line_breaks_cannot_break_a_table() -> None:
    assert markdown_table(["a"], [["x | y\nz"]]) == "| a |\n| --- |\n| x \\| y z |\n"
