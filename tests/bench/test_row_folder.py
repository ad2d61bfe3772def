"""What is kept of the training of rows, at the command line: nothing is lost, and nothing is mixed up."""

from __future__ import annotations

import os
import signal
from pathlib import Path
from typing import Any

import pytest

from sherd.bench.record import read_record
from sherd.cli import run

torch = pytest.importorskip("torch")
training = pytest.importorskip("sherd.learn.training.train")
load_fan = pytest.importorskip("sherd.learn.fan.weights").load_fan
sha256_of = pytest.importorskip("sherd.learn.training.checkpoint").sha256_of

RECIPE = """
[network]
preset = "compact"
size_px = 16
features = 16
hidden = 16
heads = 2
[training]
steps = 1
batch_puzzles = 2
validations = 2
"""
ROW = Path("kept", "fan-square-3-pieces-seed7-train7")


@pytest.fixture(autouse=True)
def few_puzzles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def split(count: int) -> dict[str, range]:
        return {"train": range(4), "validation": range(4, 6)}

    monkeypatch.setattr("sherd.bench.train.split", split)
    monkeypatch.chdir(tmp_path)
    Path("tiny.toml").write_text(RECIPE)


def bench(*words: str, steps: int = 4, recipe: str = "tiny.toml", out: str = "record.json") -> int:
    given = ["bench", "--solver", "fan", "--pieces", "3", "--count", "1", "--train", "--device", "cpu"]
    return run([*given, "--steps", str(steps), "--recipe", recipe, "--json", out, *words])


def training_in(path: str) -> Any:
    return read_record(Path(path)).cells[0].training


@pytest.mark.parametrize(
    ("words", "mirrors"),
    [
        ((), True),
        (("--order", "random"), True),
        (("--order", "released"), False),
        (("--order", "released-random"), False),
        (("--endless",), False),
    ],
)
def test_the_record_says_whether_mirror_images_were_taught(words: tuple[str, ...], mirrors: bool) -> None:
    assert bench(*words, steps=1) == 0
    assert training_in("record.json").recipe["puzzles"]["mirrors"] is mirrors


