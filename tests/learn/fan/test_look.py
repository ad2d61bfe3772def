"""FAN's placements, laid and weighed before one is made."""

from __future__ import annotations

import pytest
import torch

from sherd.core.errors import ArgumentError
from sherd.core.geometry import Rotations
from sherd.generation.dataset import PuzzleKind
from sherd.generation.shapes import named_shape
from sherd.learn.data.batch import PuzzleBatch
from sherd.learn.data.sets import draw_set
from sherd.learn.fan.learner import FanLearner
from sherd.learn.fan.look import LookParams, assemble_looking
from sherd.learn.fan.network import Fan, FanConfig

CPU = torch.device("cpu")


@pytest.fixture(autouse=True)
def _one_thread() -> None:
    torch.set_num_threads(1)


def make_learner(*, rotates: bool = False) -> FanLearner:
    torch.manual_seed(0)
    model = Fan(
        FanConfig(
            size_px=32, features=16, hidden=32, heads=2, code_channels=4, map_channels=4, rotates=rotates
        )
    )
    torch.nn.init.normal_(model.decoder.logits.weight, std=0.2)  # or every pixel would be as likely
    return FanLearner(model)


def make_batch(bins: int = 1) -> PuzzleBatch:
    kind = PuzzleKind(shape=named_shape("square"), pieces=4, rotations=Rotations(bins))
    return draw_set(kind, 3, range(6), CPU, 32)


@pytest.mark.parametrize("ways", [1, 3])
@pytest.mark.parametrize("bins", [1, 4])
def test_every_fragment_is_placed_once(bins: int, ways: int) -> None:
    batch = make_batch(bins)
    learner = make_learner(rotates=bins > 1)
    found = assemble_looking(learner, batch.images, batch.target, LookParams(ways=ways))
    assert found.chosen.sort(dim=1).values.tolist() == [[0, 1, 2, 3]] * 6
    assert int(found.turns.max()) < bins
    assert bool(((found.certainty > 0.0) & (found.certainty <= 1.0)).all())


def test_untaught_it_covers_more_than_the_first_guess_and_more_ways_cover_more_still() -> None:
    batch, learner = make_batch(), make_learner()

    def left(ways: int) -> float:
        params = LookParams(fragments=4, places=4, ways=ways)
        return float(assemble_looking(learner, batch.images, batch.target, params).remaining.sum())

    assert left(4) < left(1) < float(learner.assemble(batch.images, batch.target).remaining.sum())


def test_stopped_it_keeps_what_is_placed() -> None:
    batch = make_batch()
    found = assemble_looking(
        make_learner(), batch.images, batch.target, LookParams(), lambda steps: steps == 2
    )
    assert (found.chosen >= 0).sum(dim=1).tolist() == [2] * 6


def test_nothing_laid_or_followed_is_refused() -> None:
    for name in ("fragments", "turns", "places", "ways"):
        with pytest.raises(ArgumentError, match="at least 1"):
            LookParams(**{name: 0})
