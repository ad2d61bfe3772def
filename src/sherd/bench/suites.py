"""The paper's tables and what goes beyond them as lists of cells, and the puzzles they are measured on.

Seeds below 1,000 are for training and tuning. Figures up to 2026-11-16 come from seed 7,000, which was looked
at many times and chose between variants now and then, so seeds 7,000 to 7,999 are no longer held out. Figures
from then on come from seeds of 8,000 and above. `sherd report` counts how often each cell was evaluated on
seeds of 7,000 and above.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import product
from typing import Any, TypeVar

from sherd.bench.cell import Cell
from sherd.bench.published import published_rows
from sherd.core.errors import ArgumentError
from sherd.core.geometry import FIXED, Rotations
from sherd.generation.fragmentation import split
from sherd.generation.polyominoes import PENTOMINO_BOXES
from sherd.generation.tangram import SILHOUETTES

DEFAULT_SEED = 7
REPORT_SEED = 8000
# From here on a run counts as an evaluation on test puzzles.
FIRST_TEST_SEED = 7000

# As in the paper, a set has 5,000 puzzles, and a table is measured on its test split.
SET_COUNT = 5000
TEST_SPLIT = split(SET_COUNT)["test"]


def _suites() -> dict[str, tuple[Cell, ...]]:
    tables: dict[str, list[Cell]] = {}
    for row in published_rows():
        tables.setdefault(f"table{row.figures.table}", []).append(row.cell)
    return {name: tuple(cells) for name, cells in tables.items()}


def _search(**choices: Iterable[Any]) -> tuple[Cell, ...]:
    """A cell of the search for each combination of the choices."""
    return tuple(
        Cell(solver="search", **dict(zip(choices, values, strict=True)))
        for values in product(*choices.values())
    )


PAPER_SHAPES = ("square", "pentagon", "hexagon", "mondrian")
FREE = Rotations(None)
ROTATIONS = (FIXED, Rotations(4), Rotations(20), FREE)
FIXED_OR_FREE = (FIXED, FREE)
PAINTED_WITH = ("checker", "gradient", "marble", "noise", "stripes", "terrazzo")

# The suite of all tables, each row once however many tables it stands in.
WHOLE_PAPER = "paper"
TABLES = _suites()
# What the paper does not have, or could not do: measured with the search unless another solver is named.
BEYOND: dict[str, tuple[Cell, ...]] = {
    "exact": _search(shape=PAPER_SHAPES, pieces=(4, 8, 16, 32, 64), rotations=ROTATIONS),
    "masks": _search(shape=PAPER_SHAPES, pieces=(8, 16, 32), rotations=ROTATIONS, input=("masks",)),
    "binary": _search(shape=PAPER_SHAPES, pieces=(8, 16, 32, 64), rotations=FIXED_OR_FREE, input=("binary",)),
    "damage": _search(
        degradation=("missing", "eroded", "distorted"),
        shape=PAPER_SHAPES,
        pieces=(8, 16),
        rotations=ROTATIONS,
    ),
    "noise": _search(noise=(0.003, 0.01), shape=PAPER_SHAPES, pieces=(16,), rotations=FIXED_OR_FREE),
    # So much noise that arrangements are often ambiguous; two shapes of 8 pieces at 0.02 are in "strength".
    "heavy": _search(noise=(0.01,), shape=PAPER_SHAPES, pieces=(8,), rotations=FIXED_OR_FREE)
    + _search(noise=(0.02,), shape=("pentagon", "hexagon"), pieces=(8,), rotations=FIXED_OR_FREE)
    + _search(noise=(0.02,), shape=PAPER_SHAPES, pieces=(16,), rotations=FIXED_OR_FREE)
    + _search(noise=(0.03,), shape=PAPER_SHAPES, pieces=(8, 16), rotations=FIXED_OR_FREE),
    "merged": _search(
        mirror=(False, True),
        shape=("square", "hexagon", "star", "cross", "ell", "tee", "arrow"),
        pieces=(7, 15, 30, 50),
        rotations=(FREE,),
        dissection=("merged",),
    )
    # Right angles only, many lengths alike: the hardest, and so apart.
    + _search(
        mirror=(False, True),
        shape=("mondrian",),
        pieces=(7, 15, 30, 50),
        rotations=(FREE,),
        dissection=("merged",),
    ),
    "tangram": _search(
        mirror=(False, True), shape=SILHOUETTES, pieces=(7,), rotations=(FREE,), dissection=("tangram",)
    ),
    # As contests set them, all corners on a grid; and the twelve pentominoes in each of their boxes.
    "lattice": _search(
        mirror=(False, True),
        shape=("frame", "equal", "rectilinear", "polyomino"),
        pieces=(20, 30, 45, 60),
        rotations=(FREE,),
        dissection=("lattice",),
    )
    + _search(
        mirror=(True,), shape=PENTOMINO_BOXES, pieces=(12,), rotations=(FREE,), dissection=("lattice",)
    ),
    # Half and twice the damage and noise, and other resolutions, than those that solvers were tuned on.
    "strength": _search(
        degradation=("eroded", "distorted"),
        strength=(0.5, 2.0),
        shape=("square", "mondrian"),
        rotations=FIXED_OR_FREE,
    )
    + _search(noise=(0.005, 0.02), shape=("square", "mondrian"), rotations=FIXED_OR_FREE),
    "resolution": _search(
        input=("masks", "binary"),
        size_px=(64, 256, 512),
        shape=("square", "hexagon"),
        pieces=(8, 16),
        rotations=(FREE,),
    ),
    # What outlines alone do not decide, with the target's picture known.
    "painted": _search(
        texture=PAINTED_WITH,
        degradation=("missing",),
        shape=("mondrian",),
        pieces=(8, 16),
        rotations=FIXED_OR_FREE,
    ),
}
SUITES: dict[str, tuple[Cell, ...]] = TABLES | BEYOND


def suite_cells(name: str, *, rows: slice | None = None, solvers: tuple[str, ...] = ()) -> tuple[Cell, ...]:
    """The cells of a suite: some of its rows, and with other solvers than the paper's if any are named.

    >>> [cell.shape for cell in suite_cells("table1", solvers=("random",))]
    ['square', 'pentagon', 'hexagon']
    """
    if name == WHOLE_PAPER:
        cells = tuple(dict.fromkeys(cell for table in TABLES.values() for cell in table))
    elif name in SUITES:
        cells = SUITES[name]
    else:
        raise ArgumentError(f"unknown suite {name!r}: choose {', '.join((*SUITES, WHOLE_PAPER))}")
    cells = some_rows(name, cells, rows)
    if not solvers:
        return cells
    # Rows that differ by the paper's method alone are one and the same for another solver.
    return tuple(dict.fromkeys(cell.with_solver(solver) for cell in cells for solver in solvers))


Row = TypeVar("Row")


def some_rows(name: str, cells: tuple[Row, ...], rows: slice | None) -> tuple[Row, ...]:
    """These rows of the suite of that name, or all."""
    if rows is None:
        return cells
    start, stop = rows.start or 0, len(cells) if rows.stop is None else rows.stop
    if not 0 <= start < stop <= len(cells):
        raise ArgumentError(f"rows {start}:{stop} are out of range: {name} has rows 0:{len(cells)}")
    return cells[start:stop]