def test_the_network_of_a_row_is_kept_with_its_recipe_and_taken_the_next_time(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert bench("--checkpoints", "kept") == 0
    first = training_in("record.json")
    model, about = load_fan(ROW)
    assert sha256_of(model) == first.weights_sha256
    assert first.recipe["training"] | {"seed": 7, "steps": 4, "batch_puzzles": 2} == first.recipe["training"]
    assert first.recipe["network"]["size_px"] == 16
    assert first.recipe["puzzles"]["train_puzzles"] == about["train_puzzles"] == 4
    assert "--checkpoints" not in read_record(Path("record.json")).command
    capsys.readouterr()
    assert bench("--checkpoints", "kept", out="again.json") == 0
    assert training_in("again.json").weights_sha256 == first.weights_sha256
    assert "step" not in capsys.readouterr().err  # nothing was trained
    read = ["bench", "--solver", "fan", "--pieces", "3", "--count", "1", "--weights", str(ROW)]
    assert run([*read, "--device", "cpu", "--json", "read.json"]) == 0
    assert training_in("read.json").weights_sha256 == first.weights_sha256


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("taken", [0, 3])
@pytest.mark.parametrize("words", [(), ("--checkpoints", "kept")])
def test_training_that_is_interrupted_says_what_is_kept_and_goes_on_from_it(
    number: signal.Signals,
    taken: int,
    words: tuple[str, ...],
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    assert bench(out="unbroken.json") == 0
    handlers = signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)
    with monkeypatch.context() as patched:
        rate, at_steps = training.TrainParams.rate, list[float]()

        def press(params: Any, at: float) -> float:
            if len(at_steps) == taken:
                os.kill(os.getpid(), number)
            at_steps.append(at)
            return rate(params, at)

        patched.setattr(training.TrainParams, "rate", press)
        capfd.readouterr()
        assert bench(*words) == 130
    assert (signal.getsignal(signal.SIGINT), signal.getsignal(signal.SIGTERM)) == handlers
    lines = capfd.readouterr().err.splitlines()
    assert lines[:2] == ["sherd: training fan on square, 3 pieces", "sherd: drawing, 0 of 4"]
    assert "sherd: taking the first step" in lines
    row = "training fan on square, 3 pieces"
    said = f"nothing is kept of {row}, as no folder for checkpoints was named"
    if words:
        said = f"{row} had taken no step, and nothing of it is kept"
    if words and taken:
        said = f"{row} is kept in {ROW} as of step 3, and the same command goes on from it"
    assert lines[-1] == f"sherd: interrupted: 0 of 1 puzzles are done; {said}"
    assert Path("kept").exists() == bool(words and taken)
    assert not Path("record.json").exists()
    assert bench(*words) == 0
    assert training_in("record.json").weights_sha256 == training_in("unbroken.json").weights_sha256


def test_an_accelerator_that_is_lost_costs_a_line_and_no_more_than_was_not_saved(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench() == 0
    with monkeypatch.context() as patched:
        rate = training.TrainParams.rate

        def lose(params: Any, at: float) -> float:
            if at >= 0.7:
                raise RuntimeError("CUDA error: unspecified launch failure\nCUDA kernel errors might be")
            return rate(params, at)

        patched.setattr(training.TrainParams, "rate", lose)
        assert bench("--checkpoints", "kept", out="lost.json") == 2
    said = capsys.readouterr().err.splitlines()[-1]
    assert said == (
        "sherd: fan on square, 3 pieces: the accelerator failed (CUDA error: unspecified launch failure); "
        "0 rows before it kept; the same command goes on from what lies in kept"
    )
    assert not Path("lost.json").exists()
    assert bench("--checkpoints", "kept", out="lost.json") == 0
    assert training_in("lost.json").weights_sha256 == training_in("record.json").weights_sha256


def test_rows_before_a_lost_accelerator_are_kept(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    import sherd.bench.train as rows

    train_fan, trained = rows.train_fan, list[str]()

    def lose_the_second(cell: Any, *arguments: Any, **options: Any) -> Any:
        trained.append(cell.solver_label)
        if len(trained) > 1:
            with rows.clear_memory_errors(""):
                raise RuntimeError("cuDNN error: CUDNN_STATUS_EXECUTION_FAILED")
        return train_fan(cell, *arguments, **options)

    monkeypatch.setattr(rows, "train_fan", lose_the_second)
    words = ["bench", "--suite", "table6", "--count", "1", "--train", "--steps", "1", "--device", "cpu"]
    assert run([*words, "--recipe", "tiny.toml", "--json", "record.json"]) == 2
    assert len(trained) == 2  # the others are not tried
    assert [result.cell.solver_label for result in read_record(Path("record.json")).cells] == trained[:1]
    out, err = capsys.readouterr()
    assert trained[0] in out  # its figures are told
    assert err.splitlines()[-1].endswith("1 row before it kept")


def test_another_recipe_is_not_trained_in_the_same_folder(capsys: pytest.CaptureFixture[str]) -> None:
    assert bench("--checkpoints", "kept", steps=1) == 0
    before = (ROW / "weights.safetensors").read_bytes()
    capsys.readouterr()
    assert bench("--checkpoints", "kept", steps=2) == 2
    said = "holds a training of another recipe: [training] steps is 1 there and 2 here"
    lines = capsys.readouterr().err.splitlines()
    assert lines[-1] == f"sherd: {ROW}: {said}"
    assert "drawing" not in "".join(lines)  # it is known before
    assert (ROW / "weights.safetensors").read_bytes() == before


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("recipe.json", "{", f"{ROW}/recipe.json: not JSON, or cut off"),
        ("recipe.json", "{}", f"{ROW}/recipe.json: not the recipe of a row"),
        ("recipe.json", None, f"{ROW}: is not empty, and holds no training of a row"),
        ("state.safetensors", "cut off", f"{ROW}/state.safetensors: truncated or not a safetensors file"),
    ],
)
def test_what_is_broken_is_said_in_one_line_and_left_as_it_is(
    name: str, content: str | None, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert bench("--checkpoints", "kept", steps=1) == 0
    (ROW / name).unlink()
    if content is not None:
        (ROW / name).write_text(content)
    before = {path.name: path.read_bytes() for path in ROW.iterdir()}
    capsys.readouterr()
    assert bench("--checkpoints", "kept", steps=1) == 2
    lines = capsys.readouterr().err.splitlines()
    assert lines[-1].startswith(f"sherd: {message}")
    assert ("drawing" in "".join(lines)) == (name == "state.safetensors")
    assert {path.name: path.read_bytes() for path in ROW.iterdir()} == before


@pytest.mark.parametrize(
    ("recipe", "message"),
    [
        (RECIPE + "speed = 3\n", "tiny.toml: [training] unknown key 'speed': there are"),
        (RECIPE.replace("= 2", '= "two"'), "tiny.toml: [network] heads must be a whole number, not 'two'"),
        (RECIPE + "[optimizer]\n", "tiny.toml: unknown section [optimizer]: there are"),
        ("training = 3", "tiny.toml: training must be a section of keys"),
        ("steps", "tiny.toml: not TOML:"),
    ],
)
def test_a_recipe_that_is_none_costs_a_line(
    recipe: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("tiny.toml").write_text(recipe)
    assert bench("--checkpoints", "kept") == 2
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1
    assert not Path("kept").exists()


def test_a_file_in_the_way(capsys: pytest.CaptureFixture[str]) -> None:
    Path("kept").write_text("mine")
    assert bench("--checkpoints", "kept") == 2
    assert capsys.readouterr().err.splitlines()[-1] == f"sherd: {ROW}: there is a file in the way"
    assert Path("kept").read_text() == "mine"
