"""The report shows every row of the paper on one page, and is what the records say, to the letter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from sherd.bench.cell import Cell
from sherd.bench.entries import Entry, load_records
from sherd.bench.markdown import markdown_table
from sherd.bench.published import published_rows
from sherd.bench.record import CellResult, RasterFigures, Record, Training
from sherd.bench.report import Pooled, report_text, standard_error

MakeResult = Callable[..., CellResult]
MakeRecord = Callable[..., Record]
ROOT = Path(__file__).parents[2]
MOST_BYTES = 15_000
FAN = Cell(solver="fan", aggregation="fram")


def section(text: str, title: str) -> str:
    return next(part for part in text.split("\n## ") if part.startswith(title))


def test_the_report_is_what_the_command_writes_of_the_records() -> None:
    text = report_text(load_records(ROOT / "experiments" / "results"))
    assert text == (ROOT / "REPORT.md").read_text(), "write it anew: sherd report"
    assert len(text.encode()) <= MOST_BYTES


def test_without_records_every_published_row_is_shown_as_missing() -> None:
    text = report_text({})
    assert f"Verdicts: {len({row.cell for row in published_rows()})} not measured." in text
    assert "| 1, 6, 7 | square | fan | 0.470 | not measured | – | – | 0.914 | – | – | – | – | – |" in section(
        text, "The paper's 41 distinct rows"
    )
    assert text.count("Nothing measured yet.") == 3


def test_ours_stand_beside_the_published(make_result: MakeResult, make_record: MakeRecord) -> None:
    text = report_text({"a.json": make_record(make_result(FAN, count=1000), seed=8000)})
    line = "| 1, 6, 7 | square | fan | 0.470 | 0.250 | 0.014 | -16.1 | 0.914 | 0.750 | 1,000 | 8000 | 1 |  |"
    found = section(text, "The paper's 41 distinct rows")
    assert line in found
    assert "Verdicts: 1 below, 40 not measured; at `0123456` where no other commit is named." in found


def test_a_commit_is_named_where_it_is_not_that_of_most(
    make_result: MakeResult, make_record: MakeRecord
) -> None:
    training = Training(train_puzzles=3200, train_minutes=1.0, parameters=9, train_steps=3000, train_seed=1)
    trained = make_record(replace(make_result(FAN), training=training), seed=8000)
    vgan = make_record(make_result(Cell(solver="vgan")), seed=8000)
    text = report_text({"fan.json": trained, "vgan.json": replace(vgan, commit="abcdef0123")})
    assert "| 8000 | 1 |  |" in text
    assert "| 8000 | 1 | `abcdef0` |" in text


def test_seeds_are_pooled_by_their_puzzles(make_result: MakeResult, make_record: MakeRecord) -> None:
    records = {
        "a.json": make_record(make_result(FAN, count=300, cov95=0.4), seed=8000),
        "b.json": make_record(make_result(FAN, count=100, cov95=0.8), seed=8001),
    }
    assert "| fan | 0.470 | 0.500 | 0.025 | +1.2 |" in report_text(records)
    assert "| 400 | 8000, 8001 | 2 |" in report_text(records)


def test_trainings_of_a_row_show_how_far_they_lie_apart(
    make_result: MakeResult, make_record: MakeRecord
) -> None:
    def trained(seed: int, cov95: float) -> CellResult:
        training = Training(
            train_puzzles=3200, train_minutes=1.0, parameters=9, train_steps=3000, train_seed=seed
        )
        return replace(make_result(FAN, count=1000, cov95=cov95), training=training)

    found = {f"{seed}.json": make_record(trained(seed, 0.4 + seed / 10), seed=8000) for seed in (1, 2, 3)}
    text = report_text(found)
    # The puzzles are the same 1,000: their error is that of one set, and the trainings' 0.1 / sqrt(3).
    assert "| fan | 0.470 | 0.600 ± 0.100 (3) | 0.060 | +2.2 |" in text
    assert "| 3,000 | 8000 | 3 |" in text
    assert "3 (3)" not in section(text, "What is still to be trained")
    assert "6 (0), 9 (0), 13 (0)" in section(text, "What is still to be trained")
    found["1.json"] = make_record(replace(trained(1, 0.5), training=None), seed=8000)
    assert "| 3 | 3 (0), 6 (0)" in section(report_text(found), "What is still to be trained")


def test_both_scorers_stand_side_by_side(make_result: MakeResult, make_record: MakeRecord) -> None:
    figures = RasterFigures(raster_cov95=0.3, raster_cov90=0.4, raster_cov=0.8, raster_iou=0.7)
    result = replace(make_result(FAN, count=100), raster=figures)
    found = section(report_text({"a.json": make_record(result, seed=8000)}), "Two scorers")
    assert "| square | fan | 0.300 | 0.882 | 0.625 | 0.700 |" in found
    custom = report_text({"fan/custom/a.json": make_record(result, seed=8000)})
    assert "Nothing measured yet" in section(custom, "Two scorers")


def test_looks_are_counted_over_all_records_on_test_seeds(
    make_result: MakeResult, make_record: MakeRecord
) -> None:
    records = {
        "few.json": make_record(make_result(FAN, count=10), seed=7000),
        "tuning.json": make_record(make_result(FAN, count=500), seed=11),
        "most.json": make_record(make_result(FAN, count=100), seed=7000),
    }
    assert "| 100 | 7000 | 2 |" in report_text(records)


def test_a_row_passes_by_more_than_its_standard_error(
    make_result: MakeResult, make_record: MakeRecord
) -> None:
    result = make_result(FAN, count=100, cov95=0.5)
    pooled = Pooled((Entry(result, make_record(result), "a.json"),), 1)
    assert pooled.standard_error == standard_error(0.5, 100) == 0.05
    assert [pooled.verdict(published) for published in (0.44, 0.46, 0.54, 0.56)] == [
        "passes",
        "equal",
        "equal",
        "below",
    ]


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_nothing_and_all_have_no_error_and_equal_themselves(
    share: float, make_result: MakeResult, make_record: MakeRecord
) -> None:
    result = make_result(FAN, cov95=share)
    pooled = Pooled((Entry(result, make_record(result), "a.json"),), 1)
    assert pooled.standard_error == 0.0
    assert pooled.verdict(share) == pooled.margin(share) == "equal"
    assert pooled.margin(0.5) == ("passes" if share else "below")


def test_our_solvers_stand_beside_the_papers_network(
    make_result: MakeResult, make_record: MakeRecord
) -> None:
    cells = (Cell(solver="search", pieces=pieces) for pieces in (4, 8))
    results = [make_result(cell, cov95=1.0) for cell in cells]
    larger = make_result(Cell(solver="search", pieces=16), cov95=0.5, count=20)
    text = section(report_text({"a.json": make_record(*results, larger, seed=8000)}), "Our own")
    assert "| square | – | – | – | 1.000 |" in text
    assert "| square, 16 pieces | – | – | – | 0.500 of 20 |" in text
    assert "| search, 10 |" in text
    assert "unless it says of how many, seed 8000." in text


def test_suites_beyond_the_paper_have_a_line_each(make_result: MakeResult, make_record: MakeRecord) -> None:
    little = Cell(solver="search", degradation="eroded", strength=0.5)
    much = Cell(solver="search", degradation="eroded", strength=2.0)
    results = make_result(little, cov95=0.75, solved=0.5), make_result(much, cov95=0.25, solved=0.5)
    text = section(report_text({"a.json": make_record(*results, seed=8000)}), "The search beyond")
    assert (
        "| strength | 2 of 24 | 1:4, 5:24 (square, mondrian) | 0.500 | 0.500 "
        "| 0.250 | square, eroded, strength 2 | 8000 | 1 |" in text
    )
    assert "resolution" not in text


def test_bars_and_line_breaks_cannot_break_a_table() -> None:
    assert markdown_table(["a"], [["x | y\nz"]]) == "| a |\n| --- |\n| x \\| y z |\n"
