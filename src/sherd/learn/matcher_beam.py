"""Assembling with the matcher along a beam: several assemblies of a puzzle, followed side by side."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import torch
from torch import Tensor

from sherd.learn.matcher import Matcher
from sherd.learn.matcher_assembly import Answer, Candidates, State
from sherd.learn.matcher_peaks import Peaks, find_peaks
from sherd.learn.threads import sharing


@dataclass(frozen=True, kw_only=True)
class BeamParams:
    """How many assemblies are followed at once, and what is held against them.

    Each is followed along its ``ways`` likeliest placements. ``overlap_weight`` takes so much from the
    sum of log-probabilities for an overlap as large as the target's hundredth part.
    """

    width: int = 8
    ways: int = 4
    overlap_weight: float = 1.0

    def __post_init__(self) -> None:
        if self.width < 1 or self.ways < 1:
            raise ValueError("width and ways must be at least 1")


@torch.no_grad()
def beam(
    model: Matcher,
    images: Tensor,
    target: Tensor,
    params: BeamParams,
    stop: Callable[[int], bool] = lambda steps: False,
    views: int = 1,
) -> Answer:
    """The best of several assemblies of one puzzle (1, N, R, C, H, W) that are followed side by side."""
    with sharing(images.device) as each:
        candidates, state = Candidates(model, images, views, each), State.empty(images, target)
        worth = torch.zeros(1, device=images.device)
        area = state.target.sum().clamp_min(1.0)
        for step in range(images.shape[1]):
            if stop(step):
                break
            peaks = find_peaks(candidates.maps(state), params.ways)
            every = torch.arange(len(state.left), device=images.device).repeat_interleave(params.ways)
            one = Peaks(*(value.flatten(0, 1)[:, None] for value in vars(peaks).values()))
            then = state[every].placed(images, one, step)
            overlap = (then.overlap - state.overlap[every]) / area
            gain = one.probability[:, 0].clamp_min(1e-12).log() - 100.0 * params.overlap_weight * overlap
            before = state.allowed[every]
            may = before.gather(1, one.fragment).squeeze(1) | ~before.any(dim=1)
            gain = gain.masked_fill(~may, float("-inf"))  # there were fewer peaks than ways
            chosen = _best_different(then, worth[every] + gain, params.width)
            state, worth = then[chosen], (worth[every] + gain)[chosen]
    # What counts in the end is what is covered; of equals, what was likelier.
    best = int((state.left.sum(dim=(1, 2)) / area - 1e-4 * worth).argmin())
    return state[torch.tensor([best], device=images.device)].answer


def _best_different(state: State, worth: Tensor, width: int) -> Tensor:
    """The best states, of those that came to the same by another order only the best."""
    apart = (state.left[:, None] - state.left[None]).abs().sum(dim=(2, 3))
    same = (apart < 0.01 * state.target[0].sum()) & (state.allowed[:, None] == state.allowed[None]).all(dim=2)
    order = worth.argsort(descending=True, stable=True)
    kept: list[int] = []
    possible = worth.isfinite().tolist()
    for k in order.tolist():
        if possible[k] and not any(bool(same[k, other]) for other in kept):
            kept.append(k)
        if len(kept) == width:
            break
    return torch.tensor(kept, device=worth.device)
