"""How long the learned solvers take a puzzle on a CPU: the matcher against the compact FAN and the search.

All of a row assemble the same puzzles, one after the other, in turns; FAN's weights know no rotations. There
are as many threads as torch takes of itself, or as OMP_NUM_THREADS says. Without shipped weights the matcher
has random ones, which take as long. Exits with 1 if the matcher takes more than half a second for 8 pieces
that are not turned, or more than 3 seconds for 8 pieces at 20 rotations.

    python benchmarks/assembling.py [--puzzles 5] [--shape square] [--weights FILE]
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path

import numpy as np
import torch

from sherd.dataset import PuzzleKind, make_samples
from sherd.errors import UnsupportedError
from sherd.geometry import Rotations
from sherd.learn.matcher import Matcher, MatcherConfig
from sherd.learn.matcher_learner import MatcherLearner
from sherd.puzzle import Puzzle
from sherd.shapes import named_shape
from sherd.solvers import MaxSeconds, Solver, make_solver, run
from sherd.solvers.matcher import MatcherSolver

# Pieces and rotations of each row, and the most seconds that the matcher may take.
ROWS = ((8, 1, 0.5), (8, 4, None), (8, 20, 3.0), (16, 1, None), (32, 1, None))
SEED = 3
LONGEST_SECONDS = 60.0


def make_matcher(weights: Path | None) -> MatcherSolver:
    """The matcher with these weights, else with the shipped ones, else with random ones."""
    if weights is not None:
        return MatcherSolver.load(weights)
    try:
        return MatcherSolver.shipped()
    except UnsupportedError:
        torch.manual_seed(SEED)
        model = Matcher(MatcherConfig())
        torch.nn.init.normal_(model.shape_head.weight, std=0.2)  # or every pixel would be as likely
        return MatcherSolver(MatcherLearner(model))


def timed(solvers: dict[str, Solver], puzzles: list[Puzzle]) -> dict[str, float]:
    """The median of the seconds a puzzle; the first puzzle only warms up."""
    seconds: dict[str, list[float]] = {name: [] for name in solvers}
    for puzzle in puzzles:
        for name, solver in solvers.items():
            started = time.perf_counter()
            run(solver, puzzle, stop=MaxSeconds(LONGEST_SECONDS), rng=np.random.default_rng(0))
            seconds[name].append(time.perf_counter() - started)
    return {name: float(np.median(taken[1:])) for name, taken in seconds.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--puzzles", type=int, default=5)
    parser.add_argument("--shape", default="square")
    parser.add_argument("--weights", type=Path, default=None)
    options = parser.parse_args()
    matcher = make_matcher(options.weights)
    search, fan = make_solver("search"), make_solver("fan")

    threads = torch.get_num_threads()
    print(
        f"{options.shape}, median of {options.puzzles} puzzles, ms; {threads} thread{'s' * (threads > 1)}, "
        f"{matcher.parameters / 1e6:.2f} M parameters"
    )
    print(
        f"{'pieces':>8} {'rotations':>9} {'search':>9} {'fan':>9} {'matcher':>9} {'/ fan':>7} {'at most':>8}"
    )
    slow = False
    for pieces, bins, most in ROWS:
        kind = PuzzleKind(shape=named_shape(options.shape), pieces=pieces, rotations=Rotations(bins))
        puzzles = [sample.puzzle for sample in make_samples(kind, seed=SEED, stop=options.puzzles + 1)]
        solvers: dict[str, Solver] = {"search": search, "matcher": matcher}
        if bins == 1:
            solvers["fan"] = fan
        found = timed(solvers, puzzles)
        ratio = f"{found['matcher'] / found['fan']:.1f}" if "fan" in found else ""
        cells = [f"{1e3 * found[name]:,.0f}" if name in found else "" for name in ("fan", "matcher")]
        print(
            f"{pieces:8} {bins:9} {1e3 * found['search']:9.1f} {cells[0]:>9} {cells[1]:>9} {ratio:>7} "
            f"{'' if most is None else f'{1e3 * most:,.0f}':>8}"
        )
        slow = slow or (most is not None and found["matcher"] > most)
    return 1 if slow else 0


if __name__ == "__main__":
    sys.exit(main())
