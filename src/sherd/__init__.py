"""sherd puts the pieces back together: it finds the pose of each fragment so that they rebuild a target.

The names below are the public ones. Each is loaded when it is first used, so that importing sherd, and
asking the command line for help, costs next to nothing. Pictures are drawn by `sherd.draw`.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sherd.core.assembly import Assembly, Group, Joint, Placement
    from sherd.core.errors import (
        FileFormatError,
        InvalidPolygonError,
        InvalidPuzzleError,
        SherdError,
        UnsupportedError,
    )
    from sherd.core.geometry import Pose, Rotations
    from sherd.core.metrics import Measures, Scores, Summary, measure, score, summarise
    from sherd.core.proper_polygons import make_polygon
    from sherd.core.puzzle import Fragment, Puzzle, Sample
    from sherd.core.verdict import Verdict, judge
    from sherd.generation.dataset import PuzzleKind, make_samples
    from sherd.generation.fragmentation import FragmentationParams, generate, split
    from sherd.generation.shapes import Shape, named_shape
    from sherd.io import (
        SavedAssembly,
        read_assembly,
        read_puzzles,
        read_samples,
        read_shape,
        write_assembly,
        write_samples,
    )
    from sherd.io.drawings import read_drawing
    from sherd.solvers import Result, assemble
    from sherd.workshop import Job, JobParams, JobResult, assemble_job, export_plan, make_job, solve

# Which module each name is loaded from.
_HOME = {
    name: module
    for module, names in {
        "core.assembly": "Assembly Group Joint Placement",
        "core.errors": "FileFormatError InvalidPolygonError InvalidPuzzleError SherdError UnsupportedError",
        "core.geometry": "Pose Rotations",
        "core.proper_polygons": "make_polygon",
        "core.metrics": "Measures Scores Summary measure score summarise",
        "core.puzzle": "Fragment Puzzle Sample",
        "core.verdict": "Verdict judge",
        "generation.dataset": "PuzzleKind make_samples",
        "generation.fragmentation": "FragmentationParams generate split",
        "generation.shapes": "Shape named_shape",
        "io": "SavedAssembly read_assembly read_puzzles read_samples read_shape write_assembly write_samples",
        "io.drawings": "read_drawing",
        "solvers": "Result assemble",
        "workshop": "Job JobParams JobResult assemble_job export_plan make_job solve",
    }.items()
    for name in names.split()
}

__all__ = [
    "Assembly",
    "FileFormatError",
    "Fragment",
    "FragmentationParams",
    "Group",
    "InvalidPolygonError",
    "InvalidPuzzleError",
    "Job",
    "JobParams",
    "JobResult",
    "Joint",
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
    "Verdict",
    "assemble",
    "assemble_job",
    "export_plan",
    "generate",
    "judge",
    "make_job",
    "make_polygon",
    "make_samples",
    "measure",
    "named_shape",
    "read_assembly",
    "read_drawing",
    "read_puzzles",
    "read_samples",
    "read_shape",
    "score",
    "solve",
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
