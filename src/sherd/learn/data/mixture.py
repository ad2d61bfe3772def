"""Puzzles of many kinds as arrays of vertices, made by several processes: what a mixture is drawn from.

No torch here: the processes that make puzzles should start quickly.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import get_args

import numpy as np
from numpy.typing import NDArray
from shapely import Polygon

from sherd.core.errors import ArgumentError, TrainingError
from sherd.core.geometry import TAU, Pose, Rotations
from sherd.core.proper_polygons import make_polygon
from sherd.core.puzzle import Sample
from sherd.generation.dataset import CUTS, NO_DEGRADATION, Dissection, PuzzleKind, make_samples
from sherd.generation.degradation import Kind
from sherd.generation.fragmentation import generate_arrays
from sherd.generation.shapes import Shape, named_shape
from sherd.many.share import share as share_jobs

Floats = NDArray[np.float32]

# Puzzles made by one call of a process, and so by one target where targets are drawn at random.
CHUNK = 50
# Sets the random targets apart from what else is drawn from the same seed.
STREAM = 0x6D697874
# How far apart the corners of a random target lie at least, as a share of a turn about its middle.
LEAST_TURN = 0.06


@dataclass(frozen=True, kw_only=True)
class Share:
    """Puzzles of one size in a mixture: each of the shapes alike, ``weight`` times as often as weight 1.

    Besides the named shapes there are random-convex and, for merged pieces, random-simple, of which every
    50 puzzles have another one.
    """

    shapes: tuple[str, ...] = ("square",)
    pieces: int = 8
    rotations: int = 1
    degradation: Kind = NO_DEGRADATION
    dissection: Dissection = CUTS
    weight: float = 1.0

    def __post_init__(self) -> None:
        if not self.shapes:
            raise ArgumentError("shapes must name at least one shape")
        if not self.weight > 0.0:
            raise ArgumentError(f"weight must be greater than 0, not {self.weight}")
        if self.dissection not in get_args(Dissection):
            raise ArgumentError(f"dissection must be cuts or merged, not {self.dissection!r}")
        for name in self.shapes:
            self.kind(name, np.random.default_rng(0))

    @property
    def label(self) -> str:
        """What sets this share apart from others, in words.

        >>> Share(pieces=16, rotations=4).label
        'square 16 x 4'
        """
        damage = "" if self.degradation == NO_DEGRADATION else f" {self.degradation}"
        merged = "" if self.dissection == CUTS else " merged"
        shapes = self.shapes[0] if len(self.shapes) == 1 else f"{len(self.shapes)} shapes"
        return f"{shapes} {self.pieces} x {self.rotations}{damage}{merged}"

    def kind(self, name: str, rng: np.random.Generator) -> PuzzleKind:
        """Puzzles of one of the shapes; a random one is drawn anew."""
        return PuzzleKind(
            shape=RANDOM_SHAPES[name](rng) if name in RANDOM_SHAPES else named_shape(name),
            pieces=self.pieces,
            rotations=Rotations(self.rotations),
            degradation=self.degradation,
            dissection=self.dissection,
        )


def random_convex(rng: np.random.Generator) -> Shape:
    """A convex target of 3 to 8 corners."""
    corners = int(rng.integers(3, 9))
    while True:
        points = _around(corners, np.ones(corners), rng)
        shape = Shape("random-convex", Polygon(points).convex_hull)  # pyright: ignore[reportArgumentType]
        if shape.outline.area > 0.3:
            return shape


def random_simple(rng: np.random.Generator) -> Shape:
    """A target of 5 to 10 corners, of any distance from its middle."""
    while True:
        corners = int(rng.integers(5, 11))
        outline = Polygon(_around(corners, rng.uniform(0.4, 1.0, corners), rng))
        if outline.is_valid and outline.area > 0.3:
            return Shape("random-simple", make_polygon(np.asarray(outline.exterior.coords)[:-1].tolist()))


RANDOM_SHAPES: dict[str, Callable[[np.random.Generator], Shape]] = {
    "random-convex": random_convex,
    "random-simple": random_simple,
}


def _around(corners: int, far: NDArray[np.float64], rng: np.random.Generator) -> NDArray[np.float64]:
    """Corners about a middle, at random angles and these distances, stretched to fit the unit box."""
    gaps = LEAST_TURN + rng.dirichlet(np.ones(corners)) * (1.0 - corners * LEAST_TURN)
    angles = TAU * (np.cumsum(gaps) + rng.random())
    points = far[:, None] * np.stack([np.cos(angles), np.sin(angles)], axis=-1)
    points = points * (1.0, rng.uniform(0.6, 1.0))
    low, high = points.min(axis=0), points.max(axis=0)
    return (points - low) / (high - low).max()


@dataclass(frozen=True)
class PuzzleArrays:
    """P puzzles of N fragments; the target's box is centred at (0, 0) and its longer side is 1.

    vertices  (P, N, V, 2)  outlines in the fragments' own frames, padded with their last vertex; a fragment
                            that is not there has all of them at (0, 0)
    poses     (P, N, 3)     true x, y, and the angle as a number of bins
    targets   (P, T, 2)     the target's outline, padded alike
    """

    vertices: Floats
    poses: Floats
    targets: Floats


def make_arrays(
    shares: Sequence[Share],
    *,
    seed: int,
    count: int,
    workers: int = 1,
    on_made: Callable[[int, int], None] = lambda done, total: None,
) -> list[PuzzleArrays]:
    """``count`` puzzles of each share of a mixture; the same ones whatever the number of processes."""
    tasks = [
        (share, seed, number, min(CHUNK, count - first))
        for share in shares
        for number, first in enumerate(range(0, count, CHUNK))
    ]
    chunks: list[PuzzleArrays] = []

    def note(chunk: PuzzleArrays) -> None:
        chunks.append(chunk)
        on_made(min(len(chunks) * CHUNK, count * len(shares)), count * len(shares))

    for chunk in share_jobs(_MakeChunk(), tasks, workers=workers):
        note(chunk)
    each = len(tasks) // len(shares)
    return [joined(chunks[k : k + each]) for k in range(0, len(chunks), each)]


class _MakeChunk:
    """Some puzzles of a share, by what `_chunk` takes."""

    def __call__(self, job: tuple[Share, int, int, int]) -> PuzzleArrays:
        """The puzzles."""
        return _chunk(*job)

    def lost(self, job: tuple[Share, int, int, int], reason: str) -> PuzzleArrays:
        """There is nothing to train on in the place of puzzles that cannot be made."""
        raise TrainingError(f"puzzles of {job[0].label} cannot be made: {reason}")


def usable_processes() -> int:
    """How many processes this machine can run side by side."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _chunk(share: Share, seed: int, number: int, count: int) -> PuzzleArrays:
    """Puzzles of one shape: the shapes take turns."""
    name = share.shapes[number % len(share.shapes)]
    kind = share.kind(name, np.random.default_rng([seed, STREAM, number]))
    start = number * CHUNK
    if kind.is_plain and kind.dissection == CUTS:
        return _of_fragmentation(kind, seed, start, start + count)
    return arrays_of(list(make_samples(kind, seed=seed, start=start, stop=start + count)), share.pieces)


