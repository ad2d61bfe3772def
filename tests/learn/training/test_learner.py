"""What training needs of a network."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from sherd.learn.fan.learner import FanLearner
from sherd.learn.fan.network import Fan, FanConfig
from sherd.learn.matcher.network import Matcher, MatcherConfig
from sherd.learn.training.learner import TrainableNetwork, fresh_learner

CPU = torch.device("cpu")


def test_fresh_weights_are_those_of_the_seed(tiny: FanConfig) -> None:
    def weights(seed: int) -> torch.Tensor:
        learner = fresh_learner(lambda: FanLearner(Fan(tiny)), seed=seed, device=CPU)
        return torch.cat([value.flatten() for value in learner.parameters()])

    assert torch.equal(weights(3), weights(3))
    assert not torch.equal(weights(3), weights(4))


@pytest.mark.parametrize(
    ("make", "name"),
    [(Fan, "fan"), (lambda config: Matcher(MatcherConfig(size_px=32, widths=(4, 4))), "matcher")],
)
def test_a_network_knows_its_name_and_device(
    make: Callable[[FanConfig], TrainableNetwork], name: str, tiny: FanConfig
) -> None:
    model = make(tiny)
    assert (model.name, model.device) == (name, CPU)
    with torch.device("meta"):
        assert make(tiny).device.type == "meta"


@pytest.mark.parametrize(("aggregation", "unbound"), [("fram", set()), ("none", {"pose_sees_others"})])
def test_what_weights_need_not_agree_in(
    aggregation: str, unbound: set[str], make_learner: Callable[..., FanLearner]
) -> None:
    assert make_learner(aggregation=aggregation).model.unbound == {"between_pixels", "dropout"} | unbound
