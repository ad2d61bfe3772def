"""A request is checked when it is made, and knows its cells and puzzles."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
import torch

from sherd.bench.cell import Cell
from sherd.bench.request import BenchRequest
from sherd.bench.suites import BEYOND, REPORT_SEED, SUITES
from sherd.bench.train import TrainingPlan

PUZZLES = Cell(solver="", shape="hexagon")
PLAN = TrainingPlan(steps=3, device=torch.device("cpu"))


def test_a_table_of_the_paper_takes_its_test_split_of_the_held_out_seed() -> None:
    request = BenchRequest(suite="table1")
    assert request.cells == SUITES["table1"]
    params = request.params
    assert (params.count, params.seed, params.first) == (1000, REPORT_SEED, 4000)
    assert BenchRequest(suite="exact").params.count == 200
    assert REPORT_SEED >= 8000  # seeds from 7000 on were looked at


def test_described_puzzles_are_the_first_of_a_tuning_seed() -> None:
    request = BenchRequest(solvers=("random", "search", "random"), puzzles=PUZZLES)
    assert request.cells == (PUZZLES.with_solver("random"), PUZZLES.with_solver("search"))
    params = request.params
    assert (params.count, params.seed, params.first) == (200, 7, 0)


def test_what_is_trained_is_the_papers_network_on_the_test_split() -> None:
    described = BenchRequest(solvers=("fan", "random"), puzzles=PUZZLES, training=PLAN)
    assert [cell.solver for cell in described.cells] == ["fan"]
    assert described.params.first == 4000
    assert {cell.solver for cell in BenchRequest(suite="table1", training=PLAN).cells} == {"fan"}


def test_a_suite_can_be_shown_otherwise() -> None:
    sizes = [cell.size_px for cell in BEYOND["resolution"]]
    binary = BenchRequest(suite="resolution", input="binary").cells
    assert [(cell.input, cell.size_px) for cell in binary] == [("binary", size) for size in sizes]
    exact = BenchRequest(suite="resolution", input="polygons").cells
    assert {(cell.input, cell.size_px) for cell in exact} == {("polygons", 128)}
    fine = BenchRequest(suite="masks", size_px=256).cells
    assert {(cell.input, cell.size_px) for cell in fine} == {("masks", 256)}


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({}, "a benchmark has a suite or puzzles, one of them"),
        ({"suite": "table1", "puzzles": PUZZLES}, "a benchmark has a suite or puzzles, one of them"),
        ({"suite": "table1", "solvers": ("guess",)}, "unknown solver 'guess': choose "),
        ({"suite": "table1", "count": 1001}, "count must be at most 1,000 with a suite, not 1,001"),
        ({"suite": "table1", "size_px": 64}, "polygons have no pixels: size_px must not be 64"),
        ({"suite": "exact", "training": PLAN}, "training is for the paper's network: name fan"),
        (
            {"suite": "table1", "training": PLAN, "weights": Path("run")},
            "weights are trained or read, not both",
        ),
        ({"suite": "table1", "workers": 0}, "workers must be at least 1, not 0"),
    ],
)
def test_what_makes_no_sense_is_refused(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(ValueError, match=re.escape(message)):
        BenchRequest(**wrong)
