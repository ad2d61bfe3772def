"""REPORT.md: one page with the paper's rows and ours beside them, from the records of past runs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from statistics import fmean

from sherd.bench.cell import Cell
from sherd.bench.contour_report import contour_section
from sherd.bench.entries import Entry, entries_of, runs_that_count
from sherd.bench.markdown import NOTHING, markdown_table
from sherd.bench.pooled import PASSES, Pooled, pooled_cells, spread_of_trainings
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
# Variations that depart less from the paper, by the names of their records, and in words.
CLOSER = {
    "strict": "`fan-strict.toml`, our order",
    "released": "theirs",
    "released-random": "theirs",
}
# In standard errors: a margin that is hardly chance.
CLEARLY = 2
NETWORK = "fan"
SCORED_TWICE = (NETWORK, "vgan", "annealing", "bayesopt")
# Solvers of our own, shown on the paper's puzzles beside its network.
OUR_SOLVERS = ("fan-look", "matcher", "search")

INTRODUCTION = """\
# Report

Written by `sherd report`; do not edit. [all.csv](experiments/results/all.csv) has every measured cell.

Puzzles have 8 pieces unless a row says how many. Published figures are of *Learning to Assemble Geometric
Shapes* (IJCAI 2022), over 1,000 puzzles each. cov95 is the share of puzzles with a coverage of at least 0.95,
cov the mean. Of several trainings ours is the mean, with the standard deviation of cov95 and their
number in brackets. The standard error (s.e.) of our cov95 holds the chance of its puzzles and of its
trainings: their own spread or that of all rows with several, whichever is larger
({spread}). The margin is our cov95 less the published one,
in standard errors of the difference, in which the paper's puzzles count too, but not its trainings, of
which nothing is known. A row *passes* where its margin is above 1, is *below* beneath -1, else *equal*.
n counts a puzzle once a training.

