"""Building blocks of the networks: attention over sets with absent members, and batch normalisation."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor, distributed, nn


class Attention(nn.Module):
    """Multi-head attention of queries (S, Q, D) to members (S, N, D), absent ones ignored.

    The plain product form: fused kernels gave NaN with a mask in bfloat16.
    """

    def __init__(self, features: int, heads: int) -> None:
        super().__init__()
        self.heads = heads
        self.query = nn.Linear(features, features)
        self.key_value = nn.Linear(features, 2 * features)
        self.out = nn.Linear(features, features)

    def forward(self, queries: Tensor, members: Tensor, present: Tensor) -> Tensor:
        query = self.query(queries).unflatten(-1, (self.heads, -1)).transpose(1, 2)  # (S, heads, Q, d)
        key, value = self.key_value(members).unflatten(-1, (2, self.heads, -1)).unbind(2)
        key, value = key.transpose(1, 2), value.transpose(1, 2)  # (S, heads, N, d)
        scores = (query @ key.transpose(-2, -1)).float() * key.shape[-1] ** -0.5
        scores = scores.masked_fill(~present[:, None, None], torch.finfo(torch.float32).min)
        weights = scores.softmax(dim=-1).to(value.dtype)
        return self.out((weights @ value).transpose(1, 2).flatten(2))


class AttentionLayer(nn.Module):
    """A layer of the Transformer: queries attend to the members that are present, then think alone.

    Given a set as both, it is an encoder layer. Given one query and a set, it is a decoder layer, whose
    attention to itself has nothing to choose from and is left out.
    """

    def __init__(self, features: int, heads: int, hidden: int, dropout: float) -> None:
        super().__init__()
        self.attention = Attention(features, heads)
        self.feed_forward = nn.Sequential(nn.Linear(features, hidden), nn.ReLU(), nn.Linear(hidden, features))
        self.norms = nn.ModuleList([nn.LayerNorm(features) for _ in range(2)])
        self.dropout = nn.Dropout(dropout)

    @torch.no_grad()
    def quieten(self, share: float) -> None:
        """Let what the layer adds to its queries begin at this share of what it would be."""
        for last in (self.attention.out, self.feed_forward[-1]):
            assert isinstance(last, nn.Linear)
            last.weight.mul_(share)

    def forward(self, queries: Tensor, members: Tensor, present: Tensor) -> Tensor:
        x = self.norms[0](queries + self.dropout(self.attention(queries, members, present)))
        return self.norms[1](x + self.dropout(self.feed_forward(x)))


class BatchNorm(nn.Module):
    """Batch normalisation of rows (..., D), absent ones left out, over all processes that train together."""

    running_mean: Tensor
    running_variance: Tensor

    def __init__(self, features: int, momentum: float = 0.1, epsilon: float = 1e-5) -> None:
        super().__init__()
        self.momentum, self.epsilon = momentum, epsilon
        self.weight = nn.Parameter(torch.ones(features))
        self.bias = nn.Parameter(torch.zeros(features))
        self.register_buffer("running_mean", torch.zeros(features))
        self.register_buffer("running_variance", torch.ones(features))

    def forward(self, x: Tensor, present: Tensor | None = None) -> Tensor:
        mean, variance = self.running_mean, self.running_variance
        if self.training:
            mean, variance = self._statistics(x.float().flatten(0, -2), present)
            with torch.no_grad():
                self.running_mean.lerp_(mean, self.momentum)
                self.running_variance.lerp_(variance, self.momentum)
        scale = self.weight * torch.rsqrt(variance + self.epsilon)
        return (x.float() * scale + (self.bias - mean * scale)).to(x.dtype)

    def _statistics(self, rows: Tensor, present: Tensor | None) -> tuple[Tensor, Tensor]:
        weight = rows.new_ones(len(rows), 1) if present is None else present.to(rows.dtype).view(-1, 1)
        near = self.running_mean  # sums about it do not cancel
        shifted = (rows - near) * weight
        sums = torch.cat([weight.sum(dim=0), shifted.sum(dim=0), (shifted * shifted).sum(dim=0)])
        if distributed.is_initialized():
            sums = _SumOfProcesses.apply(sums)
        offset, square = (sums[1:] / sums[0]).chunk(2)
        return near + offset, (square - offset * offset).clamp_min(0.0)


class _SumOfProcesses(torch.autograd.Function):
    """The sum of all processes' tensors; every process's loss depends on it, so gradients are summed too."""

    @staticmethod
    def forward(ctx: Any, x: Tensor) -> Tensor:
        total = x.clone()
        distributed.all_reduce(total)
        return total

    @staticmethod
    def backward(ctx: Any, grad: Tensor) -> Tensor:  # pyright: ignore[reportIncompatibleMethodOverride]
        total = grad.contiguous().clone()
        distributed.all_reduce(total)
        return total
