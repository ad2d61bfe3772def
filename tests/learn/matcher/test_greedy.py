"""Assembling with the matcher: peaks, greedy assemblies and those along several ways."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from sherd.learn.data.batch import PuzzleBatch
from sherd.learn.matcher.beam import BeamParams, beam
from sherd.learn.matcher.greedy import PlacementCandidates, State, assemble, explain
from sherd.learn.matcher.network import Matcher, MatcherConfig

Draw = Callable[..., PuzzleBatch]


def make_model(seed: int = 0) -> Matcher:
    torch.manual_seed(seed)
    model = Matcher(MatcherConfig(size_px=32, features=8, widths=(12, 16), judge_widths=(6, 8)))
    torch.nn.init.normal_(model.judge.out.weight)
    torch.nn.init.normal_(model.shape_head.weight)  # or every pixel would be as likely
    torch.nn.init.normal_(model.fragment_bias.weight, std=0.1)
    return model


@torch.no_grad()
def log_probabilities(model: Matcher, batch: PuzzleBatch) -> Tensor:
    """Before the first step: (B, N, R, H, W)."""
    candidates = PlacementCandidates.of(model, batch.images, map)
    assert candidates is not None
    maps = candidates.maps(State.empty(batch.images, batch.target))
    return maps - maps.flatten(1).logsumexp(dim=1).view(-1, 1, 1, 1, 1)


@pytest.mark.parametrize("allowed", [0, 1])
def test_it_may_be_stopped_while_fragments_are_encoded(allowed: int, draw: Draw) -> None:
    batch, model = draw(count=1, pieces=4, rotations=4), make_model()  # 16 images, 8 at a time
    asked: list[int] = []

    def stop(steps: int) -> bool:
        asked.append(steps)
        return len(asked) > allowed

    first, *others = assemble(model, batch.images, batch.target, stop).chosen[0].tolist()
    assert first in ((0, 1) if allowed else (-1,))  # of those that were encoded one is laid all the same
    several = beam(model, batch.images, batch.target, BeamParams(), stop).chosen.tolist()
    assert others == [-1] * 3 and several == [[-1] * 4]
    assert set(asked) == {0}


def test_what_is_placed_changes_no_score_of_the_others(draw: Draw) -> None:
    model, batch = make_model(), draw(count=1, pieces=4, rotations=3)
    state = State.empty(batch.images, batch.target)
    with torch.no_grad():
        candidates = PlacementCandidates.of(model, batch.images, map)
        assert candidates is not None
        whole = candidates.maps(state)
        for left in ([0, 3, 2], [0, 3], [3]):  # the last takes the room of the one that goes
            candidates.remove(next(k for k in (1, 2, 0) if k not in left and k in candidates.fragments))
            assert candidates.fragments == left
            torch.testing.assert_close(candidates.maps(state), whole[:, left])


@pytest.mark.parametrize("rotations", [1, 4])
def test_side_by_side_is_one_by_one(rotations: int, draw: Draw, monkeypatch: pytest.MonkeyPatch) -> None:
    model, batch = make_model(), draw(count=3, pieces=4, rotations=rotations)
    alone = assemble(model, batch.images, batch.target)
    monkeypatch.setattr("sherd.learn.training.parts.PUZZLES_AT_ONCE_ON_CPU", 3)
    together = assemble(model, batch.images, batch.target)
    assert torch.equal(alone.chosen, together.chosen)
    assert torch.equal(alone.turns, together.turns)
    torch.testing.assert_close(alone.centres, together.centres, atol=1e-3, rtol=0.0)


def test_what_is_explained_is_what_the_network_holds_likely(draw: Draw) -> None:
    model, batch = make_model(), draw(count=1, pieces=3)
    seen = explain(model, batch.images, batch.target)
    first = log_probabilities(model, batch).amax(dim=(0, 1, 2))
    torch.testing.assert_close(seen[0], first)
    assert len(seen) == 3


def test_an_assembly_of_absent_fragments_comes_to_an_end(draw: Draw) -> None:
    model, batch = make_model(), draw(count=1, pieces=3)
    batch.images[:] = 0
    followed = beam(model, batch.images, batch.target, BeamParams())
    for answer in (assemble(model, batch.images, batch.target), followed):
        assert sorted(answer.chosen[0].tolist()) == [0, 1, 2]


@pytest.mark.parametrize("count", [1, 3])
def test_two_threads_come_to_the_same(count: int, draw: Draw) -> None:
    model, batch = make_model(), draw(count=count, pieces=4, rotations=5)
    alone = assemble(model, batch.images, batch.target)
    before = torch.get_num_threads()
    torch.set_num_threads(2)
    try:
        shared = assemble(model, batch.images, batch.target)
    finally:
        torch.set_num_threads(before)
    for name, value in vars(alone).items():
        assert torch.equal(value, vars(shared)[name]), name
        assert not value.requires_grad
