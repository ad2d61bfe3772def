"""Record: what a run of the benchmark found, and where it comes from; JSON, read back strictly."""

from __future__ import annotations

import json
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from sherd.bench.cell import Cell
from sherd.bench.contour_record import ContourResult, contour_row, is_contour_row, read_contour_row
from sherd.bench.fields import (
    Readers,
    count_of_some,
    day,
    integer,
    natural,
    number_or_none,
    read_fields,
    share,
    text_or_none,
)
from sherd.bench.published import Published
from sherd.core.errors import ArgumentError
from sherd.core.geometry import Rotations
from sherd.io.atomic import write_atomically
from sherd.io.document import Node, only_document

# How a network was trained: settings by section, as JSON has them.
Recipe = Mapping[str, Mapping[str, Any]]


@dataclass(frozen=True, kw_only=True)
class Training:
    """How a learned solver came about; ``train_puzzles`` is 0 for endless fresh ones.

    The last six are known of a network that was trained for the row: how many steps, of how many puzzles,
    with how much dropout, from which seed its weights and the order of its puzzles came (in older records
    from the seed of the puzzles), and, not in older records, the hash of what it then was and all settings
    that it was trained with, by section.
    """

    train_puzzles: int
    train_minutes: float
    parameters: int
    shared_encoder: bool = False
    train_steps: int | None = None
    batch_puzzles: int | None = None
    dropout: float | None = None
    train_seed: int | None = None
    weights_sha256: str | None = None
    recipe: Recipe | None = None


@dataclass(frozen=True, kw_only=True)
class RasterFigures:
    """The same means as the authors' released code counts them, by `sherd.bench.raster_score`."""

    raster_cov95: float
    raster_cov90: float
    raster_cov: float
    raster_iou: float


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
    """A cell that was run on puzzles ``first`` to ``first + count`` of its set.

    ``ambiguous`` is the share of puzzles that are not called solved because other arrangements fit as well.
    Where the truth was weighed too, ``decidable`` is the share of those in which nothing is as likely as it,
    and ``decidable_solved`` the share of all that are such and solved.
    """

    cell: Cell
    first: int
    count: int
    time_limit: float
    figures: Figures
    raster: RasterFigures | None = None
    training: Training | None = None
    published: Published | None = None
    ambiguous: float = 0.0
    decidable: float | None = None
    decidable_solved: float | None = None


@dataclass(frozen=True, kw_only=True)
class Record:
    """All cells of one run, with the seed, commit, machine and versions that they were measured with.

    ``contours`` are those on broken things.
    """

    machine: str
    commit: str
    versions: Mapping[str, str]
    seed: int
    date: str
    command: str
    cells: tuple[CellResult, ...]
    contours: tuple[ContourResult, ...] = ()


def _published_seconds(node: Node) -> float | str | None:
    return text_or_none(node) if isinstance(node.value, str) else number_or_none(node)


def _rotations(node: Node) -> Rotations:
    try:
        return Rotations.parse(node.value)
    except ValueError as error:
        node.fail(str(error))


def _recipe(node: Node) -> Recipe:
    """Settings as they are: what they are named, and how many there are, changes with the years."""
    return {
        section: {name: setting.value for name, setting in table.members().items()}
        for section, table in node.members().items()
    }


def _versions(node: Node) -> dict[str, str]:
    return {name: version.text() for name, version in node.members().items()}


# The keys of the file in their order, and how each is read.
_RECORD: Readers = {
    "machine": Node.text,
    "commit": Node.text,
    "versions": _versions,
    "seed": natural,
    "date": day,
    "command": Node.text,
}
_CELL: Readers = {
    "solver": Node.text,
    "shape": Node.text,
    "pieces": integer,
    "rotations": _rotations,
    "degradation": Node.text,
    "input": Node.text,
    "order": Node.text,
    "noise": Node.number,
    "texture": text_or_none,
}
# Said only where they are not as usual.
_UNUSUAL: Readers = {
    "dissection": Node.text,
    "mirror": Node.flag,
    "strength": Node.number,
    "size_px": integer,
}
_RUN: Readers = {"first": natural, "count": count_of_some, "time_limit": Node.number}
# Counted, so that they cannot be off by rounding.
_SHARES = ("cov95", "cov90", "solved")
_FIGURES: Readers = {
    field.name: share
    if field.name in _SHARES
    else number_or_none
    if "None" in str(field.type)
    else Node.number
    for field in fields(Figures)
}
_TRAINING: Readers = {"train_puzzles": natural, "train_minutes": Node.number, "parameters": natural}
RECIPE = "recipe"
SHARED = "shared_encoder"  # said only where it is so
AMBIGUOUS = "ambiguous"  # said only where some are
_DECIDABLE: Readers = {"decidable": share, "decidable_solved": share}  # only where the truth was weighed
_STEPS: Readers = {  # if known
    "train_steps": natural,
    "batch_puzzles": natural,
    "dropout": share,
    "train_seed": natural,
    "weights_sha256": Node.text,
    RECIPE: _recipe,
}
_RASTER: Readers = {field.name: share for field in fields(RasterFigures)}  # not in older records
_PUBLISHED: Readers = {
    "table": integer,
    "method": Node.text,
    "cov95": share,
    "cov90": share,
    "cov": Node.number,
    "iou": Node.number,
    "seconds": _published_seconds,
}


