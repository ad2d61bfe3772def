"""Assembling with the matcher along several ways: where an assembly fits badly, others are tried.

A greedy assembly comes first. At each of its steps some placements were in conflict with the one that was
made: those of the same fragment elsewhere, or of another one where it lies. Had the step been wrong, one of
those would have been right; all others could still follow. So it is they that are turned back to, the least
regretted first, and each is followed greedily to the end, or until it overlaps as much as the best one does.
Since all fragments are placed in the end, what overlaps least leaves least uncovered.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from heapq import heappop, heappush

import torch
from torch import Tensor

from sherd.learn.matcher import Matcher
from sherd.learn.matcher_assembly import Answer, Candidates, State
from sherd.learn.threads import sharing


@dataclass(frozen=True, kw_only=True)
class BeamParams:
    """How much is tried.

    Up to ``ways`` placements in conflict with that of a step are kept to be turned back to. After the first
    assembly no more than ``looks`` states are looked at for each piece of the puzzle, and none once the share
    of the target that overlaps is below ``good``.
    """

    ways: int = 4
    looks: int = 5
    good: float = 0.02

    def __post_init__(self) -> None:
        if not (self.ways >= 0 and self.looks >= 0 and self.good >= 0.0):
            raise ValueError("ways, looks and good must be at least 0")


@dataclass(frozen=True, order=True)
class _Turning:
    """A state to be followed; ``regret`` is by how much the steps to it looked worse than the best ones."""

    regret: float
    number: int  # of equals the earlier goes first
    state: State = field(compare=False)


@torch.no_grad()
def beam(
    model: Matcher,
    images: Tensor,
    target: Tensor,
    params: BeamParams,
    stop: Callable[[int], bool] = lambda looks: False,
) -> Answer:
    """The best of several assemblies of one puzzle (1, N, R, C, H, W).

    ``stop``, told how many states were looked at so far, may end it early.
    """
    pieces = images.shape[1]
    most = pieces * (1 + params.looks)
    turnings = [_Turning(0.0, 0, State.empty(images, target))]
    enough = params.good * float(turnings[0].state.target.sum())
    known: set[frozenset[tuple[int, ...]]] = set()
    best: State | None = None
    number = looks = 0
    with sharing(images.device) as each:
        candidates = Candidates.of(model, images, each, stop)
        if candidates is None:
            return turnings[0].state.answer
        while turnings and (best is None or (looks < most and float(best.overlap) > enough)):
            turning = heappop(turnings)
            state = turning.state
            for step in range(int((state.chosen >= 0).sum()), pieces):
                if stop(looks):
                    return (best or state).answer
                placed = _placements(state)
                if placed in known or (best is not None and float(state.overlap) >= float(best.overlap)):
                    break
                known.add(placed)
                looks += 1
                seen = candidates.look(images, state, candidates.maps(state))
                order = seen.value[0].argsort(descending=True, stable=True)
                others = order[1:][seen.conflicts[0, order[1:]]][: params.ways]
                for k in others.tolist():
                    number += 1
                    regret = turning.regret + float(seen.value[0, order[0]] - seen.value[0, k])
                    heappush(turnings, _Turning(regret, number, state.placed(images, seen.nth(k), step)))
                state = state.placed(images, seen.nth(int(order[0])), step)
            else:
                if best is None or float(state.overlap) < float(best.overlap):
                    best = state
    assert best is not None  # the first way ends only with all placed
    return best.answer


def _placements(state: State) -> frozenset[tuple[int, ...]]:
    """What is placed where, to the pixel, in whichever order."""
    chosen, turns, cells = state.chosen[0], state.turns[0], state.centres[0].floor().long()
    rows = torch.cat([chosen[:, None], turns[:, None], cells], dim=1)[chosen >= 0]
    return frozenset(tuple(row) for row in rows.tolist())
