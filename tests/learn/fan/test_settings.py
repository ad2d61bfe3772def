from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
import torch

from sherd.core.errors import FileFormatError, UnsupportedError
from sherd.generation.fragmentation import BLOCK
from sherd.learn.data.sets import EndlessSet, FixedSet
from sherd.learn.fan.learner import FanLossParams
from sherd.learn.fan.network import COMPACT, FanConfig
from sherd.learn.fan.settings import FanSettings, PuzzleSettings
from sherd.learn.training.settings import read_settings, settings_from
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
    assert compact.network == COMPACT
    assert compact.puzzles.train_puzzles == 0
    assert compact.puzzles.shapes == ("square", "pentagon", "hexagon", "mondrian")


def test_the_papers_weights_of_the_losses_may_be_asked_for(tmp_path: Path) -> None:
    path = write(tmp_path, SMALL + "[losses]\nposition_weight = 1000\nrotation_weight = 10\n")
    learner = read_settings(path).make_learner(CPU)
    assert learner.params == FanLossParams(position_weight=1000.0, rotation_weight=10.0)


def test_what_the_network_must_be_able_to_do_follows_from_the_puzzles(tmp_path: Path) -> None:
    path = write(tmp_path, '[puzzles]\nrotations = 20\ntexture = "checker"\n[network]\npreset = "compact"\n')
    network = read_settings(path, steps=1).network
    assert (network.rotates, network.channels, network.features) == (True, 4, COMPACT.features)


def test_settings_survive_json(tmp_path: Path) -> None:
    settings = read_settings(write(tmp_path, SMALL))
    assert settings_from(settings.to_json()) == settings


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("[losses]\nangle_weight = 1", r"\[losses\] unknown key 'angle_weight'"),
        ("[network]\nlayers = 3", r"\[network\] unknown key 'layers'"),
        (
            "[losses]\nposition_weight = -1",
            r"\[losses\] position_weight must be at least 0 and finite, not -1",
        ),
        ("[losses]\nrotation_weight = nan", "rotation_weight must be at least 0 and finite, not nan"),
        ("[losses]\nspread_px = inf", "spread_px must be at least 0 and finite, not inf"),
        ('[puzzles]\nshapes = ["square", "hexagon", "square"]', "every shape once, not square twice"),
        ('[puzzles]\nshapes = "square"', "shapes must be a list of texts, not 'square'"),
        ("[puzzles]\nshapes = []", "at least one shape"),
        ('[puzzles]\nshapes = ["blob"]', "unknown shape 'blob'"),
        ("[puzzles]\npieces = 0", "pieces must be between"),
        ("[puzzles]\nrotations = 0", r"\[puzzles\] .*bin"),
        (
            '[puzzles]\norder = "top"',
            "order must be one of bottom-left, random, released, released-random, not 'top'",
        ),
        ('[puzzles]\ntexture = "wallpaper"', "'wallpaper' is neither a built-in texture"),
        ("[puzzles]\ntrain_puzzles = -1", "train_puzzles must be at least 0"),
        ("[puzzles]\nvalidation_puzzles = 0", "validation_puzzles must be at least 1"),
        ("[puzzles]\nseed = -1", "seed must be at least 0, not -1"),
        ('[network]\npreset = "huge"', "preset must be paper or compact, not 'huge'"),
        ("[network]\nrotates = true", r"\[network\] rotates must be False for these puzzles"),
        ("[network]\nshared_encoder = 1", "shared_encoder must be true or false, not 1"),
        ('[network]\naggregation = "sum"', "aggregation must be one of fram, none, max, avg, not 'sum'"),
        ("[network]\nsize_px = 100", "size_px must be a multiple of 16, not 100"),
        (
            "[losses]\npools_px = [1, 256]",
            r"\[losses\] pools_px must be at most size_px, 128, not \[1, 256\]",
        ),
        ("[network]\nsize_px = 16\n[losses]\npools_px = [17]", "at most size_px, 16, not"),
        ('[network]\npreset = ["paper"]', "preset must be paper or compact, not"),
    ],
)
def test_what_is_wrong_is_named_with_its_section(text: str, reason: str, tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=reason):
        read_settings(write(tmp_path, text))


