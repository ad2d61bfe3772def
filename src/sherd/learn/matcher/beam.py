"""Assembling with the matcher along several ways: where an assembly may be wrong, others are tried.

A greedy assembly comes first. At each of its steps some placements were in conflict with the one that was
made: those of the same fragment elsewhere, or of another one where it lies. Had the step been wrong, one of
those would have been right; all others could still follow. So it is they that are turned back to, the least
regretted first, and each is followed greedily to the end, or until it overlaps more than the best one does.
Since all fragments are placed in the end, what overlaps least leaves least uncovered. A pixel is too coarse
to tell assemblies apart that overlap about as little: the best few are all given.
"""

from __future__ import annotations

from bisect import insort
from collections.abc import Callable
from dataclasses import dataclass, field
from heapq import heappop, heappush

import torch
from torch import Tensor

from sherd.core.errors import ArgumentError
from sherd.learn.matcher.greedy import Assemblies, PlacementCandidates, State
from sherd.learn.matcher.network import Matcher
from sherd.learn.training.parts import joined
from sherd.learn.training.threads import sharing

# Assemblies are the same if no fragment lies farther than this from where it lies in the other.
SAME_PX = 4.0


@dataclass(frozen=True, kw_only=True)
class BeamParams:
    """How much is tried.

    Up to ``ways`` placements in conflict with that of a step are kept to be turned back to. After the first
    assembly no more than ``looks`` states are looked at for each piece of the puzzle, and none if the share
    of the target that overlaps is below ``good`` and the certainties of all steps multiply to ``sure``. Up to
    ``kept`` assemblies are given, whose overlap is within the share ``near`` of the least.
    """

    ways: int = 4
    looks: int = 5
    good: float = 0.02
    sure: float = 0.7
    kept: int = 3
    near: float = 0.01

    def __post_init__(self) -> None:
        if min(self.ways, self.looks, self.good, self.sure, self.near) < 0 or self.kept < 1:
            raise ArgumentError("ways, looks, good, sure and near must be at least 0, and kept at least 1")


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
) -> Assemblies:
    """The best few of several assemblies of one puzzle (1, N, R, C, H, W), the best first.

    ``stop``, called with the number of states looked at, may end it early.
    """
    pieces = images.shape[1]
    most = pieces * (1 + params.looks)
    turnings = [_Turning(0.0, 0, State.empty(images, target))]
    area = float(turnings[0].state.target.sum())
    known: set[frozenset[tuple[int, ...]]] = set()
    found: list[State] = []  # whole assemblies, the least overlapping first
    number = looks = 0
    with sharing(images.device) as each:
        candidates = PlacementCandidates.of(model, images, each, stop)
        if candidates is None:
            return turnings[0].state.answer
        turns = images.shape[2] > 1
        while turnings and not (found and (looks >= most or _is_good(found[0], params, turns=turns))):
            turning = heappop(turnings)
            state = turning.state
            for step in range(int((state.chosen >= 0).sum()), pieces):
                if stop(looks):
                    return (found[0] if found else state).answer
                placed = _placements(state)
                worse = found and float(state.overlap) > float(found[0].overlap) + params.near * area
                if placed in known or worse:
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
                if not any(_are_same(state, other) for other in found):
                    insort(found, state, key=lambda state: float(state.overlap))
    least = float(found[0].overlap)  # there is one: the first way ends only with all placed
    near = [state for state in found if float(state.overlap) <= least + params.near * area]
    return joined([state.answer for state in near[: params.kept]])


def _is_good(state: State, params: BeamParams, *, turns: bool) -> bool:
    """Whether a whole assembly of one puzzle needs no other to be compared with.

    Where fragments turn, the first of them fits a symmetric target in several ways that are all right, so how
    certain that step was says nothing.
    """
    overlap = float(state.overlap) / float(state.target.sum())
    certainty = float(state.certainty[:, 1 if turns else 0 :].prod())
    return overlap <= params.good and certainty >= params.sure


def _are_same(one: State, other: State) -> bool:
    """Whether two whole assemblies of one puzzle have all fragments in about the same places."""
    order, of_other = one.chosen[0].argsort(), other.chosen[0].argsort()
    turned = one.turns[0, order] != other.turns[0, of_other]
    far = (one.centres[0, order] - other.centres[0, of_other]).norm(dim=1) > SAME_PX
    return not bool((turned | far).any())


def _placements(state: State) -> frozenset[tuple[int, ...]]:
    """What is placed where, to the pixel, in whichever order."""
    chosen, turns, cells = state.chosen[0], state.turns[0], state.centres[0].floor().long()
    rows = torch.cat([chosen[:, None], turns[:, None], cells], dim=1)[chosen >= 0]
    return frozenset(tuple(row) for row in rows.tolist())
