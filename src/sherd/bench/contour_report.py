"""The section of REPORT.md on broken things: goals, and how far they are reached."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from sherd.bench.contour_record import ContourResult
from sherd.bench.contour_suites import CONTOUR_SUITES, ContourCell
from sherd.bench.entries import runs_that_count, variation_of
from sherd.bench.markdown import NOTHING, markdown_table
from sherd.bench.record import Record
from sherd.bench.suites import FIRST_TEST_SEED

HEADER = ("puzzles, pieces", "seen as", "goal", "with target", "solved", "goal", "without", "commit")
INTRODUCTION = """
## Broken things

Rows with a goal, those with the same in one line, the lowest in brackets: the share with all pieces right, or
as said; with a target by "auto"; at {commit} if none is named. Goals at levels 3 and 4 are of *solved*;
"covered" stands for the published overlap (docs/contours.md). [All](experiments/results/contours.csv).

"""
Goals = tuple[str, str, float | None, float | None]


@dataclass(frozen=True)
class ContourRun:
    """A result, the record that it stands in, and that record's path within its folder."""

    result: ContourResult
    record: Record
    source: str
    train_seed: None = None

    @property
    def puzzles(self) -> int:
        """How many puzzles it is over."""
        return self.result.count


Counted = Mapping[ContourCell, Sequence[ContourRun]]


def contour_section(records: Mapping[str, Record]) -> str:
    """The section, in the order of the suites; "" where nothing was measured."""
    counted = counting_contours(records)
    lines: dict[Goals, list[ContourCell]] = {}
    for cells in CONTOUR_SUITES.values():
        goals: dict[str, dict[bool, ContourCell]] = {}
        for cell in cells:
            if cell.goal is not None:
                goals.setdefault(cell.puzzles_label, {})[cell.target] = cell
        for both in goals.values():
            told, alone = both.get(True), both.get(False)
            first = told or alone
            assert first is not None
            aims = (None if told is None else told.goal, None if alone is None else alone.goal)
            line = lines.setdefault((first.count_label, first.measure, *aims), [])
            line += [cell for cell in both.values() if cell in counted]
    shown = {goals: cells for goals, cells in lines.items() if cells}
    if not shown:
        return ""
    commits = Counter(_commits(cells, counted) for cells in shown.values())
    ((usual, _),) = commits.most_common(1)
    table = markdown_table(HEADER, [_line(*line, counted, usual) for line in shown.items()])
    return INTRODUCTION.format(commit=usual) + table


def counting_contours(records: Mapping[str, Record]) -> dict[ContourCell, tuple[ContourRun, ...]]:
    """The runs that count for each cell: those of one commit, one a seed, as for other puzzles."""
    found: dict[ContourCell, list[ContourRun]] = {}
    for source, record in records.items():
        if record.seed < FIRST_TEST_SEED or variation_of(source):
            continue
        for result in record.contours:
            found.setdefault(result.cell, []).append(ContourRun(result, record, source))
    return {cell: runs_that_count(runs) for cell, runs in found.items()}


def _line(goals: Goals, cells: Sequence[ContourCell], counted: Counted, usual: str) -> list[str]:
    """The same puzzles with a target and without, as far as they were measured."""
    commits = _commits(cells, counted)
    label, measure, *aims = goals
    told, alone = ([cell for cell in cells if cell.target is target] for target in (True, False))
    figure = "" if measure == "all_right" else f": {measure.replace('_', ' ')}"
    return [
        f"{', '.join(dict.fromkeys(cell.kind for cell in cells))}, {label.removesuffix(' pieces')}{figure}",
        _inputs(cells),
        _aim(aims[0]),
        _reached(told, measure, counted),
        NOTHING if not told else f"{_mean(_runs(told, counted), 'solved'):.3g}",
        _aim(aims[1]),
        _reached(alone, measure, counted),
        "" if commits == usual else commits,
    ]


def _commits(cells: Sequence[ContourCell], counted: Counted) -> str:
    counts = Counter(f"`{run.record.commit[:7]}`" for run in _runs(cells, counted))
    most = max(counts, key=lambda commit: (counts[commit], commit))
    return most if len(counts) == 1 else f"{most}, {len(counts) - 1} more"


def _inputs(cells: Sequence[ContourCell]) -> str:
    """How pieces are seen, such as "binary-300+missing-1, +missing-2": what all begin with is said once."""
    first, *others = dict.fromkeys(cell.input for cell in cells)
    begin = first.partition("+")[0] + "+"
    return ", ".join(
        (first, *(f"+{name.removeprefix(begin)}" if name.startswith(begin) else name for name in others))
    )


def _aim(goal: float | None) -> str:
    return NOTHING if goal is None else f"{goal:.3g}"


def _runs(cells: Sequence[ContourCell], counted: Counted) -> list[ContourRun]:
    return [run for cell in cells for run in counted[cell]]


def _reached(cells: Sequence[ContourCell], measure: str, counted: Counted) -> str:
    """A figure over all puzzles and how many they are, and that of the lowest row, if it is lower."""
    if not cells:
        return NOTHING
    runs = _runs(cells, counted)
    mean = _mean(runs, measure)
    are_alike = len({cell.kind for cell in cells}) == 1
    means = {
        cell.input if are_alike else f"{cell.kind} {cell.input}": _mean(counted[cell], measure)
        for cell in cells
    }
    lowest = min(means, key=lambda name: means[name])
    said = f"{mean:.3g} of {sum(run.puzzles for run in runs):,}"
    return said if f"{means[lowest]:.3f}" >= f"{mean:.3f}" else f"{said} ({lowest} {means[lowest]:.3g})"


def _mean(runs: Sequence[ContourRun], figure: str) -> float:
    """A figure over the puzzles of all runs."""
    return sum(run.puzzles * getattr(run.result.figures, figure) for run in runs) / sum(
        run.puzzles for run in runs
    )
