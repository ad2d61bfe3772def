"""Puzzles for training: a fixed set that is drawn once, or an endless stream of fresh ones."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import shapely
import torch
from numpy.typing import NDArray
from torch import Tensor
from torch.nn import functional

from sherd.core.errors import ArgumentError
from sherd.core.geometry import TAU, Pose
from sherd.core.grid import Grid
from sherd.core.puzzle import Puzzle, Sample
from sherd.core.texture import Texture
from sherd.generation.dataset import PuzzleKind
from sherd.generation.fragmentation import BLOCK, Fragmentation, Order, fragment_block, generate_arrays
from sherd.learn.data.batch import SIZE_PX, PuzzleBatch, concatenate, fragment_images, own_grid
from sherd.learn.data.mirrors import from_bottom_left, mirrored, mirrors_of
from sherd.learn.data.mixture import usable_processes
from sherd.learn.training.interruption import Progress, no_progress
from sherd.many.generating import MakeSamples
from sherd.many.share import share
from sherd.tracing.raster import masks

Bytes = NDArray[np.uint8]
Floats = NDArray[np.float64]

# Fresh puzzles come from a seed of their own, so that none of them is met in validation or testing.
ENDLESS_SEED_OFFSET = 500_000
# Polygons drawn at once when a set is prepared: bounds the memory that drawing takes, and on a CPU also the
# time until it may be ended.
POLYGONS_AT_ONCE = 8192
POLYGONS_AT_ONCE_ON_CPU = 256
# Fewer damaged or painted puzzles than these are made sooner by one process than others are started.
PUZZLES_WORTH_PROCESSES = 2000
# Polygons whose drawing is compiled have multiples of this many corners.
CORNERS_STEP = 4


def polygons_at_once(device: torch.device, rotations: int) -> int:
    """How many polygons are drawn at once, each at ``rotations`` angles."""
    return max(1, (POLYGONS_AT_ONCE_ON_CPU if device.type == "cpu" else POLYGONS_AT_ONCE) // rotations)


def batch_of_arrays(
    puzzles: Fragmentation,
    device: torch.device,
    size_px: int = SIZE_PX,
    *,
    fused: bool = False,
    on_drawn: Progress = no_progress,
) -> PuzzleBatch:
    """Undamaged puzzles, drawn on the device; ``fused`` as in `fragment_images`."""
    every = np.arange(len(puzzles))[:, None]
    bins = puzzles.rotations.bins
    if bins is None:
        raise ArgumentError("a network chooses among rotation bins; free rotation has none")
    grid = Grid.around(puzzles.target, size_px)
    vertices = torch.tensor(puzzles.vertices[every, puzzles.order], dtype=torch.float32, device=device)
    poses = puzzles.poses[every, puzzles.order]
    flat = vertices.flatten(0, 1)
    if fused:  # few numbers of corners, so that few are compiled
        flat = functional.pad(flat, (0, 0, 0, -flat.shape[1] % CORNERS_STEP), mode="replicate")
    at_once = polygons_at_once(device, bins)
    parts: list[tuple[Tensor, Tensor]] = []
    for k in range(0, len(flat), at_once):
        on_drawn(k * len(puzzles) // len(flat), len(puzzles))
        parts.append(fragment_images(flat[k : k + at_once], bins, own_grid(grid), fused=fused))
    images, middles = (torch.cat(part).unflatten(0, vertices.shape[:2]) for part in zip(*parts, strict=True))
    target = torch.from_numpy(_bytes(masks([puzzles.target], grid))).to(device)
    target = target.expand(len(puzzles), 1, size_px, size_px)
    return _batch(images, target, middles.double().cpu().numpy(), poses, grid)


def batch_of_samples(
    samples: Sequence[Sample],
    device: torch.device,
    size_px: int = SIZE_PX,
    *,
    on_drawn: Progress = no_progress,
) -> PuzzleBatch:
    """Puzzles of any kind with their truth; all have one target, equally many fragments and rotations."""
    poses = np.array([[(p.pose.x, p.pose.y, p.pose.theta) for p in sample.truth] for sample in samples])
    order = [[placement.id for placement in sample.truth] for sample in samples]
    puzzles = [sample.puzzle for sample in samples]
    images, target, middles = puzzle_images(puzzles, order, size_px, on_drawn=on_drawn)
    grid = Grid.around(samples[0].puzzle.target, size_px)
    return _batch(
        torch.from_numpy(images).to(device), torch.from_numpy(target).to(device), middles, poses, grid
    )


def _batch(images: Tensor, target: Tensor, middles: Floats, poses: Floats, grid: Grid) -> PuzzleBatch:
    """Images with their truth: middles (B, N, R, 2) of the images, true poses (B, N, 3)."""
    bins = images.shape[2]
    turns = (np.round(poses[..., 2] / TAU * bins) % bins).astype(np.int64)
    middle = np.take_along_axis(middles, turns[..., None, None], axis=2)[:, :, 0]
    at = grid.to_pixels(np.stack([poses[..., :2] + middle, poses[..., :2]]))
    centres, centroids = torch.tensor(at, dtype=torch.float32, device=images.device)
    return PuzzleBatch(images, target, centres, torch.from_numpy(turns).to(images.device), centroids)


def puzzle_images(
    puzzles: Sequence[Puzzle],
    order: Sequence[Sequence[str]],
    size_px: int,
    *,
    on_drawn: Progress = no_progress,
) -> tuple[Bytes, Bytes, Floats]:
    """Images of the fragments, in this order by id, and of the targets, as `PuzzleBatch` holds them.

    Also where the middle of each image lies from the fragment's origin, (B, N, R, 2) in world units.
    """
    first = puzzles[0]
    if any(puzzle.target != first.target or puzzle.rotations != first.rotations for puzzle in puzzles):
        raise ArgumentError("puzzles of one batch must have the same target and rotations")
    grid = Grid.around(first.target, size_px)
    angles = first.rotations.angles
    fragments = [puzzle[name] for puzzle, names in zip(puzzles, order, strict=True) for name in names]
    channels = 1 if first.texture is None else 4
    images = np.zeros((len(fragments), len(angles), channels, size_px, size_px), dtype=np.uint8)
    outlines = np.array([fragment.polygon for fragment in fragments], dtype=object)
    corners, owner = shapely.get_coordinates(outlines, return_index=True)
    middles = np.empty((len(fragments), len(angles), 2))
    own = own_grid(grid)
    for k, angle in enumerate(angles.tolist()):
        turn = Pose(theta=angle)
        bounds = shapely.bounds(shapely.set_coordinates(outlines.copy(), turn.points(corners)))
        middles[:, k] = (bounds[:, :2] + bounds[:, 2:]) / 2.0
        moved = shapely.set_coordinates(outlines.copy(), turn.points(corners) - middles[owner, k])
        for start in range(0, len(fragments), POLYGONS_AT_ONCE_ON_CPU):
            part = slice(start, start + POLYGONS_AT_ONCE_ON_CPU)
            drawn = (k + start / len(fragments)) / len(angles)
            on_drawn(int(drawn * len(puzzles)), len(puzzles))
            images[part, k, 0] = _bytes(masks(moved[part], own))
            if channels == 4:
                owners = zip(images[part, k], fragments[part], middles[part, k].tolist(), strict=True)
                for image, fragment, middle in owners:
                    _colour(image, fragment.texture, own, Pose(-middle[0], -middle[1]) @ turn)
    target = np.zeros((len(puzzles), channels, size_px, size_px), dtype=np.uint8)
    target[:, 0] = _bytes(masks([first.target], grid))
    if channels == 4:
        for image, puzzle in zip(target, puzzles, strict=True):
            _colour(image, puzzle.texture, grid, Pose())
    own_shape = (len(puzzles), -1)
    return images.reshape(*own_shape, *images.shape[1:]), target, middles.reshape(*own_shape, len(angles), 2)


def _colour(image: Bytes, texture: Texture | None, grid: Grid, pose: Pose) -> None:
    """Fill the colours of an image (4, H, W), whose owner lies in it at this pose, where its mask is."""
    if texture is None:
        raise ArgumentError("either all puzzles and fragments of a batch are painted, or none is")
    row, column = np.nonzero(image[0])
    at = pose.inverse().points(grid.to_world(np.stack([column, row], axis=-1) + 0.5))
    colours = texture.sample(at) * (image[0, row, column, None] / 255.0)
    image[1:, row, column] = colours.round().astype(np.uint8).T


def _bytes(values: NDArray[np.float32]) -> Bytes:
    return (values * 255.0).round().astype(np.uint8)


def taught_in_mirrors(order: Order) -> bool:
    """Whether puzzles are taught in mirror images: not in the released code's orders, nor does it.

    Upside down they are other orders. Left and right exchanged they are the same, but that of two pieces at
    one height the left one goes first in "released".

    >>> taught_in_mirrors("random"), taught_in_mirrors("released-random")
    (True, False)
    """
    return not order.startswith("released")


@dataclass(frozen=True)
class FixedSet:
    """Puzzles drawn once and kept on the device; every epoch in an order of its own.

    ``mirrors`` are those of the targets: half of the steps, by chance, see the puzzles in each of them.
    """

    puzzles: PuzzleBatch
    seed: int
    mirrors: tuple[str, ...] = ()
    order: Order = "bottom-left"

    @classmethod
    def of(
        cls,
        kinds: Sequence[PuzzleKind],
        *,
        seed: int,
        part: range,
        device: torch.device,
        size_px: int = SIZE_PX,
        mirrors: bool = True,
        on_drawn: Progress = no_progress,
    ) -> FixedSet:
        """A part of the sets that the seed makes of each kind; all are taught in the same order."""
        drawn = [draw_set(kind, seed, part, device, size_px, on_drawn=on_drawn) for kind in kinds]
        puzzles, order = concatenate(drawn), kinds[0].order
        symmetric = mirrors and taught_in_mirrors(order)
        return cls(puzzles, seed, mirrors_of(puzzles.target) if symmetric else (), order)

    def examples(self, size: int) -> list[PuzzleBatch]:
        """A batch of each shape that batches have: there is one."""
        return [self.batch(0, size)]

    def batch(self, step: int, size: int) -> PuzzleBatch:
        """The batch of a training step: the same for the same step, whatever came before."""
        count = len(self.puzzles)
        epoch, batch = divmod(step, max(1, count // size))
        order = np.random.default_rng([self.seed, epoch]).permutation(count)[
            batch * size : (batch + 1) * size
        ]
        puzzles = self.puzzles[torch.from_numpy(order).to(self.puzzles.images.device)]
        chosen = np.random.default_rng([self.seed, step, len(self.mirrors)]).random(len(self.mirrors)) < 0.5
        for mirror, wanted in zip(self.mirrors, chosen, strict=True):
            puzzles = mirrored(puzzles, mirror) if wanted else puzzles
        return from_bottom_left(puzzles) if self.order == "bottom-left" else puzzles


def draw_set(
    kind: PuzzleKind,
    seed: int,
    part: range,
    device: torch.device,
    size_px: int = SIZE_PX,
    *,
    on_drawn: Progress = no_progress,
) -> PuzzleBatch:
    """A part of the set that the seed makes of this kind of puzzle, drawn.

    Plain ones are cut as arrays sooner than they could be sent; others are shared by processes if many.
    """
    if kind.is_plain:
        arrays = generate_arrays(kind.shape, kind.fragmentation, seed=seed, start=part.start, stop=part.stop)
        return batch_of_arrays(arrays, device, size_px, on_drawn=on_drawn)
    samples: list[Sample] = []
    make = MakeSamples(kind, seed)
    workers = usable_processes() if len(part) >= PUZZLES_WORTH_PROCESSES else 1
    for some in share(make, make.jobs(part), workers=workers):
        on_drawn(0, len(part))
        samples += some
    return batch_of_samples(samples, device, size_px, on_drawn=on_drawn)


def kept_puzzles(kind: PuzzleKind, count: int, device: torch.device) -> int:
    """Of how many puzzles of a kind, at least, images are kept to train on ``count``, 0 for endless."""
    if count:
        return 2 * count  # in parts, and then as a whole
    return 0 if kind.is_plain and device.type == "cpu" else BLOCK


@dataclass(frozen=True)
class EndlessSet:
    """Fresh puzzles at every step, in equal shares of each kind."""

    kinds: tuple[PuzzleKind, ...]
    seed: int
    device: torch.device
    size_px: int = SIZE_PX
    on_drawn: Progress = no_progress
    _blocks: dict[tuple[int, int], PuzzleBatch | Fragmentation] = field(
        default_factory=dict[tuple[int, int], "PuzzleBatch | Fragmentation"], init=False
    )

    def examples(self, size: int) -> list[PuzzleBatch]:
        """A batch of each shape that batches have: there is one."""
        return [self.batch(0, size)]

    def batch(self, step: int, size: int) -> PuzzleBatch:
        """The batch of a training step: the same for the same step, whatever came before."""
        share = -(-size // len(self.kinds))
        steps_a_block = BLOCK // share
        if steps_a_block == 0:
            raise ArgumentError(f"a batch may hold at most {BLOCK} puzzles of a kind, not {share}")
        block, within = divmod(step, steps_a_block)
        part = slice(within * share, (within + 1) * share)
        batches = [self._puzzles(kind, block, part) for kind in range(len(self.kinds))]
        return concatenate(batches) if len(batches) > 1 else batches[0]

    def _puzzles(self, kind: int, block: int, part: slice) -> PuzzleBatch:
        made = self._blocks.get((kind, block))
        if made is None:
            for old in [key for key in self._blocks if key[0] == kind]:
                del self._blocks[old]
            made = self._blocks[kind, block] = self._make(self.kinds[kind], block)
        return (
            made[part]
            if isinstance(made, PuzzleBatch)
            else batch_of_arrays(made[part], self.device, self.size_px)
        )

    def _make(self, kind: PuzzleKind, block: int) -> PuzzleBatch | Fragmentation:
        if kind.is_plain:
            arrays = fragment_block(kind.shape, kind.fragmentation, seed=self.seed, block=block)
            # Drawing few puzzles keeps an accelerator waiting as long as drawing them all does.
            is_cpu = self.device.type == "cpu"
            return arrays if is_cpu else batch_of_arrays(arrays, self.device, self.size_px, fused=True)
        first = block * BLOCK
        part = range(first, first + BLOCK)
        return draw_set(kind, self.seed, part, self.device, self.size_px, on_drawn=self.on_drawn)
