"""The report shows every row of the paper on one page, and is what the records say, to the letter."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

from sherd.bench.cell import Cell
from sherd.bench.entries import load_records
from sherd.bench.markdown import markdown_table
from sherd.bench.published import published_rows
from sherd.bench.record import CellResult, RasterFigures, Record, Training
from sherd.bench.report import report_text
from sherd.bench.suites import suite_cells
from sherd.core.geometry import Rotations

MakeResult = Callable[..., CellResult]
MakeRecord = Callable[..., Record]
ROOT = Path(__file__).parents[2]
MOST_BYTES = 15_500
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
    assert "| 1, 6, 7 | square | fan | 0.470 | not measured | – | – | 0.914 | – | – | – | – |" in section(
        text, "The paper's 41 distinct rows"
    )
    assert text.count("Nothing measured yet.") == 4


def test_ours_stand_beside_the_published(make_result: MakeResult, make_record: MakeRecord) -> None:
    text = report_text({"a.json": make_record(make_result(FAN, count=1000), seed=8000)})
    line = "| 1, 6, 7 | square | fan | 0.470 | 0.250 | 0.014 | -10.5 | 0.914 | 0.750 |  | 1 |  |"
    found = section(text, "The paper's 41 distinct rows")
    assert line in found
    assert (
        "Verdicts: 1 below, 40 not measured; at `0123456`, seed 8000, where nothing else is named." in found
    )


def test_a_commit_is_named_where_it_is_not_that_of_most(
    make_result: MakeResult, make_record: MakeRecord
) -> None:
    training = Training(
        train_puzzles=3200, train_minutes=1.0, parameters=48_000_000, train_steps=3000, train_seed=1
    )
    trained = make_record(replace(make_result(FAN), training=training), seed=8000)
    vgan = make_record(make_result(Cell(solver="vgan")), seed=8000)
    text = report_text({"fan.json": trained, "vgan.json": replace(vgan, commit="abcdef0123")})
    assert "| 10 | 1 |  |" in text
    assert "| 10 | 1 | `abcdef0` |" in text


def test_seeds_are_pooled_by_their_puzzles(make_result: MakeResult, make_record: MakeRecord) -> None:
    records = {
        "a.json": make_record(make_result(FAN, count=300, cov95=0.4), seed=8000),
        "b.json": make_record(make_result(FAN, count=100, cov95=0.8), seed=8001),
    }
    assert "| fan | 0.470 | 0.500 | 0.025 | +1.0 |" in report_text(records)
    assert "| 400 | 2 | 8000, 8001 |" in report_text(records)


def test_trainings_of_a_row_show_how_far_they_lie_apart(
    make_result: MakeResult, make_record: MakeRecord
) -> None:
    def trained(seed: int, cov95: float) -> CellResult:
        training = Training(
            train_puzzles=3200, train_minutes=1.0, parameters=48_000_000, train_steps=3000, train_seed=seed
        )
        return replace(make_result(FAN, count=1000, cov95=cov95), training=training)

    found = {f"{seed}.json": make_record(trained(seed, 0.4 + seed / 10), seed=8000) for seed in (1, 2, 3)}
    text = report_text(found)
    # The puzzles are the same 1,000: their error is that of one set, and the trainings' 0.1 / sqrt(3).
    assert "| fan | 0.470 | 0.600 ± 0.100 (3) | 0.060 | +2.1 |" in text
    assert "| 3,000 | 3 |  |" in text
    assert "3 (3)" not in section(text, "What is still to be trained")
    assert "6 (0), 9 (0), 13 (0)" in section(text, "What is still to be trained")
    found["1.json"] = make_record(replace(trained(1, 0.5), training=None), seed=8000)
    assert "| 3 | 3 (0), 6 (0)" in section(report_text(found), "What is still to be trained")


def test_of_runs_closer_to_the_paper_whose_spread_is_unknown_no_margin_is_given(
    make_result: MakeResult, make_record: MakeRecord
) -> None:
    def trained(seed: int, cov95: float) -> Record:
        training = Training(
            train_puzzles=3200, train_minutes=1.0, parameters=48_000_000, train_steps=3000, train_seed=seed
        )
        return make_record(
            make_result(FAN, count=1000, cov95=cov95, training=training), seed=8000, date=f"2026-01-0{seed}"
        )

    found = {f"{seed}.json": trained(seed, cov95) for seed, cov95 in ((1, 0.4), (2, 0.6))}
    found["fan/paper/0123456-03-seed8000-strict.json"] = trained(3, 0.5)
    found["fan/paper/0123456-03-seed8000-released.json"] = trained(4, 0.5)
    closer = section(report_text(found), "Closer to the paper")
    assert "| square | `fan-strict.toml`, our order | 0.470 | 0.500 | 0.016 | – |" in closer
    assert "| square | theirs | 0.470 | 0.500 | 0.016 | – |" in closer


def test_how_often_a_puzzle_was_seen_is_said(make_result: MakeResult, make_record: MakeRecord) -> None:
    def trained(cell: Cell, batch: int) -> CellResult:
        training = Training(
            train_puzzles=3200,
            train_minutes=1.0,
            parameters=48_000_000,
            train_steps=3000,
            batch_puzzles=batch,
        )
        return replace(make_result(cell), training=training)

    turned = replace(FAN, rotations=Rotations(4))
    text = report_text({"a.json": make_record(trained(FAN, 32), trained(turned, 18), seed=8000)})
    assert "FAN sees a puzzle so often: 8 pieces 30, 4 rotations 17 times." in text


def test_where_every_row_is_trained_nothing_is_left(make_result: MakeResult, make_record: MakeRecord) -> None:
    found: dict[str, Record] = {}
    for seed in (1, 2, 3):
        training = Training(
            train_puzzles=3200, train_minutes=1.0, parameters=48_000_000, train_steps=3000, train_seed=seed
        )
        rows = [cell for cell in suite_cells("paper") if cell.solver == "fan"]
        results = [replace(make_result(cell), training=training) for cell in rows]
        found[f"{seed}.json"] = make_record(*results, seed=8000)
    left = section(report_text(found), "What is still to be trained")
    assert "Nothing: all rows of FAN are of `0123456`." in left


def test_both_scorers_stand_side_by_side(make_result: MakeResult, make_record: MakeRecord) -> None:
    figures = RasterFigures(raster_cov95=0.3, raster_cov90=0.4, raster_cov=0.8, raster_iou=0.7)
    result = replace(make_result(FAN, count=100), raster=figures)
    found = section(report_text({"a.json": make_record(result, seed=8000)}), "Two scorers")
    assert "| square | 0.250, 0.300 | 0.882, 0.625, 0.700 |" in found
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
    assert "| 100 | 2 | 7000 |" in report_text(records)


def test_runs_closer_to_the_paper_stand_apart(make_result: MakeResult, make_record: MakeRecord) -> None:
    records = {
        "fan/paper/abcdef0-03-seed8000.json": make_record(make_result(FAN, cov95=0.9, count=1000), seed=8000),
        "fan/paper/abcdef0-03-seed8000-strict.json": make_record(
            make_result(FAN, cov95=0.1, count=1000), seed=8000
        ),
    }
    text = report_text(records)
    assert "| square | `fan-strict.toml`, our order | 0.470 | 0.100 | 0.010 | – |" in section(
        text, "Closer to the paper"
    )
    assert "(1 by more than 2)" in text
    assert "| fan | 0.470 | 0.900 | 0.010 | +23.4 |" in section(text, "The paper's 41")


def test_our_solvers_stand_beside_the_papers_network(
    make_result: MakeResult, make_record: MakeRecord
) -> None:
    cells = (Cell(solver="search", pieces=pieces) for pieces in (4, 8))
    results = [make_result(cell, cov95=1.0) for cell in cells]
    larger = make_result(Cell(solver="search", pieces=16), cov95=0.5, count=20)
    records = {
        "a.json": make_record(*results, seed=8000),
        "b.json": replace(make_record(larger, seed=8000), commit="fedcba9876"),
    }
    text = section(report_text(records), "Our own")
    assert "| square | – | – | 1.000 |" in text
    assert "| square, 16 pieces | – | – | 0.500 of 20 `fedcba9` |" in text
    assert "| search, 10 `0123456` |" in text
    assert "unless others are named, seed 8000." in text


def test_suites_beyond_the_paper_have_a_line_each(make_result: MakeResult, make_record: MakeRecord) -> None:
    little = Cell(solver="search", degradation="eroded", strength=0.5)
    much = Cell(solver="search", degradation="eroded", strength=2.0)
    results = make_result(little, cov95=0.75, solved=0.5), make_result(much, cov95=0.25, solved=0.5)
    text = section(report_text({"a.json": make_record(*results, seed=8000)}), "The search beyond")
    assert (
        "| strength | 2 of 24 | 1:4, 5:24 | 0.500 | 0.500 "
        "| 0.250 | square, eroded, strength 2 | 8000 | `0123456` |" in text
    )
    assert "resolution" not in text


def test_decidable_puzzles_are_counted_apart(make_result: MakeResult, make_record: MakeRecord) -> None:
    cell = Cell(solver="search", degradation="eroded", strength=0.5)
    plain = make_result(cell, cov95=0.75, solved=0.5)
    count = plain.count
    weighed = replace(plain, decidable=0.5, decidable_solved=0.5)
    text = section(report_text({"a.json": make_record(weighed, seed=8000)}), "The search beyond")
    assert f"| 0.500; {round(count / 2)} of {round(count / 2)} decidable ({count}) |" in text


def test_bars_and_line_breaks_cannot_break_a_table() -> None:
    assert markdown_table(["a"], [["x | y\nz"]]) == "| a |\n| --- |\n| x \\| y z |\n"
