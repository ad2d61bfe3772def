"""How exactly masks become polygons again.

Fragments of puzzles of all four shapes, each at a random angle and sub-pixel offset, drawn where the
target's side is 128 px; anti-aliased, the same in 8 bits, and binary. The error of a vertex is its distance
in pixels from the matching true one, over the fragments whose number of vertices is right.

    python benchmarks/vectorise.py [--pieces 8 16 32 64] [--count 1000] [--seed 8000]

The vectoriser's constants were chosen on seeds 101 and 102. Exits with 1 if the fragments of 8-piece puzzles
come out worse than promised.
"""

from __future__ import annotations

import argparse
import sys
import time

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import Polygon

from sherd.core.errors import SherdError
from sherd.core.geometry import TAU, Pose
from sherd.core.grid import Grid
from sherd.generation.fragmentation import FragmentationParams, generate
from sherd.generation.shapes import SHAPES
from sherd.tracing.raster import binary, masks
from sherd.tracing.vectorise import vectorise

SIDE_PX = 128
GRID = Grid.centred((0.0, 0.0), 1.0 / SIDE_PX, 192)  # holds the longest piece at any angle


def as_is(cover: NDArray[np.float32]) -> NDArray[np.generic]:
    return cover


def in_8_bits(cover: NDArray[np.float32]) -> NDArray[np.generic]:
    return np.round(cover * 255.0) / 255.0


# For puzzles of 8 pieces: the median vertex error in pixels, and the share of wrong vertex counts.
PROMISED_PX = {"anti-aliased": 0.02, "8 bit": 0.02, "binary": 0.15}
PROMISED_WRONG = 0.01
MODES = {"anti-aliased": as_is, "8 bit": in_8_bits, "binary": binary}


def random_fragments(pieces: int, count: int, seed: int) -> list[Polygon]:
    """Fragments of all shapes alike, turned freely and laid off the pixel grid, in pixels of `GRID`."""
    rng = np.random.default_rng(seed)
    puzzles = -(-count // (len(SHAPES) * pieces))
    params = FragmentationParams(pieces=pieces)
    found = [
        fragment.polygon
        for make in SHAPES.values()
        for sample in generate(make(), params, count=puzzles, seed=seed)
        for fragment in sample.puzzle.fragments
    ]
    laid: list[Polygon] = []
    for k in rng.permutation(len(found))[:count]:
        turned = Pose(theta=rng.uniform(0.0, TAU)).apply(found[k])
        low_x, low_y, high_x, high_y = turned.bounds
        x, y = rng.uniform(-0.5, 0.5, 2) / SIDE_PX
        laid.append(Pose(x - (low_x + high_x) / 2.0, y - (low_y + high_y) / 2.0).apply(turned))
    return laid


def vertex_errors(true: Polygon, found: Polygon) -> NDArray[np.float64] | None:
    """Distances in pixels of the true vertices from the found ones, or None if their numbers differ."""
    first, second = (shapely.get_coordinates(shapely.normalize(p).exterior)[:-1] for p in (true, found))
    if len(first) != len(second):
        return None
    shifts = [np.linalg.norm(first - np.roll(second, k, axis=0), axis=1) for k in range(len(first))]
    return min(shifts, key=lambda distances: float(distances.sum())) / GRID.pixel


def main() -> int:
    parser = argparse.ArgumentParser(description="Vertex errors of vectorised masks.")
    parser.add_argument("--pieces", type=int, nargs="+", default=[8, 16, 32, 64])
    parser.add_argument("--count", type=int, default=1000, help="fragments a row")
    parser.add_argument("--seed", type=int, default=8000)
    options = parser.parse_args()
    kept = True
    print(f"{'mode':<13} pieces fragments  median px     p99 px  wrong count %  ms a fragment")
    for mode, seen_as in MODES.items():
        vectorise(seen_as(masks([Polygon([(0, 0), (0.3, 0), (0, 0.4)])], GRID)[0]), GRID)  # compiles
        for pieces in options.pieces:
            fragments = random_fragments(pieces, options.count, options.seed)
            errors: list[NDArray[np.float64]] = []
            seconds = 0.0
            for fragment in fragments:
                picture = seen_as(masks([fragment], GRID)[0])
                begin = time.perf_counter()
                try:
                    found = vectorise(picture, GRID)
                except SherdError:  # a sliver without a single half covered pixel
                    continue
                finally:
                    seconds += time.perf_counter() - begin
                distances = vertex_errors(fragment, found)
                if distances is not None:
                    errors.append(distances)
            every = np.concatenate(errors)
            wrong = 1.0 - len(errors) / len(fragments)
            if pieces == 8:
                kept &= float(np.median(every)) <= PROMISED_PX[mode] and wrong <= PROMISED_WRONG
            print(
                f"{mode:<13} {pieces:>6} {len(fragments):>9} {np.median(every):>10.6f} "
                f"{np.quantile(every, 0.99):>10.6f} {100 * wrong:>14.2f} "
                f"{1000 * seconds / len(fragments):>14.2f}",
                flush=True,
            )
    if not kept:
        print("fragments of 8-piece puzzles come out worse than promised", file=sys.stderr)
    return 0 if kept else 1


if __name__ == "__main__":
    sys.exit(main())
