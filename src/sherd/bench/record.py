"""Record: what a run of the benchmark found, and where it comes from; JSON, read back strictly."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, cast

from sherd.bench.cell import Cell
from sherd.bench.published import Published
from sherd.errors import FileFormatError
from sherd.geometry import Rotations


@dataclass(frozen=True, kw_only=True)
class Training:
    """How a learned solver came about; ``train_puzzles`` is 0 for endless fresh ones."""

    train_puzzles: int
    train_minutes: float
    parameters: int


@dataclass(frozen=True, kw_only=True)
class Figures:
    """Means over the puzzles of a cell, as `sherd.metrics` defines them; None where no puzzle has a value.

    ``solved`` is the share of puzzles that the solver itself claims to have solved.
    """

    cov95: float
    cov90: float
    cov: float
    iou: float
    overlap: float
    coverage_whole: float
    posed_right: float
    position_error: float | None
    rotation_error_deg: float | None
    solved: float
    seconds_median: float
    seconds_p95: float


@dataclass(frozen=True, kw_only=True)
class CellResult:
    """A cell that was run on puzzles ``first`` to ``first + count`` of its set."""

    cell: Cell
    first: int
    count: int
    time_limit: float
    figures: Figures
    training: Training | None = None
    published: Published | None = None


@dataclass(frozen=True, kw_only=True)
class Record:
    """All cells of one run, with the seed, commit, machine and versions that they were measured with."""

    machine: str
    commit: str
    versions: Mapping[str, str]
    seed: int
    date: str
    command: str
    cells: tuple[CellResult, ...]


_NUMBER = (int, float)
_NONE = type(None)
_RECORD = {
    "machine": str,
    "commit": str,
    "versions": dict,
    "seed": int,
    "date": str,
    "command": str,
    "cells": list,
}
_CELL = {
    "solver": str,
    "shape": str,
    "pieces": int,
    "rotations": (int, str),
    "degradation": str,
    "input": str,
    "order": str,
    "noise": _NUMBER,
    "texture": (str, _NONE),
}
_RUN = {"first": int, "count": int, "time_limit": _NUMBER}
_FIGURES = {f.name: (*_NUMBER, _NONE) if "None" in str(f.type) else _NUMBER for f in fields(Figures)}
_TRAINING = {"train_puzzles": int, "train_minutes": _NUMBER, "parameters": int}
_PUBLISHED = {
    "table": int,
    "method": str,
    "cov95": _NUMBER,
    "cov90": _NUMBER,
    "cov": _NUMBER,
    "iou": _NUMBER,
    "seconds": (*_NUMBER, str, _NONE),
}


def to_json(record: Record) -> str:
    """The record as indented JSON with a final newline."""
    data = {name: getattr(record, name) for name in _RECORD if name != "cells"}
    data["cells"] = [_cell_to_json(result) for result in record.cells]
    return json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _cell_to_json(result: CellResult) -> dict[str, Any]:
    row = {name: getattr(result.cell, name) for name in _CELL}
    row["rotations"] = result.cell.rotations.bins or "free"
    row |= {name: getattr(result, name) for name in _RUN}
    row |= {name: getattr(result.figures, name) for name in _FIGURES}
    row["published"] = result.published and {name: getattr(result.published, name) for name in _PUBLISHED}
    if result.cell.aggregation is not None:
        row["aggregation"] = result.cell.aggregation
    if result.training is not None:
        row |= {name: getattr(result.training, name) for name in _TRAINING}
    return row


def from_json(text: str) -> Record:
    """The record that `to_json` wrote; `FileFormatError` names the first thing that is wrong."""
    try:
        data = json.loads(text, parse_constant=_no_constant)
    except ValueError as error:
        raise FileFormatError(f"not JSON: {error}") from None
    row = _checked(data, "the record", _RECORD)
    if not all(isinstance(value, str) for value in row["versions"].values()):
        raise FileFormatError("versions must be texts by package")
    cells = tuple(_cell_from_json(cell, f"cell {k}") for k, cell in enumerate(row.pop("cells")))
    return Record(**row, cells=cells)


def _no_constant(name: str) -> float:
    raise ValueError(f"{name} is not a number")


def _cell_from_json(data: object, where: str) -> CellResult:
    optional = {"aggregation": str, **_TRAINING}
    row = _checked(data, where, {**_CELL, **_RUN, **_FIGURES, "published": (dict, _NONE)}, optional)
    trained = [name for name in _TRAINING if name in row]
    if trained and len(trained) < len(_TRAINING):
        raise FileFormatError(f"{where} must have all or none of {', '.join(_TRAINING)}")
    try:
        cell: dict[str, Any] = {name: row[name] for name in _CELL}
        cell["rotations"] = Rotations.parse(row["rotations"])
        return CellResult(
            cell=Cell(**cell, aggregation=row.get("aggregation")),
            **{name: row[name] for name in _RUN},
            figures=Figures(**{name: row[name] for name in _FIGURES}),
            training=Training(**{name: row[name] for name in _TRAINING}) if trained else None,
            published=row["published"]
            and Published(**_checked(row["published"], f"{where}: published", _PUBLISHED)),
        )
    except ValueError as error:
        raise FileFormatError(f"{where}: {error}") from None


def _checked(
    data: object, where: str, required: Mapping[str, Any], optional: Mapping[str, Any] | None = None
) -> dict[str, Any]:
    """``data`` if it is an object with exactly these keys, and values of these types."""
    if not isinstance(data, dict):
        raise FileFormatError(f"{where} must be an object")
    row = cast("dict[str, Any]", data)
    kinds = {**required, **(optional or {})}
    for name in required:
        if name not in row:
            raise FileFormatError(f"{where} lacks {name!r}")
    for name, value in row.items():
        if name not in kinds:
            raise FileFormatError(f"{where} has an unknown key {name!r}")
        good = isinstance(value, kinds[name]) and not isinstance(value, bool)
        if not good or (isinstance(value, float) and not math.isfinite(value)):
            raise FileFormatError(f"{where}: {name!r} cannot be {value!r}")
    return dict(row)


def read_record(path: Path) -> Record:
    """The record in a file; an error names the file."""
    try:
        return from_json(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise FileFormatError(f"{path}: {error.strerror or error}") from None
    except (UnicodeDecodeError, FileFormatError) as error:
        raise FileFormatError(f"{path}: {error}") from None
