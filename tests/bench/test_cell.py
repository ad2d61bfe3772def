"""A cell checks itself, and says in words what it is."""

from __future__ import annotations

import pytest

from sherd.bench.cell import Cell
from sherd.core.geometry import Rotations


@pytest.mark.parametrize(
    "wrong",
    [
        {"shape": "blob"},
        {"pieces": 0},
        {"degradation": "burnt"},
        {"input": "photo"},
        {"order": "any"},
        {"noise": -0.1},
        {"noise": float("nan")},
        {"aggregation": "sum"},
        {"strength": 2.5},
        {"strength": 6.5, "degradation": "eroded"},
        {"strength": 0.0, "degradation": "distorted"},
        {"size_px": 64},
        {"size_px": 0, "input": "masks"},
    ],
)
def test_a_cell_checks_itself(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=str(next(iter(wrong.values())))):
        Cell(solver="random", **wrong)  # type: ignore[arg-type]


def test_strength_and_resolution_are_told_where_they_are_not_as_usual() -> None:
    worn = Cell(solver="search", degradation="eroded", strength=0.5, rotations=Rotations(None))
    assert worn.puzzle_label == "square, 8 pieces, free rotation, eroded, strength 0.5"
    assert worn.solver_label == "search"
    assert Cell(solver="search", input="masks").solver_label == "search (from masks)"
    assert Cell(solver="search", input="binary", size_px=64).solver_label == "search (from binary of 64 px)"


def test_the_same_puzzles_are_equal_however_they_are_shown() -> None:
    plain = Cell(solver="search", degradation="eroded")
    assert Cell(solver="fan", degradation="eroded", input="masks", size_px=64).puzzle == plain.puzzle
    assert Cell(solver="search", degradation="eroded", strength=2.0).puzzle != plain.puzzle
