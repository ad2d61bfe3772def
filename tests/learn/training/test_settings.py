from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from sherd.core.errors import FileFormatError, UnsupportedError
from sherd.generation.fragmentation import BLOCK
from sherd.learn.data.pool import Mixture
from sherd.learn.data.sets import EndlessSet, FixedSet
from sherd.learn.fan.learner import FanLossParams
from sherd.learn.fan.network import COMPACT, FanConfig
from sherd.learn.matcher.learner import MatcherLearner, MatcherLossParams
from sherd.learn.matcher.network import MatcherConfig
from sherd.learn.training.settings import (
    MixtureSettings,
    PuzzleSettings,
    check_room,
    make_data,
    make_learner,
    read_settings,
    settings_from,
)
from sherd.learn.training.train import TrainParams

CPU = torch.device("cpu")
EXPERIMENTS = Path(__file__).parents[3] / "experiments"
SMALL = """
[puzzles]
shapes = ["square", "hexagon"]
pieces = 3
train_puzzles = 6
validation_puzzles = 2
seed = 4
[network]
size_px = 32
features = 16
heads = 2
[training]
steps = 3
"""


def write(tmp_path: Path, text: str) -> Path:
    path = tmp_path / "run.toml"
    path.write_text(text)
    return path


def test_without_a_file_it_is_the_papers_protocol() -> None:
    settings = read_settings(None, minutes=4.0)
    assert settings.network == FanConfig()
    assert settings.losses == FanLossParams()
    assert settings.training == TrainParams(minutes=4.0)
    assert (settings.puzzles.shapes, settings.puzzles.train_puzzles) == (("square",), 3200)
    assert settings.puzzles.validation_puzzles == 800


def test_the_ready_experiments() -> None:
    square = read_settings(EXPERIMENTS / "fan-square.toml")
    assert (square.network, square.puzzles.train_puzzles) == (FanConfig(), 3200)
    compact = read_settings(EXPERIMENTS / "fan-compact.toml")
    assert compact.network == replace(COMPACT, pose_sees_others=False)  # as the one that ships was trained
    assert compact.puzzles.train_puzzles == 0
    assert compact.puzzles.shapes == ("square", "pentagon", "hexagon", "mondrian")


def test_the_papers_weights_of_the_losses_may_be_asked_for(tmp_path: Path) -> None:
    path = write(tmp_path, SMALL + "[losses]\nposition_weight = 1000\nrotation_weight = 10\n")
    learner = make_learner(read_settings(path), CPU)
    assert learner.params == FanLossParams(position_weight=1000.0, rotation_weight=10.0)


def test_what_the_network_must_be_able_to_do_follows_from_the_puzzles(tmp_path: Path) -> None:
    path = write(tmp_path, '[puzzles]\nrotations = 20\ntexture = "checker"\n[network]\npreset = "compact"\n')
    network = read_settings(path, steps=1).network
    assert (network.rotates, network.channels, network.features) == (True, 4, COMPACT.features)


def test_a_duration_given_goes_before_the_files(tmp_path: Path) -> None:
    path = write(tmp_path, SMALL)
    assert read_settings(path).training == TrainParams(steps=3)
    assert read_settings(path, minutes=2.0).training == TrainParams(minutes=2.0)
    assert read_settings(path, steps=9).training == TrainParams(steps=9)


