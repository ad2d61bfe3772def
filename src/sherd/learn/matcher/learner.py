"""Teaching the matcher several steps of a puzzle at once.

Fragments do not change from step to step: their features are computed once for all steps of a puzzle.

Shapes in comments: B puzzles, N fragments, R rotations, T steps, H = W pixels, h = H / 2.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor, nn

from sherd.core.errors import ArgumentError
from sherd.learn.data.batch import PuzzleBatch, as_floats
from sherd.learn.matcher.greedy import NEVER, Assemblies, assemble, autocast, encode, placement_scores
from sherd.learn.matcher.look import LOOKED_AT, lay, place_between
from sherd.learn.matcher.network import Matcher, Spectra, as_images
from sherd.learn.matcher.own_steps import own_steps
from sherd.learn.matcher.peaks import find_peaks

# A placement at most this far from the true one is right; distorted fragments fit best a little beside it.
RIGHT_PX = 3.0
# Placements, drawn, that are judged in a step of training, about.
JUDGED_IMAGES = 1440


@dataclass(frozen=True, kw_only=True)
class MatcherLossParams:
    """What counts as right, and how training states are made.

    ``any_order`` calls any fragment in its place right, not only the next one. ``spread_px`` is how far
    earlier fragments lie from their true places; a share ``own_steps`` of the puzzles has them where the
    network itself puts them, in its own order. Of each puzzle ``steps`` are taught, drawn at random.
    ``judge_weight`` weighs how surprising it is to the judge which of the likeliest placements are right.
    """

    any_order: bool = True
    spread_px: float = 0.3
    own_steps: float = 0.0
    steps: int = 8
    judge_weight: float = 1.0

    def __post_init__(self) -> None:
        if self.steps < 1:
            raise ArgumentError(f"steps must be at least 1, not {self.steps}")
        if not 0.0 <= self.own_steps <= (1.0 if self.any_order else 0.0):
            raise ArgumentError(
                f"own_steps must be from 0 to 1, and 0 where only one order is right, not {self.own_steps}"
            )
        for name in ("spread_px", "judge_weight"):
            if not 0.0 <= getattr(self, name) < math.inf:
                raise ArgumentError(f"{name} must be at least 0 and finite, not {getattr(self, name)}")


@dataclass(frozen=True)
class NearPixels:
    """The pixels (..., 4, 2) whose centres surround points, and how much (..., 4) each of them counts."""

    cells: Tensor
    weights: Tensor

    @classmethod
    def around(cls, centres: Tensor) -> NearPixels:
        """Of points (..., 2): the weights' mean of the pixels' centres is the point itself."""
        base = (centres - 0.5).floor()
        share = centres - 0.5 - base
        number = torch.arange(4, device=centres.device)
        steps = torch.stack([number % 2, number // 2], dim=-1)  # (4, 2)
        weights = torch.where(steps == 1, share[..., None, :], 1.0 - share[..., None, :]).prod(dim=-1)
        return cls(base.long()[..., None, :] + steps, weights)


class MatcherLearner(nn.Module):
    """A matcher with what training and assembling need besides the network."""

    def __init__(self, model: Matcher, params: MatcherLossParams | None = None) -> None:
        super().__init__()
        self.model = model
        self.params = params or MatcherLossParams()

    def forward(self, batch: PuzzleBatch, noise: Tensor) -> dict[str, Tensor]:
        """The losses of some steps of all puzzles.

        ``noise`` (B, N, 2), of unit variance, moves the fragments placed earlier, as imperfect steps would.
        """
        puzzles, pieces = batch.images.shape[:2]
        device = batch.images.device
        every, number = torch.arange(puzzles, device=device)[:, None], torch.arange(pieces, device=device)
        spectra = encode(self.model, batch.images)
        masks = as_floats(batch.images[every, number, batch.turns, 0])
        order, centres = number.repeat(puzzles, 1), batch.centres + self.params.spread_px * noise
        own = round(self.params.own_steps * puzzles)
        if own:
            few = Spectra(spectra.values[:own], spectra.bias[:own])
            order[:own], centres[:own] = own_steps(self.model, batch[:own], few)
        placed = place_between(masks, centres)[every, order]
        before = placed.cumsum(dim=1) - placed
        count = min(self.params.steps, pieces)
        steps = torch.rand((puzzles, pieces), device=device).topk(count, dim=1).indices  # (B, T)
        target = as_floats(batch.target[:, 0])
        left = (target[:, None] - before[every, steps]).clamp(0.0, 1.0)  # (B, T, H, W)
        present = masks.amax(dim=(2, 3)) > 0.0  # (B, N)
        allowed = present[:, None] & (order.argsort(dim=1)[:, None] >= steps[..., None])  # (B, T, N)
        whole = target[:, None].expand_as(left)
        scores = placement_scores(self.model, left, whole, spectra, allowed)  # (B, T, N, R, 4, h, h)
        losses = self._losses(scores, batch, allowed)
        losses["judge"] = self._misjudged(scores.detach(), left, batch)
        losses["loss"] = losses["loss"] + self.params.judge_weight * losses["judge"]
        return losses

    def _misjudged(self, scores: Tensor, left: Tensor, batch: PuzzleBatch) -> Tensor:
        """How surprising the right ones of the likeliest placements are to the judge, in some states."""
        puzzles, steps = left.shape[:2]
        few = min(steps, max(1, JUDGED_IMAGES // (puzzles * LOOKED_AT)))
        owner = torch.arange(puzzles, device=left.device).repeat_interleave(few)
        left = left[:, :few].flatten(0, 1)
        peaks = find_peaks(as_images(scores[:, :few].flatten(0, 1)), LOOKED_AT, hurry=False)
        which = owner[:, None], peaks.fragment
        near = (peaks.centre - batch.centres[which]).norm(dim=2) <= RIGHT_PX
        right = near & (peaks.turn == batch.turns[which])  # (S, K)
        laid = lay(batch.images[owner], left, peaks)
        states = [value[:, None].expand_as(laid.masks) for value in (left, as_floats(batch.target[owner, 0]))]
        with autocast(self.model):
            value = self.model.judge(*(x.flatten(0, 1) for x in (laid.masks, *states, laid.facts)))
        value = value.view_as(right)
        surprise = value.logsumexp(dim=1) - value.masked_fill(~right, NEVER).logsumexp(dim=1)
        known = right.any(dim=1)  # nothing is to be learned where all are wrong
        return torch.where(known, surprise, 0.0).sum() / known.sum().clamp_min(1)

    def _losses(self, scores: Tensor, batch: PuzzleBatch, allowed: Tensor) -> dict[str, Tensor]:
        puzzles, steps, pieces = allowed.shape
        size = batch.images.shape[-1]
        device = scores.device
        total = scores.flatten(2).logsumexp(dim=2)  # (B, T)
        puzzle, step, piece = torch.meshgrid(
            *(torch.arange(n, device=device) for n in (puzzles, steps, pieces)), indexing="ij"
        )
        turn = batch.turns[:, None].expand_as(piece)
        around = NearPixels.around(batch.centres)
        column, row = around.cells.clamp(0, size - 1).unbind(dim=-1)  # (B, N, 4)
        phase = (2 * (row % 2) + column % 2)[:, None].expand(-1, steps, -1, -1)
        row, column = (
            (value // 2)[:, None].expand(-1, steps, -1, -1) for value in (row, column)
        )  # (B, T, N, 4)
        place_of = [index[..., None] for index in (puzzle, step, piece, turn)]
        right = (scores[(*place_of, phase, row, column)] * around.weights[:, None]).sum(dim=-1)
        losses = {"place": self._surprise(right, total, allowed)}
        losses["loss"] = losses["place"]
        return losses

    def _surprise(self, right: Tensor, total: Tensor, allowed: Tensor) -> Tensor:
        """How surprising the right placements (B, T, N) are, against all (B, T)."""
        if self.params.any_order:
            found = right.masked_fill(~allowed, float("-inf")).logsumexp(dim=2)
        else:
            first = allowed.float().argmax(dim=2, keepdim=True)  # fragments stand in order
            found = right.gather(2, first).squeeze(2)
        return (total - found).mean()

    def share_of_rate(self, name: str) -> float:
        """At which share of the learning rate a parameter of this learner learns: all alike."""
        return 1.0

    def coverage(self, puzzles: PuzzleBatch, stop: Callable[[int], bool]) -> Tensor | None:
        """How much of each puzzle a greedy assembly covers, in pixels; None where it was stopped."""
        answer = self.assemble(puzzles.images, puzzles.target, stop)
        return None if bool((answer.chosen < 0).any()) else fine_pixel_coverage(puzzles, answer)

    def assemble(
        self, images: Tensor, target: Tensor, stop: Callable[[int], bool] = lambda steps: False
    ) -> Assemblies:
        """Greedy assemblies of puzzles, whose ``images`` and ``target`` are a `PuzzleBatch`'s."""
        return assemble(self.model, images, target, stop)


def fine_pixel_coverage(batch: PuzzleBatch, answer: Assemblies) -> Tensor:
    """How much of what the fragments truly cover is covered, (B,), counted in pixels: for validation."""
    number = torch.arange(batch.pieces, device=batch.images.device)
    every = torch.arange(len(batch), device=batch.images.device)[:, None]

    def covered(which: Tensor, turns: Tensor, centres: Tensor) -> Tensor:
        return (
            place_between(as_floats(batch.images[every, which, turns, 0]), centres).sum(dim=1).clamp_max(1.0)
        )

    truth = covered(number, batch.turns, batch.centres) * as_floats(batch.target[:, 0])
    found = covered(answer.chosen, answer.turns, answer.centres)
    return torch.minimum(found, truth).sum(dim=(1, 2)) / truth.sum(dim=(1, 2))
