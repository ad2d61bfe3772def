"""A closer look at the likeliest placements: the pieces are laid there and judged.

Where any order is right, several placements share the probability, and a wrong one may be as likely as each
of the right ones. Drawn in its place it may overlap what lies there, touch little of it, or leave slivers.

Shapes in comments: S partial assemblies, K placements of each, H = W pixels.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import torch
from torch import Tensor
from torch.nn import functional

from sherd.learn.data.batch import as_floats, place
from sherd.learn.matcher.peaks import Peaks

# The placements that are looked at, if they are worth it: a right one is hardly ever this much less likely
# than the likeliest.
LOOKED_AT = 12
WORTH_IT = 0.01
# What speaks against a placement for each pixel of overlap, and for it if all around it is closed: in units
# of the logarithm of the probability. Small, since damaged pieces overlap and leave gaps where they belong.
OVERLAP_WEIGHT = 0.02
CONTACT_WEIGHT = 2.0
# How far from a piece something has to lie to be in contact with it.
CONTACT_PX = 2
# Two placements are in conflict if the smaller piece shares more than this of its area with the other.
CONFLICT = 0.15

# How good placements are, (M,): what a `Judge` says of pieces in their places, what was left and the targets
# (M, H, W), and facts (M, 3).
Judgement = Callable[[Tensor, Tensor, Tensor, Tensor], Tensor]


@dataclass(frozen=True)
class Looked:
    """The likeliest placements of each state, laid.

    peaks  (S, K)
    masks  (S, K, H, W)  the pieces in their places
    value  (S, K)        how good they are, minus infinity for what was not worth a look
    """

    peaks: Peaks
    masks: Tensor
    value: Tensor

    @cached_property
    def conflicts(self) -> Tensor:
        """Which placements cannot both be made, (S, K, K): each is in conflict with itself."""
        areas = self.masks.sum(dim=(2, 3))
        smaller = torch.minimum(areas[:, :, None], areas[:, None])
        shared = torch.zeros_like(smaller)
        looked = self.value.isfinite()
        for k in range(int(looked.sum(dim=1).max())):  # the likeliest, which are looked at, come first
            shared[:, k] = torch.minimum(self.masks, self.masks[:, k : k + 1]).sum(dim=(2, 3))
        same = self.peaks.fragment[:, :, None] == self.peaks.fragment[:, None]
        return (same | (shared > CONFLICT * smaller)) & looked[:, :, None] & looked[:, None]

    @cached_property
    def _likely(self) -> Tensor:
        """How likely each placement is among all that were looked at, (S, K); 0 if there were none."""
        return self.value.softmax(dim=1).nan_to_num()

    @cached_property
    def certainty(self) -> Tensor:
        """How likely each placement is among those in conflict with it, itself included: (S, K)."""
        among = (self.conflicts * self._likely[:, None]).sum(dim=2)
        return self._likely / among.clamp_min(torch.finfo(among.dtype).tiny)

    @property
    def choice(self) -> Tensor:
        """Which placement to make in each state, (S, 1): one that is likely, and that little speaks against.

        Right placements that can all be made share the probability; those in conflict cannot all be right.
        """
        return (self._likely * self.certainty).argmax(dim=1, keepdim=True)

    @property
    def best(self) -> Peaks:
        """The placement to be made in each state, (S, 1)."""
        return self.at(self.choice)

    def nth(self, k: int) -> Peaks:
        """The k-th placement of each state, (S, 1)."""
        return self.at(torch.full_like(self.peaks.fragment[:, :1], k))

    def at(self, index: Tensor) -> Peaks:
        """The placements of that index (S, 1), with their certainty for probability."""
        return Peaks(
            self.peaks.fragment.gather(1, index),
            self.peaks.turn.gather(1, index),
            self.peaks.centre.gather(1, index[..., None].expand(-1, -1, 2)),
            self.certainty.gather(1, index),
        )


@dataclass(frozen=True)
class Laid:
    """Placements drawn.

    masks  (S, K, H, W)  the pieces in their places
    facts  (S, K, 3)     the logarithm of the probability, and what overlap and open sides take from it
    """

    masks: Tensor
    facts: Tensor


def lay(images: Tensor, left: Tensor, peaks: Peaks) -> Laid:
    """Placements on what is left (S, H, W), of pieces whose ``images`` are a `PuzzleBatch`'s.

    All states are of one puzzle, or each of its own.
    """
    owner = torch.arange(len(left), device=left.device)[:, None]
    pieces = as_floats(images[owner if len(images) == len(left) else 0, peaks.fragment, peaks.turn, 0])
    masks = place_between(pieces, peaks.centre)
    overlap = pieces.sum(dim=(2, 3)) - torch.minimum(masks, left[:, None]).sum(dim=(2, 3))
    width = 2 * CONTACT_PX + 1
    ring = functional.max_pool2d(masks, width, stride=1, padding=CONTACT_PX) - masks
    is_open = (ring * left[:, None]).sum(dim=(2, 3)) / ring.sum(dim=(2, 3)).clamp_min(1.0)
    likely = peaks.probability.clamp_min(torch.finfo(torch.float32).tiny).log()
    facts = torch.stack([likely, -OVERLAP_WEIGHT * overlap, -CONTACT_WEIGHT * is_open], dim=2)
    return Laid(masks, facts)


def look_at(judgement: Judgement, images: Tensor, left: Tensor, target: Tensor, peaks: Peaks) -> Looked:
    """Placements on what is left (S, H, W) of targets (S, H, W), judged."""
    laid = lay(images, left, peaks)
    # Where there were fewer peaks the rest of them have no probability.
    worth = (peaks.probability > 0.0) & (peaks.probability >= WORTH_IT * peaks.probability[:, :1])
    value = torch.where(worth, 0.0, float("-inf"))
    asked = worth & (worth.sum(dim=1, keepdim=True) > 1)  # where there is a choice
    if asked.any():
        before, whole = (image[:, None].expand_as(laid.masks)[asked] for image in (left, target))
        value[asked] = judgement(laid.masks[asked], before, whole, laid.facts[asked])
    return Looked(peaks, laid.masks, value)


def place_between(masks: Tensor, centres: Tensor) -> Tensor:
    """Masks (..., H, W), drawn about the middle pixel, moved to points (..., 2) between pixels' centres."""
    base = (centres - 0.5).floor()
    right, down = (centres - 0.5 - base)[..., None, None].unbind(dim=-3)
    moved = place(masks, base.long())
    moved = torch.lerp(moved, functional.pad(moved, (1, 0))[..., :-1], right)
    return torch.lerp(moved, functional.pad(moved, (0, 0, 1, 0))[..., :-1, :], down)
