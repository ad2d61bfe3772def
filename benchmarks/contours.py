"""How fast joints are screened: all positions of all pairs of outlines, compiled, against plain numpy.

Both compare every stretch of every outline with every stretch of every other after the best turn and shift,
and keep those that are more alike than the ones beside them. The plain program takes a stretch at a time and
lays all stretches of the other outline on it at once, point by point. A second one in numpy gets all
likenesses of a pair of outlines from one product of matrices, which is as good as numpy can do; what the
compiled program gains on it is told too. Both are timed on some of the pairs; making the stretches is not
timed, as for the compiled program. That all find the same is checked. Exits with 1 if the compiled program is
not at least 20 times as fast as the plain one, not faster than the product, or if they differ.

    python benchmarks/contours.py [--pieces 16] [--plain 4] [--repeats 3]
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from sherd.bench.contour_suites import ContourCell, make_sample
from sherd.solvers.contours.params import ContoursParams
from sherd.solvers.contours.scene import Scene, make_scene
from sherd.solvers.contours.screen import Windows, likest, make_windows

SEED = 3
TOLERANCE = 0.006
LENGTH = 0.6
LEAST_RATIO = 20.0
# Likeness is at least this much for a maximum to be counted; the few polynomials of the compiled program
# leave out a little of what two stretches differ by.
LEAST_LIKENESS = 2.0
LEAST_AGREED = 0.9
MOST = 400


def stretches(scene: Scene, piece: int, samples: int) -> NDArray[np.complex128]:
    """Every stretch of a piece's outline about its mean, (positions, samples)."""
    points = scene.outlines[piece][0].points
    half = samples // 2
    wrapped = np.concatenate([points[-half:], points, points[: samples - half]])
    views = np.lib.stride_tricks.sliding_window_view(wrapped, samples)[: len(points)]
    return views - views.mean(axis=1, keepdims=True)


def plain_likeness(
    first: NDArray[np.complex128], second: NDArray[np.complex128], soft: float
) -> NDArray[np.float64]:
    """How alike every stretch of one outline is to every stretch of the other, run the other way."""
    samples = first.shape[1]
    at = np.linspace(-1.0, 1.0, samples)
    at /= np.sqrt((at * at).sum())
    bend = [(np.abs(w) ** 2).sum(axis=1) - np.abs(w @ at) ** 2 for w in (first, second)]
    turned = second[:, ::-1]
    found = np.empty((len(first), len(second)))
    for k, stretch in enumerate(first):
        turns = (stretch * turned.conj()).sum(axis=1)
        turns /= np.abs(turns)
        off = np.abs(stretch - turns[:, None] * turned) ** 2
        worth = 0.5 * (bend[0][k] + bend[1]) / samples
        found[k] = worth / (off.sum(axis=1) / samples + soft * soft)
    return found


def product_likeness(
    first: NDArray[np.complex128], second: NDArray[np.complex128], soft: float
) -> NDArray[np.float64]:
    """The same from one product of matrices: |a|^2 + |b|^2 - 2 |a b*| after the best turn."""
    samples = first.shape[1]
    at = np.linspace(-1.0, 1.0, samples)
    at /= np.sqrt((at * at).sum())
    size = [(np.abs(w) ** 2).sum(axis=1) for w in (first, second)]
    bend = [one - np.abs(w @ at) ** 2 for one, w in zip(size, (first, second), strict=True)]
    off = size[0][:, None] + size[1] - 2.0 * np.abs(first @ second[:, ::-1].conj().T)
    return 0.5 * (bend[0][:, None] + bend[1]) / samples / (off / samples + soft * soft)


def maxima(alike: NDArray[np.float64]) -> set[tuple[int, int]]:
    """Positions that are more alike than the eight beside them."""
    around = np.max(
        [np.roll(alike, (i, j), (0, 1)) for i in (-1, 0, 1) for j in (-1, 0, 1) if (i, j) != (0, 0)], axis=0
    )
    return {(int(i), int(j)) for i, j in np.argwhere((alike > around) & (alike > LEAST_LIKENESS))}


def compiled_maxima(windows: Windows, pair: tuple[int, int], soft: float) -> set[tuple[int, int]]:
    """The same of the compiled program."""
    first, second, *_ = likest(windows, np.array([pair]), soft, LEAST_LIKENESS, MOST)
    low = windows.starts[list(pair)]
    return set(zip((first - low[0]).tolist(), (second - low[1]).tolist(), strict=True))


def agreed(found: set[tuple[int, int]], others: set[tuple[int, int]]) -> int:
    """How many have a like one within two positions."""
    return sum(any(abs(i - k) <= 2 and abs(j - m) <= 2 for k, m in others) for i, j in found)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--pieces", type=int, default=16)
    parser.add_argument("--plain", type=int, default=4, help="pairs that the plain program is timed on")
    parser.add_argument("--repeats", type=int, default=3)
    options = parser.parse_args()
    params = ContoursParams()
    cell = ContourCell(kind="jagged", pieces=(options.pieces, options.pieces), input="binary-300")
    puzzle = make_sample(cell, SEED, 0).puzzle
    scene = make_scene([fragment.polygon for fragment in puzzle.fragments], None, params, tolerance=TOLERANCE)
    samples = round(LENGTH / scene.spacing) | 1
    windows = make_windows(scene.outlines, samples=samples, degrees=params.degrees)
    soft = params.softening * TOLERANCE
    pairs = np.array(list(combinations(range(options.pieces), 2)))
    sizes = np.diff(windows.starts)
    likest(windows, pairs[:1], soft, LEAST_LIKENESS, MOST)  # compiles

    ratios: list[tuple[float, float]] = []
    for _ in range(options.repeats):
        started = time.perf_counter()
        likest(windows, pairs, soft, LEAST_LIKENESS, params.per_pair)
        compiled_rate = float((sizes[pairs[:, 0]] * sizes[pairs[:, 1]]).sum()) / (
            time.perf_counter() - started
        )
        found = same = 0
        seconds = dict.fromkeys((plain_likeness, product_likeness), 0.0)
        positions = 0.0
        for a, b in pairs[: options.plain].tolist():
            both = stretches(scene, a, samples), stretches(scene, b, samples)
            tops: list[set[tuple[int, int]]] = []
            for likeness in seconds:
                started = time.perf_counter()
                tops.append(maxima(likeness(*both, soft)))
                seconds[likeness] += time.perf_counter() - started
            assert tops[0] == tops[1]
            positions += float(sizes[a] * sizes[b])
            found += len(tops[0])
            same += agreed(tops[0], compiled_maxima(windows, (a, b), soft))
        plain_rate, product_rate = (positions / each for each in seconds.values())
        ratios.append((compiled_rate / plain_rate, compiled_rate / product_rate))
        print(
            f"{options.pieces} pieces, {len(windows.point):,} stretches: "
            f"compiled {compiled_rate / 1e6:,.1f} M, plain "
            f"{plain_rate / 1e6:,.2f} M, one product {product_rate / 1e6:,.1f} M pairs a second, "
            f"{ratios[-1][0]:.0f} and {ratios[-1][1]:.1f} times; "
            f"{same} of {found} maxima are the same"
        )
    plain, product = (statistics.median(column) for column in zip(*ratios, strict=True))
    print(
        f"median {plain:.0f} times the plain program, at least {LEAST_RATIO:.0f} wanted; "
        f"{product:.1f} times the product"
    )
    return 0 if plain >= LEAST_RATIO and product > 1.0 and same >= LEAST_AGREED * found else 1


if __name__ == "__main__":
    sys.exit(main())
