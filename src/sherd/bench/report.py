"""REPORT.md: one page with the paper's rows and ours beside them, from the records of past runs."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

from sherd.bench.cell import Cell
from sherd.bench.contour_report import contour_section
from sherd.bench.entries import Entry, count_evaluations, counting, entries_of, runs_that_count
from sherd.bench.markdown import NOTHING, markdown_table
from sherd.bench.published import PublishedRow, published_for, published_rows
from sherd.bench.record import CellResult, Record
from sherd.bench.suites import BEYOND, REPORT_SEED, WHOLE_PAPER, suite_cells

NOT_MEASURED = "not measured"
# In most puzzles of the paper, and on how many puzzles it measures each row.
PIECES = 8
ALL_PUZZLES = 1000
# How the paper's network is trained for every row, and from how many seeds for those of some tables.
STEPS, TRAININGS = 3000, 3
SPREAD_TABLES = frozenset({1, 2, 6, 7})
SCORED_TWICE = ("fan", "vgan", "annealing", "bayesopt")
# Solvers of our own, shown on the paper's puzzles beside its network.
OUR_SOLVERS = ("fan-look", "matcher", "matcher-beam", "search")

INTRODUCTION = """\
# Report

Written by `sherd report`; do not edit. Every measured cell with all its figures, seed, commit and record is
in [experiments/results/all.csv](experiments/results/all.csv).

Puzzles have 8 pieces unless a row says how many. Published figures are those of *Learning to Assemble
Geometric Shapes* (IJCAI 2022), over 1,000 puzzles each. cov95 is the share of puzzles with a coverage of at
least 0.95, cov the mean; the IoU, which hangs on the scorer, stands below under "Two scorers". Where networks
were trained for a row from several seeds, ours is their mean, with the standard deviation between them and
their number in brackets. The standard error (s.e.) is that of our cov95: the root of p (1 - p) / n over n
puzzles plus, where there are several trainings, their variance by their number. Where there is one, chance in
training is not in it. The margin is our cov95 less the published one, in standard errors: a row *passes*
where it is above 1, is *below* where it is beneath -1, else *equal*.

