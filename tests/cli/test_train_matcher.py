"""``sherd train matcher``, ``sherd bench --weights`` and ``sherd export`` from the command line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from sherd.cli import run
from sherd.learn.matcher.weights import load_matcher

SETTINGS = """
[puzzles]
pool_puzzles = 20
validation_puzzles = 2
images_a_step = 12
[[puzzles.shares]]
pieces = 3
[[puzzles.shares]]
pieces = 2
rotations = 4
[network]
size_px = 32
features = 4
widths = [8, 12]
[training]
steps = 4
batch_puzzles = 4
validations = 2
"""


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    torch.set_num_threads(1)
    monkeypatch.chdir(tmp_path)
    Path("run.toml").write_text(SETTINGS)


def train(*words: str, network: str = "matcher") -> int:
    return run(["train", network, "--device", "cpu", "--out", "run", *words])


def test_from_training_to_figures(capsys: pytest.CaptureFixture[str]) -> None:
    assert train("--config", "run.toml") == 0
    about = json.loads(Path("run/weights.json").read_text())
    assert about["network"] == "matcher"
    assert about["training"]["train_puzzles"] == 40
    assert about["training"]["steps"] == 4
    assert "0 square 3 x 1" in about["training"]["validation"]
    weights = Path("run/weights.safetensors")
    assert load_matcher(weights, torch.device("cpu"))[0].config.widths == (8, 12)
    assert train("--resume") == 0  # finished already
    assert run(["train", "fan", "--out", "run", "--resume"]) == 2
    assert "holds a run of matcher, not of fan" in capsys.readouterr().err

    Path("other.toml").write_text(SETTINGS.replace("size_px = 32", "size_px = 64"))
    words = ["--config", "other.toml", "--start", str(weights), "--out", "other"]
    assert train(*words) == 2
    assert "of another config: size_px is 32 there and 64 here" in capsys.readouterr().err
    Path("other.toml").write_text(SETTINGS)
    assert train(*words, "--steps", "1") == 0

    bench = ["bench", "--pieces", "3", "--count", "2", "--weights", str(weights), "--device", "cpu"]
    assert run([*bench, "--solver", "matcher", "--solver", "matcher-beam", "--json", "found.json"]) == 0
    cells = json.loads(Path("found.json").read_text())["cells"]
    assert [cell["solver"] for cell in cells] == ["matcher", "matcher-beam"]
    assert all(cell["train_puzzles"] == 40 for cell in cells)
    assert run([*bench, "--solver", "random"]) == 2
    assert "weights of one's own go with" in capsys.readouterr().err
    assert run([*bench, "--solver", "fan", "--train"]) == 2
    assert "--weights does not go with --train" in capsys.readouterr().err


def test_export_from_the_command_line(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("onnx")
    assert train("--config", "run.toml") == 0
    capsys.readouterr()
    assert run(["export", "matcher", "--weights", "run/weights.safetensors", "--out", "onnx"]) == 0
    assert sorted(path.name for path in Path("onnx").iterdir()) == [
        "fragments.onnx",
        "judge.onnx",
        "network.json",
        "shapes.onnx",
    ]
    assert "shapes.onnx: " in capsys.readouterr().out
