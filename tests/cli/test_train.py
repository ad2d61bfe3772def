"""``sherd train`` from the command line: the run folder, bad input, interruptions and resuming."""

from __future__ import annotations

import json
import math
import os
import signal
import threading
import time
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import torch

from sherd.cli import run
from sherd.cli.console import Terminals
from sherd.learn.fan.settings import FanSettings
from sherd.learn.fan.weights import load_fan
from sherd.learn.training import train as training
from sherd.learn.training.checkpoint import read_tensors, save_tensors
from sherd.learn.training.runlog import RunLog
from sherd.learn.training.state import saved_step

SETTINGS = """
[puzzles]
pieces = 3
train_puzzles = 12
validation_puzzles = 2
[network]
size_px = 32
features = 16
hidden = 32
heads = 2
code_channels = 4
map_channels = 4
[training]
steps = 12
batch_puzzles = 2
validations = 2
"""


@pytest.fixture(autouse=True)
def _here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    torch.set_num_threads(1)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sherd.learn.training.train.SETTLING_BATCHES", 2)
    monkeypatch.setattr("sherd.cli.while_training.SECONDS_A_LINE", math.inf)  # however slow a machine is
    Path("run.toml").write_text(SETTINGS)


def train(*words: str, out: str = "run", config: str | None = "run.toml") -> int:
    with_config = [] if config is None else ["--config", config]
    return run(["train", "fan", *with_config, "--device", "cpu", "--out", out, *words])


def contents(folder: str) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in Path(folder).iterdir()}


def metrics(folder: str) -> list[dict[str, object]]:
    return [json.loads(line) for line in Path(folder, "metrics.jsonl").read_text().splitlines()]


def without_times(folder: str) -> list[dict[str, object]]:
    return [{key: value for key, value in line.items() if key != "seconds"} for line in metrics(folder)]


def test_a_run_leaves_its_folder(capsys: pytest.CaptureFixture[str]) -> None:
    assert train() == 0
    said = capsys.readouterr()
    assert said.out.startswith("run: 12 steps, 24 puzzles, ")
    first, *others = [line.split(",")[0] for line in said.err.splitlines()]
    assert first == "sherd: drawing"
    assert others == ["sherd: taking the first step", "sherd: step 6", "sherd: step 12"]

    names = sorted(name for name in contents("run") if not name.startswith("events"))
    assert names == [
        "config.json",
        "curve.svg",
        "metrics.jsonl",
        "state.safetensors",
        "weights.json",
        "weights.safetensors",
    ]
    assert any(name.startswith("events.out.tfevents") for name in contents("run"))

    config = json.loads(Path("run/config.json").read_text())
    assert config["settings"]["puzzles"]["pieces"] == 3
    assert config["settings"]["training"]["batch_puzzles"] == 2
    assert config["settings"]["losses"]["spread_px"] == 0.5
    assert {"machine", "device", "versions", "commit", "date"} <= config.keys()
    assert config["command"] == "sherd train fan --config run.toml"

    lines = metrics("run")
    assert [line["step"] for line in lines] == [6, 10, 12]
    assert {"select", "position", "loss"} <= lines[1].keys()
    best = max((line for line in lines if "validation" in line), key=lambda line: line["validation"]["cov"])

    model, record = load_fan(Path("run/weights.safetensors"), torch.device("cpu"))
    assert model.config.features == 16
    assert (record["train_puzzles"], record["steps"], record["puzzles"]) == (12, 12, 24)
    assert (record["best_step"], record["validation"]) == (best["step"], best["validation"])
    assert (record["seed"], record["command"]) == (0, config["command"])
    assert record["train_minutes"] > 0.0
    assert all(record[name] == config[name] for name in ("commit", "machine", "device", "date"))
    state = read_tensors(Path("run/state.safetensors"))[0]
    for name, value in model.state_dict().items():
        assert torch.equal(state[f"best.{name}"], value)


