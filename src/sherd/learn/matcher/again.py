"""What a greedy assembly could turn back to: of each step the best placement in conflict with the one made.

Had a step been wrong, its rival would likely have been right. So where an assembly overlaps much the step is
taken back whose rival is regretted least, the rival made instead, and the rest placed greedily anew; what
overlaps less is kept. As all fragments are placed in the end, that leaves less uncovered, too.

Shapes in comments: S assemblies, each of its own puzzle, N fragments, K placements that were looked at.
"""

from __future__ import annotations

from dataclasses import dataclass

import torch
from torch import Tensor

from sherd.learn.matcher.look import Looked
from sherd.learn.matcher.peaks import Peaks

# An assembly is tried again if it overlaps more than this share of the target, and so often at the most.
OVERLAPS_MUCH = 0.03
TRIES = 4


@dataclass(frozen=True)
class Rivals:
    """The best placement in conflict with that of each step.

    regret  (S, N)  by how much it looked worse; infinite where there is none, or where it was tried
    peaks   (S, N)  the placement, with its certainty for probability
    """

    regret: Tensor
    peaks: Peaks

    @classmethod
    def none(cls, states: int, pieces: int, device: torch.device) -> Rivals:
        """Before the first step."""
        nothing = torch.zeros((states, pieces), dtype=torch.long, device=device)
        places = torch.zeros((states, pieces, 2), device=device)
        regret = torch.full((states, pieces), torch.inf, device=device)
        return cls(regret, Peaks(nothing, nothing, places, places[..., 0]))

    def of(self, index: Tensor) -> Rivals:
        """Those of the states of these numbers."""
        return Rivals(self.regret[index], Peaks(*(value[index] for value in vars(self.peaks).values())))

    def seen(self, looked: Looked, step: int) -> Rivals:
        """With those of a step that was looked at."""
        choice = looked.choice  # (S, 1)
        against = looked.conflicts.gather(1, choice[..., None].expand_as(looked.conflicts[:, :1]))[:, 0]
        value = looked.value.masked_fill(~against, -torch.inf).scatter(1, choice, -torch.inf)
        best = value.argmax(dim=1, keepdim=True)
        regret = (looked.value.gather(1, choice) - value.gather(1, best)).nan_to_num(torch.inf)
        at = torch.tensor([step], device=regret.device)
        found = vars(looked.at(best)).values()
        peaks = (
            old.index_copy(1, at, new) for old, new in zip(vars(self.peaks).values(), found, strict=True)
        )
        return Rivals(self.regret.index_copy(1, at, regret), Peaks(*peaks))

    def step(self, step: int) -> tuple[Tensor, ...]:
        """Those of a step, in the order of the members of `Peaks`, (S, 1)."""
        return tuple(value[:, step : step + 1] for value in vars(self.peaks).values())

    def tried(self, turning: Tensor) -> Rivals:
        """Without the regret of the steps (S,) that were turned back to."""
        return Rivals(self.regret.scatter(1, turning[:, None], torch.inf), self.peaks)

    def after(self, turning: Tensor, before: Rivals) -> Rivals:
        """These of the steps after ``turning`` (S,), and those of the steps before it."""
        steps = torch.arange(self.regret.shape[1], device=turning.device)
        return either(steps <= turning[:, None], before.tried(turning), self)


def either(first: Tensor, one: Rivals, other: Rivals) -> Rivals:
    """The one where ``first`` (S, N) holds, else the other."""
    peaks = zip(vars(one.peaks).values(), vars(other.peaks).values(), strict=True)
    chosen = (torch.where(first[..., None] if a.ndim > 2 else first, a, b) for a, b in peaks)
    return Rivals(torch.where(first, one.regret, other.regret), Peaks(*chosen))
