"""Puzzles made for the studio: the kinds that its page offers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sherd.core.geometry import Rotations
from sherd.core.puzzle import Puzzle
from sherd.generation.dataset import PuzzleKind, make_observed, make_samples, target_shape
from sherd.generation.observation import observation
from sherd.studio.benchmark_rows import puzzle_of_row, row_called

# How pieces are seen where nothing is said: as they are.
EXACT = "exact"


def kind_of(asked: Mapping[str, Any]) -> PuzzleKind:
    """The kind of puzzle that is asked for; `ValueError` if there is none. No shape is read from a file."""
    observation(asked.get("input", EXACT))  # which checks it
    dissection: Any = asked.get("dissection", "cuts")
    degradation: Any = asked.get("degradation", "none")
    return PuzzleKind(
        shape=target_shape(asked.get("shape", "square"), dissection),
        pieces=asked.get("pieces", 8),
        rotations=Rotations.parse(asked.get("rotations", "free")),
        degradation=degradation,
        dissection=dissection,
        mirror=asked.get("mirror", False),
        strength=asked.get("strength", 1.0),
        noise=asked.get("noise", 0.0),
    )


def make_puzzle(asked: Mapping[str, Any]) -> Puzzle:
    """One puzzle of a seed's set, or of a row that was measured, without its answer, which is to be found."""
    if "row" in asked:
        return puzzle_of_row(row_called(asked["row"]), asked["number"])
    number = asked.get("index", 0)
    kind, seed, seen = kind_of(asked), asked.get("seed", 0), asked.get("input", EXACT)
    if seen == EXACT:
        (made,) = make_samples(kind, seed=seed, start=number, stop=number + 1)
    else:
        (made,) = make_observed(kind, seen, seed=seed, start=number, stop=number + 1)
    return made.puzzle
