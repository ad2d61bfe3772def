"""The states that a matcher comes to by itself."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from sherd.core.geometry import Rotations
from sherd.generation.dataset import PuzzleKind
from sherd.generation.shapes import named_shape
from sherd.learn.data.batch import PuzzleBatch
from sherd.learn.data.sets import draw_set
from sherd.learn.matcher.greedy import encode
from sherd.learn.matcher.learner import MatcherLearner, MatcherLossParams
from sherd.learn.matcher.network import Matcher, MatcherConfig
from sherd.learn.matcher.own_steps import ASTRAY_PX, own_steps
from sherd.solvers.learned.matcher import MatcherSolver

Draw = Callable[..., PuzzleBatch]


def make_model() -> Matcher:
    torch.manual_seed(0)
    model = Matcher(MatcherConfig(size_px=32, features=8, widths=(12, 16), judge_widths=(6, 8)))
    torch.nn.init.normal_(model.shape_head.weight)  # untaught, all its scores would be the same
    return model


@pytest.mark.parametrize("rotations", [1, 4])
def test_every_fragment_is_placed_once_near_its_place(rotations: int, draw: Draw) -> None:
    batch = draw(count=3, pieces=4, rotations=rotations)
    model = make_model()
    order, centres = own_steps(model, batch, encode(model, batch.images))
    assert order.sort(dim=1).values.tolist() == [[0, 1, 2, 3]] * 3
    astray = (centres - batch.centres).abs()
    assert 0.0 < float(astray.max()) <= ASTRAY_PX + 1.5


def test_absent_fragments_come_first(draw: Draw) -> None:
    batch = draw(count=2, pieces=4)
    batch.images[:, 2] = 0
    model = make_model()
    order, _ = own_steps(model, batch, encode(model, batch.images))
    assert order[:, 0].tolist() == [2, 2]


def test_a_taught_network_lays_fragments_where_they_belong() -> None:
    model = MatcherSolver.shipped().learner.model
    kind = PuzzleKind(shape=named_shape("square"), pieces=4, rotations=Rotations(1))
    batch = draw_set(kind, 3, range(2), torch.device("cpu"))
    _, centres = own_steps(model, batch, encode(model, batch.images))
    torch.testing.assert_close(centres, batch.centres, atol=0.6, rtol=0.0)


def test_a_learner_is_taught_in_them(draw: Draw) -> None:
    batch = draw(count=4, pieces=4)
    batch.images[:2, 0] = 0
    still = torch.zeros_like(batch.centres)
    model = make_model()
    losses: list[float] = []
    for share in (0.0, 0.5, 1.0):
        torch.manual_seed(3)
        loss = MatcherLearner(model, MatcherLossParams(own_steps=share))(batch, still)["loss"]
        assert torch.isfinite(loss)
        losses.append(float(loss.detach()))
    assert len(set(losses)) == 3


def test_own_steps_need_any_order() -> None:
    with pytest.raises(ValueError, match="own_steps"):
        MatcherLossParams(any_order=False, own_steps=0.5)
    with pytest.raises(ValueError, match="own_steps"):
        MatcherLossParams(own_steps=1.5)
