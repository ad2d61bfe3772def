"""How fast puzzles are cut: sherd's array code against a plain shapely program that cuts one at a time.

Both do the same job: cut the unit square into 8 pieces by the paper's rules, shuffle them, centre each in a
frame of its own, turn it to one of 20 angles, and put the pieces in bottom-left order. That both draw the
same kind of puzzle is checked on the pieces' areas and outlines. Exits with 1 if the array code is not at
least 50 times as fast, or if the puzzles differ.

    python benchmarks/fragmentation.py [--count 5000] [--plain 500] [--repeats 5]
"""

from __future__ import annotations

import argparse
import math
import random
import statistics
import sys
import time
from collections.abc import Callable

import numpy as np
from shapely import LineString, Polygon
from shapely.affinity import rotate, translate
from shapely.geometry.polygon import orient
from shapely.ops import split

from sherd.core.geometry import Rotations
from sherd.generation.fragmentation import FragmentationParams, generate, generate_arrays
from sherd.generation.shapes import named_shape

ROUNDS = 3
BINS = 20
LEAST_RATIO = 50.0
# The two programs draw from different streams: their means may differ by this many standard errors.
MOST_SIGMAS = 4.0

PlainPiece = tuple[Polygon, tuple[float, float, float]]


def plain_cut(polygon: Polygon, rng: random.Random) -> list[Polygon]:
    """Two parts of a polygon, cut across two edges that are not adjacent."""
    corners = list(polygon.exterior.coords)[:-1]
    count = len(corners)
    first = rng.randrange(count)
    second = first + 2 + rng.randrange(count - 3)
    ends: list[tuple[float, float]] = []
    for edge in (first, second):
        (x0, y0), (x1, y1) = corners[edge % count], corners[(edge + 1) % count]
        share = rng.uniform(0.25, 0.75)
        ends.append((x0 + share * (x1 - x0), y0 + share * (y1 - y0)))
    (x0, y0), (x1, y1) = ends
    reach = 1e-6  # a line that ends on the outline may miss it by rounding
    line = LineString(
        [
            (x0 - reach * (x1 - x0), y0 - reach * (y1 - y0)),
            (x1 + reach * (x1 - x0), y1 + reach * (y1 - y0)),
        ]
    )
    return [orient(part) for part in split(polygon, line).geoms]


def plain_puzzle(target: Polygon, rng: random.Random) -> tuple[list[PlainPiece], list[int]]:
    """The pieces of one puzzle, each with its true pose, and the order of assembly."""
    parts = [target]
    for _ in range(ROUNDS):
        parts = [half for part in parts for half in plain_cut(part, rng)]
    rng.shuffle(parts)
    pieces: list[PlainPiece] = []
    for part in parts:
        centre = part.centroid
        theta = rng.randrange(BINS) * 2.0 * math.pi / BINS
        own = rotate(translate(part, -centre.x, -centre.y), -theta, origin=(0, 0), use_radians=True)
        pieces.append((own, (centre.x, centre.y, theta)))
    order = sorted(range(len(pieces)), key=lambda k: (pieces[k][1][1], pieces[k][1][0]))
    return pieces, order


def median_seconds(works: list[Callable[[int], object]], repeats: int) -> list[float]:
    """The median time of each program, run in turns so that all meet the same machine."""
    seconds: list[list[float]] = [[] for _ in works]
    for seed in range(repeats):
        for work, times in zip(works, seconds, strict=True):
            start = time.perf_counter()
            work(seed)
            times.append(time.perf_counter() - start)
    return [statistics.median(times) for times in seconds]


def facts(polygons: list[list[Polygon]]) -> dict[str, np.ndarray]:
    """What the two programs must agree on: for each puzzle, moments of its pieces."""
    areas = np.array([sorted(piece.area for piece in puzzle) for puzzle in polygons])
    corners = np.array([[len(piece.exterior.coords) - 1 for piece in puzzle] for puzzle in polygons])
    around = np.array([[piece.length for piece in puzzle] for puzzle in polygons])
    return {
        "sum of areas": areas.sum(axis=1),
        "variance of areas": areas.var(axis=1),
        "smallest area": areas[:, 0],
        "largest area": areas[:, -1],
        "mean perimeter": around.mean(axis=1),
        "mean number of vertices": corners.mean(axis=1),
    }


def same_kind(ours: list[list[Polygon]], plain: list[list[Polygon]]) -> bool:
    """Print the two programs' means side by side, and whether they agree within chance."""
    agree = True
    print(f"{'':>24}  {'sherd':>9}  {'plain':>9}  sigmas apart")
    other = facts(plain)
    for name, mine in facts(ours).items():
        theirs = other[name]
        error = math.sqrt(mine.var() / len(mine) + theirs.var() / len(theirs))
        apart = abs(mine.mean() - theirs.mean()) / max(error, 1e-9)
        agree &= apart <= MOST_SIGMAS
        print(f"{name:>24}  {mine.mean():9.5f}  {theirs.mean():9.5f}  {apart:.1f}")
    return agree


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--count", type=int, default=5000, help="puzzles of one array run")
    parser.add_argument("--plain", type=int, default=500, help="puzzles of one plain run")
    parser.add_argument("--repeats", type=int, default=5, help="runs of each; the median counts")
    options = parser.parse_args()

    shape = named_shape("square")
    params = FragmentationParams(pieces=2**ROUNDS, rotations=Rotations(BINS))

    def arrays(seed: int) -> object:
        return generate_arrays(shape, params, seed=seed, stop=options.count)

    def objects(seed: int) -> list[list[Polygon]]:
        samples = list(generate(shape, params, count=options.count, seed=seed))
        return [[fragment.polygon for fragment in sample.puzzle.fragments] for sample in samples]

    def plain(seed: int) -> list[list[Polygon]]:
        rng = random.Random(seed)
        puzzles = [plain_puzzle(shape.outline, rng) for _ in range(options.plain)]
        return [[piece for piece, _ in pieces] for pieces, _ in puzzles]

    agree = same_kind(objects(1), plain(1))
    seconds = median_seconds([arrays, objects, plain], options.repeats)
    array_rate, object_rate, plain_rate = (
        count / taken
        for count, taken in zip((options.count, options.count, options.plain), seconds, strict=True)
    )
    print(f"square, {2**ROUNDS} pieces, {BINS} rotations, puzzles per second (median of {options.repeats}):")
    print(f"  sherd, arrays   {array_rate:10,.0f}   {array_rate / plain_rate:6.1f} x plain")
    print(f"  sherd, Samples  {object_rate:10,.0f}   {object_rate / plain_rate:6.1f} x plain")
    print(f"  plain shapely   {plain_rate:10,.0f}")
    if not agree:
        print("the two programs do not draw the same kind of puzzle", file=sys.stderr)
    if array_rate < LEAST_RATIO * plain_rate:
        print(f"the arrays are less than {LEAST_RATIO:g} times as fast as plain shapely", file=sys.stderr)
    return 0 if agree and array_rate >= LEAST_RATIO * plain_rate else 1


if __name__ == "__main__":
    sys.exit(main())