Of several runs of a row the latest counts whose puzzles are at least a quarter of the most; never the best.
Runs of its commit on other seeds, of puzzles or of training, are pooled with it. Tuning seeds and variations,
such as training on endless puzzles, are in the CSV alone. The puzzles of seed 7000 were looked at while
solvers and networks were made, so its figures are somewhat hopeful. "Looks" counts the records that have the
row's method and puzzles on test seeds, 7000 and above.
"""


@dataclass(frozen=True)
class Pooled:
    """The figures of a cell over all the entries that count for it.

    ``evaluations`` is how often its test puzzles were looked at, in these entries and others.
    """

    entries: tuple[Entry, ...]
    evaluations: int

    @property
    def count(self) -> int:
        """How many puzzles there were."""
        return sum(entry.result.count for entry in self.entries)

    def mean(self, figure: str) -> float:
        """A figure over all these puzzles."""
        values = (entry.result.count * getattr(entry.result.figures, figure) for entry in self.entries)
        return sum(values) / self.count

    @property
    def trainings(self) -> int:
        """From how many seeds networks were trained for the row."""
        return len({entry.train_seed for entry in self.entries} - {None})

    def deviation(self, figure: str) -> float | None:
        """The standard deviation of a figure between trainings; None where there are not several."""
        if self.trainings < 2:
            return None
        return stdev(getattr(entry.result.figures, figure) for entry in self.entries)

    @property
    def standard_error(self) -> float:
        """That of the mean of cov95: of puzzles, each of which counts once, and of trainings."""
        counts = {entry.record.seed: entry.result.count for entry in self.entries}
        of_puzzles = standard_error(self.mean("cov95"), sum(counts.values()))
        of_trainings = (self.deviation("cov95") or 0.0) / math.sqrt(len(self.entries))
        return math.hypot(of_puzzles, of_trainings)

    def shown(self, figure: str) -> str:
        """A figure with its spread, such as "0.772 ± 0.010 (3)"."""
        deviation = self.deviation(figure)
        spread = "" if deviation is None else f" ± {deviation:.3f} ({len(self.entries)})"
        return f"{self.mean(figure):.3f}{spread}"

    def margin(self, published: float) -> str:
        """How far our cov95 is above the published one, in standard errors; in words where there is none."""
        error = self.standard_error
        if error == 0.0:
            return self.verdict(published)
        return f"{(self.mean('cov95') - published) / error:+.1f}"

    def verdict(self, published: float) -> str:
        """Whether our cov95 passes the published one, by more than the standard error."""
        difference = self.mean("cov95") - published
        if abs(difference) <= self.standard_error:
            return "equal"
        return "passes" if difference > 0.0 else "below"

    @property
    def seeds(self) -> tuple[int, ...]:
        """The seeds that the puzzles were made from."""
        return tuple(entry.record.seed for entry in self.entries)

    @property
    def commit(self) -> str:
        """The commit that all of them were measured at."""
        return self.entries[0].record.commit


def standard_error(share: float, count: int) -> float:
    """That of a share of ``count`` independent puzzles.

    >>> standard_error(0.5, 100)
    0.05
    """
    return math.sqrt(share * (1.0 - share) / count)


def report_text(records: Mapping[str, Record]) -> str:
    """The whole report; the same records always give the same text."""
    entries = entries_of(records)
    evaluations = count_evaluations(entries)
    pooled = {cell: Pooled(counted, evaluations[cell]) for cell, counted in counting(entries).items()}
    sections = "\n".join(
        (INTRODUCTION, _paper(pooled), _to_measure(pooled), _two_scorers(entries), _our_solvers(pooled))
    )
    sections += "\n" + _beyond(pooled)
    return sections + contour_section(records)


def _paper(pooled: Mapping[Cell, Pooled]) -> str:
    """A line for each row of the paper; one that stands in several tables has one line."""
    header = ["table", "puzzles", "method", "cov95 published", "ours", "s.e.", "margin"]
    header += ["cov published", "ours", "n", "seeds", "looks", "commit"]
    rows: dict[Cell, list[PublishedRow]] = {}
    for row in published_rows():
        rows.setdefault(row.cell, []).append(row)
    usual = _commit_of_most(pooled[cell] for cell in rows if cell in pooled)
    lines = [_paper_line(same, pooled.get(cell), usual) for cell, same in rows.items()]
    verdicts = Counter(
        pooled[cell].verdict(same[0].figures.cov95) if cell in pooled else NOT_MEASURED
        for cell, same in rows.items()
    )
    said = ", ".join(f"{count} {verdict}" for verdict, count in sorted(verdicts.items()))
    at = f"; at `{usual[:7]}` where no other commit is named" if usual else ""
    title = f"## The paper's {len(lines)} distinct rows"
    return f"{title}\n\nVerdicts: {said}{at}.\n\n{markdown_table(header, lines)}"


def _paper_line(same: Sequence[PublishedRow], ours: Pooled | None, usual: str) -> list[str]:
    row = same[0]
    published = row.figures
    tables = ", ".join(str(each.figures.table) for each in same)
    line = [tables, _puzzles(row.cell), row.cell.solver_label, f"{published.cov95:.3f}"]
    if ours is None:
        return [*line, NOT_MEASURED, NOTHING, NOTHING, f"{published.cov:.3f}"] + [NOTHING] * 5
    line += [ours.shown("cov95"), f"{ours.standard_error:.3f}", ours.margin(published.cov95)]
    line += [f"{published.cov:.3f}", ours.shown("cov"), f"{ours.count:,}", _seeds_of([ours])]
    return [*line, f"{ours.evaluations}", "" if ours.commit == usual else f"`{ours.commit[:7]}`"]


def _to_measure(pooled: Mapping[Cell, Pooled]) -> str:
    """The network's rows that were not trained as the others, or not as often as they should be."""
    tables: dict[Cell, set[int]] = {}
    for row in published_rows():
        tables.setdefault(row.cell, set()).add(row.figures.table)
    trained = {cell: pooled[cell] for cell in tables if cell.solver == "fan" and cell in pooled}
    commit = _commit_of_most(trained.values())
    missing: dict[int, list[str]] = {1: [], TRAININGS: []}
    for number, cell in enumerate(suite_cells(WHOLE_PAPER)):
        if cell.solver == "fan":
            wanted = TRAININGS if tables[cell] & SPREAD_TABLES else 1
            done = _trainings(trained.get(cell), commit)
            if done < wanted:
                missing[wanted].append(f"{number}" if wanted == 1 else f"{number} ({done})")
    command = f"sherd bench --suite paper --seed {REPORT_SEED} --rows R:R+1 --train --steps {STEPS}"
    lines = [[f"{wanted}", ", ".join(rows)] for wanted, rows in missing.items() if rows]
    return _section(
        "## What is still to be trained",
        f"All rows R alike, at one commit (`{commit[:7]}`): `{command}`; those of tables 1, 2, 6 and 7 from "
        f"{TRAININGS} seeds (`--train-seed K`), of which so many as stand in brackets are there.",
        ["trainings", "rows R"],
        lines,
    )


