"""sherd puts the pieces back together: it finds the pose of each fragment so that they rebuild a target.

The names below are the public ones. Each is loaded when it is first used, so that importing sherd, and
asking the command line for help, costs next to nothing. Pictures are drawn by `sherd.draw`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sherd.assembly import Assembly, Placement
    from sherd.dataset import PuzzleKind, make_samples
    from sherd.errors import (
        FileFormatError,
        InvalidPolygonError,
        InvalidPuzzleError,
        SherdError,
        UnsupportedError,
    )
    from sherd.fragmentation import FragmentationParams, generate, split
    from sherd.geometry import Pose, Rotations, make_polygon
    from sherd.io import (
        SavedAssembly,
        read_assembly,
        read_puzzles,
        read_samples,
        read_shape,
        write_assembly,
        write_samples,
    )
    from sherd.metrics import Measures, Scores, Summary, measure, score, summarise
    from sherd.puzzle import Fragment, Puzzle, Sample
    from sherd.shapes import Shape, named_shape
    from sherd.solvers import Result, assemble

_HOME = {
    "Assembly": "assembly",
    "FileFormatError": "errors",
    "Fragment": "puzzle",
    "FragmentationParams": "fragmentation",
    "InvalidPolygonError": "errors",
    "InvalidPuzzleError": "errors",
    "Measures": "metrics",
    "Placement": "assembly",
    "Pose": "geometry",
    "Puzzle": "puzzle",
    "PuzzleKind": "dataset",
    "Result": "solvers",
    "Rotations": "geometry",
    "Sample": "puzzle",
    "SavedAssembly": "io",
    "Scores": "metrics",
    "Shape": "shapes",
    "SherdError": "errors",
    "Summary": "metrics",
    "UnsupportedError": "errors",
    "assemble": "solvers",
    "generate": "fragmentation",
    "make_polygon": "geometry",
    "make_samples": "dataset",
    "measure": "metrics",
    "named_shape": "shapes",
    "read_assembly": "io",
    "read_puzzles": "io",
    "read_samples": "io",
    "read_shape": "io",
    "score": "metrics",
    "split": "fragmentation",
    "summarise": "metrics",
    "write_assembly": "io",
    "write_samples": "io",
}

__all__ = [
    "Assembly",
    "FileFormatError",
    "Fragment",
    "FragmentationParams",
    "InvalidPolygonError",
    "InvalidPuzzleError",
    "Measures",
    "Placement",
    "Pose",
    "Puzzle",
    "PuzzleKind",
    "Result",
    "Rotations",
    "Sample",
    "SavedAssembly",
    "Scores",
    "Shape",
    "SherdError",
    "Summary",
    "UnsupportedError",
    "assemble",
    "generate",
    "make_polygon",
    "make_samples",
    "measure",
    "named_shape",
    "read_assembly",
    "read_puzzles",
    "read_samples",
    "read_shape",
    "score",
    "split",
    "summarise",
    "write_assembly",
    "write_samples",
]


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"{__name__}.{_HOME[name]}"), name)


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
