from __future__ import annotations

import hashlib
import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from sherd.cli import run
from sherd.core.puzzle import Puzzle, Sample
from sherd.io import puzzle_to_json, read_all, read_assembly, read_samples, write_samples


@pytest.fixture(autouse=True)
def _in_an_empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def test_help_has_an_example_for_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    assert run([]) == 0
    listed = capsys.readouterr().out
    for command in ("generate", "show", "assemble", "bench", "report"):
        assert command in listed
        assert run([command, "--help"]) == 0
        assert f"sherd {command} " in capsys.readouterr().out


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["--version"]) == 0
    assert capsys.readouterr().out.startswith("sherd 0.")


def test_a_set_is_the_same_every_time_and_begins_with_a_shorter_one() -> None:
    arguments = ["--shape", "pentagon", "--pieces", "5", "--rotations", "free", "--seed", "9"]
    for name, count in (("a.jsonl", "7"), ("b.jsonl", "7"), ("c.jsonl", "3")):
        assert run(["generate", name, "--count", count, *arguments]) == 0
    assert Path("a.jsonl").read_bytes() == Path("b.jsonl").read_bytes()
    assert Path("a.jsonl").read_bytes().startswith(Path("c.jsonl").read_bytes())
    assert len(list(read_samples("a.jsonl"))) == 7


def test_a_set_is_the_same_on_every_machine() -> None:
    options = "--shape hexagon --rotations free --order random --count 600 --seed 11"
    assert run(["generate", "a.jsonl", *options.split()]) == 0
    assert hashlib.sha256(Path("a.jsonl").read_bytes()).hexdigest() == (
        "2416b19ea49f165fd6bdb9663db210bd00d25710132c9d2fa270152bd2a84f72"
    )


def test_a_puzzle_with_foreign_pieces_has_no_answer_beside_it() -> None:
    assert run(["generate", "a.jsonl", "--count", "1", "--input", "binary-300+foreign-2"]) == 0
    (item,) = read_all("a.jsonl")
    assert isinstance(item, Puzzle)
    assert len(item.fragments) == 10


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("--roughness 0.1", "roughness is of broken or cracked pieces, not of cuts"),
        ("--straight 0.5 --dissection cracks", "straight is of broken pieces, not of cracks"),
        ("--straight 2 --dissection broken", "straight must be between 0 and 1, not 2.0"),
        ("--roughness 0.5 --dissection broken", "roughness must be between 0 and 0.2, not 0.5"),
        ("--dissection crosscut --pieces 17", "crossing cuts make 2 to 12 pieces, not 17"),
        ("--dissection jigsaw --pieces 7", "7 pieces do not make rows and columns of a jigsaw"),
        ("--input torn", "input 'torn' is unknown"),
    ],
)
def test_what_no_puzzle_can_be_is_said(words: str, reason: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["generate", "a.jsonl", *words.split()]) == 2
    assert capsys.readouterr().err.startswith(f"sherd: {reason}")


def test_the_parts_of_a_split_make_up_the_set() -> None:
    for part in ("all", "train", "validation", "test"):
        assert run(["generate", f"{part}.jsonl", "--count", "25", "--split", part, "--pieces", "2"]) == 0
    parts = [Path(f"{part}.jsonl").read_text() for part in ("train", "validation", "test")]
    assert [text.count("\n") for text in parts] == [16, 4, 5]
    assert "".join(parts) == Path("all.jsonl").read_text()


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


def test_a_shape_from_a_file() -> None:
    Path("kite.json").write_text('{"exterior": [[0, 0], [2, -1], [3, 0], [2, 1]]}')
    assert run(["generate", "a.jsonl", "--shape", "kite.json", "--count", "1", "--pieces", "3"]) == 0
    (sample,) = read_samples("a.jsonl")
    assert sample.puzzle.target.area == 3.0


@pytest.mark.parametrize("ending", ["svg", "png", "gif"])
@pytest.mark.parametrize("options", [[], ["--truth"], ["--steps"], ["--index", "1"]])
def test_pictures_of_samples(ending: str, options: list[str], two_halves: Sample) -> None:
    write_samples("a.jsonl", [two_halves, two_halves])
    assert run(["show", "a.jsonl", "--out", f"a.{ending}", *options]) == 0
    starts = {"svg": b"<?xml", "png": b"\x89PNG", "gif": b"GIF8"}
    assert Path(f"a.{ending}").read_bytes().startswith(starts[ending])


