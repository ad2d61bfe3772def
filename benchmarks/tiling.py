"""How fast exact tiling is on a grid: the ladder with and without the search that knows the grid, in one run.

Puzzles are as contests set them (`--dissection lattice`), turned and mirrored. Of each kind: how many are
solved within the limit, the median of the seconds, and placements a second. Both sides get the same puzzles
and the same limit, one core each.

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


def in_words(outcomes: list[Outcome]) -> str:
    solved = sum(one.solved for one in outcomes)
    rate = sum(one.tried for one in outcomes) / max(sum(one.seconds for one in outcomes), 1e-9)
    median = float(np.median([one.seconds for one in outcomes]))
    return f"{solved:4} of {len(outcomes):3} {median:8.2f} s {rate:10,.0f}"


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
    sides = (True,) if options.grid_only else (False, True)
    print(
        f"{'':24} "
        + "  ".join(f"{'grid' if side else 'before':>14} {'median':>10} {'tries/s':>10}" for side in sides)
    )
    with ProcessPoolExecutor(options.workers) as pool:
        for shape, pieces in product(options.shapes, options.pieces):
            own = 12 if shape in PENTOMINO_BOXES else pieces
            words: list[str] = []
            for side in sides:
                trials = [
                    Trial(shape, own, number, options.seed, options.seconds, side)
                    for number in range(options.puzzles)
                ]
                words.append(in_words(list(pool.map(measure, trials))))
            print(f"{shape + ', ' + str(own):24} " + "  ".join(words), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
