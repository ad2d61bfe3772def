"""Signals at random moments of commands: no half file, no orphan, exit codes as documented."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from sherd.core.puzzle import Sample
from sherd.io import write_samples

ROOT = Path(__file__).parents[2]
CODES = {signal.SIGINT: 130, signal.SIGTERM: 143, signal.SIGHUP: 129, signal.SIGKILL: -9}
# How long a command may go on after it was told to end before it is called deaf, however busy the machine.
PATIENCE_S = 60.0

Command = Callable[[Path], list[str]]
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


class Forks:
    """A process that has loaded sherd and forks for each command."""

    def __init__(self, environment: dict[str, str]) -> None:
        self._server = subprocess.Popen(
            [sys.executable, str(Path(__file__).parent / "forked.py")],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env=environment,
        )

    def run(self, arguments: list[str], number: signal.Signals | None = None, after_s: float = 0.0) -> int:
        """The exit code of a command that gets a signal after so many seconds; nothing of it goes on."""
        assert self._server.stdin and self._server.stdout
        self._server.stdin.write(json.dumps(arguments) + "\n")
        self._server.stdin.flush()
        process = int(self._server.stdout.readline())
        if number is not None:
            time.sleep(after_s)
            with suppress(ProcessLookupError):
                os.kill(process, number)
        code = int(self._server.stdout.readline())
        assert _is_gone(process), f"{arguments[0]} left a process behind"
        return code

    def close(self) -> None:
        assert self._server.stdin and self._server.stdout
        self._server.stdin.close()
        self._server.wait()
        self._server.stdout.close()


def _is_gone(session: int) -> bool:
    """Whether no process of a session is left, or will be in a moment: some end when they notice."""
    for _ in range(int(PATIENCE_S / 0.05)):
        try:
            os.killpg(session, 0)
        except ProcessLookupError:
            return True
        time.sleep(0.05)
    os.killpg(session, signal.SIGKILL)
    return False


@pytest.fixture(scope="module")
def forks(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forks]:
    reports = tmp_path_factory.getbasetemp() / "reports"
    reports.mkdir(exist_ok=True)
    made = Forks({**os.environ, "SHERD_REPORTS": str(reports), "OMP_NUM_THREADS": "1"})
    yield made
    made.close()


@pytest.fixture
def threads(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Forks]:
    """The same with commands that have two threads."""
    reports = tmp_path_factory.getbasetemp() / "reports"
    made = Forks({**os.environ, "SHERD_REPORTS": str(reports), "OMP_NUM_THREADS": "2"})
    yield made
    made.close()


@pytest.fixture
def puzzles(tmp_path: Path, two_halves: Sample) -> Path:
    path = tmp_path / "puzzles.jsonl"
    write_samples(path, [two_halves] * 8)
    return path


COMMANDS: dict[str, Command] = {
    "generate": lambda out: ["generate", str(out / "a.jsonl"), "--pieces", "8", "--count", "60"],
    "assemble": lambda out: [
        "assemble", str(out.parent / "puzzles.jsonl"), "--solver", "random", "--out", str(out),
    ],
    "bench": lambda out: [
        "bench", "--solver", "random", "--pieces", "4", "--count", "60", "--seed", "1", "--workers", "2",
        "--json", str(out / "a.json"),
    ],
    "report": lambda out: ["report", "--results", str(out), "--out", str(out / "REPORT.md")],
    "export": lambda out: ["export", "fan", "--out", str(out)],
}  # fmt: skip
BY_DAY = ("generate", "assemble", "report")


def check_files(folder: Path, *, killed: bool) -> None:
    """Each file is whole; hidden ones are there only after a process was killed."""
    for path in folder.rglob("*"):
        if path.name.startswith(".sherd-"):
            assert killed, f"{path.name} is left"
        elif path.suffix == ".json":
            json.loads(path.read_text())
        elif path.suffix == ".jsonl" and path.parent == folder:
            assert all(json.loads(line) for line in path.read_text().splitlines())
        elif path.suffix == ".svg":
            ElementTree.parse(path)


def walk(forks: Forks, name: str, folder: Path, moments: int, rng: random.Random) -> None:
    """A command ended at random moments by each signal; afterwards it runs to its end and leaves nothing."""
    out = folder / "out"
    out.mkdir(exist_ok=True)
    command = COMMANDS[name](out)
    started = time.perf_counter()
    assert forks.run(command) == 0
    whole_s = time.perf_counter() - started
    for number in list(CODES) * moments:
        code = forks.run(command, number, rng.uniform(0.0, whole_s))
        # Before sherd's own handlers are set, a signal ends the process as it ends any.
        assert code in (0, CODES[number], -number), (name, number, code)
        check_files(out, killed=number == signal.SIGKILL)
        if number == signal.SIGKILL:
            assert forks.run(command) == 0
            check_files(out, killed=False)


@pytest.mark.parametrize("name", BY_DAY)
@pytest.mark.usefixtures("puzzles")
def test_a_signal_at_a_random_moment_leaves_nothing_half_done(
    name: str, forks: Forks, tmp_path: Path
) -> None:
    walk(forks, name, tmp_path, 1, random.Random(name))


@pytest.mark.nightly
@pytest.mark.parametrize("name", COMMANDS)
@pytest.mark.usefixtures("puzzles")
def test_signals_at_many_moments_leave_nothing_half_done(name: str, forks: Forks, tmp_path: Path) -> None:
    walk(forks, name, tmp_path, 5, random.Random())


@pytest.mark.nightly
def test_a_run_killed_at_random_moments_ends_in_the_same_bytes(threads: Forks, tmp_path: Path) -> None:
    """Each run is ended once and then resumed, or had saved nothing yet."""
    forks = threads
    rng, moments = random.Random(), 20
    (tmp_path / "run.toml").write_text(SETTINGS)

    def command(folder: Path, *more: str) -> list[str]:
        config = ["--config", str(tmp_path / "run.toml"), "--device", "cpu"]
        return ["train", "fan", *config, "--out", str(folder), *more]

    started = time.perf_counter()
    assert forks.run(command(tmp_path / "whole")) == 0
    whole_s = time.perf_counter() - started
    weights = (tmp_path / "whole" / "weights.safetensors").read_bytes()
    for moment in range(moments):
        folder = tmp_path / f"{moment}"
        number = (signal.SIGTERM, signal.SIGKILL)[moment % 2]
        code = forks.run(command(folder), number, rng.uniform(0.2, 1.0) * whole_s)
        assert code in (0, 130, CODES[number], -number)
        if folder.exists():
            check_files(folder, killed=number == signal.SIGKILL)
        if (folder / "state.safetensors").exists():
            assert forks.run(command(folder, "--resume")) == 0
            assert (folder / "weights.safetensors").read_bytes() == weights
            check_files(folder, killed=False)
