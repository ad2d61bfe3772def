"""How long the learned solvers take a puzzle on a CPU: the matcher against the compact FAN and the search.

All of a row assemble the same puzzles, one after the other, in turns; FAN's weights know no rotations. There
are as many threads as torch takes of itself, or as OMP_NUM_THREADS says. Beside the matcher's time stands
that of the processor alone, which tells more on a busy machine. With --check it exits with 1 if the matcher
takes more than half a second for 8 pieces that are not turned, more than 3 seconds for 8 pieces at 20
rotations, or along a beam more than 10 seconds for those: to be asked on a machine with nothing else to do.

    python benchmarks/assembling.py [--puzzles 5] [--shape square] [--weights FILE] [--check]
"""

from __future__ import annotations

import argparse
import sys
import time
from pathlib import Path
from typing import NamedTuple

import numpy as np
import torch

from sherd.core.geometry import Rotations
from sherd.core.puzzle import Puzzle
from sherd.generation.dataset import PuzzleKind, make_samples
from sherd.generation.shapes import named_shape
from sherd.solvers import MaxSeconds, Solver, make_solver, run
from sherd.solvers.learned.matcher import MatcherSolver
from sherd.solvers.registry import load_solver

# Pieces and rotations of each row, and the most seconds that the matcher and its beam may take.
ROWS = ((8, 1, 0.5, None), (8, 4, None, None), (8, 20, 3.0, 10.0), (16, 1, None, None), (32, 1, None, None))
SEED = 3
LONGEST_SECONDS = 60.0
MATCHER, BEAM = "matcher", "matcher-beam"


class Taken(NamedTuple):
    """Seconds a puzzle, and those of them that the processor worked, of all its cores together."""

    seconds: float
    processor_seconds: float


def make_matcher(name: str, weights: Path | None) -> Solver:
    """The matcher, or its beam, with these weights, else with the shipped ones."""
    return make_solver(name) if weights is None else load_solver(name, weights)


def timed(solvers: dict[str, Solver], puzzles: list[Puzzle]) -> dict[str, Taken]:
    """The medians of each solver; the first puzzle only warms up."""
    taken: dict[str, list[Taken]] = {name: [] for name in solvers}
    for puzzle in puzzles:
        for name, solver in solvers.items():
            started, worked = time.perf_counter(), time.process_time()
            run(solver, puzzle, stop=MaxSeconds(LONGEST_SECONDS), rng=np.random.default_rng(0))
            taken[name].append(Taken(time.perf_counter() - started, time.process_time() - worked))
    return {name: Taken(*np.median(found[1:], axis=0).tolist()) for name, found in taken.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--puzzles", type=int, default=5)
    parser.add_argument("--shape", default="square")
    parser.add_argument("--weights", type=Path, default=None)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    matcher = make_matcher(MATCHER, options.weights)
    assert isinstance(matcher, MatcherSolver)
    every: dict[str, Solver] = {
        "search": make_solver("search"),
        "fan": make_solver("fan"),
        MATCHER: matcher,
        BEAM: make_matcher(BEAM, options.weights),
    }

    threads = torch.get_num_threads()
    print(
        f"{options.shape}, median of {options.puzzles} puzzles, ms; {threads} thread{'s' * (threads > 1)}, "
        f"{matcher.parameters / 1e6:.2f} M parameters"
    )
    print(
        f"{'pieces':>8} {'rotations':>9} {'search':>9} {'fan':>9} {'matcher':>9} {'processor':>9} "
        f"{'at most':>8} {'beam':>9} {'at most':>8}"
    )
    slow = False
    for pieces, bins, most, most_beam in ROWS:
        kind = PuzzleKind(shape=named_shape(options.shape), pieces=pieces, rotations=Rotations(bins))
        puzzles = [sample.puzzle for sample in make_samples(kind, seed=SEED, stop=options.puzzles + 1)]
        solvers = {name: solver for name, solver in every.items() if name != "fan" or bins == 1}
        found = timed(solvers, puzzles)
        fan = found["fan"].seconds if "fan" in found else None
        print(
            f"{pieces:8} {bins:9} {1e3 * found['search'].seconds:9.1f} {_ms(fan):>9} "
            f"{_ms(found[MATCHER].seconds):>9} {_ms(found[MATCHER].processor_seconds):>9} {_ms(most):>8} "
            f"{_ms(found[BEAM].seconds):>9} {_ms(most_beam):>8}"
        )
        slow = slow or any(
            limit is not None and found[name].seconds > limit
            for name, limit in ((MATCHER, most), (BEAM, most_beam))
        )
    return 1 if slow and options.check else 0


def _ms(seconds: float | None) -> str:
    return "" if seconds is None else f"{1e3 * seconds:,.0f}"


if __name__ == "__main__":
    sys.exit(main())
