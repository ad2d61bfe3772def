"""More training puzzles from the same ones: their mirror images, where the target is its own.

A square has three mirrors that pixels can follow exactly (8 puzzles from one), a hexagon two (4), a
pentagon one (2).
"""

from __future__ import annotations

import torch
from torch import Tensor

from sherd.learn.data.batch import PuzzleBatch

# Axes of an image that a mirror reverses; the diagonal one exchanges them instead.
MIRRORS: dict[str, int | None] = {"columns": -1, "rows": -2, "diagonal": None}
# Masks that differ by no more than this, of 255, are the same but for rounding.
ROUNDING = 1
# Rows closer than this share of a pixel count as one height.
SAME_HEIGHT_PX = 1 / 64


def mirrors_of(target: Tensor) -> tuple[str, ...]:
    """The mirrors that leave all targets (B, C, H, W) as they are."""
    masks = target[:, 0].short()
    return tuple(name for name in MIRRORS if (_reflect(masks, name) - masks).abs().max() <= ROUNDING)


def mirrored(batch: PuzzleBatch, mirror: str) -> PuzzleBatch:
    """The mirror images of the puzzles, fragments in the same order."""
    size, rotations = batch.images.shape[-1], batch.images.shape[2]
    axis = MIRRORS[mirror]
    # A fragment turned by an angle is mirrored into its mirror image turned by the opposite angle.
    opposite = -torch.arange(rotations, device=batch.turns.device) % rotations
    images = _reflect(batch.images[:, :, opposite], mirror)
    if axis is not None:
        images = images.roll(1, axis)  # the middle is a pixel's centre, not the image's
        images.select(axis, 0).zero_()  # what leaves the image at one end must not come in at the other

    def moved(points: Tensor) -> Tensor:
        if axis is None:
            return points.flip(-1)
        flipped = torch.tensor([axis == -1, axis == -2], device=points.device)
        return torch.where(flipped, size - points, points)

    return PuzzleBatch(
        images,
        _reflect(batch.target, mirror),
        moved(batch.centres),
        -batch.turns % rotations,
        moved(batch.centroids),
    )


def _reflect(images: Tensor, mirror: str) -> Tensor:
    axis = MIRRORS[mirror]
    return images.mT if axis is None else images.flip(axis)


def from_bottom_left(batch: PuzzleBatch) -> PuzzleBatch:
    """The same puzzles with their fragments in the order bottom to top, left to right."""
    column, row = batch.centroids.unbind(-1)
    order = column.argsort(dim=1, stable=True)
    height = -(row / SAME_HEIGHT_PX).round().gather(1, order)
    order = order.gather(1, height.argsort(dim=1, stable=True))
    every = torch.arange(len(batch), device=order.device)[:, None]
    return PuzzleBatch(
        batch.images[every, order],
        batch.target,
        batch.centres[every, order],
        batch.turns[every, order],
        batch.centroids[every, order],
    )
