"""Draws every picture that the documentation shows: ``python docs/make_pictures.py``."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from sherd.core.assembly import Assembly
from sherd.core.geometry import Rotations
from sherd.core.metrics import score
from sherd.core.puzzle import Sample
from sherd.draw import Picture, draw_assembly, draw_puzzle, draw_steps, piece_colours, write, write_gif
from sherd.generation.degradation import DegradationParams, degrade
from sherd.generation.fragmentation import FragmentationParams, generate_arrays
from sherd.generation.shapes import named_shape
from sherd.solvers import SOLVERS, MaxEvaluations

FOLDER = Path(__file__).parent / "pictures"


def main() -> None:
    """Write all pictures into docs/pictures."""
    hexagon, square = pick("hexagon", 474), pick("square", 330)
    steps = [Assembly(hexagon.truth.placements[: k + 1]) for k in range(len(hexagon.truth))]
    colours = piece_colours(hexagon.puzzle, hexagon.truth)
    write(draw_puzzle(hexagon.puzzle, colours=colours), FOLDER / "puzzle.svg")
    write(draw_steps(hexagon.puzzle, steps), FOLDER / "steps.svg")
    write_gif(hexagon.puzzle, steps, FOLDER / "assembly.gif")

    dropped = SOLVERS["random"]().solve(
        square.puzzle, stop=MaxEvaluations(1000), rng=np.random.default_rng(4)
    )
    write(draw_answer(square, square.truth), FOLDER / "assembly.svg")
    write(draw_answer(square, dropped.assembly), FOLDER / "flaws.svg")

    for kind in ("missing", "eroded", "distorted"):
        damaged = degrade(square, kind, DegradationParams(), np.random.default_rng(1))
        write(draw_answer(damaged, damaged.truth), FOLDER / f"{kind}.svg")


def pick(shape: str, index: int) -> Sample:
    """One puzzle of eight pieces, free to turn, of the set that seed 0 gives; all have sizeable pieces."""
    params = FragmentationParams(pieces=8, rotations=Rotations(None))
    arrays = generate_arrays(named_shape(shape), params, seed=0, start=index, stop=index + 1)
    return next(arrays.samples())


def draw_answer(sample: Sample, assembly: Assembly) -> Picture:
    """An assembly with its scores below."""
    scores = score(assembly, sample)
    words = [f"coverage {scores.coverage:.3f}", f"IoU {scores.iou:.3f}", f"overlap {scores.overlap:.3f}"]
    if scores.coverage_whole < scores.coverage:  # damage does not count, but says how much is gone
        words[0] += f" ({scores.coverage_whole:.3f} of the whole)"
    caption = ", ".join(words)
    return draw_assembly(sample.puzzle, assembly, caption=caption)


if __name__ == "__main__":
    main()
