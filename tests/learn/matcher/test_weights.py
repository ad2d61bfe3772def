from __future__ import annotations

from dataclasses import asdict
from pathlib import Path

import pytest
import torch

from sherd.core.errors import FileFormatError
from sherd.learn.matcher.network import Matcher, MatcherConfig
from sherd.learn.matcher.weights import load_matcher
from sherd.learn.training.checkpoint import save_network

TINY = MatcherConfig(size_px=32, features=6, widths=(8, 12), judge_widths=(6, 8))
CPU = torch.device("cpu")


def make_model(config: MatcherConfig = TINY) -> Matcher:
    torch.manual_seed(0)
    model = Matcher(config)
    torch.nn.init.normal_(model.shape_head.weight)
    torch.nn.init.normal_(model.fragment_bias.weight)
    return model.eval()


def test_weights_survive_a_file(tmp_path: Path) -> None:
    model, path = make_model(), tmp_path / "w.safetensors"
    save_network(path, "matcher", model, asdict(model.config), {"train_minutes": 2.0}, torch.float16)
    loaded, training = load_matcher(path, torch.device("cpu"))
    assert loaded.config == TINY
    assert training == {"train_minutes": 2.0}
    assert not loaded.training
    for name, value in model.state_dict().items():
        torch.testing.assert_close(loaded.state_dict()[name], value, atol=1e-3, rtol=1e-3)


def test_weights_of_another_network_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "w.safetensors"
    save_network(path, "fan", make_model(), {}, {})
    with pytest.raises(FileFormatError, match="weights of the network 'fan', not of 'matcher'"):
        load_matcher(path, torch.device("cpu"))
    save_network(path, "matcher", make_model(), {"features": 6}, {})
    with pytest.raises(FileFormatError, match="trained for an older matcher"):
        load_matcher(path, torch.device("cpu"))
    save_network(path, "matcher", make_model(), {"features": 6, "judge_widths": [6, 8], "widths": []}, {})
    with pytest.raises(FileFormatError, match="not the config of 'matcher'"):
        load_matcher(path, torch.device("cpu"))


def test_a_matcher_from_before_its_judge(tmp_path: Path) -> None:
    path = tmp_path / "weights.safetensors"
    model = Matcher(MatcherConfig(size_px=32, features=4, widths=(4,), judge_widths=(4,)))
    config = asdict(model.config)
    save_network(path, "matcher", model, config, {"steps": 7})
    again, training = load_matcher(path, CPU)
    assert (again.config, training) == (model.config, {"steps": 7})
    del config["judge_widths"]
    save_network(path, "matcher", model, config, {})
    with pytest.raises(FileFormatError, match=r"trained for an older matcher, .*: train them again"):
        load_matcher(path, CPU)
