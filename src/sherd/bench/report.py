"""REPORT.md: the paper's tables with our figures beside them, from the records of past runs."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from sherd.bench.cell import Cell
from sherd.bench.published import Published, PublishedRow, published_rows
from sherd.bench.record import CellResult, Record, read_record
from sherd.core.errors import FileFormatError

NOTHING = "–"
NOT_MEASURED = "not measured yet"

INTRODUCTION = """\
# Report

Written by `sherd report`; do not edit. Published figures are those of *Learning to Assemble Geometric
Shapes* (IJCAI 2022), over 1,000 puzzles each. cov95 and cov90 are the shares of puzzles with a coverage of
at least 0.95 and 0.90, cov and iou are means, all without what damage took away; whole is our mean coverage
of the whole target; solved is the share that the solver itself calls solved. Seconds are per puzzle, ours
the median.

Where a cell was run more than once, the run over the most puzzles counts, and of those the latest; never
the best. A learned solver has a line for each size, to two digits, and number of training puzzles; its
parameters are in millions, and the minutes are those of its training. Rows that were trained for unlike
times can be compared with the published ones, not with each other. A solver that the paper does not have
stands in the first table that has its puzzles.
"""


@dataclass(frozen=True)
class Entry:
    """A result and the record, by file name, that it stands in."""

    result: CellResult
    record: Record
    source: str

    @property
    def solver_label(self) -> str:
        """The solver, its size, how many puzzles it learned from and, where that is known, for how long."""
        training, label = self.result.training, self._label(".1f")
        if training is None or training.train_minutes == 0.0:
            return label
        steps = "" if training.train_steps is None else f", {training.train_steps:,} steps"
        return f"{label}{steps}, {training.train_minutes:.1f} min"

    @property
    def way_label(self) -> str:
        """The same but for the time and small changes of the size, which set no runs apart."""
        return self._label(".2g")

    def _label(self, digits: str) -> str:
        label, training = self.result.cell.solver_label, self.result.training
        if training is None:
            return label
        learned = f"{training.train_puzzles:,}" if training.train_puzzles else "endless"
        shared = ", shared encoder" if training.shared_encoder else ""
        whole = ", no dropout" if training.dropout == 0.0 else ""
        return f"{label} of {training.parameters / 1e6:{digits}} M{shared}{whole}, {learned} training puzzles"


def load_records(folder: Path) -> dict[str, Record]:
    """All records (``*.json``) under a folder, by their path within it, in order."""
    if not folder.is_dir():
        raise FileFormatError(f"{folder}: there is no such folder")
    paths = sorted(folder.rglob("*.json"), key=lambda path: path.relative_to(folder).as_posix())
    return {path.relative_to(folder).as_posix(): read_record(path) for path in paths}


def chosen_entries(records: Mapping[str, Record]) -> list[Entry]:
    """One entry a cell and way of training: the most puzzles, then the latest date."""
    best: dict[tuple[Cell, str], Entry] = {}
    for source in sorted(records):
        record = records[source]
        for result in record.cells:
            entry = Entry(result, record, source)
            key = (result.cell, entry.way_label)
            if key not in best or _rank(best[key]) <= _rank(entry):
                best[key] = entry
    return sorted(best.values(), key=_place)


def _rank(entry: Entry) -> tuple[int, str]:
    return (entry.result.count, entry.record.date)


def _place(entry: Entry) -> tuple[str, int, str, bool, int, str, str, float, str, str]:
    """An order of entries that does not depend on when they were measured."""
    cell = entry.result.cell
    rotations = 1 << 30 if cell.rotations.bins is None else cell.rotations.bins
    return (
        cell.shape,
        cell.pieces,
        cell.dissection,
        cell.mirror,
        rotations,
        cell.degradation,
        cell.order,
        cell.noise,
        cell.texture or "",
        entry.way_label,
    )


def report_text(records: Mapping[str, Record]) -> str:
    """The whole report; the same records always give the same text."""
    entries, published = chosen_entries(records), published_rows()
    tables: dict[int, list[PublishedRow]] = {}
    first_table: dict[Cell, int] = {}
    for row in published:
        tables.setdefault(row.figures.table, []).append(row)
        first_table.setdefault(row.cell.puzzle, row.figures.table)
    theirs = {row.cell for row in published}
    others = [entry for entry in entries if entry.result.cell not in theirs]

    parts = [INTRODUCTION]
    for table, rows in tables.items():
        beside = [entry for entry in others if first_table.get(entry.result.cell.puzzle) == table]
        parts.append(_table(rows, entries, beside))
    parts.append(_further([entry for entry in others if entry.result.cell.puzzle not in first_table]))
    parts.append(_runs(entries))
    return "\n".join(parts)


def _table(rows: Sequence[PublishedRow], entries: Sequence[Entry], beside: Sequence[Entry]) -> str:
    """One table of the paper, with those of ``beside`` below the paper's methods on the same puzzles."""
    lines: list[list[str]] = []
    for puzzle in dict.fromkeys(row.cell.puzzle for row in rows):
        for row in (row for row in rows if row.cell.puzzle == puzzle):
            ours = [entry for entry in entries if entry.result.cell == row.cell]
            lines += [_line(row.cell, row.figures, entry) for entry in ours or [None]]
        lines += [_line(puzzle, None, entry) for entry in beside if entry.result.cell.puzzle == puzzle]
    header = ["puzzles", "solver"]
    for name in ("cov95", "cov90", "cov", "iou", "seconds"):
        header += [f"{name} published", "ours"]
    header.append("whole")
    title = f"## Table {rows[0].figures.table}: {rows[0].title}"
    return f"{title}\n\n{markdown_table([*header, 'run'], lines)}"


