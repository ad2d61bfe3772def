"""How well limits of time are kept, on puzzles that cannot be solved or hardly.

Each is given to each solver with each limit, the verdict included; auto takes contours first where pieces
are not straight. Exits with 1 if one of them ends more than a tenth of the limit and a second late. Compiling
does not count. The time of the processor stands beside the clock's: where it is much less, others had the
machine, and what is late says nothing.

    python benchmarks/limits.py [--limits 0.5 2] [--solvers search auto]
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import replace
from math import cos, pi, sin

import numpy as np
import shapely
from shapely import LineString, Polygon
from shapely.ops import split

from sherd.core.clock import working_seconds
from sherd.core.geometry import Pose, Rotations
from sherd.core.puzzle import Fragment, Puzzle
from sherd.generation import fragmentation
from sherd.generation.broken import BrokenParams
from sherd.generation.dataset import PuzzleKind, make_samples
from sherd.generation.fractal import JAGGED
from sherd.generation.fracture import fractured
from sherd.solvers import Assembler
from sherd.solvers.run import solver_names

# Beyond a limit a search may go on for a tenth of it and a second.
SHARE, GRACE = 0.1, 1.0
# What is loaded and compiled is so before anything is measured.
WARM_UP = 0.1
FREE = Rotations(None)


def generated(pieces: int, seed: int, noise: float = 0.0) -> Puzzle:
    return next(
        make_samples(PuzzleKind(pieces=pieces, rotations=FREE, noise=noise), seed=seed, stop=1)
    ).puzzle


def wavy(*, hole: bool) -> Puzzle:
    """Four pieces of 150 vertices that fit nowhere."""
    along = np.linspace(0.0, 1.0, 150)
    bank = np.column_stack([0.24 + 0.004 * np.sin(19.0 * along), along])
    holes = [shapely.box(0.1, 0.48, 0.14, 0.52).exterior.coords] if hole else []
    outline = Pose(-0.12, -0.5).apply(Polygon([*bank, (0.0, 1.0), (0.0, 0.0)], holes))
    return Puzzle(shapely.box(0, 0, 1, 1), tuple(Fragment(str(k), outline) for k in range(4)), FREE)


def combs(teeth: int, pieces: int) -> Puzzle:
    """Combs of many corners, no two alike, in a box with room to spare."""
    fragments: list[Fragment] = []
    for number in range(pieces):
        depth = 0.2 + 0.01 * number
        corners = [(0.0, 0.0), (float(teeth), 0.0)]
        for tooth in reversed(range(teeth)):
            corners += [(tooth + 1.0, 1.0), (tooth + 0.5, 1.0), (tooth + 0.5, depth), (float(tooth), depth)]
        fragments.append(Fragment(str(number), Polygon(corners)))
    return Puzzle(shapely.box(0, 0, teeth, 0.9 * pieces), tuple(fragments), FREE)


def disc(corners: int) -> Puzzle:
    """A disc of many corners cut by four lines."""
    angles = 2.0 * pi * np.arange(corners) / corners
    target = Polygon(np.column_stack([np.cos(angles), np.sin(angles)]))
    parts, rng = [target], np.random.default_rng(1)
    for number in range(4):
        angle = 6.0 * rng.random()
        line = LineString(
            [
                (-3.0 * cos(angle) + number / 10.0, -3.0 * sin(angle)),
                (3.0 * cos(angle), 3.0 * sin(angle) + number / 10.0),
            ]
        )
        parts = [piece for part in parts for piece in split(part, line).geoms if isinstance(piece, Polygon)]
    fragments = tuple(
        Fragment(str(number), Pose(part.centroid.x, part.centroid.y).inverse().apply(part))
        for number, part in enumerate(parts)
    )
    return Puzzle(target, fragments, FREE)


def torn(pieces: int) -> Puzzle:
    """A square torn along jagged lines."""
    params = BrokenParams(pieces=pieces, roughness=JAGGED)
    return fractured(shapely.box(0, 0, 1, 1), params, np.random.default_rng(1)).puzzle


def puzzles() -> dict[str, Puzzle]:
    thousand = generated(1000, seed=2)
    return {
        "30 pieces, corners moved by 1 %": generated(30, seed=1, noise=0.01),
        "a thousand, another target": replace(
            thousand, target=Pose(theta=0.3).apply(shapely.box(0, 0, 1.0, 1.001))
        ),
        "a thousand, one lost": replace(thousand, fragments=thousand.fragments[1:]),
        "4 of 150 vertices that fit nowhere": wavy(hole=False),
        "the same with holes": wavy(hole=True),
        "14 combs of 162 corners": combs(40, 14),
        "a disc of 4,000 corners": disc(4000),
        "a sheet torn into 16": torn(16),
        "a sheet torn into 64, one lost": replace(torn(64), fragments=torn(64).fragments[1:]),
    }


def main() -> int:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--limits", type=float, nargs="+", default=[0.5, 2.0], help="seconds")
    parser.add_argument("--solvers", nargs="+", default=["search", "auto"], metavar="NAME")
    asked = parser.parse_args()
    for name in asked.solvers:
        solver_names(name)  # which knows them all
    fragmentation.BLOCK = 1  # one puzzle is cut, not a block of them
    assemblers, late = {name: Assembler(name) for name in asked.solvers}, False
    print(f"{'':36} {'solver':8} {'limit s':>8} {'took s':>8} {'of CPU':>8} {'placed':>12}")
    for name, puzzle in puzzles().items():
        for solver, assembler in assemblers.items():
            assembler(puzzle, seconds=WARM_UP, rng=np.random.default_rng(0))
            for limit in asked.limits:
                started, busy = working_seconds(), time.process_time()
                _, result = assembler(puzzle, seconds=limit, rng=np.random.default_rng(0))
                took, busy = working_seconds() - started, time.process_time() - busy
                over = took > (1.0 + SHARE) * limit + GRACE
                late = late or over
                placed = f"{len(result.assembly)} of {len(puzzle.fragments)}"
                said = f"{name:36} {solver:8} {limit:8.1f} {took:8.2f} {busy:8.2f} {placed:>12}"
                print(f"{said}{'  late' if over else ''}", flush=True)
    return int(late)


if __name__ == "__main__":
    sys.exit(main())
