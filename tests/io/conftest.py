"""Puzzles there and back."""

from __future__ import annotations

from pathlib import Path

from sherd.core.puzzle import Puzzle, Sample
from sherd.io import (
    puzzle_to_line,
)
from sherd.io.document import Document
from sherd.io.puzzle_files import puzzle_from_json


def through_text(item: Puzzle | Sample) -> Puzzle | Sample:
    return Document(Path("memory"), 1, puzzle_to_line(item)).read(puzzle_from_json)
