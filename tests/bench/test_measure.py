"""A request becomes a record row by row, whatever becomes of a row."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sherd.bench.cell import Cell
from sherd.bench.measure import Listener, measure, runnable_cells
from sherd.bench.record import Record
from sherd.bench.request import BenchRequest
from sherd.core.errors import UnsupportedError
from sherd.solvers import SOLVERS
from sherd.solvers.baselines.random import RandomSolver

RANDOM = BenchRequest(solvers=("random",), puzzles=Cell(solver="", pieces=4), count=3)


def test_the_listener_hears_of_every_puzzle_and_row() -> None:
    puzzles: list[None] = []
    rows: list[Record] = []
    listener = Listener(on_puzzle=lambda: puzzles.append(None), on_record=rows.append)
    request = BenchRequest(suite="table2", solvers=("random", "search"), count=2)
    measured = measure(request, command="sherd bench", listener=listener)
    assert measured.complete
    assert measured.skipped == ()
    assert len(puzzles) == measured.done == measured.wanted == 4
    assert [len(record.cells) for record in rows] == [1, 2]
    assert rows[-1] == measured.record
    assert (measured.record.command, measured.record.seed) == ("sherd bench", request.params.seed)
    assert [result.cell for result in measured.record.cells] == list(request.cells)


def test_the_same_request_gives_the_same_figures() -> None:
    first, second = (measure(RANDOM, command="", listener=Listener()).record.cells for _ in range(2))
    timeless = {"seconds_median": 0.0, "seconds_p95": 0.0}
    assert [replace(result.figures, **timeless) for result in first] == [
        replace(result.figures, **timeless) for result in second
    ]


class Unable(RandomSolver):
    """A solver that has something missing."""

    def __init__(self) -> None:
        raise UnsupportedError("the weights are not installed")


def test_a_row_that_cannot_be_measured_is_skipped(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(SOLVERS, "unable", Unable)
    request = replace(RANDOM, solvers=("unable", "random"))
    measured = measure(request, command="", listener=Listener())
    assert measured.skipped == ("skipped unable on square, 4 pieces: the weights are not installed",)
    assert [result.cell.solver for result in measured.record.cells] == ["random"]
    assert (measured.done, measured.wanted, measured.complete) == (3, 6, True)


def test_solvers_that_are_not_there_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    request = BenchRequest(suite="table2", count=1)
    for name in ("bayesopt", "fan", "annealing"):
        monkeypatch.delitem(SOLVERS, name)
    assert [cell.solver for cell in runnable_cells(request)] == ["vgan"]
    monkeypatch.delitem(SOLVERS, "vgan")
    with pytest.raises(UnsupportedError, match="no such solver here: annealing, bayesopt, vgan, fan"):
        runnable_cells(request)
