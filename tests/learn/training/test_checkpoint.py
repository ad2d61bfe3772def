from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import pytest
import torch

from sherd.core.errors import FileFormatError
from sherd.learn.fan.learner import FanLearner
from sherd.learn.fan.weights import load_fan, save_fan
from sherd.learn.matcher.network import Matcher, MatcherConfig
from sherd.learn.matcher.weights import load_matcher
from sherd.learn.training.checkpoint import (
    read_metadata,
    read_tensors,
    save_network,
    save_tensors,
    sha256_of,
    start_from,
)
from sherd.solvers.learned.fan import FanSolver
from sherd.solvers.learned.matcher import MatcherSolver

CPU = torch.device("cpu")


@pytest.fixture
def saved(tmp_path: Path, make_learner: Callable[..., FanLearner]) -> Path:
    path = tmp_path / "weights.safetensors"
    save_fan(path, make_learner().model, {"steps": 7})
    return path


def test_a_config_of_other_weights_is_noticed_though_all_shapes_agree(
    tmp_path: Path, make_learner: Callable[..., FanLearner]
) -> None:
    path = tmp_path / "weights.safetensors"
    save_fan(path, make_learner(aggregation="avg").model, {})
    other = path.with_suffix(".json").read_text(encoding="utf-8")
    model = make_learner(aggregation="max").model
    save_fan(path, model, {})
    load_fan(path, CPU)
    path.with_suffix(".json").write_text(other, encoding="utf-8")
    for use in (
        lambda: load_fan(path, CPU),
        lambda: start_from(path, make_learner(aggregation="avg").model),
    ):
        with pytest.raises(FileFormatError, match=r"weights\.safetensors: these weights belong to .* config"):
            use()


@pytest.mark.parametrize("features", [32, 2**16])
def test_weights_of_another_config(features: int, saved: Path) -> None:
    beside = saved.with_suffix(".json")
    about = json.loads(beside.read_text())
    about["config"]["features"] = features
    beside.write_text(json.dumps(about))
    with pytest.raises(FileFormatError, match=r"weights\.safetensors: these weights belong to a network of"):
        load_fan(saved, CPU)


@pytest.mark.parametrize("keep", [0, 5, 1000, -1])
def test_a_truncated_file(saved: Path, keep: int) -> None:
    saved.write_bytes(saved.read_bytes()[:keep])
    with pytest.raises(FileFormatError, match=r"weights\.safetensors: truncated or not a safetensors file"):
        load_fan(saved, CPU)


def test_a_missing_file(saved: Path) -> None:
    saved.unlink()
    for given in (saved, saved.parent):
        with pytest.raises(FileFormatError, match=r"weights\.safetensors: there is no such file"):
            load_fan(given, CPU)


def test_a_run_is_known_by_its_folder(saved: Path) -> None:
    assert load_fan(saved.parent, CPU)[1] == load_fan(saved, CPU)[1]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"format": "sherd.puzzle"}, "not a description of sherd weights"),
        ({"version": 2}, "version 2, but this sherd reads 1"),
        ({"network": "matcher"}, "weights of the network 'matcher', not of 'fan'"),
        ({"config": 7}, "not the config of 'fan': 7"),
        ({"config": {"size_px": 7}}, "not the config of 'fan': size_px must be a multiple of 16"),
        (
            {"config": {"size_px": "big"}},
            "not the config of 'fan': size_px must be a whole number, not 'big'",
        ),
        ({"config": {"heads": "8"}}, "not the config of 'fan': heads must be a whole number, not '8'"),
        ({"config": {"colour": 1}}, "not the config of 'fan': unknown key 'colour': there are size_px, "),
        (
            {"config": {"features": 10**9}},
            "not the config of 'fan': features must be a whole number from 1 to 65,536, not 1000000000",
        ),
    ],
)
def test_a_description_of_something_else(saved: Path, change: dict[str, object], reason: str) -> None:
    beside = saved.with_suffix(".json")
    beside.write_text(json.dumps(json.loads(beside.read_text()) | change))
    with pytest.raises(FileFormatError, match=reason):
        load_fan(saved, CPU)


@pytest.mark.parametrize("widths", ["4", [4, "8"], [2**20], [0], []])
def test_widths_of_no_matcher(matcher: Path, widths: object) -> None:
    beside = matcher.with_suffix(".json")
    about = json.loads(beside.read_text())
    about["config"]["widths"] = widths
    beside.write_text(json.dumps(about))
    with pytest.raises(FileFormatError, match=r"^[^\n]*not the config of 'matcher': widths.* must be .*$"):
        load_matcher(matcher, CPU)


@pytest.mark.parametrize("size_px", [0, 1e300, 10**20, None])
def test_images_of_no_size(saved: Path, matcher: Path, size_px: object) -> None:
    for path, load in ((saved, load_fan), (matcher, load_matcher)):
        beside = path.with_suffix(".json")
        about = json.loads(beside.read_text())
        about["config"]["size_px"] = size_px
        beside.write_text(json.dumps(about))
        with pytest.raises(
            FileFormatError, match=r"size_px must be a whole number( from 1 to 16,384)?, not "
        ):
            load(path, CPU)


@pytest.fixture
def matcher(tmp_path: Path) -> Path:
    path = tmp_path / "matcher.safetensors"
    model = Matcher(MatcherConfig(size_px=32, features=4, widths=(4,), judge_widths=(4,)))
    save_network(path, "matcher", model, asdict(model.config), {"train_puzzles": 3, "train_minutes": 0.5})
    return path


