"""All measured cells as CSV, a line for each cell of each record; those on broken things apart."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from sherd.bench.contour_record import contour_row
from sherd.bench.entries import Entry, count_evaluations, counting, entries_of
from sherd.bench.pooled import standard_error
from sherd.bench.record import RECIPE, Figures, RasterFigures, Record, Training

CELL = (
    *("solver", "aggregation", "shape", "pieces", "rotations", "dissection", "mirror", "degradation"),
    *("strength", "noise", "texture", "order", "input", "size_px"),
)
RUN = ("first", "count", "time_limit")
FIGURES = tuple(field.name for field in fields(Figures))
RASTER = tuple(field.name for field in fields(RasterFigures))
TRAINING = tuple(field.name for field in fields(Training) if field.name != RECIPE)
PUBLISHED = ("table", "method", "cov95", "cov90", "cov", "iou", "seconds")
# Ours: "reported" where the entry counts for its cell in REPORT.md, "variation" where it cannot, and how many
# records have the cell on seeds of 7000 and above.
OWN = ("seed", "commit", "date", "record", "variation", "reported", "test_evaluations")
COLUMNS = (
    *CELL,
    *RUN,
    *FIGURES,
    "cov95_standard_error",
    *RASTER,
    *(f"published_{name}" for name in PUBLISHED),
    *TRAINING,
    *OWN,
)


def csv_text(records: Mapping[str, Record]) -> str:
    """The spreadsheet; the same records always give the same text."""
    entries = entries_of(records)
    evaluations = count_evaluations(entries)
    reported = {id(entry) for counted in counting(entries).values() for entry in counted}
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(COLUMNS)
    for entry in entries:
        own = {
            "seed": entry.record.seed,
            "commit": entry.record.commit,
            "date": entry.record.date,
            "record": entry.source,
            "variation": entry.variation,
            "reported": id(entry) in reported,
            "test_evaluations": evaluations[entry.result.cell],
        }
        row = _measured(entry) | own
        writer.writerow([_shown(row.get(name)) for name in COLUMNS])
    return text.getvalue()


def contours_csv(records: Mapping[str, Record]) -> str:
    """The same of what was measured on broken things, whose cells have other keys and figures; "" without."""
    found = [(source, record) for source, record in records.items() if record.contours]
    if not found:
        return ""
    own = ("seed", "commit", "date")
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([*contour_row(found[0][1].contours[0]), *own, "record"])
    for source, record in found:
        for result in record.contours:
            fewest, most = result.cell.pieces
            row = contour_row(result) | {"pieces": fewest if fewest == most else f"{fewest} to {most}"}
            values = (*row.values(), *(getattr(record, name) for name in own), source)
            writer.writerow([_shown(value) for value in values])
    return text.getvalue()


def _measured(entry: Entry) -> dict[str, Any]:
    result = entry.result
    row: dict[str, Any] = {name: getattr(result.cell, name) for name in CELL}
    row |= {name: getattr(result, name) for name in RUN}
    row |= {name: getattr(result.figures, name) for name in FIGURES}
    row["cov95_standard_error"] = standard_error(result.figures.cov95, result.count)
    if result.raster is not None:
        row |= {name: getattr(result.raster, name) for name in RASTER}
    if result.published is not None:
        row |= {f"published_{name}": getattr(result.published, name) for name in PUBLISHED}
    if result.training is not None:
        row |= {name: getattr(result.training, name) for name in TRAINING}
    return row


def _shown(value: Any) -> str:
    """Nothing for what is not known, five digits of what is no whole number."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return "yes" if value else "no"
    return f"{value:.5g}" if isinstance(value, float) else str(value)
