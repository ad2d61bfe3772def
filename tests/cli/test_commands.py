from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from sherd.cli import COMMANDS, run
from sherd.io import read_samples


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_help_has_an_example_for_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([]) == 0
    listed = capsys.readouterr().out
    for command, says in COMMANDS.items():
        assert says in listed
        assert run([command, "--help"]) == 0
        assert f"sherd {command} " in capsys.readouterr().out


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == 0
    assert capsys.readouterr().out.startswith("sherd 0.")


@pytest.mark.parametrize(
    "options",
    [
        ["--degradation", "missing"],
        ["--degradation", "eroded"],
        ["--degradation", "distorted", "--noise", "0.005"],
        ["--texture", "checker"],
        ["--order", "random", "--shape", "polygon:9"],
        ["--pieces", "1"],
        ["--dissection", "broken", "--roughness", "0.03", "--straight", "0.5", "--input", "worn-1"],
        ["--dissection", "crosscut", "--rotations", "free", "--input", "level-2"],
        ["--dissection", "jigsaw", "--pieces", "6", "--input", "grey-60-a-piece+missing-1"],
    ],
)
def test_every_kind_can_be_generated_shown_and_assembled(options: list[str]) -> None:
    assert run(["generate", "a.jsonl", "--count", "1", *options]) == 0
    assert run(["show", "a.jsonl", "--out", "a.svg"]) == 0
    assert run(["assemble", "a.jsonl", "--solver", "random"]) == 0
    assert len(list(read_samples("a.jsonl"))) == 1


def start(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "sherd", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def test_output_into_a_closed_pipe_is_no_error() -> None:
    process = start("--help")
    assert process.stdout is not None
    process.stdout.close()
    assert process.stderr is not None
    assert process.stderr.read() == ""
    assert process.wait(timeout=60) == 0
    process.stderr.close()


def test_an_interruption_with_nothing_finished_is_said(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(path: Path, index: int) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr("sherd.io.read_one", interrupted)
    assert run(["show", "a.jsonl", "--out", "a.svg"]) == 130
    assert capsys.readouterr() == ("", "sherd: interrupted\n")
