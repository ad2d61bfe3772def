"""The likeliest placements in maps of scores, to a fraction of a pixel."""

from __future__ import annotations

import math
from dataclasses import dataclass

import torch
from torch import Tensor
from torch.nn import functional


@dataclass(frozen=True)
class Peaks:
    """The likeliest placements of each state, the best first.

    fragment, turn  (S, K)     which fragment, and its rotation
    centre          (S, K, 2)  where, in pixels, (column, row), to a fraction of a pixel
    probability     (S, K)     that of the 3 x 3 pixels about it
    """

    fragment: Tensor
    turn: Tensor
    centre: Tensor
    probability: Tensor


def find_peaks(maps: Tensor, count: int, *, hurry: bool = True) -> Peaks:
    """The ``count`` likeliest placements by scores (S, N, R, H, W), one to a place of any turned fragment.

    With ``hurry`` maps that cannot hold one are passed over; how many those are the device has to be asked.
    """
    size, rotations = maps.shape[-1], maps.shape[2]
    total = maps.flatten(1).logsumexp(dim=1).view(-1, 1, 1, 1)
    member, likely = _likeliest(maps.flatten(1, 2), count) if hurry else _all(maps.flatten(1, 2))
    probability = (likely - total).exp_()
    near = functional.avg_pool2d(probability, 3, stride=1, padding=1) * 9.0
    if count > 1:  # no two of them may lie beside each other
        found = functional.max_pool2d(near, 5, stride=1, padding=2, return_indices=True)[1].flatten(2)
        near = torch.where(found == torch.arange(size**2, device=maps.device), near.flatten(2), -1.0)
    value, at = near.flatten(1).topk(count, dim=1)
    which, pixel = at // size**2, at % size**2
    column, row = pixel % size, pixel // size
    step = torch.arange(-1, 2, device=maps.device)
    rows, columns = torch.broadcast_tensors(
        row[..., None, None] + step[:, None], column[..., None, None] + step
    )
    inside = (rows >= 0) & (rows < size) & (columns >= 0) & (columns < size)
    every = torch.arange(len(maps), device=maps.device)[:, None, None, None]
    window = probability[every, which[..., None, None], rows.clamp(0, size - 1), columns.clamp(0, size - 1)]
    window = window * inside + 1e-30
    mass = window.sum(dim=(2, 3))
    centre = torch.stack(
        [(window * columns).sum(dim=(2, 3)) / mass, (window * rows).sum(dim=(2, 3)) / mass], dim=-1
    )
    member = member.gather(1, which)
    return Peaks(member // rotations, member % rotations, centre + 0.5, value.clamp(0.0, 1.0))


def _all(maps: Tensor) -> tuple[Tensor, Tensor]:
    """All maps of (S, M, H, W): their numbers (S, M), and themselves."""
    return torch.arange(maps.shape[1], device=maps.device).expand(len(maps), -1), maps


def _likeliest(maps: Tensor, count: int) -> tuple[Tensor, Tensor]:
    """Those maps of (S, M, H, W) that may hold one of the best ``count`` peaks: numbers (S, K), and maps.

    Those peaks are worth at least as much as the best pixels of ``count`` maps, and a map whose best pixel is
    worth less than the ninth part of that has no 3 x 3 pixels worth as much together.
    """
    best = maps.flatten(2).amax(dim=2)  # (S, M)
    order = best.argsort(dim=1, descending=True, stable=True)
    ranked = best.gather(1, order)
    least = ranked[:, min(count, best.shape[1]) - 1, None] - math.log(9.0)
    kept = int((ranked >= least).sum(dim=1).max())
    member = order[:, :kept]
    every = torch.arange(len(maps), device=maps.device)[:, None]
    return member, maps[every, member]
