"""Assemblies that overlap much are tried again from where they were least sure, and only get better."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import pytest
import torch

from sherd.learn.data.batch import PuzzleBatch
from sherd.learn.matcher import greedy
from sherd.learn.matcher.again import Rivals, either
from sherd.learn.matcher.greedy import PlacementCandidates, State, assemble, explain
from sherd.learn.matcher.network import Matcher, MatcherConfig

Draw = Callable[..., PuzzleBatch]


@pytest.fixture
def model() -> Matcher:
    torch.manual_seed(0)
    model = Matcher(MatcherConfig(size_px=32, features=8, widths=(12, 16), judge_widths=(6, 8)))
    torch.nn.init.normal_(model.judge.out.weight)
    torch.nn.init.normal_(model.shape_head.weight)  # or every pixel would be as likely
    torch.nn.init.normal_(model.fragment_bias.weight, std=0.1)
    return model


@pytest.mark.parametrize(("rotations", "pieces"), [(1, 5), (4, 4)])
def test_more_tries_leave_no_more_uncovered_by_overlaps(
    rotations: int, pieces: int, model: Matcher, draw: Draw
) -> None:
    batch = draw(count=4, pieces=pieces, rotations=rotations)
    left: list[torch.Tensor] = []
    for tries in (0, 1, 3):
        answer = assemble(model, batch.images, batch.target, tries=tries)
        assert answer.chosen.sort(dim=1).values.tolist() == [list(range(pieces))] * 4  # each placed once
        left.append(answer.remaining.double().sum(dim=(1, 2)))
    for fewer, more in pairwise(left):
        assert bool((more <= fewer + 1e-3).all())
    assert bool((left[-1] < left[0] - 1.0).any())  # an untrained network has much to regret


def test_side_by_side_is_one_by_one(model: Matcher, draw: Draw, monkeypatch: pytest.MonkeyPatch) -> None:
    batch = draw(count=3, pieces=4)
    alone = assemble(model, batch.images, batch.target, tries=3)
    monkeypatch.setattr("sherd.learn.training.parts.PUZZLES_AT_ONCE_ON_CPU", 3)
    together = assemble(model, batch.images, batch.target, tries=3)
    assert torch.equal(alone.chosen, together.chosen)
    torch.testing.assert_close(alone.centres, together.centres, atol=1e-3, rtol=0.0)


def test_what_overlaps_little_is_not_tried_again(
    model: Matcher, draw: Draw, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(greedy, "OVERLAPS_MUCH", 2.0)
    batch, asked = draw(count=1, pieces=4), list[int]()

    def stop(steps: int) -> bool:
        asked.append(steps)
        return False

    assemble(model, batch.images, batch.target, stop, tries=3)
    assert max(asked) == 3


def test_out_of_time_the_assembly_before_stands(model: Matcher, draw: Draw) -> None:
    batch = draw(count=1, pieces=4)
    first = assemble(model, batch.images, batch.target)
    stopped = assemble(model, batch.images, batch.target, lambda steps: steps > 5, tries=3)
    assert torch.equal(first.chosen, stopped.chosen)


def test_an_absent_fragment_stays_absent(model: Matcher, draw: Draw) -> None:
    batch = draw(count=1, pieces=4)
    images = batch.images.clone()
    images[:, 2] = 0
    answer = assemble(model, images, batch.target, tries=3)
    assert answer.chosen.tolist()[0][-1] == 2  # taken last, which changes nothing


def test_what_is_explained_is_the_assembly_that_is_given(model: Matcher, draw: Draw) -> None:
    batch = draw(count=1, pieces=4)
    answer = assemble(model, batch.images, batch.target, tries=3)
    seen = explain(model, batch.images, batch.target, tries=3)
    state = State.empty(batch.images, batch.target)
    with torch.no_grad():
        for step, found in enumerate(seen):
            candidates = PlacementCandidates.of(model, batch.images, map)
            assert candidates is not None
            maps = candidates.maps(state)
            expected = maps.amax(dim=(0, 1, 2)) - maps.flatten().logsumexp(dim=0)
            torch.testing.assert_close(found, expected, atol=1e-4, rtol=1e-4)
            state = state.placed(batch.images, answer.step(step), step)


@torch.no_grad()
def test_rivals_are_in_conflict_with_what_was_made(model: Matcher, draw: Draw) -> None:
    batch = draw(count=2, pieces=4)
    candidates = PlacementCandidates.of(model, batch.images, map)
    assert candidates is not None
    state = State.empty(batch.images, batch.target)
    looked = candidates.look(batch.images, state, candidates.maps(state))
    rivals = Rivals.none(2, 4, batch.images.device).seen(looked, 1)
    assert rivals.regret[:, [0, 2, 3]].isinf().all()
    for puzzle, choice in enumerate(looked.choice[:, 0].tolist()):
        others = [
            k for k in range(looked.value.shape[1]) if k != choice and looked.conflicts[puzzle, choice, k]
        ]
        if not others:
            assert rivals.regret[puzzle, 1].isinf()
            continue
        best = max(others, key=lambda k: float(looked.value[puzzle, k]))
        assert int(rivals.peaks.fragment[puzzle, 1]) == int(looked.peaks.fragment[puzzle, best])
        regret = looked.value[puzzle, choice] - looked.value[puzzle, best]
        torch.testing.assert_close(rivals.regret[puzzle, 1], regret)
    tried = rivals.tried(torch.tensor([1, 1]))
    assert tried.regret.isinf().all()
    assert torch.equal(either(torch.ones(2, 4, dtype=torch.bool), rivals, tried).regret, rivals.regret)
