"""Assembling with the matcher along several ways."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from sherd.learn.data.batch import PuzzleBatch, as_floats
from sherd.learn.matcher.beam import SAME_PX, BeamParams, beam
from sherd.learn.matcher.greedy import assemble
from sherd.learn.matcher.look import place_between
from sherd.learn.matcher.network import Matcher, MatcherConfig

Draw = Callable[..., PuzzleBatch]


def make_model(seed: int = 0) -> Matcher:
    torch.manual_seed(seed)
    model = Matcher(MatcherConfig(size_px=32, features=8, widths=(12, 16), judge_widths=(6, 8)))
    torch.nn.init.normal_(model.judge.out.weight)
    torch.nn.init.normal_(model.shape_head.weight)  # or every pixel would be as likely
    torch.nn.init.normal_(model.fragment_bias.weight, std=0.1)
    return model


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


def test_bad_beams() -> None:
    with pytest.raises(ValueError, match="at least 0"):
        BeamParams(ways=-1)
