"""The leaderboard: one table over all suites and solvers, ours, the paper's, baselines and other people's.

Rows come from the records of a folder, one for each cell (`sherd.bench.entries` says which run counts), from
the paper, and from entries: what ``sherd score --json`` wrote of answers to a frozen public set, kept as
``SOLVER/SET.json``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import median

from sherd.bench.cell import Cell
from sherd.bench.contour_record import ContourResult
from sherd.bench.contour_report import counting_contours
from sherd.bench.entries import entries_of
from sherd.bench.markdown import NOTHING, markdown_table
from sherd.bench.pooled import pooled_cells, standard_error
from sherd.bench.public_sets import PUBLIC_SETS
from sherd.bench.published import PublishedRow, published_rows
from sherd.bench.record import Record
from sherd.core.errors import FileFormatError
from sherd.io.document import Node, check_format, only_document

HEADER = (
    *("suite", "puzzles", "solver", "cov95", "±", "cov", "iou", "right", "solved", "seconds", "n"),
    *("told", "by", "from"),
)
BASELINES = frozenset({"annealing", "annealing-joint", "bayesopt", "nesting", "random", "vgan"})
# Solvers that see masks which they draw themselves, whatever outlines they are given.
DRAWS_MASKS = frozenset({"fan", "fan-look", "matcher", "matcher-beam", "vgan"})
OF_THE_PAPER = "paper"
FORMAT, VERSION = "sherd.score", 1


@dataclass(frozen=True, kw_only=True)
class Row:
    """One solver on one kind of puzzle; None where a figure is not known.

    ``right`` is the mean share of pieces that lie right, or without a target the share of puzzles in which
    all do. ``spread`` is the standard error of cov95, or of that share.
    """

    suite: str
    puzzles: str
    solver: str
    by: str
    told: str
    count: int | None
    cov95: float | None = None
    spread: float | None = None
    cov: float | None = None
    iou: float | None = None
    right: float | None = None
    solved: float | None = None
    seconds: float | str | None = None
    source: str = ""

    @property
    def line(self) -> list[str]:
        """The row in words."""
        seconds = self.seconds if isinstance(self.seconds, str) else _shown(self.seconds, 2)
        return [
            *(self.suite, self.puzzles, self.solver),
            *map(_shown, (self.cov95, self.spread, self.cov, self.iou, self.right, self.solved)),
            seconds,
            NOTHING if self.count is None else str(self.count),
            *(self.told, self.by, self.source),
        ]


def _shown(value: float | None, decimals: int = 3) -> str:
    return NOTHING if value is None else f"{value:.{decimals}f}"


def leaderboard_table(records: Mapping[str, Record], entries: Path) -> str:
    """The table in Markdown; the same records and entries always give the same text."""
    rows = [*_entered(entries), *_published(), *_measured(records), *_contours(records)]
    return markdown_table(HEADER, [row.line for row in rows])


def _published() -> Iterator[Row]:
    """The paper's rows; one that stands in several tables once."""
    found: dict[Row, tuple[Row, list[int]]] = {}
    for published in published_rows():
        row = _published_row(published)
        # Only one of the tables has times.
        found.setdefault(replace(row, seconds=None), (row, []))[1].append(published.figures.table)
    for row, tables in found.values():
        said = f"{'table' if len(tables) == 1 else 'tables'} {', '.join(map(str, tables))}"
        yield replace(row, source=said)


def _published_row(row: PublishedRow) -> Row:
    cell, figures = row.cell, row.figures
    return Row(
        suite=OF_THE_PAPER,
        puzzles=cell.puzzle_label,
        solver=cell.solver_label,
        by="the paper",
        told="target, masks of 128 px, no colour",
        count=1000,
        cov95=figures.cov95,
        spread=standard_error(figures.cov95, 1000),
        cov=figures.cov,
        iou=figures.iou,
        seconds=figures.seconds,
    )


