"""Puzzles as a network sees them: images of the fragments and of what remains to be filled.

The target's box fills the image. A fragment's own image has the middle of its bounding box on the
centre of the middle pixel, so that a placement on a pixel's centre moves the image by whole pixels.

Shapes in comments: B puzzles, N fragments, R rotations, C channels (mask, or mask and RGB), H = W pixels.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache

import torch
from torch import Tensor

from sherd.core.grid import Grid
from sherd.learn.data.masks import polygon_masks

SIZE_PX = 128  # unless a network is made for another size


@dataclass(frozen=True)
class PuzzleBatch:
    """Puzzles of equally many fragments, which stand in the order of assembly.

    images     (B, N, R, C, H, W)  each fragment at each allowed rotation, uint8
    target     (B, C, H, W)        uint8
    centres    (B, N, 2)           where the images' middles truly lie, in pixels, (column, row)
    turns      (B, N)              true rotations, as indices into R
    centroids  (B, N, 2)           where the fragments' centroids truly lie: the order goes by them
    """

    images: Tensor
    target: Tensor
    centres: Tensor
    turns: Tensor
    centroids: Tensor

    def __len__(self) -> int:
        return len(self.images)

    @property
    def pieces(self) -> int:
        """How many fragments a puzzle has."""
        return self.images.shape[1]

    def __getitem__(self, index: Tensor | slice) -> PuzzleBatch:
        return PuzzleBatch(**{name: value[index] for name, value in vars(self).items()})

    def to(self, device: torch.device) -> PuzzleBatch:
        """The same batch on another device."""
        return replace(self, **{name: value.to(device) for name, value in vars(self).items()})


def concatenate(batches: list[PuzzleBatch]) -> PuzzleBatch:
    """All puzzles of several batches in one."""
    return PuzzleBatch(*(torch.cat([vars(b)[name] for b in batches]) for name in vars(batches[0])))


def as_floats(images: Tensor, dtype: torch.dtype = torch.float32) -> Tensor:
    """Bytes 0 .. 255 as numbers 0 .. 1."""
    return images.to(dtype) / 255.0


def as_bytes(values: Tensor) -> Tensor:
    """Numbers 0 .. 1 as bytes."""
    return (values * 255.0).round().clamp(0.0, 255.0).to(torch.uint8)


def fragment_images(
    vertices: Tensor, rotations: int, grid: Grid, *, fused: bool = False
) -> tuple[Tensor, Tensor]:
    """Masks of polygons (M, V, 2) at each of R rotations, on an `own_grid`: (M, R, 1, H, W), uint8.

    A long fragment would stick out of an image about its centroid, so the middle of its bounding box lies in
    the image's middle; where that is, from the fragment's origin, comes second: (M, R, 2) in world units.
    With ``fused``, drawing is compiled first, which pays where equally many are drawn again and again.
    """
    angles = torch.arange(rotations, device=vertices.device) * (2.0 * torch.pi / rotations)
    cos, sin = angles.cos()[:, None], angles.sin()[:, None]
    x, y = vertices[:, None, :, 0], vertices[:, None, :, 1]
    turned = torch.stack([cos * x - sin * y, sin * x + cos * y], dim=-1)  # (M, R, V, 2)
    middles = (turned.amin(dim=2) + turned.amax(dim=2)) / 2.0  # (M, R, 2)
    from_corner = turned - middles[:, :, None] - turned.new_tensor([grid.left, grid.top])
    pixels = from_corner * turned.new_tensor([1.0, -1.0]) / grid.pixel
    draw = _fused_drawing() if fused else _drawn
    return draw(pixels, grid.size_px)[:, :, None], middles


def _drawn(pixels: Tensor, size_px: int) -> Tensor:
    return as_bytes(polygon_masks(pixels, size_px))


@cache
def _fused_drawing() -> Callable[[Tensor, int], Tensor]:
    """Drawing in one pass over the pixels instead of some twenty for each edge."""
    return torch.compile(_drawn)


def place(masks: Tensor, cells: Tensor) -> Tensor:
    """Masks (..., H, W), drawn about the middle pixel, moved to whole-pixel ``cells`` (..., 2)."""
    size = masks.shape[-1]
    flat, at = masks.flatten(0, -3), cells.flatten(0, -2)
    source = torch.arange(size, device=masks.device)[:, None] - at.mT[:, None] + size // 2  # (2, H, M)
    inside = (source >= 0) & (source < size)
    columns, rows = source.clamp(0, size - 1).mT
    columns_inside, rows_inside = inside.mT
    every = torch.arange(len(flat), device=masks.device)[:, None, None]
    moved = flat[every, rows[:, :, None], columns[:, None]]
    return (moved * (rows_inside[:, :, None] & columns_inside[:, None])).view_as(masks)


def remaining_images(batch: PuzzleBatch, cells: Tensor) -> Tensor:
    """What is left of the target before each step, if fragments lie at ``cells`` (B, N, 2), turned truly.

    (B, N, C, H, W) in 0 .. 1: the mask, and the target's colours where the mask is.
    """
    step = torch.arange(batch.pieces, device=cells.device)
    every = torch.arange(len(batch), device=cells.device)[:, None]
    masks = as_floats(place(batch.images[every, step, batch.turns, 0], cells))  # (B, N, H, W)
    before = masks.cumsum(dim=1) - masks
    target = as_floats(batch.target)[:, None]
    left = (target[:, :, 0] - before).clamp(0.0, 1.0)
    return torch.cat([left[:, :, None], target[:, :, 1:] * left[:, :, None]], dim=2)


def cells_at(centres: Tensor, size_px: int) -> Tensor:
    """The whole pixels (..., 2) that hold points of the image."""
    return centres.floor().long().clamp(0, size_px - 1)


def own_grid(target: Grid) -> Grid:
    """The grid of a fragment's own image: what is drawn about lies on the centre of the middle pixel."""
    reach = (target.size_px // 2 + 0.5) * target.pixel
    return Grid(target.size_px, -reach, reach, target.pixel)