def test_settings_survive_json(tmp_path: Path) -> None:
    settings = read_settings(write(tmp_path, SMALL))
    assert settings_from(settings.to_json()) == settings
    by_the_clock = read_settings(None, minutes=1.5)
    assert settings_from(by_the_clock.to_json()) == by_the_clock


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[puzles]\npieces = 8", r"run.toml: unknown section \[puzles\]: there are puzzles, network"),
        (
            "[training]\nstpes = 8\nsteps = 1",
            r"run.toml: \[training\] unknown key 'stpes': there are minutes",
        ),
        ("[puzzles]\nnoise = 0.1", r"run.toml: \[puzzles\] unknown key 'noise'"),
        ("[losses]\nangle_weight = 1", r"\[losses\] unknown key 'angle_weight'"),
        ("[network]\nlayers = 3", r"\[network\] unknown key 'layers'"),
        ("training = 3", "training must be a section"),
        ("[training]\nsteps = 1.5", r"\[training\] steps must be a whole number, not 1.5"),
        ("[training]\nsteps = true", "steps must be a whole number, not True"),
        ('[training]\nsteps = "many"', "steps must be a whole number, not 'many'"),
        ('[training]\nsteps = 1\nlearning_rate = "high"', "learning_rate must be a number, not 'high'"),
        ("[training]\nsteps = 0", r"\[training\] training must last longer than 0"),
        ("[training]\nminutes = inf", r"\[training\] training must last .* not for ever, not inf"),
        ("[training]\nminutes = nan", "not for ever, not nan"),
        ("[training]\nminutes = -1", "not for ever, not -1"),
        ("[training]\nsteps = 1\nclip = inf", "clip must be greater than 0 and finite, not inf"),
        ("[training]\nsteps = 1\nlearning_rate = inf", "learning_rate must be greater than 0 and finite"),
        ("[training]\nsteps = 1\nlearning_rate = -1e-3", "learning_rate must be greater than 0 and finite"),
        (
            "[losses]\nposition_weight = -1",
            r"\[losses\] position_weight must be at least 0 and finite, not -1",
        ),
        ("[losses]\nrotation_weight = nan", "rotation_weight must be at least 0 and finite, not nan"),
        ("[losses]\nspread_px = inf", "spread_px must be at least 0 and finite, not inf"),
        ('[puzzles]\nshapes = ["square", "hexagon", "square"]', "every shape once, not square twice"),
        ("[training]\nsteps = 1\nminutes = 1", "either minutes or steps"),
        ("[puzzles]\npieces = 8", "gives neither minutes nor steps"),
        ('[puzzles]\nshapes = "square"', "shapes must be a list of texts, not 'square'"),
        ("[puzzles]\nshapes = []", "at least one shape"),
        ('[puzzles]\nshapes = ["blob"]', "unknown shape 'blob'"),
        ("[puzzles]\npieces = 0", "pieces must be between"),
        ("[puzzles]\nrotations = 0", r"\[puzzles\] .*bin"),
        ('[puzzles]\norder = "top"', "order must be one of bottom-left, random, not 'top'"),
        ('[puzzles]\ntexture = "wallpaper"', "'wallpaper' is neither a built-in texture"),
        ("[puzzles]\ntrain_puzzles = -1", "train_puzzles must be at least 0"),
        ("[puzzles]\nvalidation_puzzles = 0", "validation_puzzles must be at least 1"),
        ("[puzzles]\nseed = -1", "seed must be at least 0, not -1"),
        ('[network]\npreset = "huge"', "preset must be paper or compact, not 'huge'"),
        ("[network]\nrotates = true", r"\[network\] rotates must be False for these puzzles"),
        ("[network]\nshared_encoder = 1", "shared_encoder must be true or false, not 1"),
        ('[network]\naggregation = "sum"', "aggregation must be one of fram, none, max, avg, not 'sum'"),
        ("[network]\nsize_px = 100", "size_px must be a multiple of 16, not 100"),
        ("[network", "run.toml: not TOML"),
    ],
)
def test_what_is_wrong_is_named_with_its_file(text: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=reason):
        read_settings(write(tmp_path, text))


def test_a_fixed_set_and_its_validation_do_not_overlap(tmp_path: Path) -> None:
    data, validation = make_data(read_settings(write(tmp_path, SMALL)), CPU)
    assert isinstance(data, FixedSet)
    assert (len(data.puzzles), len(validation)) == (12, 4)  # of both shapes
    seen = {tuple(centres) for centres in data.puzzles.centres.flatten(1).tolist()}
    assert seen.isdisjoint(tuple(centres) for centres in validation.centres.flatten(1).tolist())


