"""How fast IoU with one moved piece is: sherd's incremental areas against a shapely union.

The last piece of 8-piece puzzles is tried at random places while the other seven stay. Shapely unites all
eight each time and intersects them with the target, as `sherd.core.metrics` would, though by its plain and
faster overlay without a grid. Both must find the same IoU. Exits with 1 if the incremental areas are not
at least 20 times as fast, or if the two differ by more than the tolerance that is promised.

    python benchmarks/objective.py [--puzzles 5] [--poses 400] [--shape square]
"""

from __future__ import annotations

import argparse
import sys
import time

import numba
import numpy as np
import shapely
from numpy.typing import NDArray

from sherd.core.assembly import Assembly
from sherd.core.geometry import Pose
from sherd.core.puzzle import Sample
from sherd.generation.fragmentation import FragmentationParams, generate
from sherd.generation.shapes import named_shape
from sherd.solvers.objective import IOU_TOLERANCE, Objective, Parts, Rest, iou_with

LEAST_RATIO = 20.0
REPEATS = 5


def by_shapely(sample: Sample, poses: list[Pose]) -> NDArray[np.float64]:
    """IoU at each pose of the last piece, each time from a union of all pieces."""
    puzzle, last = sample.puzzle, sample.puzzle[sample.truth.placements[-1].id].polygon
    stays = puzzle.placed(Assembly(sample.truth.placements[:-1]))
    found: list[float] = []
    for pose in poses:
        together = shapely.union_all([*stays, pose.apply(last)])
        common = shapely.intersection(together, puzzle.target).area
        found.append(common / (together.area + puzzle.target.area - common))
    return np.array(found)


@numba.njit
def evaluate(rest: Rest, parts: Parts, piece: int, matrices: NDArray[np.float64]) -> NDArray[np.float64]:
    """IoU at every pose, in a compiled loop, as annealing has it."""
    found = np.empty(len(matrices))
    for k in range(len(matrices)):
        found[k] = iou_with(rest, parts, piece, matrices[k])
    return found


def by_areas(sample: Sample, poses: list[Pose], *, compiled: bool) -> tuple[NDArray[np.float64], float]:
    """The same by what the last piece adds to the others, traced once; and the seconds that it took."""
    objective = Objective(sample.puzzle)
    last = [fragment.id for fragment in sample.puzzle.fragments].index(sample.truth.placements[-1].id)
    matrices = np.array([objective.matrix(pose) for pose in poses])
    started = time.perf_counter()
    for _ in range(REPEATS):
        rest = objective.rest(Assembly(sample.truth.placements[:-1]))
        if compiled:
            found = evaluate(rest, objective.parts, last, matrices)
        else:
            found = np.array([objective.iou(rest, last, pose) for pose in poses])
    return found, (time.perf_counter() - started) / REPEATS


def main() -> int:
    parser = argparse.ArgumentParser(description="Incremental IoU against a shapely union.")
    parser.add_argument("--puzzles", type=int, default=5)
    parser.add_argument("--poses", type=int, default=400)
    parser.add_argument("--shape", default="square")
    arguments = parser.parse_args()
    rng = np.random.default_rng(0)
    samples = list(
        generate(named_shape(arguments.shape), FragmentationParams(pieces=8), count=arguments.puzzles, seed=7)
    )
    by_areas(samples[0], [Pose()], compiled=True)  # compiles
    plain, quick, called, off = 0.0, 0.0, 0.0, 0.0
    for sample in samples:
        poses = [Pose(x, y) for x, y in rng.random((arguments.poses, 2)).tolist()]
        started = time.perf_counter()
        expected = by_shapely(sample, poses)
        plain += time.perf_counter() - started
        found, seconds = by_areas(sample, poses, compiled=True)
        quick += seconds
        called += by_areas(sample, poses, compiled=False)[1]
        off = max(off, float(np.abs(found - expected).max()))
    count = len(samples) * arguments.poses
    ratio = plain / quick
    print(f"shapely union        {plain / count * 1e6:8.1f} us an evaluation")
    print(
        f"incremental areas    {quick / count * 1e6:8.1f} us in a compiled loop, tracing what stays included"
    )
    print(f"the same             {called / count * 1e6:8.1f} us if every one is called from Python")
    print(f"ratio                {ratio:8.1f} (at least {LEAST_RATIO:g})")
    print(f"largest difference   {off:8.1e} (at most {IOU_TOLERANCE:g})")
    return 0 if ratio >= LEAST_RATIO and off <= IOU_TOLERANCE else 1


if __name__ == "__main__":
    sys.exit(main())