Not like for like ([docs/fan.md](docs/fan.md)): our networks see as many puzzles as the paper's, 3,200, and
their mirror images, too (none in the authors' orders); hexagons are regular; how strong damage is, is our
choice, and FAN is trained on damaged puzzles for the rows of table 4, of which the paper says nothing.

Of several runs of a row the latest with at least a quarter of the most puzzles counts, never the best.
Runs of its commit on other seeds are pooled. Tuning seeds are in the CSV alone.
Seed 7000 was looked at while solvers were made: hopeful figures.
"Looks" counts records of the row's method and puzzles on test seeds, 7000 and above.
"""


def report_text(records: Mapping[str, Record]) -> str:
    """The whole report; the same records always give the same text."""
    entries = entries_of(records)
    pooled = pooled_cells(entries)
    introduction = INTRODUCTION.format(spread=_spread(pooled.values()))
    sections = "\n".join(
        (
            introduction,
            _paper(pooled),
            _closer(entries),
            _to_measure(pooled),
            _two_scorers(entries),
            _our_solvers(pooled),
            _beyond(pooled),
        )
    )
    return sections + contour_section(records)


def _spread(pooled: Collection[Pooled]) -> str:
    """What is assumed of rows trained once, and how far apart the rows are that it comes from."""
    several = sorted(one.spread for one in pooled if one.spread is not None)
    rows = f"; these run from {several[0]:.3f} to {several[-1]:.3f}" if several else ""
    return f"{spread_of_trainings(pooled):.2f} in log odds{rows}"


def _paper(pooled: Mapping[Cell, Pooled]) -> str:
    """A line for each row of the paper; one that stands in several tables has one line."""
    header = ["table", "puzzles", "method", "cov95 published", "ours", "s.e.", "margin"]
    header += ["cov published", "ours", "n, if not 1,000", "looks", "seed, commit"]
    rows: dict[Cell, list[PublishedRow]] = {}
    for row in published_rows():
        rows.setdefault(row.cell, []).append(row)
    usual = _commit_of_most(pooled[cell] for cell in rows if cell in pooled)
    lines = [_paper_line(same, pooled.get(cell), usual) for cell, same in rows.items()]
    verdicts = Counter(
        pooled[cell].verdict(same[0].figures.cov95) if cell in pooled else NOT_MEASURED
        for cell, same in rows.items()
    )
    clear = sum(
        pooled[cell].margin(same[0].figures.cov95) > CLEARLY for cell, same in rows.items() if cell in pooled
    )
    clearly = {PASSES: f" ({clear} by more than {CLEARLY})"}
    said = ", ".join(
        f"{count} {verdict}{clearly.get(verdict, '')}" for verdict, count in sorted(verdicts.items())
    )
    at = f"; at `{usual[:7]}`, seed {REPORT_SEED}, where nothing else is named" if usual else ""
    title = f"## The paper's {len(lines)} distinct rows"
    words = f"Verdicts: {said}{at}. {_epochs(pooled[cell] for cell in rows if cell in pooled)}".rstrip()
    return f"{title}\n\n{words}\n\n{markdown_table(header, lines)}"


def _epochs(rows: Iterable[Pooled]) -> str:
    """How often the networks saw each puzzle that they were trained on: not alike, at as many steps."""
    seen: dict[str, float] = {}
    for ours in rows:
        training, cell = ours.entries[-1].result.training, ours.entries[-1].result.cell
        if training is None or training.train_steps != STEPS or not training.batch_puzzles:
            continue
        if training.train_puzzles:
            label = f"{cell.pieces} pieces" if cell.rotations.bins == 1 else f"{cell.rotations} rotations"
            seen[label] = STEPS * training.batch_puzzles / training.train_puzzles
    if not seen:
        return ""
    told = [f"{label} {times:.0f}" for label, times in sorted(seen.items(), key=lambda each: -each[1])]
    return (
        f"In its {STEPS:,} steps, of about as many images each, FAN sees a puzzle so often: "
        f"{', '.join(told)} times."
    )


def _paper_line(same: Sequence[PublishedRow], ours: Pooled | None, usual: str) -> list[str]:
    row = same[0]
    published = row.figures
    tables = ", ".join(str(each.figures.table) for each in same)
    line = [tables, _puzzles(row.cell), row.cell.solver_label, f"{published.cov95:.3f}"]
    if ours is None:
        return [*line, NOT_MEASURED, NOTHING, NOTHING, f"{published.cov:.3f}"] + [NOTHING] * 4
    line += [ours.shown("cov95"), f"{ours.standard_error:.3f}", f"{ours.margin(published.cov95):+.1f}"]
    seeds = "" if set(ours.seeds) == {REPORT_SEED} else _seeds_of([ours])
    commit = "" if ours.commit == usual else f"`{ours.commit[:7]}`"
    line += [f"{published.cov:.3f}", f"{ours.mean('cov'):.3f}"]
    line += ["" if ours.count == ALL_PUZZLES else f"{ours.count:,}", f"{ours.evaluations}"]
    return [*line, ", ".join(filter(None, (seeds, commit)))]


def _closer(entries: Iterable[Entry]) -> str:
    """Runs by the paper's own recipe, and on the shapes and orders of the authors' code.

    Each is one training without mirror images, and how far such lie apart is not known.
    """
    lines: list[list[str]] = []
    for entry in entries:
        cell = entry.result.cell
        published = published_for(cell)
        if entry.variation in CLOSER and entry.on_test_puzzles and published is not None:
            ours = Pooled((entry,), 1)
            line = [_puzzles(cell), CLOSER[entry.variation], f"{published.cov95:.3f}", ours.shown("cov95")]
            line += [f"{ours.standard_error:.3f}", NOTHING]
            lines.append([*line, f"{published.cov:.3f}", ours.shown("cov"), f"`{ours.commit[:7]}`"])
    return _section(
        "## Closer to the paper",
        "As near the paper's recipe as we can tell (`fan-strict.toml`), and the authors' shapes and orders; "
        "one training each, without mirror images. How far such trainings lie apart is unknown: the s.e. is "
        "of the puzzles alone, and there is no margin.",
        ["puzzles", "by", "cov95 published", "ours", "s.e.", "margin", "cov published", "ours", "commit"],
        lines,
    )


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
    if not lines:
        return f"## What is still to be trained\n\nNothing: all rows of FAN are of `{commit[:7]}`.\n"
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
    header = ["puzzles, by FAN", "cov95: by areas, in pixels", "iou: published, by areas, in pixels"]
    runs: dict[str, list[Entry]] = {}
    for entry in entries:
        cell = entry.result.cell
        scored = entry.result.raster is not None and published_for(cell) is not None
        if scored and cell.solver in SCORED_TWICE and entry.on_test_puzzles and not _is_elsewhere(entry):
            variation = "" if entry.is_custom else entry.variation
            method = ", ".join(filter(None, (cell.solver_label, variation)))
            method = method.removeprefix(NETWORK).strip(" ,()")
            runs.setdefault(f"{_puzzles(cell)}{f': {method}' if method else ''}", []).append(entry)
    lines = [
        [label, *_scored_twice([entry.result for entry in runs_that_count(each)])]
        for label, each in runs.items()
    ]
    return _section(
        "## Two scorers",
        "Ours takes areas of polygons. The authors' code (github.com/POSTECH-CVLab/LAGS) counts rounded "
        "pixels of pieces with an outline, as its generator draws them, by which the truth has an IoU of "
        "about 0.97, with a piece missing 0.96, eroded or distorted 0.94.",
        header,
        lines,
    )


def _is_elsewhere(entry: Entry) -> bool:
    """Whether it is near no row of the paper; the network that ships has a page of its own."""
    return (entry.is_custom and entry.variation not in CLOSER) or not entry.is_full_network


def _scored_twice(results: Sequence[CellResult]) -> list[str]:
    """cov95 by areas and in pixels; the IoU as published, by areas and in pixels."""
    published = published_for(results[0].cell)
    rasters = [result.raster for result in results if result.raster is not None]
    assert published is not None and len(rasters) == len(results)
    values = (
        fmean(result.figures.cov95 for result in results),
        fmean(raster.raster_cov95 for raster in rasters),
        published.iou,
        fmean(result.figures.iou for result in results),
        fmean(raster.raster_iou for raster in rasters),
    )
    shown = [f"{value:.3f}" for value in values]
    return [", ".join(shown[:2]), ", ".join(shown[2:])]


def _our_solvers(pooled: Mapping[Cell, Pooled]) -> str:
    """Our own solvers on the paper's puzzles; each over as many as the head of its column has, mostly."""
    puzzles = dict.fromkeys(row.cell.puzzle for row in published_rows())
    columns = {
        solver: {puzzle: pooled.get(puzzle.with_solver(solver)) for puzzle in puzzles}
        for solver in OUR_SOLVERS
    }
    every = [one for column in columns.values() for one in column.values() if one is not None]
    usual = {
        solver: _usual([one for one in column.values() if one is not None])
        for solver, column in columns.items()
    }
    lines = [
        [
            _puzzles(puzzle),
            *(_share_of_puzzles(columns[solver][puzzle], *usual[solver]) for solver in OUR_SOLVERS),
        ]
        for puzzle in puzzles
        if any(columns[solver][puzzle] for solver in OUR_SOLVERS)
    ]
    return _section(
        "## Our own solvers on the paper's puzzles",
        f"cov95, of as many puzzles and at the commit of the head unless others are named, seed "
        f"{_seeds_of(every)}. The last step of all sees exact outlines.",
        ["puzzles", *(f"{solver}, {count:,} `{commit}`" for solver, (count, commit) in usual.items())],
        lines,
    )


def _usual(column: Sequence[Pooled]) -> tuple[int, str]:
    """The number of puzzles and the commit that most of a column have."""
    counts = Counter(one.count for one in column).most_common(1)
    commits = Counter(one.commit[:7] for one in column).most_common(1)
    return counts[0][0] if counts else ALL_PUZZLES, commits[0][0] if commits else NOTHING


def _puzzles(cell: Cell) -> str:
    """The puzzles of a row in as few words as tell them: there are 8 pieces unless it says how many."""
    return cell.puzzle_label.replace(f", {PIECES} pieces", "")


def _share_of_puzzles(ours: Pooled | None, count: int, commit: str) -> str:
    """A figure, and of how many puzzles and which commit if these are not the usual ones."""
    if ours is None:
        return NOTHING
    shown = f"{ours.mean('cov95'):.3f}"
    of = "" if ours.count == count else f" of {ours.count:,}"
    return f"{shown}{of}" if ours.commit[:7] == commit else f"{shown}{of} `{ours.commit[:7]}`"


def _seeds_of(measured: Iterable[Pooled]) -> str:
    """The seeds that any of them has, such as "7000, 8000"."""
    return ", ".join(map(str, sorted({seed for one in measured for seed in one.seeds})))


def _beyond(pooled: Mapping[Cell, Pooled]) -> str:
    """The search on the suites beyond the paper, a line each."""
    lines = [_suite_line(name, cells, pooled) for name, cells in BEYOND.items()]
    return _section(
        "## The search beyond the paper",
        "Means over the cells of a suite, and its hardest cell. What is left out are rows of the suite. "
        "*Solved* of noise, damage, masks and binary is by an older verdict, laxer than today's.",
        ["suite", "cells", "left out", "cov95", "solved", "lowest cov95", "in", "seeds", "commits"],
        [line for line in lines if line],
    )


def _suite_line(name: str, cells: Sequence[Cell], pooled: Mapping[Cell, Pooled]) -> list[str]:
    """The line of a suite; nothing if none of it was measured."""
    measured = [(pooled[cell], cell) for cell in cells if cell in pooled]
    if not measured:
        return []
    lowest, where = min(measured, key=lambda pair: pair[0].mean("cov95"))
    means = [sum(one.mean(figure) for one, _ in measured) / len(measured) for figure in ("cov95", "solved")]
    return [
        name,
        f"{len(measured)} of {len(cells)}",
        _left_out(cells, pooled),
        f"{means[0]:.3f}",
        f"{means[1]:.3f}{_of_decidable([one for one, _ in measured])}",
        f"{lowest.mean('cov95'):.3f}",
        _puzzles(where) if lowest.mean("cov95") < 1.0 else NOTHING,
        _seeds_of(one for one, _ in measured),
        _most_common(f"`{one.commit[:7]}`" for one, _ in measured),
    ]


def _of_decidable(measured: Iterable[Pooled]) -> str:
    """Of how many puzzles the truth could be told, and how many of these are solved, where it was weighed."""
    results = [
        entry.result for one in measured for entry in one.entries if entry.result.decidable is not None
    ]
    puzzles = sum(result.count for result in results)
    decidable = sum(round(result.count * (result.decidable or 0.0)) for result in results)
    solved = sum(round(result.count * (result.decidable_solved or 0.0)) for result in results)
    return f"; {solved} of {decidable} decidable ({puzzles})" if results else ""


def _most_common(commits: Iterable[str]) -> str:
    """The commit of most cells, and how many others there are."""
    counts = Counter(commits)
    ((most, _),) = counts.most_common(1)
    return most if len(counts) == 1 else f"{most}, {len(counts) - 1} more"


def _left_out(cells: Sequence[Cell], pooled: Mapping[Cell, Pooled]) -> str:
    """The rows that were not measured, as ``--rows`` takes them."""
    rows = [number for number, cell in enumerate(cells) if cell not in pooled]
    if not rows:
        return NOTHING
    starts = [row for row in rows if row - 1 not in rows]
    stops = [row + 1 for row in rows if row + 1 not in rows]
    return ", ".join(f"{start}:{stop}" for start, stop in zip(starts, stops, strict=True))


def _section(title: str, what: str, header: Sequence[str], lines: Sequence[Sequence[str]]) -> str:
    if not lines:
        return f"{title}\n\nNothing measured yet.\n"
    return f"{title}\n\n{what}\n\n{markdown_table(header, lines)}"
