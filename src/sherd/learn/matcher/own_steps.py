"""The states that a matcher would come to by itself, for it to learn from.

Taught on true places alone it never sees what its own inaccuracy does: damaged fragments come to lie one or
two pixels off, the next ones beside them further, and what is left looks like nothing it knows.

Shapes in comments: B puzzles, N fragments, H = W pixels.
"""

from __future__ import annotations

import torch
from torch import Tensor

from sherd.learn.data.batch import PuzzleBatch, as_floats
from sherd.learn.matcher.greedy import placement_scores
from sherd.learn.matcher.look import place_between
from sherd.learn.matcher.network import Matcher, Spectra, as_images

# How far from its true place, along rows and columns, a fragment is still held to be in it.
ASTRAY_PX = 4


@torch.no_grad()
def own_steps(model: Matcher, batch: PuzzleBatch, spectra: Spectra) -> tuple[Tensor, Tensor]:
    """In which order (B, N) it places the fragments, and where their middles (B, N, 2) come to lie.

    Each step takes the fragment that scores best near its true place, and lays it where it scores best there.
    Fragments that are absent come first.
    """
    puzzles, pieces = batch.images.shape[:2]
    every = torch.arange(puzzles, device=batch.images.device)
    number = torch.arange(pieces, device=batch.images.device)
    rotations = batch.images.shape[2]
    column = number * rotations + batch.turns  # of the spectra, the fragment turned as it should be
    index = column[:, None, None].expand(-1, *spectra.values.shape[1:3], -1)
    upright = Spectra(spectra.values.gather(3, index), spectra.bias.gather(1, column))
    masks = as_floats(batch.images[every[:, None], number, batch.turns, 0])
    present = masks.amax(dim=(2, 3)) > 0.0
    left = whole = as_floats(batch.target[:, 0])
    waiting = torch.ones_like(present)
    centres = batch.centres.clone()
    order: list[Tensor] = []
    for _ in range(pieces):
        scores = placement_scores(model, left[:, None], whole[:, None], upright, waiting[:, None])
        found, score = _best_near(as_images(scores.flatten(0, 1))[:, :, 0], batch.centres)
        score = torch.where(present, score, float("inf")).masked_fill(~waiting, float("-inf"))
        chosen = score.argmax(dim=1)
        centre = found[every, chosen]
        left = (left - place_between(masks[every, chosen], centre)).clamp_min(0.0)
        centres = centres.scatter(1, chosen[:, None, None].expand(-1, -1, 2), centre[:, None])
        waiting = waiting.scatter(1, chosen[:, None], False)
        order.append(chosen)
    return torch.stack(order, dim=1), centres


def _best_near(maps: Tensor, centres: Tensor) -> tuple[Tensor, Tensor]:
    """The best places (B, N, 2) in maps of scores (B, N, H, W) near points (B, N, 2), and their scores."""
    cells, scores = _around(maps, centres.floor().long(), ASTRAY_PX)
    score, at = scores.max(dim=2)
    best = cells.gather(2, at[..., None, None].expand(-1, -1, 1, 2)).squeeze(2)
    cells, scores = _around(maps, best, 1)
    weights = (scores - score[..., None]).exp()[..., None]
    return (weights * cells).sum(dim=2) / weights.sum(dim=2) + 0.5, score


def _around(maps: Tensor, cells: Tensor, far: int) -> tuple[Tensor, Tensor]:
    """The pixels (B, N, K, 2) of maps at most ``far`` from cells (B, N, 2), and their values (B, N, K)."""
    size = maps.shape[-1]
    width = 2 * far + 1
    number = torch.arange(width**2, device=maps.device)
    steps = torch.stack([number % width, number // width], dim=-1) - far
    near = (cells[:, :, None] + steps).clamp(0, size - 1)
    column, row = near.unbind(dim=-1)
    return near, maps.flatten(2).gather(2, row * size + column)