def test_a_fixed_set_and_its_validation_do_not_overlap(tmp_path: Path) -> None:
    data, validation = read_settings(write(tmp_path, SMALL)).make_data(CPU)
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
    settings.check_room(CPU)
    monkeypatch.setattr(
        "sherd.learn.training.device._available_bytes", lambda: kept * settings.network.size_px**2 - 1
    )
    with pytest.raises(UnsupportedError, match="memory does not suffice: training takes at least"):
        settings.check_room(CPU)


def test_of_endless_puzzles_a_block_of_each_shape_is_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[int] = []
    monkeypatch.setattr(
        "sherd.learn.fan.settings.require_room", lambda *sizes, kept, taught: asked.append(kept)
    )
    settings = read_settings(write(tmp_path, SMALL.replace("train_puzzles = 6", "train_puzzles = 0")))
    puzzles = settings.puzzles
    assert isinstance(puzzles, PuzzleSettings)
    worn = replace(settings, puzzles=replace(puzzles, degradation="eroded"))
    settings.check_room(CPU)
    settings.check_room(torch.device("cuda"))
    worn.check_room(CPU)
    each = puzzles.pieces * puzzles.rotations * len(puzzles.shapes)
    alone, drawn = (each * (kept + puzzles.validation_puzzles) for kept in (0, BLOCK))
    assert asked == [alone, drawn, drawn]


def test_a_step_may_have_no_room(tmp_path: Path) -> None:
    text = SMALL.replace("train_puzzles = 6", "train_puzzles = 0")
    settings = read_settings(write(tmp_path, text))
    settings.check_room(CPU)
    large = replace(settings, training=replace(settings.training, batch_puzzles=10**9))
    with pytest.raises(UnsupportedError, match="or a smaller batch"):
        large.check_room(CPU)
    large.check_room(CPU, world=10**9)


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
    settings.check_room(CPU)
    monkeypatch.setattr("sherd.learn.training.device._available_bytes", lambda: needed - 1)
    with pytest.raises(UnsupportedError, match="memory does not suffice"):
        settings.check_room(CPU)


def test_endless_puzzles(tmp_path: Path) -> None:
    text = SMALL.replace("train_puzzles = 6", "train_puzzles = 0")
    data, validation = read_settings(write(tmp_path, text)).make_data(CPU)
    assert isinstance(data, EndlessSet)
    assert len(validation) == 4
    seen = {tuple(centres) for centres in data.batch(0, 64).centres.flatten(1).tolist()}
    assert seen.isdisjoint(tuple(centres) for centres in validation.centres.flatten(1).tolist())


def test_the_same_seed_gives_the_same_weights(tmp_path: Path) -> None:
    settings = read_settings(write(tmp_path, SMALL))
    one, other = (settings.make_learner(CPU).state_dict() for _ in range(2))
    assert all(torch.equal(value, other[name]) for name, value in one.items())


@pytest.mark.parametrize("name", ["compact", "paper-losses", "square", "strict"])
def test_the_settings_that_are_kept_can_be_read(name: str) -> None:
    settings = read_settings(EXPERIMENTS / f"fan-{name}.toml", steps=1)
    assert isinstance(settings, FanSettings)
    strict = settings.training.schedule == "constant"
    assert strict == (name == "strict")
    assert settings.network.between_pixels != strict
    assert settings.puzzles.mirrors != strict


def test_the_strict_settings_with_mirrors_are_refused(tmp_path: Path) -> None:
    strict = (EXPERIMENTS / "fan-strict.toml").read_text()
    path = write(tmp_path, strict.replace("mirrors = false", "mirrors = true"))
    with pytest.raises(FileFormatError, match=r"\[puzzles\] mirrors must be false in the order 'released'"):
        read_settings(path)


def test_mirrors_may_be_left_out(tmp_path: Path) -> None:
    text = SMALL.replace("[puzzles]", "[puzzles]\nmirrors = false")
    data, _ = read_settings(write(tmp_path, text)).make_data(CPU)
    assert isinstance(data, FixedSet)
    assert data.mirrors == ()


@pytest.mark.parametrize("order", ["released", "released-random"])
def test_the_released_orders_are_said_to_have_no_mirrors(tmp_path: Path, order: str) -> None:
    settings = read_settings(write(tmp_path, SMALL.replace("[puzzles]", f'[puzzles]\norder = "{order}"')))
    assert settings.to_json()["puzzles"]["mirrors"] is False
    data, _ = settings.make_data(CPU)
    assert isinstance(data, FixedSet)
    assert data.mirrors == ()
