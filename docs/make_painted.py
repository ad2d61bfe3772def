"""Draws painted test puzzles, on pictures that no network was trained on, as FAN assembles them.

    python experiments/photographs.py photographs
    python docs/make_painted.py photographs [--weights RUN]

Without weights it is the compact FAN that ships, which sees outlines alone and ignores the paint.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np

from sherd.bench.suites import TEST_SPLIT
from sherd.core.metrics import score
from sherd.core.puzzle import Sample
from sherd.draw import Compared, draw_comparison, write
from sherd.generation.dataset import PuzzleKind, make_samples
from sherd.solvers import MaxSeconds, run
from sherd.solvers.learned.fan import FanSolver

PICTURES = Path(__file__).parent / "pictures"
PUZZLES = 5
# Of the figures that the picture stands beside.
REPORT_SEED = 7000
SECONDS = 10.0


def assembled(solver: FanSolver, number: int, sample: Sample) -> Compared:
    rng = np.random.default_rng([REPORT_SEED, number])
    result = run(solver, sample.puzzle, stop=MaxSeconds(SECONDS), rng=rng)
    coverage = score(result.assembly, sample).coverage
    return Compared(sample.puzzle, result.assembly, f"{coverage:.1%}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("images", type=Path, help="the folder of images")
    parser.add_argument("--weights", type=Path, help="of a FAN that was trained on painted puzzles")
    options = parser.parse_args()
    solver = FanSolver.shipped() if options.weights is None else FanSolver.load(options.weights)
    kind = PuzzleKind(texture=f"{options.images}", images="test")
    first = TEST_SPLIT.start
    samples = list(make_samples(kind, seed=REPORT_SEED, start=first, stop=first + PUZZLES))
    rows = {
        "truth": [Compared(sample.puzzle, sample.truth) for sample in samples],
        "fan": [assembled(solver, first + k, sample) for k, sample in enumerate(samples)],
    }
    write(draw_comparison(rows), PICTURES / "painted.png", zoom=1.0)


if __name__ == "__main__":
    main()
