"""Assembling with the matcher: peaks, greedy assemblies and those along several ways."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from sherd.learn.data.batch import PuzzleBatch, as_floats
from sherd.learn.matcher.assembly import Candidates, State, assemble, explain
from sherd.learn.matcher.beam import SAME_PX, BeamParams, beam
from sherd.learn.matcher.look import place_between
from sherd.learn.matcher.network import Matcher, MatcherConfig
from sherd.learn.matcher.peaks import find_peaks

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
    candidates = Candidates.of(model, batch.images, map)
    assert candidates is not None
    maps = candidates.maps(State.empty(batch.images, batch.target))
    return maps - maps.flatten(1).logsumexp(dim=1).view(-1, 1, 1, 1, 1)


def test_peaks_are_found_between_pixels() -> None:
    maps = torch.full((1, 2, 2, 16, 16), -20.0)
    maps[0, 1, 0, 5, 7] = maps[0, 1, 0, 5, 8] = 3.0
    maps[0, 0, 1, 12, 2] = 2.0
    peaks = find_peaks(maps, 2)
    assert peaks.fragment.tolist() == [[1, 0]]
    assert peaks.turn.tolist() == [[0, 1]]
    torch.testing.assert_close(peaks.centre[0], torch.tensor([[8.0, 5.5], [2.5, 12.5]]), atol=1e-3, rtol=0.0)
    assert float(peaks.probability.sum()) == pytest.approx(1.0, abs=1e-3)


def test_a_beam_that_never_turns_back_is_greedy(draw: Draw) -> None:
    batch, model = draw(count=1, pieces=4, rotations=4), make_model()
    greedy = assemble(model, batch.images, batch.target)
    for params in (BeamParams(ways=0), BeamParams(looks=0), BeamParams(good=1.0, sure=0.0)):
        followed = beam(model, batch.images, batch.target, params)
        assert torch.equal(greedy.chosen, followed.chosen)
        torch.testing.assert_close(greedy.centres, followed.centres, atol=1e-3, rtol=0.0)


@pytest.mark.parametrize("seed", range(4))
def test_a_beam_leaves_no_more_than_a_greedy_assembly(seed: int, draw: Draw) -> None:
    batch, model = draw(count=1, pieces=4), make_model(seed)
    greedy = assemble(model, batch.images, batch.target)
    answer = beam(model, batch.images, batch.target, BeamParams(looks=5, near=0.2))
    left = answer.remaining.sum(dim=(1, 2)).tolist()
    assert left == sorted(left)  # the best comes first
    assert left[0] <= float(greedy.remaining.sum()) + 0.1
    for k in range(len(left)):
        assert sorted(answer.chosen[k].tolist()) == [0, 1, 2, 3]
        mask = as_floats(batch.images[0, answer.chosen[k], 0, 0])
        covered = place_between(mask, answer.centres[k]).sum(dim=0)
        expected = (as_floats(batch.target[0, 0]) - covered).clamp_min(0.0)
        torch.testing.assert_close(expected, answer.remaining[k], atol=1e-4, rtol=0.0)


def test_a_beam_gives_assemblies_that_differ(draw: Draw) -> None:
    batch, model = draw(count=1, pieces=4), make_model()
    answer = beam(model, batch.images, batch.target, BeamParams(looks=20, good=0.0, near=1.0, kept=4))
    assert len(answer.chosen) == 4
    places = torch.stack([answer.centres[k, answer.chosen[k].argsort()] for k in range(4)])
    apart = (places[:, None] - places[None]).norm(dim=-1).amax(dim=-1)
    assert float(apart[~torch.eye(4, dtype=torch.bool)].min()) > SAME_PX


def test_a_beam_turns_back_where_it_was_not_sure(draw: Draw) -> None:
    batch, model = draw(count=1, pieces=4), make_model()
    most: list[int] = []
    for sure in (0.0, 1.0):
        looks: list[int] = []

        def stop(so_far: int, looks: list[int] = looks) -> bool:
            looks.append(so_far)
            return False

        beam(model, batch.images, batch.target, BeamParams(good=1.0, sure=sure), stop)
        most.append(max(looks))
    assert most[0] < 4 < most[1]


def test_a_beam_that_is_stopped_keeps_the_best_so_far(draw: Draw) -> None:
    batch, model = draw(count=1, pieces=4), make_model()
    looks: list[int] = []

    def stop(so_far: int) -> bool:
        looks.append(so_far)
        return so_far >= 7

    answer = beam(model, batch.images, batch.target, BeamParams(looks=1000, good=0.0), stop)
    assert sorted(answer.chosen[0].tolist()) == [0, 1, 2, 3]
    assert max(looks) == 7


@pytest.mark.parametrize("allowed", [0, 1])
def test_it_may_be_stopped_while_fragments_are_encoded(allowed: int, draw: Draw) -> None:
    batch, model = draw(count=1, pieces=4, rotations=4), make_model()  # 16 images, 8 at a time
    asked: list[int] = []

    def stop(steps: int) -> bool:
        asked.append(steps)
        return len(asked) > allowed

    for answer in (
        assemble(model, batch.images, batch.target, stop),
        beam(model, batch.images, batch.target, BeamParams(), stop),
    ):
        assert answer.chosen.tolist() == [[-1] * 4]
    assert set(asked) == {0}


def test_bad_beams() -> None:
    with pytest.raises(ValueError, match="at least 0"):
        BeamParams(ways=-1)


@pytest.mark.parametrize("count", [1, 3])
def test_maps_that_are_left_out_hold_no_peak(count: int) -> None:
    """Against all maps pooled: narrow peaks, broad ones that are lower, and noise."""
    torch.manual_seed(count)
    maps = torch.randn(4, 3, 2, 16, 16) * torch.tensor([0.1, 2.0, 5.0])[:, None, None, None]
    near = torch.nn.functional.avg_pool2d(
        maps.flatten(1, 2).flatten(1).softmax(dim=1).view(4, 6, 16, 16), 3, 1, 1
    )
    best = near.flatten(1).argmax(dim=1)
    peaks = find_peaks(maps, count)
    assert torch.equal(2 * peaks.fragment[:, 0] + peaks.turn[:, 0], best // 16**2)
    torch.testing.assert_close(peaks.probability[:, 0], 9.0 * near.flatten(1).amax(dim=1))
    assert (peaks.probability.diff(dim=1) <= 0.0).all()
    for quick, thorough in zip(
        vars(peaks).values(), vars(find_peaks(maps, count, hurry=False)).values(), strict=True
    ):
        torch.testing.assert_close(quick, thorough)


def test_what_is_placed_changes_no_score_of_the_others(draw: Draw) -> None:
    model, batch = make_model(), draw(count=1, pieces=4, rotations=3)
    state = State.empty(batch.images, batch.target)
    with torch.no_grad():
        candidates = Candidates.of(model, batch.images, map)
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