@pytest.mark.parametrize(
    ("training", "reason"),
    [
        (None, "not the record of a training run"),
        ([], "not the record of a training run"),
        (3, "not the record of a training run"),
        ({"train_minutes": None}, "train_minutes must be a number of at least 0, not None"),
        ({"train_minutes": float("nan")}, "train_minutes must be a number of at least 0, not nan"),
        ({"train_minutes": 10**400}, "train_minutes must be a number of at least 0, not 1000"),
        ({"train_puzzles": "abc"}, "train_puzzles must be a whole number of at least 0, not 'abc'"),
        ({"train_puzzles": -1}, "train_puzzles must be a whole number of at least 0, not -1"),
    ],
)
def test_a_record_that_is_none(saved: Path, matcher: Path, training: object, reason: str) -> None:
    loads: dict[Path, Callable[[Path], object]] = {saved: FanSolver.load, matcher: MatcherSolver.load}
    for path, load in loads.items():
        assert load(path) is not None
        beside = path.with_suffix(".json")
        beside.write_text(json.dumps(json.loads(beside.read_text()) | {"training": training}))
        with pytest.raises(FileFormatError, match=f"{beside.name}: training: {reason}"):
            load(path)


def test_weights_without_a_record(saved: Path) -> None:
    beside = saved.with_suffix(".json")
    about = json.loads(beside.read_text())
    del about["training"]
    beside.write_text(json.dumps(about))
    solver = FanSolver.load(saved)
    assert (solver.train_puzzles, solver.train_minutes) == (0, 0.0)


@pytest.mark.parametrize("number", [float("nan"), float("inf"), 1e300])
def test_numbers_that_are_not_finite(
    saved: Path, matcher: Path, number: float, make_learner: Callable[..., FanLearner]
) -> None:
    for path in (saved, matcher):
        tensors = read_tensors(path)[0]
        name = next(iter(tensors))
        tensors[name] = tensors[name].double()  # 1e300 is finite there, but not as a network's weight
        tensors[name].view(-1)[-1] = number
        save_tensors(path, tensors, {})
    reason = r"\.safetensors: holds numbers that are not finite"
    with pytest.raises(FileFormatError, match="weights" + reason):
        load_fan(saved, CPU)
    with pytest.raises(FileFormatError, match="weights" + reason):
        start_from(saved, make_learner().model)
    with pytest.raises(FileFormatError, match="matcher" + reason):
        load_matcher(matcher, CPU)


@pytest.mark.parametrize("dtype", [torch.int32, torch.bool, torch.complex64])
def test_weights_that_are_no_floating_point_numbers(
    saved: Path, matcher: Path, dtype: torch.dtype, make_learner: Callable[..., FanLearner]
) -> None:
    for path in (saved, matcher):
        tensors, about = read_tensors(path)
        save_tensors(path, {name: value.to(dtype) for name, value in tensors.items()}, about)
    reason = rf"\.safetensors: [a-z_.0-9]+ must hold floating-point numbers, not {str(dtype)[6:]}"
    for file, load in (
        ("weights", lambda: load_fan(saved, CPU)),
        ("weights", lambda: start_from(saved, make_learner().model)),
        ("matcher", lambda: load_matcher(matcher, CPU)),
    ):
        with pytest.raises(FileFormatError, match=file + reason):
            load()


@pytest.mark.parametrize(("text", "reason"), [("{", "not JSON"), ("[]", "not a description")])
def test_a_description_that_is_no_object(saved: Path, text: str, reason: str) -> None:
    saved.with_suffix(".json").write_text(text)
    with pytest.raises(FileFormatError, match=reason):
        load_fan(saved, CPU)


def test_a_missing_description(saved: Path) -> None:
    saved.with_suffix(".json").unlink()
    with pytest.raises(FileFormatError, match=r"weights\.json: there is no such file, and it says what"):
        load_fan(saved, CPU)


def test_tensors_with_json(tmp_path: Path) -> None:
    tensors = {"a.b": torch.arange(6.0).view(2, 3).mT, "step": torch.tensor(3)}
    save_tensors(tmp_path / "x", tensors, {"k": [1, None, 0.1]})
    again, about = read_tensors(tmp_path / "x")
    assert about == read_metadata(tmp_path / "x") == {"k": [1, None, 0.1]}
    assert all(torch.equal(again[name], value) for name, value in tensors.items())


@pytest.mark.parametrize("aggregation", ["none", "avg"])
def test_what_the_pose_sees_is_of_no_account_where_nothing_is_aggregated(
    aggregation: str, tmp_path: Path, make_learner: Callable[..., FanLearner]
) -> None:
    path = tmp_path / "weights.safetensors"
    save_fan(path, make_learner(aggregation=aggregation, pose_sees_others=False).model, {"steps": 3})
    model = make_learner(aggregation=aggregation).model
    if aggregation == "none":
        assert start_from(path, model) == {"steps": 3}
    else:
        with pytest.raises(FileFormatError, match="pose_sees_others is False there and True here"):
            start_from(path, model)


def test_a_hash_tells_weights_apart(saved: Path) -> None:
    model, _ = load_fan(saved)
    before = sha256_of(model)
    assert before == sha256_of(load_fan(saved)[0])
    with torch.no_grad():
        next(model.parameters()).view(-1)[0] += 1.0
    assert sha256_of(model) != before
