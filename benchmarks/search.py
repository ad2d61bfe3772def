"""How fast the search is: against the same search with shapely calls only, and against one FAN assembly.

All assemble the same exact square puzzles with free rotation; the network, which cannot turn pieces freely,
gets them with fixed ones. The search with shapely calls fills the corner with the fewest candidates first and
takes back what leads nowhere, as sherd's does, but keeps the region as shapely polygons and asks a prepared
one whether a piece lies inside. Exits with 1 if it is not beaten by a factor of at least 50 at 16 pieces.

    python benchmarks/search.py [--puzzles 5] [--shape square] [--record FILE]

With --record the growth of sherd's time from 4 to 256 pieces is measured too and written there, as JSON;
`docs/make_growth.py` draws it.
"""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import shapely
from shapely import Polygon
from shapely.geometry.base import BaseGeometry

from sherd.core.geometry import FIXED, Pose, Rotations
from sherd.core.puzzle import Puzzle
from sherd.generation.dataset import PuzzleKind, make_samples
from sherd.generation.shapes import named_shape
from sherd.io.atomic import write_atomically
from sherd.solvers import MaxSeconds, make_solver, run

LEAST_RATIO = 50.0
COMPARED = 16
PIECES = (8, 16, 64)
GROWTH = (4, 8, 16, 32, 64, 128, 256)
SEED = 3
# Lengths and angles that differ by less are the same.
SAME, SAME_ANGLE = 1e-7, 1e-4
# By shapely alone 64 pieces take minutes: beyond this the time is only known to be longer.
LONGEST_SECONDS = 60.0


def corners(ring: np.ndarray) -> Iterator[tuple[np.ndarray, float, float, float]]:
    """Each corner of a ring whose inside is to the left: place, direction and length of its edge, angle."""
    edges = np.roll(ring, -1, axis=0) - ring
    directions = np.arctan2(edges[:, 1], edges[:, 0])
    for k in range(len(ring)):
        angle = (math.pi - directions[k] + directions[k - 1]) % (2.0 * math.pi)
        yield ring[k], directions[k], float(np.hypot(*edges[k])), angle


def rings(region: BaseGeometry) -> Iterator[np.ndarray]:
    for part in shapely.get_parts(region):
        if part.area > SAME:
            part = shapely.orient_polygons(part)
            for ring in (part.exterior, *part.interiors):
                yield np.asarray(shapely.simplify(ring, SAME).coords)[:-1]


def candidates(
    room: BaseGeometry, at: np.ndarray, direction: float, angle: float, pieces: dict[str, Polygon]
) -> list[tuple[str, Pose, bool]]:
    """Pieces with a corner no wider than the region's, laid into it flush along its edge and inside."""
    found: list[tuple[str, Pose, bool]] = []
    for name, piece in pieces.items():
        for corner, own, _, own_angle in corners(np.asarray(piece.exterior.coords)[:-1]):
            if own_angle > angle + SAME_ANGLE:
                continue
            turn = Pose(theta=direction - own)
            x, y = at - turn.points(corner)
            pose = Pose(float(x), float(y), turn.theta)
            if shapely.covers(room, pose.apply(piece)):
                found.append((name, pose, own_angle > angle - SAME_ANGLE))
    return sorted(found, key=lambda one: not one[2])


def fill(region: BaseGeometry, pieces: dict[str, Polygon], ends: float) -> dict[str, Pose] | None:
    """Poses of all pieces so that they fill the region, or None."""
    if not pieces:
        return {}
    room = shapely.buffer(region, 10.0 * SAME, join_style="mitre")
    shapely.prepare(room)
    fewest: list[tuple[str, Pose, bool]] | None = None
    for ring in rings(region):
        for at, direction, _, angle in corners(ring):
            if angle < math.pi - SAME_ANGLE and time.perf_counter() < ends:
                ways = candidates(room, at, direction, angle, pieces)
                if fewest is None or len(ways) < len(fewest):
                    fewest = ways
    for name, pose, _ in fewest or ():
        if time.perf_counter() > ends:
            return None
        rest = {other: piece for other, piece in pieces.items() if other != name}
        left = shapely.difference(region, pose.apply(pieces[name]))
        for distance in (-SAME, SAME):  # slivers go
            left = shapely.buffer(left, distance, join_style="mitre")
        poses = fill(left, rest, ends)
        if poses is not None:
            return {name: pose, **poses}
    return None


def by_shapely(puzzle: Puzzle) -> bool:
    pieces = {fragment.id: shapely.orient_polygons(fragment.polygon) for fragment in puzzle.fragments}
    return fill(puzzle.target, pieces, time.perf_counter() + LONGEST_SECONDS) is not None


def by(solver_name: str) -> Callable[[Puzzle], bool]:
    solver = make_solver(solver_name)
    return lambda puzzle: (
        run(solver, puzzle, stop=MaxSeconds(LONGEST_SECONDS), rng=np.random.default_rng(0)).solved
    )


def puzzles(shape: str, pieces: int, count: int, rotations: Rotations) -> list[Puzzle]:
    kind = PuzzleKind(shape=named_shape(shape), pieces=pieces, rotations=rotations)
    return [sample.puzzle for sample in make_samples(kind, seed=SEED, stop=count)]


def timed(assemble: Callable[[Puzzle], bool], given: list[Puzzle]) -> tuple[float, int]:
    """The median of the seconds a puzzle, and how many were solved."""
    seconds: list[float] = []
    solved = 0
    for puzzle in given:
        started = time.perf_counter()
        solved += assemble(puzzle)
        seconds.append(time.perf_counter() - started)
    return float(np.median(seconds)), solved


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--puzzles", type=int, default=5)
    parser.add_argument("--shape", default="square")
    parser.add_argument("--record", type=Path, default=None)
    options = parser.parse_args()
    free = Rotations(None)
    search, network = by("search"), by("fan")
    for warm_up in (search, network):
        warm_up(puzzles(options.shape, 8, 1, FIXED)[0])

    ratios: dict[int, float] = {}
    print(f"{options.shape}, median of {options.puzzles} puzzles, ms (solved)")
    print(f"{'pieces':>8} {'search':>14} {'shapely only':>18} {'ratio':>7} {'fan':>14}")
    for pieces in PIECES:
        count = 1 if pieces > COMPARED else options.puzzles
        ours, solved = timed(search, puzzles(options.shape, pieces, options.puzzles, free))
        plain, plain_solved = timed(by_shapely, puzzles(options.shape, pieces, count, free))
        learned, learned_solved = timed(network, puzzles(options.shape, pieces, count, FIXED))
        ratios[pieces] = plain / ours
        print(
            f"{pieces:8} {1e3 * ours:9.2f} ({solved}) {1e3 * plain:13,.0f} ({plain_solved}) "
            f"{plain / ours:7,.0f} {1e3 * learned:9,.0f} ({learned_solved})"
        )

    if options.record is not None:
        growth: dict[str, dict[int, float]] = {}
        for name, rotations in (("1", FIXED), ("free", free)):
            growth[name] = {
                pieces: timed(search, puzzles(options.shape, pieces, options.puzzles, rotations))[0]
                for pieces in GROWTH
            }
        write_atomically(
            options.record, json.dumps({"shape": options.shape, "seconds": growth}, indent=1) + "\n"
        )
    return 0 if ratios[COMPARED] >= LEAST_RATIO else 1


if __name__ == "__main__":
    sys.exit(main())
