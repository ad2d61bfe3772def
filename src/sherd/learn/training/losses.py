"""What the networks are trained to lower (the paper's Equations 7 and 8, places between pixels aside)."""

from __future__ import annotations

from typing import Literal

import torch
from torch import Tensor
from torch.nn import functional

POOLS_PX = (1, 2, 4, 8, 16)
TruePlace = Literal["shares", "pixel"]


def choice_loss(logits: Tensor, truth: Tensor) -> Tensor:
    """Cross-entropy of the true choice (S,) among logits (S, K), where -inf marks what is absent."""
    return functional.cross_entropy(logits, truth)


def position_loss(
    logits: Tensor,
    points: Tensor,
    pools_px: tuple[int, ...] = POOLS_PX,
    true_place: TruePlace = "shares",
) -> Tensor:
    """How surprising the true place is by pixels, and by coarser cells, summed over the pools.

    ``logits`` (S, H, W) make one distribution over all pixels; pooling it by sums gives the probability of
    a cell of any size. ``points`` (S, 2) are the true (column, row), in pixels from the corner: between the
    centres of four pixels, each of which, and the cells that hold it, counts the more the nearer it is; or
    in the one ``pixel`` that holds it. Cells that the image's edge cuts off count with what they have.
    """
    if true_place == "pixel":
        points = points.floor() + 0.5
    log_p = logits.flatten(1).log_softmax(dim=1).view_as(logits)
    probability = log_p.exp()
    corner = (points - 0.5).floor()[:, None]  # the first of the four: (S, 1, 2)
    nth = torch.arange(4, device=points.device)
    step_on = torch.stack([nth % 2, nth // 2], dim=-1)  # (4, 2)
    column, row = (corner + step_on).long().clamp(0, logits.shape[-1] - 1).unbind(dim=-1)  # (S, 4)
    weights = (1.0 - (points[:, None] - 0.5 - corner - step_on).abs()).prod(dim=-1)
    every = torch.arange(len(points), device=points.device)[:, None]
    loss = logits.new_zeros(())
    for pool in pools_px:
        if pool == 1:
            found = log_p[every, row, column]
        else:
            short = -logits.shape[-1] % pool
            whole = functional.pad(probability, (0, short, 0, short)) if short else probability
            pooled = functional.avg_pool2d(whole[:, None], pool).squeeze(1) * pool**2
            found = pooled[every, row // pool, column // pool].clamp_min(1e-12).log()
        loss = loss - (weights * found).sum(dim=1).mean()
    return loss
