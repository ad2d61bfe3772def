"""Files: versioned JSON and JSONL, read strictly and written whole or not at all."""

from __future__ import annotations

from sherd.io.assembly_files import SavedAssembly, read_assembly, write_assembly
from sherd.io.atomic import LineWriter, write_atomically, writing_lines
from sherd.io.puzzle_files import (
    puzzle_to_json,
    puzzle_to_line,
    read_all,
    read_one,
    read_puzzles,
    read_samples,
    write_samples,
)
from sherd.io.shape_files import read_shape

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
