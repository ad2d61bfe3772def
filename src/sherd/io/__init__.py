"""Files: versioned JSON and JSONL, read strictly and written whole or not at all."""

from __future__ import annotations

from sherd.io.assemblies import SavedAssembly, read_assembly, write_assembly
from sherd.io.atomic import LineWriter, write_atomically, writing_lines
from sherd.io.outlines import read_shape
from sherd.io.puzzles import (
    puzzle_to_json,
    puzzle_to_line,
    read_all,
    read_one,
    read_puzzles,
    read_samples,
    write_samples,
)

__all__ = [
    "LineWriter",
    "SavedAssembly",
    "puzzle_to_json",
    "puzzle_to_line",
    "read_all",
    "read_assembly",
    "read_one",
    "read_puzzles",
    "read_samples",
    "read_shape",
    "write_assembly",
    "write_atomically",
    "write_samples",
    "writing_lines",
]