def _line(cell: Cell, published: Published | None, entry: Entry | None) -> list[str]:
    line = [cell.puzzle_label, cell.solver_label if entry is None else entry.solver_label]
    for name in ("cov95", "cov90", "cov", "iou"):
        line.append(NOTHING if published is None else f"{getattr(published, name):.3f}")
        line.append(NOTHING if entry is None else f"{getattr(entry.result.figures, name):.3f}")
    seconds = None if published is None else published.seconds
    line.append(NOTHING if seconds is None else str(seconds))
    line.append(NOTHING if entry is None else f"{entry.result.figures.seconds_median:.3g}")
    line.append(NOTHING if entry is None else f"{entry.result.figures.coverage_whole:.3f}")
    line.append(NOT_MEASURED if entry is None else _run_label(entry))
    return line


def _run_label(entry: Entry) -> str:
    return f"{entry.result.count:,} puzzles, seed {entry.record.seed}, `{entry.record.commit}`"


def _further(entries: Sequence[Entry]) -> str:
    title = "## Beyond the paper\n"
    if not entries:
        return f"{title}\nNothing measured yet.\n"
    header = ["puzzles", "solver", "cov95", "cov90", "cov", "iou", "whole"]
    header += ["overlap", "posed right", "solved", "seconds", "run"]
    lines = [
        [
            entry.result.cell.puzzle_label,
            entry.solver_label,
            *(
                f"{getattr(entry.result.figures, name):.3f}"
                for name in (
                    *("cov95", "cov90", "cov", "iou"),
                    *("coverage_whole", "overlap", "posed_right", "solved"),
                )
            ),
            f"{entry.result.figures.seconds_median:.3g}",
            _run_label(entry),
        ]
        for entry in entries
    ]
    return f"{title}\n{markdown_table(header, lines)}"


def _runs(entries: Sequence[Entry]) -> str:
    records = {entry.source: entry.record for entry in entries}
    title = "## Runs\n"
    if not records:
        return f"{title}\nNone yet.\n"
    lines = [
        [
            f"`{source}`",
            record.date,
            f"`{record.commit}`",
            f"`{record.command}`",
            record.machine,
            ", ".join(f"{name} {version}" for name, version in sorted(record.versions.items())),
        ]
        for source, record in sorted(records.items())
    ]
    return f"{title}\n{markdown_table(['record', 'date', 'commit', 'command', 'machine', 'versions'], lines)}"


def markdown_table(header: Sequence[str], lines: Iterable[Sequence[str]]) -> str:
    """A table in Markdown; bars inside a cell are escaped."""
    rows = [header, ["---"] * len(header), *lines]
    return "".join(f"| {' | '.join(map(_one_line, row))} |\n" for row in rows)


def _one_line(text: str) -> str:
    return " ".join(text.split()).replace("|", "\\|")