def _of_fragmentation(kind: PuzzleKind, seed: int, start: int, stop: int) -> PuzzleArrays:
    cut = generate_arrays(kind.shape, kind.fragmentation, seed=seed, start=start, stop=stop)
    middle, side = _box(cut.target)
    poses = cut.poses.copy()
    poses[..., :2] = (poses[..., :2] - middle) / side
    poses[..., 2] = np.round(poses[..., 2] / TAU * (cut.rotations.bins or 1))
    target = (kind.shape.vertices - middle) / side
    targets = np.broadcast_to(target, (len(cut), *target.shape))
    return PuzzleArrays(
        (cut.vertices / side).astype(np.float32), poses.astype(np.float32), targets.astype(np.float32)
    )


def arrays_of(samples: Sequence[Sample], pieces: int) -> PuzzleArrays:
    """Samples of at most ``pieces`` fragments as arrays, the fragments in the order of the truth."""
    outlines: list[list[NDArray[np.float64]]] = []
    targets: list[NDArray[np.float64]] = []
    poses = np.zeros((len(samples), pieces, 3), dtype=np.float32)
    for k, sample in enumerate(samples):
        bins = sample.puzzle.rotations.bins
        if bins is None:
            raise ArgumentError("a network chooses among rotation bins; free rotation has none")
        middle, side = _box(sample.puzzle.one_part)
        targets.append((_ring(sample.puzzle.one_part) - middle) / side)
        outlines.append([_ring(sample.puzzle[at.id].polygon) / side for at in sample.truth])
        for n, at in enumerate(sample.truth):
            pose: Pose = at.pose
            poses[k, n] = *((np.array([pose.x, pose.y]) - middle) / side), round(pose.theta / TAU * bins)
    longest = max(len(ring) for rings in outlines for ring in rings)
    vertices = np.zeros((len(samples), pieces, longest, 2), dtype=np.float32)
    for k, rings in enumerate(outlines):
        for n, ring in enumerate(rings):
            vertices[k, n] = _lengthened(ring, longest)
    most = max(len(ring) for ring in targets)
    return PuzzleArrays(
        vertices, poses, np.stack([_lengthened(ring, most) for ring in targets]).astype(np.float32)
    )


def joined(parts: Sequence[PuzzleArrays]) -> PuzzleArrays:
    """All puzzles of several arrays in one."""
    longest = max(part.vertices.shape[2] for part in parts)
    most = max(part.targets.shape[1] for part in parts)
    return PuzzleArrays(
        np.concatenate([_lengthened(part.vertices, longest) for part in parts]),
        np.concatenate([part.poses for part in parts]),
        np.concatenate([_lengthened(part.targets, most) for part in parts]),
    )


def _lengthened(rings: NDArray[np.floating], count: int) -> NDArray[np.floating]:
    """Rings (..., V, 2) padded with their last vertex."""
    missing = count - rings.shape[-2]
    return np.concatenate([rings, np.repeat(rings[..., -1:, :], missing, axis=-2)], axis=-2)


def _ring(polygon: Polygon) -> NDArray[np.float64]:
    return np.asarray(polygon.exterior.coords)[:-1]


def _box(target: Polygon) -> tuple[NDArray[np.float64], float]:
    """The middle of a target's box and its longer side."""
    low_x, low_y, high_x, high_y = target.bounds
    return np.array([(low_x + high_x) / 2.0, (low_y + high_y) / 2.0]), max(high_x - low_x, high_y - low_y)
