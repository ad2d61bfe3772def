"""What the networks are trained to lower (the paper's Equations 7 and 8)."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn import functional

POOLS_PX = (1, 2, 4, 8, 16)


def choice_loss(logits: Tensor, truth: Tensor) -> Tensor:
    """Cross-entropy of the true choice (S,) among logits (S, K), where -inf marks what is absent."""
    return functional.cross_entropy(logits, truth)


def position_loss(logits: Tensor, cells: Tensor, pools_px: tuple[int, ...] = POOLS_PX) -> Tensor:
    """How surprising the true pixel is, and the coarser cells that hold it, summed over the pools.

    ``logits`` (S, H, W) make one distribution over all pixels; pooling it by sums gives the probability of
    a cell of any size. ``cells`` (S, 2) are the true (column, row).
    """
    log_p = logits.flatten(1).log_softmax(dim=1).view_as(logits)
    probability = log_p.exp()
    step = torch.arange(len(cells), device=cells.device)
    column, row = cells.unbind(dim=1)
    loss = -log_p[step, row, column].mean()
    for pool in pools_px:
        if pool > 1:
            pooled = functional.avg_pool2d(probability[:, None], pool).squeeze(1) * pool**2
            loss = loss - pooled[step, row // pool, column // pool].clamp_min(1e-12).log().mean()
    return loss
