"""Tables of what was measured."""

from __future__ import annotations

import io
from dataclasses import replace

from rich.console import Console

from sherd.bench.cell import Cell
from sherd.bench.contour_measure import contour_result
from sherd.bench.contour_suites import ContourCell
from sherd.bench.contour_trial import NOTHING, ContourOutcome
from sherd.bench.measure import empty_record
from sherd.bench.raster_score import raster_score
from sherd.bench.run import RunParams, cell_result
from sherd.bench.trial import TrialOutcome
from sherd.cli.bench_tables import tables_of
from sherd.core.metrics import score
from sherd.core.puzzle import Sample
from sherd.solvers.baselines.random import RandomSolver


def test_a_table_a_kind_of_puzzle_with_the_papers_figures_below_ours(two_halves: Sample) -> None:
    exact, coarse = score(two_halves.truth, two_halves), raster_score(two_halves.truth, two_halves)
    outcome = TrialOutcome(exact, coarse, solved=True, seconds=0.5)
    paper, other = Cell(solver="random"), Cell(solver="random", shape="mondrian", noise=0.01)
    results = [cell_result(cell, RunParams(count=1), RandomSolver(), [outcome]) for cell in (paper, other)]
    broken = ContourCell(kind="jagged", pieces=(8, 8), goal=0.99)
    seen = ContourOutcome(replace(NOTHING, all_right=True), None, True, 2.0)
    record = replace(
        empty_record(7, "sherd bench"),
        cells=tuple(results),
        contours=(contour_result(broken, RunParams(count=1), [seen]),),
    )
    text = io.StringIO()
    console = Console(width=200, file=text)
    for table in tables_of(record):
        console.print(table)
    lines = text.getvalue().splitlines()
    titles = [line.strip() for line in lines if "pieces" in line]
    assert titles == [paper.puzzle_label, other.puzzle_label, broken.label]
    (ours, below) = lines[2:4]
    assert ours.split()[:4] == ["random", "1", "1.000", "1.000"]
    assert below.startswith("fan, published")
    assert lines[-1].split()[:6] == ["auto", "1", "1.000", "0.000", "all", "right"]