def _commit_of_most(trained: Iterable[Pooled]) -> str:
    """The commit at which most networks of the paper's rows were trained."""
    trainings: Counter[str] = Counter()
    for ours in trained:
        trainings[ours.commit] += ours.trainings
    return max(trainings, key=lambda commit: (trainings[commit], commit), default="")


def _trainings(ours: Pooled | None, commit: str) -> int:
    """From how many seeds a row was trained, if by the recipe for all, there, and for fresh puzzles."""
    if ours is None or ours.commit != commit or REPORT_SEED not in ours.seeds:
        return 0
    runs = [entry.result.training for entry in ours.entries]
    return ours.trainings if all(run is not None and run.train_steps == STEPS for run in runs) else 0


def _two_scorers(entries: Iterable[Entry]) -> str:
    """Areas of polygons and the pixels of the authors' released code, side by side; trainings in a mean."""
    header = ["puzzles", "method", "cov95 in pixels", "iou published", "by areas", "in pixels"]
    runs: dict[tuple[str, str], list[Entry]] = {}
    for entry in entries:
        cell = entry.result.cell
        scored = entry.result.raster is not None and published_for(cell) is not None
        if scored and cell.solver in SCORED_TWICE and entry.on_test_puzzles and not entry.is_custom:
            method = ", ".join(filter(None, (cell.solver_label, entry.variation)))
            runs.setdefault((_puzzles(cell), method), []).append(entry)
    lines = [
        [*labels, *_scored_twice([entry.result for entry in runs_that_count(each)])]
        for labels, each in runs.items()
    ]
    return _section(
        "## Two scorers",
        "Ours takes areas of polygons. The authors' code (github.com/POSTECH-CVLab/LAGS) counts rounded "
        "pixels of pieces drawn with an outline, by which the truth itself has an IoU of about 0.97; of such "
        "records as have both.",
        header,
        lines,
    )


def _scored_twice(results: Sequence[CellResult]) -> list[str]:
    """cov95 in pixels; the IoU as published, by areas and in pixels."""
    published = published_for(results[0].cell)
    rasters = [result.raster for result in results if result.raster is not None]
    assert published is not None and len(rasters) == len(results)
    values = (
        fmean(raster.raster_cov95 for raster in rasters),
        published.iou,
        fmean(result.figures.iou for result in results),
        fmean(raster.raster_iou for raster in rasters),
    )
    return [f"{value:.3f}" for value in values]


