"""Draws what the matcher held likely while it assembled a hexagon: ``python docs/make_explanation.py``."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from sherd.dataset import PuzzleKind, make_samples
from sherd.draw import write
from sherd.draw.scores import draw_scores
from sherd.geometry import Rotations
from sherd.shapes import named_shape
from sherd.solvers import MaxEvaluations
from sherd.solvers.matcher import MatcherSolver

PICTURE = Path(__file__).parent / "pictures" / "explanation.png"


def main() -> None:
    kind = PuzzleKind(shape=named_shape("hexagon"), pieces=8, rotations=Rotations(4))
    puzzle = next(make_samples(kind, seed=4, stop=1)).puzzle
    matcher = MatcherSolver.shipped()
    result = matcher.solve(puzzle, stop=MaxEvaluations(100), rng=np.random.default_rng(0))
    write(draw_scores(puzzle, result.trace, matcher.explain(puzzle), result.certainty), PICTURE, zoom=1.0)


if __name__ == "__main__":
    main()
