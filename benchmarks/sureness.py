"""How often the place of a piece is right, by what a plan calls it: ``python benchmarks/sureness.py``.

A place is right if the piece lies within 6 % of the target's size of where it was cut from, or a like one
does. Fails if a piece that was called certain lies elsewhere.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from dataclasses import replace
from typing import get_args

import numpy as np

from sherd.core.assembly import Assembly
from sherd.core.geometry import Rotations
from sherd.core.puzzle import Sample
from sherd.generation.dataset import PuzzleKind, make_samples
from sherd.layout.holding import moved_pieces
from sherd.plan import Band, lay_out, plan_result
from sherd.solvers.run import Assembler

FREE = Rotations(None)
# The kind of puzzle, and how far apart outlines may lie and still touch, as a share of the target's size.
KINDS: dict[str, tuple[PuzzleKind, float]] = {
    "exact, 8 pieces": (PuzzleKind(pieces=8, rotations=FREE), 1e-3),
    "exact, any shape, 12 pieces": (PuzzleKind(pieces=12, rotations=FREE, dissection="merged"), 1e-3),
    "one missing of 8": (PuzzleKind(pieces=8, rotations=FREE, degradation="missing"), 1e-3),
    "vertices off by 0.2 %, 8 pieces": (PuzzleKind(pieces=8, rotations=FREE, noise=0.002), 5e-3),
    "4 of 8 eroded": (PuzzleKind(pieces=8, rotations=FREE, degradation="eroded"), 5e-3),
    "4 of 8 distorted": (PuzzleKind(pieces=8, rotations=FREE, degradation="distorted"), 5e-3),
}
RIGHT = 0.06


def main() -> int:
    """Print a row a kind, right and wrong pieces by band."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--seed", type=int, default=8000)
    parser.add_argument("--seconds", type=float, default=5.0)
    options = parser.parse_args()
    print(f"{'right of all':34}" + "".join(f"{band:>14}" for band in get_args(Band)) + "   set aside")
    wrongly_certain = 0
    for name, (kind, tolerance) in KINDS.items():
        tally: Counter[tuple[str, bool]] = Counter()
        aside = 0
        for sample in make_samples(kind, seed=options.seed, stop=options.count):
            found, left = judge(sample, tolerance, options.seconds)
            tally += found
            aside += left
        cells = "".join(
            f"{f'{tally[band, True]} of {tally[band, True] + tally[band, False]}':>14}"
            for band in get_args(Band)
        )
        print(f"{name:34}{cells}{aside:12}", flush=True)
        wrongly_certain += tally["certain", False]
    return 1 if wrongly_certain else 0


def judge(sample: Sample, tolerance: float, seconds: float) -> tuple[Counter[tuple[str, bool]], int]:
    """How many pieces of each band are right and wrong, and how many have no place."""
    puzzle = sample.puzzle
    _, result = Assembler("search")(puzzle, seconds=seconds, rng=np.random.default_rng(0), most=5)
    layout = replace(lay_out(puzzle, result.assembly), tolerance=tolerance)
    plan = plan_result(layout, puzzle, result)
    wrong = moved_pieces(puzzle, result.assembly, [Assembly(sample.truth.placements)], RIGHT)
    tally = Counter((hold.band, name not in wrong) for name, hold in plan.holds.items())
    return tally, len(layout.set_aside)


if __name__ == "__main__":
    sys.exit(main())