def _our_solvers(pooled: Mapping[Cell, Pooled]) -> str:
    """Our own solvers on the paper's puzzles; each over as many as the head of its column has, mostly."""
    puzzles = dict.fromkeys(row.cell.puzzle for row in published_rows())
    columns = {
        solver: {puzzle: pooled.get(puzzle.with_solver(solver)) for puzzle in puzzles}
        for solver in OUR_SOLVERS
    }
    every = [one for column in columns.values() for one in column.values() if one is not None]
    counts = {
        solver: Counter(one.count for one in column.values() if one is not None).most_common(1)
        for solver, column in columns.items()
    }
    usual = {solver: most[0][0] if most else ALL_PUZZLES for solver, most in counts.items()}
    lines = [
        [
            _puzzles(puzzle),
            *(_share_of_puzzles(columns[solver][puzzle], usual[solver]) for solver in OUR_SOLVERS),
        ]
        for puzzle in puzzles
        if any(columns[solver][puzzle] for solver in OUR_SOLVERS)
    ]
    return _section(
        "## Our own solvers on the paper's puzzles",
        f"cov95, of as many puzzles as the head says unless it says of how many, seed {_seeds_of(every)}.",
        ["puzzles", *(f"{solver}, {usual[solver]:,}" for solver in OUR_SOLVERS)],
        lines,
    )


def _puzzles(cell: Cell) -> str:
    """The puzzles of a row in as few words as tell them: there are 8 pieces unless it says how many."""
    return cell.puzzle_label.replace(f", {PIECES} pieces", "")


def _share_of_puzzles(ours: Pooled | None, usual: int) -> str:
    if ours is None:
        return NOTHING
    shown = f"{ours.mean('cov95'):.3f}"
    return shown if ours.count == usual else f"{shown} of {ours.count:,}"


def _seeds_of(measured: Iterable[Pooled]) -> str:
    """The seeds that any of them has, such as "7000, 8000"."""
    return ", ".join(map(str, sorted({seed for one in measured for seed in one.seeds})))


def _beyond(pooled: Mapping[Cell, Pooled]) -> str:
    """The search on the suites beyond the paper, a line each."""
    lines = [_suite_line(name, cells, pooled) for name, cells in BEYOND.items()]
    return _section(
        "## The search beyond the paper",
        "Means over the cells of a suite, and its hardest cell. What is left out are rows of the suite.",
        ["suite", "cells", "left out", "cov95", "solved", "lowest cov95", "in", "seeds", "looks"],
        [line for line in lines if line],
    )


def _suite_line(name: str, cells: Sequence[Cell], pooled: Mapping[Cell, Pooled]) -> list[str]:
    """The line of a suite; nothing if none of it was measured."""
    measured = [(pooled[cell], cell) for cell in cells if cell in pooled]
    if not measured:
        return []
    lowest, where = min(measured, key=lambda pair: pair[0].mean("cov95"))
    looks = [one.evaluations for one, _ in measured]
    means = [sum(one.mean(figure) for one, _ in measured) / len(measured) for figure in ("cov95", "solved")]
    return [
        name,
        f"{len(measured)} of {len(cells)}",
        _left_out(cells, pooled),
        *(f"{mean:.3f}" for mean in means),
        f"{lowest.mean('cov95'):.3f}",
        _puzzles(where) if lowest.mean("cov95") < 1.0 else NOTHING,
        _seeds_of(one for one, _ in measured),
        f"{min(looks)}" if min(looks) == max(looks) else f"{min(looks)} to {max(looks)}",
    ]


def _left_out(cells: Sequence[Cell], pooled: Mapping[Cell, Pooled]) -> str:
    """The rows that were not measured, as ``--rows`` takes them, and their shapes."""
    rows = [number for number, cell in enumerate(cells) if cell not in pooled]
    if not rows:
        return NOTHING
    starts = [row for row in rows if row - 1 not in rows]
    stops = [row + 1 for row in rows if row + 1 not in rows]
    ranges = ", ".join(f"{start}:{stop}" for start, stop in zip(starts, stops, strict=True))
    return f"{ranges} ({', '.join(dict.fromkeys(cells[row].shape for row in rows))})"


def _section(title: str, what: str, header: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    if not lines:
        return f"{title}\n\nNothing measured yet.\n"
    return f"{title}\n\n{what}\n\n{markdown_table(header, lines)}"
