from __future__ import annotations

from pathlib import Path

import pytest

from sherd.core.errors import FileFormatError
from sherd.learn.fan.settings import FanSettings
from sherd.learn.matcher.settings import MatcherSettings
from sherd.learn.training.settings import NETWORKS, read_settings, settings_from
from sherd.learn.training.train import TrainParams

SHORT = "[training]\nsteps = 3\n"


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "run.toml"
    path.write_text(text)
    return path


def test_each_network_has_settings_of_its_own_under_its_name() -> None:
    assert {"fan": FanSettings, "matcher": MatcherSettings} == NETWORKS
    assert all(kind.name == name for name, kind in NETWORKS.items())
    assert all(
        isinstance(read_settings(None, network=name, steps=1), kind) for name, kind in NETWORKS.items()
    )


def test_a_duration_given_goes_before_the_files(tmp_path: Path) -> None:
    path = write(tmp_path, SHORT)
    assert read_settings(path).training == TrainParams(steps=3)
    assert read_settings(path, minutes=2.0).training == TrainParams(minutes=2.0)
    assert read_settings(path, steps=9).training == TrainParams(steps=9)


@pytest.mark.parametrize("network", NETWORKS)
def test_small_settings_are_the_networks_own_with_less_of_everything(network: str) -> None:
    usual, small = (read_settings(None, network=network, steps=3, small=small) for small in (False, True))
    assert small.training.steps == usual.training.steps == 3
    assert small.drawn < usual.drawn
    assert small.network.size_px < usual.network.size_px
    assert small.puzzles.validation_puzzles < usual.puzzles.validation_puzzles


def test_small_settings_give_way_to_a_file(tmp_path: Path) -> None:
    path = write(tmp_path, SHORT)
    assert read_settings(path, small=True) == read_settings(path)


@pytest.mark.parametrize("network", NETWORKS)
def test_settings_survive_json(network: str) -> None:
    for settings in (
        read_settings(None, network=network, steps=3),
        read_settings(None, network=network, minutes=1.5),
    ):
        assert settings_from(settings.to_json(), network=network) == settings


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[puzles]\npieces = 8", r"run.toml: unknown section \[puzles\]: there are puzzles, network"),
        (
            "[training]\nstpes = 8\nsteps = 1",
            r"run.toml: \[training\] unknown key 'stpes': there are minutes",
        ),
        ("[puzzles]\nnoise = 0.1", r"run.toml: \[puzzles\] unknown key 'noise'"),
        ("training = 3", "training must be a section"),
        ("[training]\nsteps = 1.5", r"\[training\] steps must be a whole number, not 1.5"),
        ("[training]\nsteps = true", "steps must be a whole number, not True"),
        ('[training]\nsteps = "many"', "steps must be a whole number, not 'many'"),
        ('[training]\nsteps = 1\nlearning_rate = "high"', "learning_rate must be a number, not 'high'"),
        ("[training]\nsteps = 0", r"\[training\] training must last longer than 0"),
        ("[training]\nminutes = inf", r"\[training\] training must last .* not for ever, not inf"),
        ("[training]\nminutes = nan", "not for ever, not nan"),
        ("[training]\nminutes = -1", "not for ever, not -1"),
        ("[training]\nsteps = 1\nclip = inf", "clip must be at least 0 .for none. and finite, not inf"),
        ("[training]\nsteps = 1\nlearning_rate = inf", "learning_rate must be greater than 0 and finite"),
        ("[training]\nsteps = 1\nlearning_rate = -1e-3", "learning_rate must be greater than 0 and finite"),
        ("[training]\nsteps = 1\nminutes = 1", "either minutes or steps"),
        ("[puzzles]\npieces = 8", "gives neither minutes nor steps"),
        ("[network", "run.toml: not TOML"),
    ],
)
def test_what_is_wrong_is_named_with_its_file(text: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=reason):
        read_settings(write(tmp_path, text))
