"""Record: what a run of the benchmark found, and where it comes from; JSON, read back strictly."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from sherd.bench.cell import Cell
from sherd.bench.published import Published
from sherd.core.geometry import Rotations
from sherd.io.atomic import write_atomically
from sherd.io.document import Node, only_document


@dataclass(frozen=True, kw_only=True)
class Training:
    """How a learned solver came about; ``train_puzzles`` is 0 for endless fresh ones.

    The last three are known of a network that was trained for the row: how many steps, of how many puzzles,
    with how much dropout.
    """

    train_puzzles: int
    train_minutes: float
    parameters: int
    shared_encoder: bool = False
    train_steps: int | None = None
    batch_puzzles: int | None = None
    dropout: float | None = None


@dataclass(frozen=True, kw_only=True)
class Figures:
    """Means over the puzzles of a cell, by `sherd.core.metrics`; None where no puzzle has a value.

    ``solved`` is the share of puzzles that the verdict, made without the truth, calls solved.
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


Readers = Mapping[str, Callable[[Node], Any]]


def _integer(node: Node) -> int:
    if type(node.value) is not int:
        node.fail(f"expected a whole number, not {node}")
    return node.value


def _number_or_none(node: Node) -> float | None:
    return None if node.value is None else node.number()


def _text_or_none(node: Node) -> str | None:
    return None if node.value is None else node.text()


def _published_seconds(node: Node) -> float | str | None:
    return _text_or_none(node) if isinstance(node.value, str) else _number_or_none(node)


def _rotations(node: Node) -> Rotations:
    try:
        return Rotations.parse(node.value)
    except ValueError as error:
        node.fail(str(error))


def _versions(node: Node) -> dict[str, str]:
    return {name: version.text() for name, version in node.members().items()}


# The keys of the file in their order, and how each is read.
_RECORD: Readers = {
    "machine": Node.text,
    "commit": Node.text,
    "versions": _versions,
    "seed": _integer,
    "date": Node.text,
    "command": Node.text,
}
_CELL: Readers = {
    "solver": Node.text,
    "shape": Node.text,
    "pieces": _integer,
    "rotations": _rotations,
    "degradation": Node.text,
    "input": Node.text,
    "order": Node.text,
    "noise": Node.number,
    "texture": _text_or_none,
}
# Said only where they are not as usual.
_UNUSUAL: Readers = {
    "dissection": Node.text,
    "mirror": Node.flag,
    "strength": Node.number,
    "size_px": _integer,
}
_RUN: Readers = {"first": _integer, "count": _integer, "time_limit": Node.number}
_FIGURES: Readers = {
    field.name: _number_or_none if "None" in str(field.type) else Node.number for field in fields(Figures)
}
_TRAINING: Readers = {"train_puzzles": _integer, "train_minutes": Node.number, "parameters": _integer}
SHARED = "shared_encoder"  # said only where it is so
_STEPS: Readers = {"train_steps": _integer, "batch_puzzles": _integer, "dropout": Node.number}  # if known
_PUBLISHED: Readers = {
    "table": _integer,
    "method": Node.text,
    "cov95": Node.number,
    "cov90": Node.number,
    "cov": Node.number,
    "iou": Node.number,
    "seconds": _published_seconds,
}


def to_json(record: Record) -> str:
    """The record as indented JSON with a final newline."""
    data = {name: getattr(record, name) for name in _RECORD}
    data["cells"] = [_cell_to_json(result) for result in record.cells]
    return json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _cell_to_json(result: CellResult) -> dict[str, Any]:
    row = {name: getattr(result.cell, name) for name in _CELL}
    row["rotations"] = result.cell.rotations.bins or "free"
    usual = Cell(solver=result.cell.solver)
    values = {name: getattr(result.cell, name) for name in _UNUSUAL}
    row |= {name: value for name, value in values.items() if value != getattr(usual, name)}
    row |= {name: getattr(result, name) for name in _RUN}
    row |= {name: getattr(result.figures, name) for name in _FIGURES}
    row["published"] = result.published and {name: getattr(result.published, name) for name in _PUBLISHED}
    if result.cell.aggregation is not None:
        row["aggregation"] = result.cell.aggregation
    if result.training is not None:
        row |= {name: getattr(result.training, name) for name in _TRAINING}
        if result.training.shared_encoder:
            row[SHARED] = True
        steps = {name: getattr(result.training, name) for name in _STEPS}
        row |= {name: value for name, value in steps.items() if value is not None}
    return row


def write_record(path: Path, record: Record) -> None:
    """Write the record, whole or not at all."""
    write_atomically(path, to_json(record))


def check_writable(path: Path) -> None:
    """Raise now, before hours of work, if the file could not be written after them."""
    if path.is_dir():
        raise ValueError(f"{path}: is a folder, not a file")
    if path.exists() and not path.is_file():
        return  # a pipe or a device: there is nothing to try out
    if not path.parent.is_dir():
        raise ValueError(f"{path}: the folder {path.parent} does not exist")
    try:
        with tempfile.TemporaryFile(dir=path.resolve().parent):
            pass
    except OSError as error:
        raise ValueError(f"{path}: cannot be written: {error.strerror or error}") from None


def read_record(path: Path) -> Record:
    """The record in a file that holds what `to_json` wrote; errors name the file, line and place."""
    return only_document(path).read(_record_from_json)


def _record_from_json(root: Node) -> Record:
    members = root.object([*_RECORD, "cells"])
    cells = tuple(map(_cell_from_json, members["cells"].list()))
    return Record(**_read(members, _RECORD), cells=cells)


def _cell_from_json(node: Node) -> CellResult:
    sometimes = ["aggregation", *_TRAINING, SHARED, *_STEPS, *_UNUSUAL]
    members = node.object([*_CELL, *_RUN, *_FIGURES, "published"], sometimes)
    trained = [name for name in _TRAINING if name in members]
    if trained and len(trained) < len(_TRAINING):
        node.fail(f"all or none of {', '.join(_TRAINING)} must be there")
    aggregation = members["aggregation"].text() if "aggregation" in members else None
    try:
        unusual = _read(members, {name: read for name, read in _UNUSUAL.items() if name in members})
        cell = Cell(**_read(members, _CELL), **unusual, aggregation=aggregation)
    except ValueError as error:
        node.fail(str(error))
    published = members["published"]
    training = None
    if trained:
        known = _read(members, {name: read for name, read in _STEPS.items() if name in members})
        training = Training(**_read(members, _TRAINING), shared_encoder=SHARED in members, **known)
    return CellResult(
        cell=cell,
        **_read(members, _RUN),
        figures=Figures(**_read(members, _FIGURES)),
        training=training,
        published=None
        if published.value is None
        else Published(**_read(published.object([*_PUBLISHED]), _PUBLISHED)),
    )


def _read(members: Mapping[str, Node], readers: Readers) -> dict[str, Any]:
    return {name: read(members[name]) for name, read in readers.items()}
