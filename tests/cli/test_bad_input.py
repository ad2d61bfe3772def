"""Bad input is answered in one line on stderr with exit code 2, and leaves nothing behind."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from sherd.cli import run
from sherd.core.puzzle import Sample
from sherd.io import puzzle_to_json, write_samples

COMMANDS: dict[str, tuple[str, str]] = {
    "count 0": ("generate a.jsonl --count 0", "--count must be between 1 and 1,000,000,000, not 0"),
    "negative count": ("generate a.jsonl --count -5", "not -5"),
    "count no number": ("generate a.jsonl --count many", "Invalid value for '--count'"),
    "astronomic count": ("generate a.jsonl --count 99999999999999999999", "--count must be between 1 and"),
    "no pieces": ("generate a.jsonl --pieces 0", "pieces must be between 1 and 4,096, not 0"),
    "too many pieces": ("generate a.jsonl --pieces 99999", "pieces must be between 1 and 4,096, not 99,999"),
    "negative seed": ("generate a.jsonl --seed -1", "--seed must be at least 0, not -1"),
    "rotations 0": (
        "generate a.jsonl --rotations 0",
        "rotations must be a positive number of bins or 'free'",
    ),
    "astronomic rotations": (
        "generate a.jsonl --rotations 1000001",
        "rotations of more than 1,000,000 bins are as good as free",
    ),
    "astronomic scan": (
        "generate a.jsonl --input binary-99999999999",
        "scan_px must be between 16 and",
    ),
    "astronomic rows": (f"bench --suite exact --rows {'9' * 5000}:1", "--rows must be START:STOP"),
    "rotations text": ("generate a.jsonl --rotations some", "or 'free', not 'some'"),
    "unknown shape": ("generate a.jsonl --shape blob", "unknown shape 'blob': choose square"),
    "not convex": (
        "generate a.jsonl --shape star",
        "star is not convex, and such shapes have merged or broken",
    ),
    "mirrored cuts": (
        "generate a.jsonl --mirror",
        "pieces that are cut from side to side are not mirrored",
    ),
    "merged in random order": ("generate a.jsonl --dissection merged --order random", "not in random order"),
    "too many merged": (
        "generate a.jsonl --dissection merged --pieces 1001",
        "between 1 and 1,000, not 1,001",
    ),
    "an unknown silhouette": (
        "generate a.jsonl --dissection tangram --shape star",
        "unknown silhouette 'star'",
    ),
    "eight pieces of a tangram": ("generate a.jsonl --dissection tangram", "a tangram has 7 pieces, not 8"),
    "a tangram that is not turned": (
        "generate a.jsonl --dissection tangram --pieces 7",
        "the pieces of a tangram are free to turn",
    ),
    "two sides": ("generate a.jsonl --shape polygon:2", "needs 3 to 1,000 sides, not 2"),
    "missing shape file": ("generate a.jsonl --shape none.json", "none.json: No such file"),
    "unknown order": ("generate a.jsonl --order top", "'top' is not one of"),
    "unknown damage": ("generate a.jsonl --degradation burnt", "'burnt' is not one of"),
    "noise": ("generate a.jsonl --noise 7", "noise must be between 0 and"),
    "noise nan": ("generate a.jsonl --noise nan", "noise must be between 0 and"),
    "unknown texture": (
        "generate a.jsonl --texture wallpaper",
        "texture 'wallpaper' is neither built in (checker, ",
    ),
    "empty part": ("generate a.jsonl --count 1 --split train", "the train part of 1 puzzles is empty"),
    "missing folder": ("generate no/where/a.jsonl", "no/where/a.jsonl: the folder no/where does not exist"),
    "a folder": ("generate .", "is a folder, not a file"),
    "lost only piece": ("generate a.jsonl --pieces 1 --degradation missing", "only piece"),
    "no argument": ("generate", "Missing argument 'OUT'"),
    "unknown option": ("generate a.jsonl --colour red", "No such option: --colour"),
    "unknown command": ("polish a.jsonl", "No such command 'polish'"),
    "show what is not there": ("show none.jsonl --out a.svg", "none.jsonl: No such file or directory"),
    "show a folder": ("show . --out a.svg", "there is no closed shape in it"),
    "show too far": ("show good.jsonl --index 5 --out a.svg", "there is no puzzle 5: the file holds 2"),
    "show before": ("show good.jsonl --index -1 --out a.svg", "--index must be at least 0, not -1"),
    "show as text": ("show good.jsonl --out a.txt", "must end in .svg, .png or .gif"),
    "show nowhere": ("show good.jsonl --out no/a.svg", "the folder no does not exist"),
    "no answer": ("show bare.jsonl --truth --out a.svg", "bare.jsonl: puzzle 0 comes without an answer"),
    "no animation": ("show bare.jsonl --out a.gif", "comes without an answer"),
    "answer missing": ("show good.jsonl --assembly no.json --out a.svg", "no.json: No such file"),
    "puzzle as answer": ("show good.jsonl --assembly bare.jsonl --out a.svg", "bare.jsonl:1: "),
    "two answers": ("show good.jsonl --truth --assembly x.json --out a.svg", "choose one"),
    "assemble nothing": ("assemble none.jsonl", "none.jsonl: No such file"),
    "assemble empty": ("assemble empty.jsonl", "empty.jsonl:1: the file is empty"),
    "assemble broken": ("assemble broken.jsonl", "broken.jsonl:2: fragments[0]: the outline crosses itself"),
    "unknown solver": ("assemble good.jsonl --solver magic", "unknown solver 'magic': choose auto"),
    "time": ("assemble good.jsonl --time-limit -1", "a time limit must be at least 0 seconds, not -1"),
    "time nan": ("assemble good.jsonl --time-limit nan", "a time limit must be at least 0 seconds, not nan"),
    "seed": ("assemble good.jsonl --seed -1", "--seed must be at least 0"),
    "file as folder": ("assemble good.jsonl --out good.jsonl", "there is a file in the way"),
    "below a file": ("assemble good.jsonl --out good.jsonl/x", "there is a file in the way"),
    "index": ("assemble good.jsonl --index 2", "there is no puzzle 2"),
}


@pytest.fixture(autouse=True)
def _files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, two_halves: Sample) -> None:
    monkeypatch.chdir(tmp_path)
    write_samples("good.jsonl", [two_halves, two_halves])
    write_samples("bare.jsonl", [two_halves.puzzle])
    Path("empty.jsonl").touch()
    document = puzzle_to_json(two_halves)
    document["fragments"][0]["exterior"] = [[0, 0], [1, 1], [1, 0], [0, 1]]
    Path("broken.jsonl").write_text(Path("bare.jsonl").read_text() + json.dumps(document) + "\n")


@pytest.mark.parametrize("name", COMMANDS)
def test_one_line_and_nothing_left(name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line, reason = COMMANDS[name]
    before = sorted(tmp_path.rglob("*"))
    assert run(line.split()) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.startswith("sherd: ")
    assert said.err.count("\n") == 1
    assert reason in said.err
    assert sorted(tmp_path.rglob("*")) == before


def test_a_file_name_cannot_break_the_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["assemble", "a\nb\x1b[31m\udcff[bold]"]) == 2
    assert capsys.readouterr().err == "sherd: a\\nb\\x1b[31m\\udcff[bold]: No such file or directory\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs /dev/full")
def test_a_full_disk(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["generate", "/dev/full", "--count", "2"]) == 2
    assert capsys.readouterr().err == "sherd: /dev/full: No space left on device\n"


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_without_permission(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "locked").mkdir(mode=0o500)
    assert run(["generate", "locked/a.jsonl"]) == 2
    assert capsys.readouterr().err == "sherd: locked/a.jsonl: Permission denied\n"
