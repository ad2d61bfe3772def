"""Draws what the networks held likely while they assembled a hexagon: ``python docs/make_explanation.py``."""

from __future__ import annotations

from itertools import islice
from pathlib import Path

import numpy as np

from sherd.core.geometry import FIXED, Rotations
from sherd.draw import write
from sherd.draw.score_maps import draw_scores
from sherd.generation.dataset import PuzzleKind, make_samples
from sherd.generation.shapes import named_shape
from sherd.solvers import MaxEvaluations
from sherd.solvers.base import ExplainingSolver
from sherd.solvers.learned.fan import FanSolver
from sherd.solvers.learned.matcher import MatcherSolver

PICTURES = Path(__file__).parent / "pictures"


def draw(solver: ExplainingSolver, rotations: Rotations, picture: str) -> None:
    kind = PuzzleKind(shape=named_shape("hexagon"), pieces=8, rotations=rotations)
    puzzle = next(make_samples(kind, seed=4, stop=1)).puzzle
    result = solver.solve(puzzle, stop=MaxEvaluations(100), rng=np.random.default_rng(0))
    maps = list(islice(solver.explain(puzzle), len(result.trace)))
    seen = draw_scores(puzzle, result.trace, maps, result.certainty, result.chances)
    write(seen, PICTURES / picture, zoom=1.0)


def main() -> None:
    draw(FanSolver.shipped(), FIXED, "explanation-fan.png")
    draw(MatcherSolver.shipped(), Rotations(4), "explanation.png")


if __name__ == "__main__":
    main()
