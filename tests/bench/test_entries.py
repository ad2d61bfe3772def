"""Which records count is decided by puzzles, dates, seeds and names, never by figures."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from sherd.bench.cell import Cell
from sherd.bench.contour_suites import CONTOUR_SUITES
from sherd.bench.entries import RECORD_NAME, Entry, count_evaluations, counting, entries_of, load_records
from sherd.bench.record import CellResult, Record, Training, to_json
from sherd.bench.suites import SUITES, WHOLE_PAPER
from sherd.core.errors import FileFormatError
from sherd.core.geometry import Rotations
from sherd.solvers import SOLVERS

MakeResult = Callable[..., CellResult]
MakeRecord = Callable[..., Record]
RESULTS = Path(__file__).parents[2] / "experiments" / "results"
RANDOM = Cell(solver="random")


def test_the_order_of_entries_is_not_that_of_files(make_result: MakeResult, make_record: MakeRecord) -> None:
    free = Rotations(None)
    cells = [
        Cell(solver="search", pieces=7, rotations=free, degradation="eroded", strength=0.5),
        Cell(solver="search", pieces=7, rotations=free, degradation="eroded"),
        Cell(solver="search", pieces=7, rotations=free, input="masks"),
        Cell(solver="search", pieces=7, rotations=free, input="masks", size_px=256),
        Cell(solver="search", pieces=7, rotations=free),
        Cell(solver="search", pieces=7, rotations=free, dissection="merged"),
        Cell(solver="search", pieces=7, rotations=free, dissection="merged", mirror=True),
        Cell(solver="search", pieces=7, rotations=free, dissection="tangram"),
    ]
    for names in ("abcdefgh", "hgfedcba", "bdacfehg"):
        records = {
            f"{name}.json": make_record(make_result(cell)) for name, cell in zip(names, cells, strict=True)
        }
        assert [entry.result.cell for entry in entries_of(records)] == cells


def chosen(records: dict[str, Record]) -> list[str]:
    (entries,) = counting(entries_of(records)).values()
    return [entry.source for entry in entries]


def test_the_latest_counts_that_is_not_tiny_and_never_the_best(
    make_result: MakeResult, make_record: MakeRecord
) -> None:
    records = {
        "lucky.json": make_record(make_result(RANDOM, count=12, cov95=1.0), date="2026-03-01", seed=7000),
        "new.json": make_record(make_result(RANDOM, count=13, cov95=0.3), date="2026-02-01", seed=7000),
        "old.json": make_record(make_result(RANDOM, count=50, cov95=0.9), date="2026-01-01", seed=7000),
    }
    assert chosen(records) == ["new.json"]
    assert chosen(dict(reversed(records.items()))) == ["new.json"]


def test_runs_of_the_same_commit_on_other_seeds_count_with_it(
    make_result: MakeResult, make_record: MakeRecord
) -> None:
    records = {
        f"{seed}-{day}.json": make_record(make_result(RANDOM), date=f"2026-01-0{day}", seed=seed)
        for seed, day in ((8001, 1), (8000, 2), (8000, 3))
    }
    assert chosen(records) == ["8000-3.json", "8001-1.json"]


def test_tuning_seeds_and_variations_count_for_nothing(
    make_result: MakeResult, make_record: MakeRecord
) -> None:
    result = make_result(RANDOM)
    records = {
        "random/table1/0123456.json": make_record(result, seed=7000),
        "random/table1/0123456-03-endless.json": make_record(result, seed=8000, date="2026-12-01"),
        "random/custom/0123456-budget-0.3.json": make_record(result, seed=900, date="2026-12-01"),
    }
    assert chosen(records) == ["random/table1/0123456.json"]
    assert count_evaluations(entries_of(records)) == {RANDOM: 2}


def test_a_smaller_network_counts_for_no_row_whatever_its_name(
    make_result: MakeResult, make_record: MakeRecord
) -> None:
    def trained(parameters: int) -> Training:
        return Training(train_puzzles=3200, train_minutes=1.0, parameters=parameters)

    fan, matcher = Cell(solver="fan", aggregation="none"), Cell(solver="matcher")
    full, shared, compact = (
        make_result(fan, training=trained(count)) for count in (42_623_106, 31_099_666, 2_893_466)
    )
    records = {
        "fan/paper/0123456-03.json": make_record(full, seed=8000),
        "fan/paper/1123456-03.json": make_record(shared, seed=8000, date="2026-12-01"),
        "fan/paper/2123456-03.json": make_record(compact, seed=8000, date="2026-12-02"),
    }
    assert chosen(records) == ["fan/paper/0123456-03.json"]
    small = {
        "matcher/paper/0123456-03.json": make_record(make_result(matcher, training=trained(3)), seed=8000)
    }
    assert chosen(small) == [*small]


@pytest.mark.parametrize(
    ("name", "variation"),
    [
        ("98ead00.json", ""),
        ("98ead00-03.json", ""),
        ("98ead00-03-06.json", ""),
        ("98ead00-03-seed8001.json", ""),
        ("98ead00-03-seed8001-no-dropout.json", "no-dropout"),
        ("98ead00-marble.json", "marble"),
        ("another-name.json", ""),
    ],
)
def test_a_variation_is_told_by_the_name(
    name: str, variation: str, make_result: MakeResult, make_record: MakeRecord
) -> None:
    result = make_result(RANDOM)
    assert Entry(result, make_record(result), f"fan/paper/{name}").variation == variation


def test_all_records_are_named_by_the_scheme() -> None:
    records = load_records(RESULTS)
    assert len(records) > 400
    for source, record in records.items():
        solver, suite, name = source.split("/")
        if record.contours:
            assert solver == record.contours[0].cell.solver
            assert suite in CONTOUR_SUITES
        else:
            first = record.cells[0].cell
            assert solver in {*SOLVERS, first.registered_name}
            assert solver in (first.registered_name, first.solver)
            assert suite in {*SUITES, WHOLE_PAPER, "custom"}
        assert RECORD_NAME.fullmatch(name.removesuffix(".json")), source
        assert record.commit.startswith(name[:7])


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
