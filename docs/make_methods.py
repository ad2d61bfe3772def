"""Draws test puzzles of each shape as every method assembles them: ``python docs/make_methods.py``.

They are the first of the test split that the tables are measured on; the note below each is its coverage.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from sherd.bench.suites import TEST_SPLIT
from sherd.core.metrics import score
from sherd.core.puzzle import Sample
from sherd.draw import Compared, draw_comparison, write
from sherd.generation.dataset import PuzzleKind, make_samples
from sherd.generation.shapes import named_shape
from sherd.solvers import MaxSeconds, make_solver, run

PICTURES = Path(__file__).parent / "pictures"
PUZZLES = 5
# Of the figures that the pictures stand beside.
REPORT_SEED = 7000
SHAPES = ("square", "pentagon", "hexagon", "mondrian")
SECONDS = {"annealing": 1.0, "bayesopt": 5.0, "vgan": 10.0, "fan": 10.0, "matcher": 10.0, "search": 10.0}
# The paper trains V-GAN on these alone, and so do we.
OF_VGAN = ("square", "mondrian")


def assembled(method: str, number: int, sample: Sample) -> Compared:
    rng = np.random.default_rng([REPORT_SEED, number])
    result = run(make_solver(method), sample.puzzle, stop=MaxSeconds(SECONDS[method]), rng=rng)
    coverage = score(result.assembly, sample).coverage
    return Compared(sample.puzzle, result.assembly, f"{coverage:.1%}")


def main() -> None:
    first = TEST_SPLIT.start
    for shape in SHAPES:
        kind = PuzzleKind(shape=named_shape(shape))
        samples = list(make_samples(kind, seed=REPORT_SEED, start=first, stop=first + PUZZLES))
        rows = {"truth": [Compared(sample.puzzle, sample.truth) for sample in samples]}
        for method in SECONDS:
            if method != "vgan" or shape in OF_VGAN:
                rows[method] = [assembled(method, first + k, sample) for k, sample in enumerate(samples)]
        for suffix in (".svg", ".png"):
            write(draw_comparison(rows), PICTURES / f"methods-{shape}{suffix}", zoom=1.0)


if __name__ == "__main__":
    main()
