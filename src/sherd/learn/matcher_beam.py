"""Assembling with the matcher along several ways: where an assembly fits badly, others are tried.

A greedy assembly comes first. At each of its steps some placements were in conflict with the one that was
made: those of the same fragment elsewhere, or of another one where it lies. Had the step been wrong, one of
those would have been right; all others could still follow. So it is they that are turned back to, the least
regretted first, and each is followed greedily to the end, or until it overlaps too much to be better than
the best one. Since all fragments are placed in the end, what overlaps least leaves least uncovered. Where a
piece is lost that does not tell much; then slivers between pieces do, since they would be touching.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from heapq import heappop, heappush

import torch
from torch import Tensor
from torch.nn import functional

from sherd.learn.matcher import Matcher
from sherd.learn.matcher_assembly import Answer, Candidates, State
from sherd.learn.threads import sharing

# What is narrower than this is a sliver, and a pixel of it counts as so much of a pixel that overlaps: not as
# much, since worn pieces leave slivers in their true places.
SLIVER_PX = 5
SLIVER_WEIGHT = 0.3


@dataclass(frozen=True, kw_only=True)
class BeamParams:
    """How much is tried.

    Up to ``ways`` placements in conflict with that of a step are kept to be turned back to. After the first
    assembly no more than ``looks`` states are looked at for each piece of the puzzle, and none if the share
    of the target that overlaps is below ``good`` and the certainties of all steps multiply to ``sure``.
    """

    ways: int = 4
    looks: int = 5
    good: float = 0.02
    sure: float = 0.7

    def __post_init__(self) -> None:
        if not (self.ways >= 0 and self.looks >= 0 and self.good >= 0.0 and self.sure >= 0.0):
            raise ValueError("ways, looks, good and sure must be at least 0")


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
    good = params.good * float(turnings[0].state.target.sum())
    known: set[frozenset[tuple[int, ...]]] = set()
    best: State | None = None
    least = float("inf")
    number = looks = 0
    with sharing(images.device) as each:
        candidates = Candidates.of(model, images, each, stop)
        if candidates is None:
            return turnings[0].state.answer
        while turnings and (best is None or (looks < most and not _is_good(best, good, params.sure))):
            turning = heappop(turnings)
            state = turning.state
            for step in range(int((state.chosen >= 0).sum()), pieces):
                if stop(looks):
                    return (best or state).answer
                placed = _placements(state)
                if placed in known or float(state.overlap) >= least:
                    break
                known.add(placed)
                looks += 1
                seen = candidates.look(images, state, candidates.maps(state))
                choice = int(seen.choice)
                order = seen.value[0].argsort(descending=True, stable=True)
                others = order[seen.conflicts[0, choice, order] & (order != choice)][: params.ways]
                for k in others.tolist():
                    number += 1
                    regret = turning.regret + float(seen.value[0, choice] - seen.value[0, k])
                    heappush(turnings, _Turning(regret, number, state.placed(images, seen.nth(k), step)))
                state = state.placed(images, seen.nth(choice), step)
            else:
                if best is None or _defect(state) < least:
                    best, least = state, _defect(state)
    assert best is not None  # the first way ends only with all placed
    return best.answer


def _is_good(state: State, overlap: float, sure: float) -> bool:
    """Whether a whole assembly of one puzzle needs no other to be compared with."""
    return float(state.overlap) <= overlap and float(state.certainty.prod()) >= sure


def _defect(state: State) -> float:
    """What speaks against a whole assembly, in pixels: overlap, and slivers that nothing covers."""
    left = state.left[:, None]
    inside = -functional.max_pool2d(-left, SLIVER_PX, stride=1, padding=SLIVER_PX // 2)
    broad = functional.max_pool2d(inside, SLIVER_PX, stride=1, padding=SLIVER_PX // 2)
    slivers = (left - torch.minimum(left, broad)).sum()
    return float(state.overlap) + SLIVER_WEIGHT * float(slivers)


def _placements(state: State) -> frozenset[tuple[int, ...]]:
    """What is placed where, to the pixel, in whichever order."""
    chosen, turns, cells = state.chosen[0], state.turns[0], state.centres[0].floor().long()
    rows = torch.cat([chosen[:, None], turns[:, None], cells], dim=1)[chosen >= 0]
    return frozenset(tuple(row) for row in rows.tolist())