def test_room_is_asked_for_before_anything_is_drawn(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    settings = read_settings(write(tmp_path, SMALL))
    assert isinstance(settings.puzzles, PuzzleSettings)
    each = settings.puzzles.pieces * settings.puzzles.rotations * len(settings.puzzles.shapes)
    kept = (2 * settings.puzzles.train_puzzles + settings.puzzles.validation_puzzles) * each
    monkeypatch.setattr("sherd.learn.training.device.LEAST_CHANNELS", 0)
    monkeypatch.setattr(
        "sherd.learn.training.device._available_bytes", lambda: kept * settings.network.size_px**2
    )
    check_room(settings, CPU)
    monkeypatch.setattr(
        "sherd.learn.training.device._available_bytes", lambda: kept * settings.network.size_px**2 - 1
    )
    with pytest.raises(UnsupportedError, match="memory does not suffice: training takes at least"):
        check_room(settings, CPU)


def test_of_endless_puzzles_a_block_of_each_shape_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    monkeypatch.setattr(
        "sherd.learn.training.settings.require_room", lambda *sizes, kept, taught: asked.append(kept)
    )
    settings = read_settings(write(tmp_path, SMALL.replace("train_puzzles = 6", "train_puzzles = 0")))
    puzzles = settings.puzzles
    assert isinstance(puzzles, PuzzleSettings)
    worn = replace(settings, puzzles=replace(puzzles, degradation="eroded"))
    check_room(settings, CPU)
    check_room(settings, torch.device("cuda"))
    check_room(worn, CPU)
    each = puzzles.pieces * puzzles.rotations * len(puzzles.shapes)
    alone, drawn = (each * (kept + puzzles.validation_puzzles) for kept in (0, BLOCK))
    assert asked == [alone, drawn, drawn]


def test_a_step_may_have_no_room(tmp_path: Path) -> None:
    text = SMALL.replace("train_puzzles = 6", "train_puzzles = 0")
    settings = read_settings(write(tmp_path, text))
    check_room(settings, CPU)
    large = replace(settings, training=replace(settings.training, batch_puzzles=10**9))
    with pytest.raises(UnsupportedError, match="or a smaller batch"):
        check_room(large, CPU)
    check_room(large, CPU, world=10**9)


@pytest.mark.parametrize(("shared", "images"), [("false", 4), ("true", 2)])
def test_the_first_layers_maps_need_room(
    shared: str, images: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = f"""
        [puzzles]
        pieces = 5
        train_puzzles = 0
        validation_puzzles = 1
        [network]
        shared_encoder = {shared}
        [training]
        steps = 1
        batch_puzzles = 3
    """
    settings = read_settings(write(tmp_path, text))
    needed = 128**2 * (5 + 16 * 4 * 3 * 5 * images)  # one puzzle in bytes, 16 channels of floats
    monkeypatch.setattr("sherd.learn.training.device._available_bytes", lambda: needed)
    check_room(settings, CPU)
    monkeypatch.setattr("sherd.learn.training.device._available_bytes", lambda: needed - 1)
    with pytest.raises(UnsupportedError, match="memory does not suffice"):
        check_room(settings, CPU)


def test_a_mixture_may_have_no_room(tmp_path: Path) -> None:
    text = MIXTURE.replace("validation_puzzles = 3", "validation_puzzles = 1000000000")
    with pytest.raises(UnsupportedError, match="take fewer puzzles"):
        check_room(read_settings(write(tmp_path, text), network="matcher"), CPU)


def test_endless_puzzles(tmp_path: Path) -> None:
    text = SMALL.replace("train_puzzles = 6", "train_puzzles = 0")
    data, validation = make_data(read_settings(write(tmp_path, text)), CPU)
    assert isinstance(data, EndlessSet)
    assert len(validation) == 4
    seen = {tuple(centres) for centres in data.batch(0, 64).centres.flatten(1).tolist()}
    assert seen.isdisjoint(tuple(centres) for centres in validation.centres.flatten(1).tolist())


def test_the_same_seed_gives_the_same_weights(tmp_path: Path) -> None:
    settings = read_settings(write(tmp_path, SMALL))
    one, other = (make_learner(settings, CPU).state_dict() for _ in range(2))
    assert all(torch.equal(value, other[name]) for name, value in one.items())


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


def test_a_mixture_for_the_matcher(tmp_path: Path) -> None:
    settings = read_settings(write(tmp_path, MIXTURE), network="matcher")
    assert settings.name == "matcher"
    assert settings.network == MatcherConfig(size_px=32, features=4, widths=(8, 12))
    assert settings.losses == MatcherLossParams(any_order=False)
    assert settings_from(settings.to_json(), network="matcher") == settings
    data, validation = make_data(settings, CPU)
    assert isinstance(data, Mixture)
    assert isinstance(validation, dict)
    assert list(validation) == ["0 square 3 x 1", "1 2 shapes 2 x 4"]
    assert [len(batch) for batch in validation.values()] == [3, 3]
    assert [tuple(batch.images.shape[:3]) for batch in data.examples(50)] == [(8, 3, 1), (3, 2, 4)]
    assert isinstance(make_learner(settings, CPU), MatcherLearner)


def test_the_matcher_of_the_package() -> None:
    settings = read_settings(EXPERIMENTS / "matcher.toml", network="matcher")
    assert isinstance(settings.puzzles, MixtureSettings)
    assert {share.rotations for share in settings.puzzles.shares} == {1, 4, 20}
    assert {share.degradation for share in settings.puzzles.shares} == {
        *("none", "missing", "eroded", "distorted"),
    }
    assert {share.pieces for share in settings.puzzles.shares} >= {4, 8, 16, 32}
    assert settings.network == MatcherConfig()


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
