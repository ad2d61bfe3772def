"""Puzzles made for the studio: the kinds that its page offers."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sherd.core.geometry import Rotations
from sherd.core.puzzle import Puzzle
from sherd.generation.dataset import PuzzleKind, make_samples, target_shape


def kind_of(asked: Mapping[str, Any]) -> PuzzleKind:
    """The kind of puzzle that is asked for; `ValueError` if there is none. No shape is read from a file."""
    dissection: Any = asked.get("dissection", "cuts")
    degradation: Any = asked.get("degradation", "none")
    return PuzzleKind(
        shape=target_shape(asked.get("shape", "square"), dissection),
        pieces=asked.get("pieces", 8),
        rotations=Rotations.parse(asked.get("rotations", "free")),
        degradation=degradation,
        dissection=dissection,
        mirror=asked.get("mirror", False),
    )


def make_puzzle(asked: Mapping[str, Any]) -> Puzzle:
    """One puzzle of the set that a seed makes, without its answer, which is to be found."""
    number = asked.get("index", 0)
    (sample,) = make_samples(kind_of(asked), seed=asked.get("seed", 0), start=number, stop=number + 1)
    return sample.puzzle