def test_an_answer_is_written_and_can_be_shown(
    two_halves: Sample, capsys: pytest.CaptureFixture[str]
) -> None:
    write_samples("my puzzle.jsonl", [two_halves.puzzle])
    assert run(["assemble", "my puzzle.jsonl", "--solver", "random", "--out", "deep/answers"]) == 0
    assert "my puzzle" in capsys.readouterr().out
    saved = read_assembly("deep/answers/my puzzle.assembly.json")
    assert saved.solver == "random"
    assert {placement.id for placement in saved.assembly} == {"left", "right"}
    assert Path("deep/answers/my puzzle.svg").read_text().startswith("<?xml")
    answer = ["--assembly", "deep/answers/my puzzle.assembly.json"]
    assert run(["show", "my puzzle.jsonl", *answer, "--out", "a.png"]) == 0
    assert run(["show", "my puzzle.jsonl", *answer, "--out", "a.gif"]) == 0


def test_a_set_is_numbered_and_one_puzzle_of_it_gives_the_same_answer(
    two_halves: Sample, capsys: pytest.CaptureFixture[str]
) -> None:
    write_samples("set.jsonl", [two_halves] * 3)
    assert run(["assemble", "set.jsonl", "--solver", "random", "--out", "all"]) == 0
    assert "mean of 3" in capsys.readouterr().out
    assert sorted(path.name for path in Path("all").iterdir()) == sorted(
        f"set-{k}.{ending}" for k in range(3) for ending in ("svg", "assembly.json")
    )
    assert run(["assemble", "set.jsonl", "--solver", "random", "--out", "one", "--index", "2"]) == 0
    assert (
        read_assembly("one/set-2.assembly.json").assembly == read_assembly("all/set-2.assembly.json").assembly
    )


def test_check_tells_unsolved_puzzles(two_halves: Sample, capsys: pytest.CaptureFixture[str]) -> None:
    write_samples("a.jsonl", [two_halves])
    assert run(["assemble", "a.jsonl", "--solver", "random", "--check"]) == 1
    assert capsys.readouterr().err == "sherd: 1 of 1 puzzles not solved\n"


def test_a_long_table_is_cut(two_halves: Sample, capsys: pytest.CaptureFixture[str]) -> None:
    from sherd.cli.assemble_puzzles import MOST_ROWS

    write_samples("a.jsonl", [two_halves] * (MOST_ROWS + 2))
    assert run(["assemble", "a.jsonl", "--solver", "random"]) == 0
    said = capsys.readouterr().out
    assert f"a-{MOST_ROWS - 1} " in said
    assert f"a-{MOST_ROWS} " not in said
    assert "and 2 more" in said


def test_odd_ids_are_safe_in_pictures(two_halves: Sample) -> None:
    document = puzzle_to_json(two_halves.puzzle)
    document["fragments"][0]["id"] = '../<script>&"[red]é'
    Path("a.json").write_text(json.dumps(document))
    assert run(["show", "a.json", "--out", "a.svg"]) == 0
    assert run(["assemble", "a.json", "--solver", "random", "--out", "answers"]) == 0
    for picture in (Path("a.svg"), Path("answers/a.svg")):
        assert "<script>" not in picture.read_text()
    assert sorted(path.name for path in Path().rglob("*") if path.is_file()) == sorted(
        ["a.json", "a.svg", "a.assembly.json", "a.svg"]
    )


def start(*arguments: str) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-m", "sherd", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


@pytest.fixture
def endless() -> Iterator[subprocess.Popen[str]]:
    """A set on its way, with some lines written already."""
    with start("generate", "a.jsonl", "--count", "1000000") as process:
        while not any(path.stat().st_size > 1e5 for path in Path().glob(".sherd-*")):
            assert process.poll() is None
            time.sleep(0.02)
        yield process
        process.kill()


def test_a_terminated_set_leaves_nothing(endless: subprocess.Popen[str]) -> None:
    endless.send_signal(signal.SIGTERM)
    assert endless.communicate(timeout=60) == ("", "")
    assert endless.returncode == 128 + signal.SIGTERM
    assert list(Path().iterdir()) == []


def test_an_interrupted_set_keeps_what_is_finished(endless: subprocess.Popen[str]) -> None:
    process = endless
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    lines = Path("a.jsonl").read_text().splitlines()
    count = len(lines)
    assert said == f"sherd: interrupted: a.jsonl holds the first {count:,} of 1,000,000 puzzles\n"
    Path("last.jsonl").write_text(lines[-1])
    assert len(list(read_all("last.jsonl"))) == 1
    assert [path.name for path in Path().glob(".sherd-*")] == []


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
