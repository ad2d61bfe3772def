"""Suites of broken things: which puzzles, how they are seen, with a target or without, and what is aimed at.

Puzzle number k of a cell comes from the seed and k alone, and cells that differ only in how pieces are seen
or whether a target is given have the same puzzles.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from typing import Literal, get_args

import numpy as np
import shapely

from sherd.core.alignment import Group, GroupScores, Joint, score_groups
from sherd.core.errors import ArgumentError
from sherd.core.geometry import FIXED, size_of
from sherd.core.puzzle import Sample
from sherd.generation.bowed import BowedParams
from sherd.generation.broken import BrokenParams
from sherd.generation.cracks import CracksParams
from sherd.generation.crosscut import CrosscutParams, random_convex
from sherd.generation.dataset import PuzzleKind, make_samples
from sherd.generation.fractal import JAGGED, WAVY
from sherd.generation.fracture import fractured
from sherd.generation.jigsaw import JigsawParams, rows_and_columns
from sherd.generation.observation import LEVELS, observation
from sherd.generation.observed import Observed, observe
from sherd.generation.sectors import SectorsParams, rings_for
from sherd.generation.shapes import named_shape
from sherd.generation.voronoi import VoronoiParams

# The solver that takes each puzzle for what it is, and the one that it takes where there is no target.
AUTO, CONTOURS = "auto", "contours"
Measure = Literal["all_right", "in_order", "overlap", "covered"]
MEASURES: tuple[str, ...] = get_args(Measure)
Maker = Callable[[int, np.random.Generator], Sample]

# Sets the random streams of this module apart from those of other sets of the same seed.
PUZZLE_STREAM, SEEN_STREAM = 0x636F6E74, 0x7365656E
PUZZLES = 100
PUBLISHED_PUZZLES = 1000
# A jigsaw is about as wide to as high.
JIGSAW_SHAPE = (3.0, 2.0)


@dataclass(frozen=True, kw_only=True)
class ContourCell:
    """One row of a suite.

    kind     a name in `KINDS`
    pieces   the fewest and the most pieces; of crossing cuts, cuts
    input    how pieces are seen, as `observation` reads it
    target   whether the solver is given the target
    measure  the figure that is aimed at: a share of puzzles, or a mean over them
    goal     how high it should be; None where nothing is aimed at
    solver   who is measured: "auto", which is what people get and without a target the same as contours, or a
             registered solver
    """

    kind: str
    pieces: tuple[int, int]
    input: str = "exact"
    target: bool = True
    measure: Measure = field(default="all_right", compare=False)
    goal: float | None = field(default=None, compare=False)
    puzzles: int = field(default=PUZZLES, compare=False)
    solver: str = AUTO

    def __post_init__(self) -> None:
        if self.solver == AUTO and not self.target:
            object.__setattr__(self, "solver", CONTOURS)
        if self.kind not in KINDS:
            raise ArgumentError(f"kind must be one of {', '.join(KINDS)}, not {self.kind!r}")
        fewest, most = self.pieces
        if not 1 <= fewest <= most:
            raise ArgumentError(f"pieces must be a range of positive numbers, not {fewest} to {most}")
        if self.measure not in MEASURES:
            raise ArgumentError(f"measure must be one of {', '.join(MEASURES)}, not {self.measure!r}")
        observation(self.input)

    @property
    def label(self) -> str:
        """The puzzles in words, for tables.

        >>> ContourCell(kind="jagged", pieces=(8, 8), input="binary-300", target=False).label
        'jagged, 8 pieces, binary-300, no target'
        """
        return f"{self.puzzles_label}, {'target' if self.target else 'no target'}"

    @property
    def puzzles_label(self) -> str:
        """The same without saying whether the target is given."""
        return f"{self.kind}, {self.count_label}, {self.input}"

    @property
    def count_label(self) -> str:
        """How many pieces, or cuts."""
        fewest, most = self.pieces
        count = str(fewest) if fewest == most else f"{fewest} to {most}"
        return f"{count} {'cuts' if self.kind == 'crosscut' else 'pieces'}"


def make_sample(cell: ContourCell, seed: int, index: int) -> Observed:
    """Puzzle number ``index`` of a cell."""
    rng = np.random.default_rng([seed, PUZZLE_STREAM, index])
    fewest, most = cell.pieces
    pieces = int(rng.integers(fewest, most + 1))
    make = KINDS[cell.kind]
    across = max(_rows_and_columns(pieces)) if cell.kind in ("jigsaw", "alike") else 1
    return observe(
        make(pieces, rng),
        observation(cell.input, across),
        np.random.default_rng([seed, SEEN_STREAM, index]),
        lambda rng: make(pieces, rng),
    )


def score_seen(
    observed: Observed, groups: Sequence[Group], found: Iterable[Joint] | None = None
) -> GroupScores:
    """The groups of an answer, each in a frame of its own, against the truth."""
    return score_groups(
        {fragment.id: fragment.polygon for fragment in observed.puzzle.fragments},
        {placement.id: placement.pose for placement in observed.truth},
        groups,
        side=size_of(observed.puzzle.target),
        joints=observed.joints,
        found=found,
    )


def _rows_and_columns(pieces: int) -> tuple[int, int]:
    return rows_and_columns(pieces, *JIGSAW_SHAPE)


def _jigsaw(pieces: int, rng: np.random.Generator) -> Sample:
    """A jigsaw of square pieces whose longer side is 1."""
    rows, columns = _rows_and_columns(pieces)
    longer = max(rows, columns)
    target = shapely.box(0.0, 0.0, columns / longer, rows / longer)
    return fractured(target, JigsawParams(rows=rows, columns=columns), rng)


def _alike(pieces: int, rng: np.random.Generator) -> Sample:
    """The same with all edges alike, and not turned: only a picture tells its pieces apart."""
    rows, columns = _rows_and_columns(pieces)
    longer = max(rows, columns)
    target = shapely.box(0.0, 0.0, columns / longer, rows / longer)
    return fractured(target, JigsawParams(rows=rows, columns=columns, alike=True), rng, rotations=FIXED)


def _mondrian(pieces: int, rng: np.random.Generator) -> Sample:
    """A square cut into rectangles, not turned."""
    kind = PuzzleKind(shape=named_shape("mondrian"), pieces=pieces)
    return next(make_samples(kind, seed=int(rng.integers(2**31)), stop=1))


def _crosscut(cuts: int, rng: np.random.Generator) -> Sample:
    return fractured(random_convex(rng), CrosscutParams(cuts=cuts), rng)


def _voronoi(pieces: int, rng: np.random.Generator) -> Sample:
    return fractured(random_convex(rng), VoronoiParams(pieces=pieces), rng)


_SQUARE, _DISC = named_shape("square").outline, named_shape("disc").outline
# What puzzles of a kind are made of, given how many pieces, or cuts.
KINDS: Mapping[str, Maker] = {
    "jagged": lambda pieces, rng: fractured(_SQUARE, BrokenParams(pieces=pieces, roughness=JAGGED), rng),
    "wavy": lambda pieces, rng: fractured(_SQUARE, BrokenParams(pieces=pieces, roughness=WAVY), rng),
    "mixed": lambda pieces, rng: fractured(_SQUARE, BrokenParams(pieces=pieces, straight=0.5), rng),
    "y-cracks": lambda pieces, rng: fractured(_SQUARE, CracksParams(pieces=pieces, later=0.0), rng),
    "t-cracks": lambda pieces, rng: fractured(_SQUARE, CracksParams(pieces=pieces, later=0.5), rng),
    "bowed": lambda pieces, rng: fractured(_SQUARE, BowedParams(pieces=pieces), rng),
    "sectors": lambda pieces, rng: fractured(
        _DISC, SectorsParams(pieces=pieces, rings=rings_for(pieces)), rng
    ),
    "jigsaw": _jigsaw,
    "alike": _alike,
    "mondrian": _mondrian,
    "crosscut": _crosscut,
    "voronoi": _voronoi,
}


def _cells(
    kinds: Iterable[str],
    inputs: Iterable[str],
    goals: Mapping[tuple[int, int] | int, tuple[float | None, float | None]],
) -> tuple[ContourCell, ...]:
    """Cells for all combinations; goals, with a target and without, by the number of pieces."""
    found: list[ContourCell] = []
    for kind, (pieces, both), name in product(kinds, goals.items(), inputs):
        count = pieces if isinstance(pieces, tuple) else (pieces, pieces)
        for target, goal in zip((True, False), both, strict=True):
            found.append(ContourCell(kind=kind, pieces=count, input=name, target=target, goal=goal))
    return tuple(found)


def _levels(
    kind: str, pieces: tuple[int, int], covered: Sequence[float], in_order: Mapping[int, float]
) -> tuple[ContourCell, ...]:
    """Cells of a published protocol: what is covered without a target, and with one the share in order.

    Where corners are off by more than a percent, no arrangement has its pieces within one.
    """
    cell = ContourCell(kind=kind, pieces=pieces, puzzles=PUBLISHED_PUZZLES)
    found: list[ContourCell] = []
    for level in range(len(LEVELS)):
        seen = replace(cell, input=f"level-{level}")
        goal = covered[level] if level < len(covered) else None
        found.append(replace(seen, target=False, measure="covered", goal=goal))
        found.append(replace(seen, measure="in_order", goal=in_order.get(level)))
    return tuple(found)


# The inputs that goals are set for, and all that are looked at.
CLEAR = ("moved-0.05", "binary-300", "binary-1000")
CONTOUR_SUITES: Mapping[str, tuple[ContourCell, ...]] = {
    "broken": (
        *_cells(("jagged", "wavy"), CLEAR, {8: (1.0, 0.99), 16: (0.99, 0.97), 32: (0.95, 0.9)}),
        *_cells(("jagged",), CLEAR, {64: (0.95, 0.9), 128: (0.85, 0.75)}),
        *_cells(("jagged",), ("worn-0.5",), {8: (0.99, 0.9), 16: (0.95, 0.6)}),
        *_cells(("wavy",), ("worn-0.5",), {8: (0.85, 0.5), 16: (0.5, 0.2)}),
        *_cells(
            ("jagged",),
            ("binary-300+missing-1", "binary-300+missing-2", "binary-300+foreign-2"),
            {16: (0.97, 0.95)},
        ),
        *_cells(
            ("wavy",),
            ("binary-300+missing-1", "binary-300+missing-2", "binary-300+foreign-2"),
            {16: (0.9, 0.8)},
        ),
        *_cells(("mixed",), ("moved-0.05",), {16: (0.95, 0.85)}),
        *_cells(("y-cracks",), ("moved-0.1",), {(7, 16): (0.99, 0.95)}),
        *_cells(("y-cracks",), ("moved-0.2",), {(7, 16): (0.95, 0.85)}),
        *_cells(
            ("jagged", "wavy"),
            ("exact", "moved-0.2", "moved-0.5", "moved-1", "grey-300", "grey-1000", "worn-1", "worn-2"),
            {16: (None, None)},
        ),
        *_cells(("t-cracks", "bowed", "sectors"), ("moved-0.05", "binary-300"), {12: (None, None)}),
    ),
    "jigsaw": (
        *_cells(
            ("jigsaw",), ("binary-1000-a-piece",), {24: (1.0, 0.99), 100: (0.99, 0.95), 500: (0.95, 0.9)}
        ),
        *_cells(("jigsaw",), ("exact", "binary-100-a-piece"), {6: (None, None), 1000: (None, None)}),
    ),
    # Shape alone, and with paint; then what only paint can tell.
    "colour": (
        *(
            ContourCell(kind=kind, pieces=(pieces, pieces), input=name, solver=CONTOURS)
            for kind, pieces, name in product(
                ("jagged", "wavy"), (8, 16, 36), ("exact", "painted-512", "worn-1", "worn-1+painted-512")
            )
        ),
        *(
            ContourCell(kind="mondrian", pieces=(pieces, pieces), input=name, solver="search")
            for pieces, name in product((8, 16), ("missing-1", "missing-1+painted-512"))
        ),
        *(
            ContourCell(kind="alike", pieces=(pieces, pieces), input=name, solver="search")
            for pieces, name in product((24, 100), ("exact", "painted-40-a-piece"))
        ),
        # Paint alone, clean and worn: outlines are all the same.
        *(
            ContourCell(kind="alike", pieces=(pieces, pieces), input=name, solver=solver)
            for pieces, (name, solver) in product(
                (8, 16, 36),
                (("painted-40-a-piece", "search"), ("worn-1+painted-40-a-piece", "contours")),
            )
        ),
    ),
    "crosscut": _levels("crosscut", (3, 5), (0.995, 0.985, 0.97), {3: 0.98, 4: 0.8}),
    "voronoi": _levels("voronoi", (3, 15), (0.985, 0.97, 0.95), {}),
}