def _measured(records: Mapping[str, Record]) -> Iterator[Row]:
    entries = entries_of(records)
    of_the_paper = {row.cell.puzzle for row in published_rows()}
    for cell, pooled in pooled_cells(entries).items():
        suite = OF_THE_PAPER if cell.puzzle in of_the_paper else pooled.entries[0].source.split("/")[1]
        yield Row(
            suite=suite,
            puzzles=cell.puzzle_label,
            solver=cell.solver_label,
            by="baseline" if cell.solver in BASELINES else "sherd",
            told=_told(cell),
            count=pooled.count,
            cov95=pooled.mean("cov95"),
            spread=pooled.standard_error,
            cov=pooled.mean("cov"),
            iou=pooled.mean("iou"),
            right=pooled.mean("posed_right"),
            solved=pooled.mean("solved"),
            seconds=pooled.mean("seconds_median"),
            source=f"{pooled.commit[:7]}, seed {', '.join(map(str, dict.fromkeys(pooled.seeds)))}",
        )


def _told(cell: Cell) -> str:
    outlines = {"masks": "grey masks", "binary": "black and white masks"}
    if cell.input in outlines:
        shown = f"outlines from {outlines[cell.input]} of {cell.size_px} px"
    elif cell.solver in DRAWS_MASKS:
        shown = f"masks of {cell.size_px} px"
    else:
        shown = "exact outlines"
    return f"target, {shown}, {'no colour' if cell.texture is None else 'colour'}"


def _contours(records: Mapping[str, Record]) -> Iterator[Row]:
    for runs in counting_contours(records).values():
        yield _contour_row(runs[-1].result, runs[-1].record)


def _contour_row(result: ContourResult, record: Record) -> Row:
    cell, figures = result.cell, result.figures
    told = f"{'target' if cell.target else 'no target'}, outlines seen as {cell.input}"
    return Row(
        suite="broken things",
        puzzles=cell.label.removesuffix(f", {'target' if cell.target else 'no target'}"),
        solver=cell.solver,
        by="baseline" if cell.solver in BASELINES else "sherd",
        told=f"{told}, {'colour' if 'painted' in cell.input else 'no colour'}",
        count=result.count,
        cov95=figures.cov95,
        spread=standard_error(figures.all_right if figures.cov95 is None else figures.cov95, result.count),
        cov=figures.cov,
        iou=figures.iou,
        right=figures.all_right,
        solved=figures.solved,
        seconds=figures.seconds_median,
        source=f"{record.commit[:7]}, seed {record.seed}",
    )


def _entered(folder: Path) -> Iterator[Row]:
    """Entries by set, then by name; one that is none is an error that names its file."""
    places = {name: place for place, name in enumerate(PUBLIC_SETS)}
    paths = sorted(folder.glob("*/*.json"), key=lambda path: (places.get(path.stem, -1), path.parent.name))
    for path in paths:
        row = only_document(path).read(lambda root, name=path.parent.name: _entry(root, name))
        if row.suite != path.stem:
            raise FileFormatError(f"{path}: answers to {row.suite}, so its name should be {row.suite}.json")
        yield row


def _entry(root: Node, solver: str) -> Row:
    check_format(root, FORMAT, VERSION)
    members = root.object(["format", "version", "tolerance", "set", "unanswered", "figures", "answers"])
    if members["set"].value not in PUBLIC_SETS:
        members["set"].fail("only answers to a frozen public set can be entered")
    name = members["set"].text()
    public = PUBLIC_SETS[name]
    count = public.each * len(public.kinds)
    figures = {key: value.number() for key, value in members["figures"].members().items()}
    answers = [answer.members() for answer in members["answers"].list()]
    if len(answers) + members["unanswered"].whole(0, count) != count:
        members["answers"].fail(f"{name} has {count} puzzles")
    held = sum(one["claims_solved"].flag() and not one["against"].list() for one in answers)
    share = figures.get("cov95", figures.get("all_right"))
    return Row(
        suite=name,
        puzzles=public.about,
        solver=solver,
        by="entered",
        told=public.told,
        count=count,
        cov95=figures.get("cov95"),
        spread=None if share is None else standard_error(share, count),
        cov=figures.get("cov"),
        iou=figures.get("iou"),
        right=figures.get("right", figures.get("all_right")),
        solved=held / count,
        seconds=median([one["seconds"].number() for one in answers]) if answers else None,
        source="entry",
    )
