"""How fast exact tiling is on a grid: the ladder with and without the search that knows the grid, in one run.

Puzzles are as contests set them (`--dissection lattice`), turned and mirrored. Of each kind: how many are
solved within the limit, the median of the seconds, and placements a second. Both sides get the same puzzles
and the same limit, one core each. At the end both promises are held against what was measured: 20 times
the placements a second, over puzzles that take both sides a second or more; and 4 times the puzzles solved,
counted over the kinds of which neither side solves all and at least one side some. With fewer than 60 s a
puzzle the latter is told and not promised. What was not measured is not held: without a puzzle that takes
both sides long, or at 60 s without a kind that neither solves whole, it fails and says so.

    python benchmarks/tiling.py [--shapes frame equal] [--pieces 20 30] [--puzzles 5] [--seconds 60]
        [--seed 3] [--workers 2] [--grid-only]
"""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import product

import numpy as np

from sherd.core.geometry import Rotations
from sherd.core.puzzle import Puzzle
from sherd.generation.dataset import PuzzleKind, make_samples, target_shape
from sherd.generation.polyominoes import PENTOMINO_BOXES
from sherd.solvers import MaxEvaluations, MaxSeconds, run
from sherd.solvers.search import LadderParams, SearchSolver
from sherd.solvers.search.ladder import LADDER

GRID_RUNG = "fill the grid"
WITHOUT_GRID = {
    heading: tuple(row for row in rows if row.name != GRID_RUNG) for heading, rows in LADDER.items()
}


@dataclass(frozen=True)
class Trial:
    """One puzzle of a set, and how it is searched."""

    shape: str
    pieces: int
    number: int
    seed: int
    seconds: float
    on_grid: bool


@dataclass(frozen=True)
class Outcome:
    """Whether it was solved, in which time and after how many placements."""

    solved: bool
    seconds: float
    tried: int
    placed: int


def puzzle_of(trial: Trial) -> Puzzle:
    kind = PuzzleKind(
        shape=target_shape(trial.shape, "lattice"),
        pieces=trial.pieces,
        rotations=Rotations(None),
        dissection="lattice",
        mirror=True,
    )
    samples = make_samples(kind, seed=trial.seed, start=trial.number, stop=trial.number + 1)
    return next(samples).puzzle


def measure(trial: Trial) -> Outcome:
    puzzle = puzzle_of(trial)
    solver = SearchSolver() if trial.on_grid else SearchSolver(LadderParams(table=WITHOUT_GRID))
    rng = np.random.default_rng(0)
    run(solver, puzzle, stop=MaxEvaluations(1), rng=rng)  # compiles
    result = run(solver, puzzle, stop=MaxSeconds(trial.seconds), rng=rng)
    return Outcome(result.solved, result.seconds, result.evaluations, len(result.assembly))


# What is promised: times the placements a second, and times the puzzles solved with so many seconds each.
FASTER, MORE_SOLVED, PROMISED_SECONDS = 20.0, 4.0, 60.0
# Seconds: what takes less says nothing of speed.
LONG = 1.0


@dataclass(frozen=True)
class Kind:
    """What both sides made of the puzzles of one kind."""

    before: list[Outcome]
    grid: list[Outcome]

    @property
    def is_open(self) -> bool:
        """Whether neither side solved all, and one of them some."""
        solved = [sum(one.solved for one in side) for side in (self.before, self.grid)]
        return 0 < max(solved) < len(self.grid)


def rate(outcomes: list[Outcome]) -> float:
    """Placements a second."""
    return sum(one.tried for one in outcomes) / max(sum(one.seconds for one in outcomes), 1e-9)


def held(kinds: list[Kind], seconds: float) -> bool:
    """Say how both sides compare, and whether that is what is promised."""
    pairs = [pair for kind in kinds for pair in zip(kind.before, kind.grid, strict=True)]
    long = [pair for pair in pairs if min(one.seconds for one in pair) >= LONG]
    before, grid = (rate([pair[side] for pair in long]) for side in (0, 1))
    faster = grid / before if before > 0.0 else 0.0
    print(f"placements a second, {len(long)} puzzles that take both long: {faster:.0f} times")
    opened = [kind for kind in kinds if kind.is_open]
    solved = [
        sum(one.solved for kind in opened for one in kind.before),
        sum(one.solved for kind in opened for one in kind.grid),
    ]
    every = sum(len(kind.grid) for kind in opened)
    print(
        f"solved in {seconds:g} s, {len(opened)} kinds that neither solves whole, {every} puzzles: "
        f"{solved[0]} before, {solved[1]} on the grid"
    )
    print(
        f"promised: {FASTER:.0f} times, and in {PROMISED_SECONDS:g} s {MORE_SOLVED:.0f} times as many solved"
    )
    is_promised = seconds >= PROMISED_SECONDS
    for what, measured in (("placements a second", long), ("puzzles solved", opened or not is_promised)):
        if not measured:
            print(f"nothing was measured of {what}: take more puzzles, harder ones or a longer limit")
    is_more = bool(opened) and solved[1] >= MORE_SOLVED * solved[0]
    return bool(long) and faster >= FASTER and (is_more or not is_promised)


def in_words(outcomes: list[Outcome]) -> str:
    solved = sum(one.solved for one in outcomes)
    median = float(np.median([one.seconds for one in outcomes]))
    return f"{solved:4} of {len(outcomes):3} {median:8.2f} s {rate(outcomes):10,.0f}"


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--shapes", nargs="+", default=["frame", "equal", "rectilinear", "polyomino"])
    parser.add_argument("--pieces", nargs="+", type=int, default=[20, 30])
    parser.add_argument("--puzzles", type=int, default=3)
    parser.add_argument("--seconds", type=float, default=10.0)
    parser.add_argument("--seed", type=int, default=3)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--grid-only", action="store_true")
    options = parser.parse_args()
    if options.puzzles < 1 or not options.seconds > 0.0 or options.workers < 1:
        parser.error("at least one puzzle, some time and one worker are needed to measure anything")
    sides = (True,) if options.grid_only else (False, True)
    print(
        f"{'':24} "
        + "  ".join(f"{'grid' if side else 'before':>14} {'median':>10} {'tries/s':>10}" for side in sides)
    )
    kinds: list[Kind] = []
    with ProcessPoolExecutor(options.workers) as pool:
        for shape, pieces in product(options.shapes, options.pieces):
            own = 12 if shape in PENTOMINO_BOXES else pieces
            found: list[list[Outcome]] = []
            for side in sides:
                trials = [
                    Trial(shape, own, number, options.seed, options.seconds, side)
                    for number in range(options.puzzles)
                ]
                found.append(list(pool.map(measure, trials)))
            print(f"{shape + ', ' + str(own):24} " + "  ".join(map(in_words, found)), flush=True)
            if not options.grid_only:
                kinds.append(Kind(*found))
    return 0 if options.grid_only or held(kinds, options.seconds) else 1


if __name__ == "__main__":
    sys.exit(main())