def to_json(record: Record) -> str:
    """The record as indented JSON with a final newline."""
    data = {name: getattr(record, name) for name in _RECORD}
    data["cells"] = [*map(_cell_to_json, record.cells), *map(contour_row, record.contours)]
    return json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False) + "\n"


def _cell_to_json(result: CellResult) -> dict[str, Any]:
    row = {name: getattr(result.cell, name) for name in _CELL}
    row["rotations"] = result.cell.rotations.bins or "free"
    usual = Cell(solver=result.cell.solver)
    values = {name: getattr(result.cell, name) for name in _UNUSUAL}
    row |= {name: value for name, value in values.items() if value != getattr(usual, name)}
    row |= {name: getattr(result, name) for name in _RUN}
    row |= {name: getattr(result.figures, name) for name in _FIGURES}
    if result.raster is not None:
        row |= {name: getattr(result.raster, name) for name in _RASTER}
    if result.ambiguous:
        row[AMBIGUOUS] = result.ambiguous
    if result.decidable is not None:
        row |= {name: getattr(result, name) for name in _DECIDABLE}
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
        raise ArgumentError(f"{path}: is a folder, not a file")
    if path.exists() and not path.is_file():
        return  # a pipe or a device: there is nothing to try out
    if not path.parent.is_dir():
        raise ArgumentError(f"{path}: the folder {path.parent} does not exist")
    try:
        with tempfile.TemporaryFile(dir=path.resolve().parent):
            pass
    except OSError as error:
        raise ArgumentError(f"{path}: cannot be written: {error.strerror or error}") from None


def read_record(path: Path) -> Record:
    """The record in a file that holds what `to_json` wrote; errors name the file, line and place."""
    return only_document(path).read(_record_from_json)


def _record_from_json(root: Node) -> Record:
    members = root.object([*_RECORD, "cells"])
    rows = members["cells"].list()
    cells = tuple(_cell_from_json(row) for row in rows if not is_contour_row(row))
    contours = tuple(read_contour_row(row) for row in rows if is_contour_row(row))
    return Record(**read_fields(members, _RECORD), cells=cells, contours=contours)


def _cell_from_json(node: Node) -> CellResult:
    sometimes = ["aggregation", *_TRAINING, SHARED, *_STEPS, *_UNUSUAL, *_RASTER, AMBIGUOUS, *_DECIDABLE]
    members = node.object([*_CELL, *_RUN, *_FIGURES, "published"], sometimes)
    trained = [name for name in _TRAINING if name in members]
    for whole in (_TRAINING, _RASTER, _DECIDABLE):
        if 0 < sum(name in members for name in whole) < len(whole):
            node.fail(f"all or none of {', '.join(whole)} must be there")
    aggregation = members["aggregation"].text() if "aggregation" in members else None
    try:
        unusual = read_fields(members, {name: read for name, read in _UNUSUAL.items() if name in members})
        cell = Cell(**read_fields(members, _CELL), **unusual, aggregation=aggregation)
    except ValueError as error:
        node.fail(str(error))
    published = members["published"]
    training = None
    if trained:
        known = read_fields(members, {name: read for name, read in _STEPS.items() if name in members})
        shared = SHARED in members and members[SHARED].flag()
        training = Training(**read_fields(members, _TRAINING), shared_encoder=shared, **known)
    return CellResult(
        cell=cell,
        **read_fields(members, _RUN),
        figures=Figures(**read_fields(members, _FIGURES)),
        raster=RasterFigures(**read_fields(members, _RASTER)) if "raster_cov" in members else None,
        training=training,
        ambiguous=share(members[AMBIGUOUS]) if AMBIGUOUS in members else 0.0,
        **(read_fields(members, _DECIDABLE) if "decidable" in members else {}),
        published=None
        if published.value is None
        else Published(**read_fields(published.object([*_PUBLISHED]), _PUBLISHED)),
    )
