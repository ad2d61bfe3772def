"""Chance has three parts: our puzzles, our trainings and the paper's puzzles."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import pytest

from sherd.bench.cell import Cell
from sherd.bench.entries import Entry
from sherd.bench.pooled import Pooled, pooled_cells, spread_of_trainings, standard_error
from sherd.bench.record import CellResult, Record, Training

MakeResult = Callable[..., CellResult]
MakeRecord = Callable[..., Record]
FAN = Cell(solver="fan", aggregation="fram")
HEXAGON = replace(FAN, shape="hexagon")


def trained(result: CellResult, seed: int) -> CellResult:
    training = Training(
        train_puzzles=3200, train_minutes=1.0, parameters=48_000_000, train_steps=3000, train_seed=seed
    )
    return replace(result, training=training)


def test_a_row_passes_by_more_than_the_standard_error_of_the_difference(
    make_result: MakeResult, make_record: MakeRecord
) -> None:
    result = make_result(FAN, count=1000, cov95=0.5)
    pooled = Pooled((Entry(result, make_record(result), "a.json"),), 1)
    assert pooled.standard_error == standard_error(0.5, 1000) == pytest.approx(0.0158, abs=1e-4)
    # Both have 1,000 puzzles, so that the error of the difference is root 2 times as large: 0.0223.
    verdicts = [pooled.verdict(published) for published in (0.475, 0.48, 0.52, 0.525)]
    assert verdicts == ["passes", "equal", "equal", "below"]
    assert pooled.margin(0.4) == pytest.approx(0.1 / math.hypot(0.0158, 0.0155), rel=0.01)


@pytest.mark.parametrize("share", [0.0, 1.0])
def test_none_of_few_says_less_than_none_of_many(
    share: float, make_result: MakeResult, make_record: MakeRecord
) -> None:
    few, many = (make_result(FAN, cov95=share, count=count) for count in (50, 1000))
    errors = [Pooled((Entry(each, make_record(each), "a.json"),), 1) for each in (few, many)]
    assert errors[0].standard_error > 10 * errors[1].standard_error > 0.0
    assert errors[0].margin(share) == 0.0
    assert errors[0].verdict(share) == "equal"


def test_a_row_trained_once_has_the_spread_of_those_trained_often(
    make_result: MakeResult, make_record: MakeRecord
) -> None:
    squares = [
        trained(make_result(FAN, count=1000, cov95=share), seed) for seed, share in ((1, 0.4), (2, 0.6))
    ]
    hexagon = trained(make_result(HEXAGON, count=1000, cov95=0.9), 1)
    bare = replace(make_result(replace(FAN, shape="pentagon"), count=1000, cov95=0.9), training=None)
    results = (*squares, hexagon, bare)
    entries = [
        Entry(each, make_record(each, seed=8000), f"{number}.json") for number, each in enumerate(results)
    ]
    pooled = pooled_cells(entries)
    apart = pooled[FAN].deviation("cov95") or 0.0
    assert apart == pytest.approx(0.1414, abs=1e-4)
    # At one half the log odds are four times as far apart as the shares.
    assert spread_of_trainings(pooled.values()) == pytest.approx(4 * apart, rel=1e-3)
    of_puzzles = standard_error(0.9, 1000)
    assert pooled[bare.cell].standard_error == of_puzzles
    expected = math.hypot(of_puzzles, 4 * apart * 0.9 * 0.1)
    assert pooled[HEXAGON].standard_error == pytest.approx(expected, rel=0.01)
    assert pooled[FAN].standard_error == pytest.approx(math.hypot(standard_error(0.5, 1000), 0.1), rel=1e-3)


def test_trainings_that_lie_near_by_chance_have_the_spread_of_all_rows(
    make_result: MakeResult, make_record: MakeRecord
) -> None:
    shares = {FAN: (0.4, 0.6), HEXAGON: (0.5, 0.5)}
    entries = [
        Entry(result, make_record(result, seed=8000), f"{cell.shape}{seed}.json")
        for cell, pair in shares.items()
        for seed, share in enumerate(pair)
        for result in (trained(make_result(cell, count=1000, cov95=share), seed),)
    ]
    pooled = pooled_cells(entries)
    usual = spread_of_trainings(pooled.values())
    of_puzzles = standard_error(0.5, 1000)
    assert pooled[HEXAGON].deviation("cov95") == 0.0
    expected = math.hypot(of_puzzles, usual / 4 / math.sqrt(2))
    assert pooled[HEXAGON].standard_error == pytest.approx(expected, rel=1e-3)
    # The other row's own spread is larger than that of all.
    assert pooled[FAN].standard_error == pytest.approx(math.hypot(of_puzzles, 0.1), rel=1e-3)


def test_a_puzzle_counts_once_for_chance_however_often_it_was_trained_for(
    make_result: MakeResult, make_record: MakeRecord
) -> None:
    results = [
        trained(make_result(FAN, count=count, cov95=0.5), seed) for seed, count in ((1, 1000), (2, 400))
    ]
    entries = tuple(Entry(each, make_record(each, seed=8000), "a.json") for each in results)
    assert Pooled(entries, 1).count == 1400
    assert Pooled(entries, 1).standard_error == standard_error(0.5, 1000)
