"""Suites repeat the paper's tables row by row."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from importlib.resources import files
from pathlib import Path

import pytest

from sherd.bench.cell import Cell
from sherd.bench.contour_suites import CONTOUR_SUITES
from sherd.bench.suites import BEYOND, SUITES, TABLES, TEST_SPLIT, suite_cells
from sherd.core.geometry import Rotations
from sherd.generation.shapes import named_shape
from sherd.generation.tangram import SILHOUETTES


def test_every_published_row_has_its_cell_in_its_place() -> None:
    rows = json.loads(files("sherd.bench").joinpath("published.json").read_text())["rows"]
    cells = [(name, cell) for name, cells in TABLES.items() for cell in cells]
    assert list(TABLES) == [f"table{k}" for k in range(1, 8)]
    assert len(cells) == len(rows) == 45
    for row, (name, cell) in zip(rows, cells, strict=True):
        assert name == f"table{row['table'].split()[0]}"
        assert cell == Cell(
            solver=row["method"],
            shape=row["shape"],
            pieces=row["pieces"],
            rotations=Rotations.parse(row["rotations"]),
            degradation=row["degradation"],
            order=row["order"],
            aggregation=row["aggregation"] if row["method"] == "fan" else None,
        )


def test_the_test_split_is_the_last_fifth_of_the_set() -> None:
    assert range(4000, 5000) == TEST_SPLIT


def test_rows_and_solvers_can_be_chosen() -> None:
    assert suite_cells("table1", rows=slice(1, 3)) == SUITES["table1"][1:3]
    other = suite_cells("table6", solvers=("random", "fan-max"))
    assert other == (Cell(solver="random"), Cell(solver="fan", aggregation="max"))
    assert other[1].registered_name == "fan-max"


@pytest.mark.parametrize(
    ("name", "rows", "message"),
    [
        ("table9", None, "unknown suite 'table9': choose table1, table2"),
        ("table2", slice(0, 5), "rows 0:5 are out of range: table2 has rows 0:4"),
        ("table2", slice(3, 3), "rows 3:3 are out of range"),
    ],
)
def test_bad_choices_are_refused(name: str, rows: slice | None, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        suite_cells(name, rows=rows)


def test_the_whole_paper_has_every_row_once() -> None:
    cells = suite_cells("paper")
    assert len(set(cells)) == len(cells)
    assert set(cells) == {cell for table in TABLES.values() for cell in table}


def test_what_goes_beyond_the_paper_has_every_row_once() -> None:
    cells = [cell for suite in BEYOND.values() for cell in suite]
    assert len(set(cells)) == len(cells)
    assert {name: len(suite) for name, suite in BEYOND.items()} == {
        "exact": 80,
        "masks": 48,
        "binary": 32,
        "damage": 96,
        "noise": 56,
        "merged": 64,
        "tangram": 16,
        "lattice": 36,
        "strength": 20,
        "resolution": 24,
        "painted": 24,
    }
    assert suite_cells("binary", rows=slice(0, 1)) == (Cell(solver="search", input="binary"),)


def test_merged_pieces_and_tangrams_come_with_and_without_mirrored_ones() -> None:
    for suite in ("merged", "tangram"):
        plain = [cell for cell in BEYOND[suite] if not cell.mirror]
        assert {replace(cell, mirror=True) for cell in plain} == {c for c in BEYOND[suite] if c.mirror}
        assert all(cell.rotations.bins is None for cell in plain)
    assert {(cell.shape, cell.pieces) for cell in BEYOND["tangram"]} == {(name, 7) for name in SILHOUETTES}
    merged = {cell.shape for cell in BEYOND["merged"]}
    assert {cell.pieces for cell in BEYOND["merged"]} == {7, 15, 30, 50}
    assert {named_shape(name).is_convex for name in merged} == {True, False}
    assert any(named_shape(name).axis_aligned for name in merged)


def test_a_tangram_says_so() -> None:
    assert BEYOND["tangram"][-1].puzzle_label == "runner, 7 tangram pieces, free rotation, mirrored"
    assert BEYOND["merged"][0].puzzle_label == "square, 7 merged pieces, free rotation"


def test_the_docs_list_the_suites_beyond_the_paper() -> None:
    concepts = (Path(__file__).parents[2] / "docs" / "concepts.md").read_text()
    table = concepts.split("## Suites\n")[1].split("\n## ")[0]
    rows = {
        name: int(count) for name, count in re.findall(r"^\| ([a-z]+) \| ([0-9]+) \|", table, re.MULTILINE)
    }
    assert rows == {name: len(cells) for name, cells in (BEYOND | dict(CONTOUR_SUITES)).items()}