def test_events_for_tensorboard() -> None:
    from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

    assert train() == 0
    events = EventAccumulator("run")
    events.Reload()
    assert [event.step for event in events.Scalars("validation/cov")] == [6, 12]
    assert [event.step for event in events.Scalars("training/loss")] == [10]


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        (["--minutes", "1", "--steps", "1"], "--minutes and --steps: choose one"),
        (["--steps", "0"], "training must last longer than 0"),
        (["--minutes", "inf"], "training must last longer than 0 and not for ever, not inf"),
        (["--minutes", "nan"], "training must last longer than 0 and not for ever, not nan"),
        (["--start", "none.safetensors"], "none.safetensors: there is no such file"),
        (["--config", "many.toml"], "the memory does not suffice: training takes at least"),
        (["--device", "abacus"], "there is no device 'abacus' here: try cpu"),
        (["--resume"], "run: holds no training run to resume"),
        (["--config", "none.toml"], "none.toml: No such file or directory"),
        (["--config", "odd.toml"], "odd.toml: [training] unknown key 'stpes'"),
        (["--out", "run.toml"], "run.toml: there is a file in the way"),
        (["--out", "run.toml/below"], "run.toml/below: there is a file in the way"),
    ],
)
def test_bad_input_is_answered_in_one_line(
    words: list[str], reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("odd.toml").write_text("[training]\nstpes = 3\n")
    Path("many.toml").write_text(
        "[puzzles]\npieces = 4096\ntrain_puzzles = 1000000\n[training]\nminutes = 1\n"
    )
    before = sorted(tmp_path.rglob("*"))
    assert train(*words) == 2
    said = capsys.readouterr()
    assert (said.out, said.err.count("\n")) == ("", 1)
    assert reason in said.err
    assert sorted(tmp_path.rglob("*")) == before


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is an accelerator")
def test_no_accelerator_where_one_was_asked_for(capsys: pytest.CaptureFixture[str]) -> None:
    assert train("--device", "cuda") == 2
    assert capsys.readouterr().err == "sherd: there is no device 'cuda' here: try cpu\n"
    assert not Path("run").exists()


def test_it_must_be_said_how_long(capsys: pytest.CaptureFixture[str]) -> None:
    assert train(config=None) == 2
    assert capsys.readouterr().err == "sherd: say how long to train: --minutes or --steps\n"
    assert run(["train", "abacus", "--steps", "1", "--out", "run"]) == 2
    assert "'abacus' is not" in capsys.readouterr().err


def test_a_run_folder_that_exists_is_not_touched(capsys: pytest.CaptureFixture[str]) -> None:
    Path("run").mkdir()
    Path("run/notes.txt").write_text("mine")
    assert train() == 2
    said = "run: is not empty, and holds no state to go on from: remove it or choose another"
    assert capsys.readouterr().err == f"sherd: {said}\n"
    assert contents("run") == {"notes.txt": b"mine"}
    assert train("--steps", "1", out="done") == 0
    capsys.readouterr()
    assert train("--steps", "1", out="done") == 2
    said = "done: is not empty: resume the run in it, or name another folder"
    assert capsys.readouterr().err == f"sherd: {said}\n"


def test_a_state_that_cannot_be_resumed(capsys: pytest.CaptureFixture[str]) -> None:
    assert train("--steps", "2") == 0
    state = Path("run/state.safetensors")
    whole = state.read_bytes()
    before = contents("run")
    capsys.readouterr()

    def refused(reason: str, *words: str) -> None:
        now = contents("run")
        assert train("--resume", *words) == 2
        said = capsys.readouterr()
        assert (said.out, said.err.count("\n")) == ("", 1)
        assert reason in said.err
        assert contents("run") == now

    refused("run/config.json: the run was begun for 2 steps, not for 3 steps", "--steps", "3")
    state.write_bytes(whole[: len(whole) // 2])
    refused("run/state.safetensors: truncated or not a safetensors file", "--steps", "2")
    state.write_bytes(Path("run/weights.safetensors").read_bytes())
    refused("run/state.safetensors: not the state of a training run", "--steps", "2")
    state.write_bytes(whole)
    config = json.loads(before["config.json"])
    Path("run/config.json").write_text(json.dumps(config | {"start": {"train_minutes": None}}))
    refused("run/config.json: start: train_minutes must be a number", "--steps", "2")
    Path("run/config.json").write_bytes(before["config.json"])
    state.unlink()
    refused("run: holds no state to go on from, since the run ended before it saved one", "--steps", "2")
    Path("run/config.json").write_text("{}")
    refused("run/config.json: not the settings of a training run", "--steps", "2")
    assert before.keys() - contents("run").keys() == {"state.safetensors"}


def test_a_run_whose_settings_were_changed_costs_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert train() == 0
    config, state = Path("run/config.json"), Path("run/state.safetensors")
    document = json.loads(config.read_text())
    document["settings"]["puzzles"]["order"] = "random"
    config.write_text(json.dumps(document))
    before = contents("run")
    capsys.readouterr()
    assert train("--resume", config=None) == 2
    said = "[puzzles] order is 'bottom-left' there and 'random' here"
    assert capsys.readouterr().err == f"sherd: {config}: was changed since {state.name} was saved: {said}\n"
    assert contents("run") == before
    tensors, about = read_tensors(state)
    save_tensors(state, tensors, about | {"settings": 3})
    assert train("--resume", config=None) == 2
    assert capsys.readouterr().err == f"sherd: {state}: was saved by a run with other settings\n"
    del about["settings"]  # by an older sherd
    save_tensors(state, tensors, about)
    assert train("--resume", config=None) == 0


def test_a_state_that_was_changed_costs_a_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert train("--steps", "2") == 0
    state = Path("run/state.safetensors")
    tensors, about = read_tensors(state)
    for changed, told, said in (
        (
            tensors | {"foo.bar": torch.ones(3)},
            about,
            "was saved by a run with other settings, or is broken:",
        ),
        (tensors, about | {"state": about["state"] | {"seconds": None}}, "state: seconds must be a number"),
    ):
        save_tensors(state, changed, told)
        capsys.readouterr()
        assert train("--resume", config=None) == 2
        assert capsys.readouterr().err.splitlines()[-1].startswith(f"sherd: {state}: {said}")


def interrupt_after(steps: int, monkeypatch: pytest.MonkeyPatch, number: signal.Signals) -> None:
    """Send this process a signal once a run has taken so many steps."""
    rate = training.TrainParams.rate
    taken: list[float] = []

    def counting(params: training.TrainParams, progress: float) -> float:
        taken.append(progress)
        if len(taken) == steps:
            os.kill(os.getpid(), number)
        return rate(params, progress)

    monkeypatch.setattr(training.TrainParams, "rate", counting)


SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


@pytest.mark.parametrize(
    "number",
    [
        signal.SIGTERM,
        *(pytest.param(one, marks=pytest.mark.nightly) for one in (signal.SIGINT, signal.SIGHUP)),
    ],
)
def test_an_interrupted_run_goes_on_to_the_same_end(
    number: signal.Signals, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert train(out="whole") == 0
    handlers = [signal.getsignal(n) for n in SIGNALS]
    with monkeypatch.context() as patched:
        interrupt_after(11, patched, number)
        assert train() == 130
    assert [signal.getsignal(n) for n in SIGNALS] == handlers
    said = capsys.readouterr()
    assert "sherd: interrupted after 10 steps, 20 puzzles" in said.err  # the eleventh is left midway
    assert said.err.endswith("go on with: sherd train fan --out run --resume\n")
    with Path("run/metrics.jsonl").open("ab") as file:  # as a crash after the state was saved would leave it
        file.write(b'{"step": 12, "seconds": 1.0, "loss": 3.0}\n')
        file.write(b'3\n{"seconds": 3}\n[]\n{"step": "2"}\n\xff\n{"step": 1')

    assert run(["train", "fan", "--out", "run", "--device", "cpu", "--resume"]) == 0
    assert capsys.readouterr().out.startswith("run: 12 steps, 24 puzzles")
    assert without_times("run") == without_times("whole")
    one, other = (json.loads(Path(folder, "weights.json").read_text()) for folder in ("run", "whole"))
    for each in (one, other):
        for name in ("train_minutes", "commit", "date"):  # others may work on the checkout meanwhile
            del each["training"][name]
    assert one == other
    for name in ("state", "weights"):
        one, other = (read_tensors(Path(folder, f"{name}.safetensors"))[0] for folder in ("run", "whole"))
        assert one.keys() == other.keys()
        assert all(torch.equal(value, other[key]) for key, value in one.items())


def test_a_run_that_is_stopped_before_its_first_validation_says_that_it_has_no_weights(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with monkeypatch.context() as patched:
        interrupt_after(4, patched, signal.SIGTERM)
        assert train() == 130
    said = capsys.readouterr().err.splitlines()[-1]
    assert said.startswith("sherd: interrupted after 3 steps, 6 puzzles, ")
    assert said.endswith(
        "; it has no weights to assemble with before its first validation; "
        "go on with: sherd train fan --out run --resume"
    )
    assert not Path("run/weights.safetensors").exists()
    assert run(["generate", "puzzles.jsonl", "--pieces", "3", "--count", "1"]) == 0
    for named in ("run", "run/weights.safetensors"):
        capsys.readouterr()
        assert run(["assemble", "puzzles.jsonl", "--solver", "fan", "--weights", named]) == 2
        assert capsys.readouterr().err == (
            "sherd: run: the run in it was stopped and has kept no weights yet: resume it\n"
        )
    assert train("--resume") == 0
    assert run(["assemble", "puzzles.jsonl", "--solver", "fan", "--weights", "run"]) in (0, 1)


def test_a_terminal_that_goes_away_may_say_so_twice(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    os_kill = os.kill

    def twice(process: int, number: int) -> None:
        os_kill(process, number)
        os_kill(process, number)

    monkeypatch.setattr("os.kill", twice)
    interrupt_after(7, monkeypatch, signal.SIGHUP)
    assert train() == 130
    assert "interrupted after 6 steps" in capsys.readouterr().err
    assert saved_step(Path("run/state.safetensors")) == 6


def test_a_run_that_was_told_not_to_mind_the_terminal_does_not(monkeypatch: pytest.MonkeyPatch) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does
    try:
        interrupt_after(7, monkeypatch, signal.SIGHUP)
        assert train() == 0
        assert signal.getsignal(signal.SIGHUP) is signal.SIG_IGN
    finally:
        signal.signal(signal.SIGHUP, before)


def test_what_is_said_to_a_terminal_that_has_gone_away_ends_nothing() -> None:
    stderr, (master, slave) = os.dup(2), os.openpty()
    try:
        os.dup2(slave, 2)
        os.close(slave)
        terminals = Terminals()
        terminals.leave_gone()
        os.write(2, b"heard")
        assert os.read(master, 5) == b"heard"
        os.close(master)
        with pytest.raises(OSError, match="Input/output error"):
            os.write(2, b"lost")
        terminals.leave_gone()
        assert os.write(2, b"nobody") == 6
    finally:
        os.dup2(stderr, 2)
        os.close(stderr)


def test_resuming_a_finished_run_changes_nothing(capsys: pytest.CaptureFixture[str]) -> None:
    assert train("--steps", "2") == 0
    lines, weights = metrics("run"), Path("run/weights.safetensors").read_bytes()
    assert train("--steps", "2", "--resume") == 0
    assert capsys.readouterr().out.count("run: 2 steps, 4 puzzles") == 2
    assert metrics("run") == lines
    assert Path("run/weights.safetensors").read_bytes() == weights


def test_a_run_older_than_a_field_of_the_network_is_the_network_that_it_was(
    capsys: pytest.CaptureFixture[str],
) -> None:
    Path("run.toml").write_text(
        SETTINGS.replace("[network]", "[losses]\nattention_rate = 1.0\n[network]\npose_sees_others = false")
    )
    assert train("--steps", "2") == 0
    begun, trained = (json.loads(Path("run", name).read_text()) for name in ("config.json", "weights.json"))
    for section, field in (("network", "pose_sees_others"), ("losses", "attention_rate")):
        del begun["settings"][section][field]
    del trained["config"]["pose_sees_others"]
    Path("run/config.json").write_text(json.dumps(begun))
    Path("run/weights.json").write_text(json.dumps(trained))
    tensors, own = read_tensors(Path("run/weights.safetensors"))
    save_tensors(Path("run/weights.safetensors"), tensors, {})
    assert "pose_sees_others" in own["config"]
    capsys.readouterr()
    assert train("--resume", config=None) == 0
    assert not load_fan(Path("run"), torch.device("cpu"))[0].config.pose_sees_others
    Path("run.toml").write_text(SETTINGS)
    assert train("--start", "run", out="on") == 2
    assert "another config: pose_sees_others is False there and True here" in capsys.readouterr().err


class SignalledWhileItTakesLong:
    """A function that takes long, during which this process is sent signals; it notes how far it came."""

    def __init__(self, *numbers: signal.Signals) -> None:
        self.numbers = numbers
        self.began = self.ended = False

    def __call__(self, *arguments: object) -> float:
        self.began = True
        threading.Thread(target=self.send).start()
        time.sleep(30.0)
        self.ended = True
        return 0.0

    def send(self) -> None:
        for number in self.numbers:
            time.sleep(0.2)
            os.kill(os.getpid(), number)


def test_without_an_accelerator_the_network_and_its_puzzles_are_small(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    small = tomllib.loads(Path("run.toml").read_text())
    monkeypatch.setattr(FanSettings, "small", small)
    assert train("--steps", "1", config=None) == 0
    said = capsys.readouterr().err.splitlines()[0]
    assert said == "sherd: no accelerator here: a small network, unless --config names another"
    begun = json.loads(Path("run/config.json").read_text())["settings"]
    assert begun["network"]["size_px"] == small["network"]["size_px"]
    assert begun["training"]["steps"] == 1


def test_a_run_is_resumed_with_the_settings_in_its_folder(capsys: pytest.CaptureFixture[str]) -> None:
    """Only what is given again is compared with them."""
    assert train() == 0
    for words in ([], ["--steps", "12"]):
        capsys.readouterr()
        assert train("--resume", *words, config=None) == 0
        assert capsys.readouterr().err == "sherd: drawing, 0 of 2\n"
    before = contents("run")
    Path("other.toml").write_text(SETTINGS.replace("train_puzzles = 12", "train_puzzles = 12\nseed = 5"))
    for words, config, said in (
        (["--steps", "1500"], None, "for 12 steps, not for 1,500 steps"),
        (["--minutes", "2.5"], None, "for 12 steps, not for 2.5 minutes"),
        ([], "other.toml", "with other settings: [puzzles] seed is 0 there and 5 here"),
    ):
        assert train("--resume", *words, config=config) == 2
        assert capsys.readouterr().err == f"sherd: run/config.json: the run was begun {said}\n"
    assert contents("run") == before


@pytest.mark.parametrize("number", SIGNALS)
@pytest.mark.parametrize("where", ["drawing", "the first step"])
def test_before_a_first_step_is_taken_a_signal_ends_at_once(
    number: signal.Signals,
    where: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    slow = SignalledWhileItTakesLong(number)
    with monkeypatch.context() as patched:
        if where == "drawing":
            patched.setattr(FanSettings, "make_data", slow)
        else:
            patched.setattr(training.TrainParams, "rate", slow)
        assert train() == 130
    assert slow.began
    assert not slow.ended
    assert capsys.readouterr().err.splitlines()[-1] == "sherd: interrupted"
    assert not Path("run").exists()
    assert train("--steps", "1") == 0


def test_the_second_ctrl_c_ends_at_once(
    monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    slow = SignalledWhileItTakesLong(signal.SIGINT, signal.SIGINT)
    monkeypatch.setattr(training.TrainParams, "rate", lambda params, at: slow() if at > 0.0 else 1e-3)
    assert train() == 130
    assert slow.began
    assert not slow.ended
    _drawing, _step, first, second = capfd.readouterr().err.splitlines()
    assert first.startswith("sherd: stopping, to save the state")
    assert second == "sherd: interrupted"
    assert not Path("run").exists()


def test_a_loss_that_is_not_finite_leaves_the_best_weights(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rate: Callable[..., float] = training.TrainParams.rate
    monkeypatch.setattr(
        training.TrainParams, "rate", lambda params, at: float("nan") if at > 0.7 else rate(params, at)
    )
    assert train() == 2
    said = capsys.readouterr().err.splitlines()
    assert said[-1].startswith("sherd: the select loss is not finite at step 11")
    assert [line["step"] for line in metrics("run")] == [6, 10]
    model, record = load_fan(Path("run/weights.safetensors"), torch.device("cpu"))
    assert record["best_step"] == 6
    assert all(torch.isfinite(value).all() for value in model.state_dict().values())


def fail_for_memory(after_steps: int, monkeypatch: pytest.MonkeyPatch) -> None:
    rate: Callable[..., float] = training.TrainParams.rate

    def allocate(params: training.TrainParams, at: float) -> float:
        if at * 12 >= after_steps:
            torch.empty(2**62, dtype=torch.uint8)
        return rate(params, at)

    monkeypatch.setattr(training.TrainParams, "rate", allocate)


@pytest.mark.parametrize(
    "existed",
    ["", *(pytest.param(one, marks=pytest.mark.nightly) for one in ("runs", "runs/deep", "runs/deep/run"))],
)
def test_a_run_that_fails_in_its_first_steps_leaves_nothing_behind(
    existed: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """Folders that it made itself go, others stay, and the same command works again."""
    Path(existed).mkdir(parents=True, exist_ok=True)
    before = sorted(Path().rglob("*"))
    with monkeypatch.context() as patched:
        fail_for_memory(2, patched)
        assert train(out="runs/deep/run") == 2
    assert "memory does not suffice" in capsys.readouterr().err
    assert sorted(Path().rglob("*")) == before
    assert train(out="runs/deep/run") == 0


def test_a_run_that_fails_leaves_what_others_put_there(monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        fail_for_memory(2, patched)
        begin = RunLog.begin

        def begin_beside_a_note(folder: Path, *words: Any, **options: Any) -> RunLog:
            log = begin(folder, *words, **options)
            (folder / "notes.txt").write_text("mine")
            return log

        patched.setattr(RunLog, "begin", begin_beside_a_note)
        assert train() == 2
    assert {"notes.txt", "config.json"} <= contents("run").keys()
    assert contents("run")["notes.txt"] == b"mine"


@pytest.mark.parametrize("after_steps", [7, 11])
def test_a_run_that_fails_later_keeps_what_it_has(after_steps: int, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patched:
        fail_for_memory(after_steps, patched)
        assert train() == 2
    assert {"state.safetensors", "weights.safetensors", "metrics.jsonl"} <= contents("run").keys()
    kept = contents("run")
    fail_for_memory(after_steps, monkeypatch)
    assert train("--resume") == 2
    assert {name: kept[name] for name in kept if not name.startswith(("events", "metrics"))} == {
        name: text for name, text in contents("run").items() if not name.startswith(("events", "metrics"))
    }


def test_an_accelerator_that_is_lost_costs_a_line_and_no_more_than_was_not_saved(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rate: Callable[..., float] = training.TrainParams.rate

    def lose(params: training.TrainParams, at: float) -> float:
        if at * 12 >= 8:
            raise RuntimeError("CUDA error: device-side assert triggered\nCUDA kernel errors might be")
        return rate(params, at)

    assert train(out="unbroken") == 0
    with monkeypatch.context() as patched:
        patched.setattr(training.TrainParams, "rate", lose)
        assert train() == 2
    said = capsys.readouterr().err.splitlines()[-1]
    assert said == (
        "sherd: the accelerator failed (CUDA error: device-side assert triggered); what was saved before is "
        "kept: go on with: sherd train fan --out run --resume"
    )
    assert train("--resume") == 0
    assert contents("run")["weights.safetensors"] == contents("unbroken")["weights.safetensors"]


def test_losses_that_were_written_down_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    Path("late.toml").write_text(SETTINGS.replace("validations = 2", "validations = 1"))
    fail_for_memory(11, monkeypatch)
    assert train(config="late.toml") == 2
    assert [line["step"] for line in metrics("run")] == [10]


def test_help_shows_examples(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["train", "--help"]) == 0
    assert "torchrun --nproc-per-node 2 -m sherd train fan" in capsys.readouterr().out


def test_trained_weights_assemble(capsys: pytest.CaptureFixture[str]) -> None:
    assert train() == 0
    assert run(["generate", "puzzles.jsonl", "--pieces", "3", "--count", "2"]) == 0
    with_weights = ["assemble", "puzzles.jsonl", "--out", "answers", "--weights", "run/weights.safetensors"]
    assert run([*with_weights, "--solver", "fan"]) == 0
    answer = json.loads(Path("answers/puzzles-1.assembly.json").read_text())
    assert answer["solver"] == "fan"
    assert sorted(placement["id"] for placement in answer["placements"]) == ["f0", "f1", "f2"]

    capsys.readouterr()
    by_folder = ["assemble", "puzzles.jsonl", "--solver", "fan", "--index", "0", "--weights"]
    assert run([*by_folder, "run"]) == 0
    capsys.readouterr()
    for missing in ("nothere.safetensors", "answers"):
        assert run([*by_folder, missing]) == 2
        said = capsys.readouterr().err
        assert said.startswith(f"sherd: {missing}")
        assert said.endswith(".safetensors: there is no such file\n")
    assert run(with_weights) == 2
    ours = "fan, fan-look, matcher, matcher-beam"
    said = f"sherd: weights of one's own go with the solvers {ours}, not with auto\n"
    assert capsys.readouterr().err == said
    Path("run/weights.safetensors").write_bytes(b"short")
    assert run([*with_weights, "--solver", "fan"]) == 2
    assert "run/weights.safetensors: truncated" in capsys.readouterr().err


def test_a_run_may_start_with_earlier_weights(capsys: pytest.CaptureFixture[str]) -> None:
    assert train("--steps", "2") == 0
    barely = SETTINGS.replace("batch_puzzles = 2", "batch_puzzles = 2\nlearning_rate = 1e-9")
    Path("on.toml").write_text(barely)
    assert train("--steps", "1", "--start", "run/weights.safetensors", out="on", config="on.toml") == 0
    first, on = (read_tensors(Path(name, "weights.safetensors"))[0] for name in ("run", "on"))
    torch.testing.assert_close(on["decoder.dense.weight"], first["decoder.dense.weight"], atol=1e-6, rtol=0.0)
    before, record = (
        json.loads(Path(name, "weights.json").read_text())["training"] for name in ("run", "on")
    )
    assert record["command"].endswith("--start run/weights.safetensors")
    assert record["start"] == before
    assert (record["steps"], record["puzzles"]) == (1, 2)  # its own
    assert record["train_minutes"] >= before["train_minutes"]  # of both
    assert run(["train", "fan", "--out", "on", "--device", "cpu", "--resume"]) == 0
    assert json.loads(Path("on/weights.json").read_text())["training"] == record

    Path("other.toml").write_text(SETTINGS.replace("features = 16", "features = 32"))
    capsys.readouterr()
    assert train("--start", "run/weights.safetensors", out="new", config="other.toml") == 2
    said = (
        "run/weights.safetensors: these weights belong to a network of another config: features is 16 there"
    )
    assert said in capsys.readouterr().err
    assert not Path("new").exists()


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ("heads = 4", "heads is 2 there and 4 here"),
        ('heads = 2\naggregation = "avg"', "aggregation is max there and avg here"),
        ("heads = 2\ndropout = 0.2", ""),
    ],
)
def test_weights_of_another_config_are_no_start_even_where_their_shapes_agree(
    other: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    one = 'heads = 2\naggregation = "max"'
    Path("one.toml").write_text(SETTINGS.replace("heads = 2", one if "aggregation" in other else "heads = 2"))
    Path("other.toml").write_text(SETTINGS.replace("heads = 2", other))
    assert train("--steps", "1", config="one.toml") == 0
    capsys.readouterr()
    assert train("--steps", "1", "--start", "run", config="other.toml", out="new") == (2 if said else 0)
    assert said in capsys.readouterr().err
    assert Path("new").exists() == (not said)
