from __future__ import annotations

from pathlib import Path

import pytest
import torch

from sherd.core.errors import FileFormatError, UnsupportedError
from sherd.learn.data.pool import Mixture
from sherd.learn.matcher.learner import MatcherLearner, MatcherLossParams
from sherd.learn.matcher.network import MatcherConfig
from sherd.learn.matcher.settings import MatcherSettings
from sherd.learn.training.settings import read_settings, settings_from

CPU = torch.device("cpu")
EXPERIMENTS = Path(__file__).parents[3] / "experiments"
MIXTURE = """
[puzzles]
pool_puzzles = 60
validation_puzzles = 3
images_a_step = 24
[[puzzles.shares]]
pieces = 3
[[puzzles.shares]]
shapes = ["hexagon", "random-convex"]
pieces = 2
rotations = 4
weight = 2
[network]
size_px = 32
features = 4
widths = [8, 12]
[losses]
any_order = false
[training]
steps = 2
"""


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "run.toml"
    path.write_text(text)
    return path


def test_a_mixture_for_the_matcher(tmp_path: Path) -> None:
    settings = read_settings(write(tmp_path, MIXTURE), network="matcher")
    assert settings.name == "matcher"
    assert settings.network == MatcherConfig(size_px=32, features=4, widths=(8, 12))
    assert settings.losses == MatcherLossParams(any_order=False)
    assert settings_from(settings.to_json(), network="matcher") == settings
    data, validation = settings.make_data(CPU)
    assert isinstance(data, Mixture)
    assert isinstance(validation, dict)
    assert list(validation) == ["0 square 3 x 1", "1 2 shapes 2 x 4"]
    assert [len(batch) for batch in validation.values()] == [3, 3]
    assert [tuple(batch.images.shape[:3]) for batch in data.examples(50)] == [(8, 3, 1), (3, 2, 4)]
    assert isinstance(settings.make_learner(CPU), MatcherLearner)


def test_the_matcher_of_the_package() -> None:
    settings = read_settings(EXPERIMENTS / "matcher.toml", network="matcher")
    assert isinstance(settings, MatcherSettings)
    assert {share.rotations for share in settings.puzzles.shares} == {1, 4, 20}
    assert {share.degradation for share in settings.puzzles.shares} == {
        *("none", "missing", "eroded", "distorted"),
    }
    assert {share.pieces for share in settings.puzzles.shares} >= {4, 8, 16, 32}
    assert settings.network == MatcherConfig()


def test_a_mixture_may_have_no_room(tmp_path: Path) -> None:
    text = MIXTURE.replace("validation_puzzles = 3", "validation_puzzles = 1000000000")
    with pytest.raises(UnsupportedError, match="take fewer puzzles"):
        read_settings(write(tmp_path, text), network="matcher").check_room(CPU)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[puzzles]\nshares = 3", r"shares must be sections of their own: \[\[puzzles.shares\]\]"),
        ("[[puzzles.shares]]\nbins = 4", r"\[puzzles\] shares 1: unknown key 'bins'"),
        ('[[puzzles.shares]]\n[[puzzles.shares]]\nshapes = ["blob"]', "shares 2: unknown shape 'blob'"),
        ('[puzzles]\nteaching = "backwards"', "teaching must be one of bottom-left, sweep, random"),
        ("[puzzles]\npool_puzzles = 0", "must be at least 1"),
        ('[network]\nwidths = ["wide"]', "widths must be a list of whole numbers"),
        ("[network]\nsize_px = 100", "size_px must be a multiple of 16, not 100"),
        ("[losses]\nsteps = 0", r"\[losses\] steps must be at least 1"),
        ("[losses]\njudge_weight = inf", r"\[losses\] judge_weight must be at least 0 and finite, not inf"),
        ("[losses]\nspread_px = -1", r"\[losses\] spread_px must be at least 0 and finite, not -1"),
    ],
)
def test_what_is_wrong_with_a_mixture(text: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=reason):
        read_settings(write(tmp_path, text), network="matcher", steps=1)
