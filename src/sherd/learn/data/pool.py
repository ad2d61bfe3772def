"""A mixture of puzzles of many kinds, kept as vertices on the device and drawn when they are needed."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import torch
from torch import Tensor

from sherd.core.grid import Grid
from sherd.learn.data.batch import SIZE_PX, PuzzleBatch, as_bytes, concatenate, fragment_images, own_grid
from sherd.learn.data.masks import polygon_masks
from sherd.learn.data.mixture import PuzzleArrays, Share, make_arrays
from sherd.learn.data.sets import polygons_at_once
from sherd.learn.training.interruption import Progress, no_progress

# In which order earlier fragments were placed: from the bottom left, by any straight sweep, or any at all.
Teaching = Literal["bottom-left", "sweep", "random"]


@dataclass(frozen=True)
class Pool:
    """Puzzles of one share of the mixture, on the device; shapes as in `PuzzleArrays`."""

    share: Share
    vertices: Tensor
    poses: Tensor
    targets: Tensor

    @classmethod
    def of(cls, share: Share, arrays: PuzzleArrays, device: torch.device) -> Pool:
        """Arrays moved to the device."""
        return cls(
            share, *(torch.from_numpy(a).to(device) for a in (arrays.vertices, arrays.poses, arrays.targets))
        )

    def __len__(self) -> int:
        return len(self.vertices)

    def draw(self, index: Tensor, symmetries: Tensor, keys: Tensor, size_px: int) -> PuzzleBatch:
        """Some of the puzzles, each seen in one of the box's 8 symmetries, the fragments ordered by keys.

        ``keys`` (B, N, 3) weigh a fragment's x, its y and nothing, from the least sum on; fragments that are
        not there come first.
        """
        bins = self.share.rotations
        matrix = _SYMMETRIES.to(index.device)[symmetries]  # (B, 2, 2)
        vertices = self.vertices[index] @ matrix[:, None].mT
        poses = self.poses[index]
        centroids = (poses[..., :2] @ matrix.mT).contiguous()
        is_mirror = (symmetries >= 4)[:, None]
        turns = poses[..., 2].long() % bins
        turns = torch.where(is_mirror, -turns % bins, turns)
        absent = vertices.abs().amax(dim=(2, 3)) == 0.0
        key = (keys[..., :2] * centroids).sum(dim=-1) + keys[..., 2]
        order = key.masked_fill(absent, float("-inf")).argsort(dim=1)
        every = torch.arange(len(index), device=index.device)[:, None]
        vertices, centroids, turns = vertices[every, order], centroids[every, order], turns[every, order]

        grid = Grid(size_px, -0.5, 0.5, 1.0 / size_px)
        images, middles = fragment_images(vertices.flatten(0, 1), bins, own_grid(grid))
        images, middles = (value.unflatten(0, vertices.shape[:2]) for value in (images, middles))
        chosen = torch.arange(vertices.shape[1], device=index.device)
        middle = middles[every, chosen, turns]
        outlines = _to_pixels(self.targets[index] @ matrix.mT, size_px)
        target = as_bytes(polygon_masks(outlines, size_px))[:, None]
        return PuzzleBatch(
            images,
            target,
            _to_pixels(centroids + middle, size_px),
            turns,
            _to_pixels(centroids, size_px),
        )


def _symmetries() -> Tensor:
    """The turns of a box, then the same after a reflection: (8, 2, 2)."""
    turns = [torch.tensor(m) for m in ([[1.0, 0.0], [0.0, 1.0]], [[0.0, -1.0], [1.0, 0.0]])]
    turns += [-turns[0], -turns[1]]
    flip = torch.tensor([[-1.0, 0.0], [0.0, 1.0]])
    return torch.stack([*turns, *(turn @ flip for turn in turns)])


_SYMMETRIES = _symmetries()


def _to_pixels(points: Tensor, size_px: int) -> Tensor:
    return (points * points.new_tensor([1.0, -1.0]) + 0.5) * size_px


@dataclass(frozen=True)
class Mixture:
    """Training puzzles of several shares; each step takes one of them, by their weights.

    ``images_a_step`` bounds the fragments' images in a batch, turned copies counted.
    """

    pools: tuple[Pool, ...]
    seed: int
    teaching: Teaching
    images_a_step: int
    size_px: int = SIZE_PX
    symmetric: bool = True

    def batch(self, step: int, size: int) -> PuzzleBatch:
        """The batch of a training step, at most ``size`` puzzles; the same for the same step."""
        rng = np.random.default_rng([self.seed, step])
        weights = np.array([pool.share.weight for pool in self.pools])
        pool = self.pools[int(rng.choice(len(self.pools), p=weights / weights.sum()))]
        return self._draw(pool, size, rng)

    def examples(self, size: int) -> list[PuzzleBatch]:
        """A batch of each shape that batches have."""
        found: dict[tuple[int, ...], PuzzleBatch] = {}
        for pool in self.pools:
            batch = self._draw(pool, size, np.random.default_rng(0))
            found.setdefault(tuple(batch.images.shape), batch)
        return list(found.values())

    def _draw(self, pool: Pool, size: int, rng: np.random.Generator) -> PuzzleBatch:
        device = pool.vertices.device
        count = min(size, max(1, self.images_a_step // (pool.share.pieces * pool.share.rotations)))
        index = rng.integers(len(pool), size=count)
        symmetries = rng.integers(8 if self.symmetric else 1, size=count)
        keys = _keys(self.teaching, count, pool.share.pieces, rng)
        return pool.draw(
            torch.from_numpy(index).to(device),
            torch.from_numpy(symmetries).to(device),
            torch.from_numpy(keys).to(device),
            self.size_px,
        )


def _keys(teaching: Teaching, puzzles: int, pieces: int, rng: np.random.Generator) -> np.ndarray:
    keys = np.zeros((puzzles, pieces, 3), dtype=np.float32)
    if teaching == "bottom-left":
        keys[..., :2] = 1e-4, 1.0
    else:
        # Every second puzzle of a sweep is in no order at all, so that no state is quite unknown.
        sweeps = rng.random(puzzles) < (0.5 if teaching == "sweep" else 0.0)
        angles = rng.random(puzzles) * math.tau
        way = np.stack([np.cos(angles), np.sin(angles)], axis=-1)
        keys[..., :2] = np.where(sweeps[:, None], way, 0.0)[:, None]
        keys[..., 2] = np.where(sweeps[:, None], 0.0, rng.random((puzzles, pieces)))
    return keys


def draw_all(pool: Pool, size_px: int) -> PuzzleBatch:
    """All puzzles of a pool as they are, from the bottom left: for validation."""
    device, pieces = pool.vertices.device, pool.share.pieces
    keys = torch.from_numpy(_keys("bottom-left", len(pool), pieces, np.random.default_rng(0))).to(device)
    every = torch.arange(len(pool), device=device)
    at_once = polygons_at_once(device, pieces * pool.share.rotations)
    parts = [every[k : k + at_once] for k in range(0, len(pool), at_once)]
    return concatenate([pool.draw(part, torch.zeros_like(part), keys[part], size_px) for part in parts])


def make_pools(
    shares: Sequence[Share],
    *,
    seed: int,
    count: int,
    workers: int,
    device: torch.device,
    on_drawn: Progress = no_progress,
) -> tuple[Pool, ...]:
    """``count`` puzzles of each share."""
    made = make_arrays(shares, seed=seed, count=count, workers=workers, on_made=on_drawn)
    return tuple(Pool.of(share, arrays, device) for share, arrays in zip(shares, made, strict=True))
