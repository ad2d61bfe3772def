"""``sherd bench`` and ``sherd report`` as people call them."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from sherd.bench.contour_suites import CONTOUR_SUITES
from sherd.bench.record import read_record
from sherd.bench.suites import BEYOND
from sherd.bench.train import TrainingPlan
from sherd.cli import run
from sherd.core.errors import UnsupportedError
from sherd.core.geometry import Rotations
from sherd.core.puzzle import Puzzle
from sherd.generation.shapes import NON_CONVEX, SHAPES
from sherd.generation.tangram import SILHOUETTES
from sherd.solvers import SOLVERS, OnProgress, Proposal, Stop
from sherd.solvers.baselines.random import RandomSolver


def test_random_end_to_end(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "random.json"
    options = ["--solver", "random", "--shape", "hexagon", "--rotations", "20", "--count", "4"]
    assert run(["bench", *options, "--json", str(path)]) == 0
    out, err = capsys.readouterr()
    lines = [line.split() for line in out.splitlines()]
    assert ["hexagon,", "8", "pieces,", "20", "rotations"] in lines
    assert ["random", "4", "0.000", "0.000"] in [line[:4] for line in lines]
    assert ["fan,", "published", "0.000", "0.000", "0.640", "0.550"] in lines
    assert err == ""

    record = read_record(path)
    assert record.seed == 7
    assert record.command == "sherd bench --solver random --shape hexagon --rotations 20 --count 4"
    (result,) = record.cells
    assert (result.cell.solver, result.cell.shape, result.count) == ("random", "hexagon", 4)
    assert result.cell.rotations == Rotations(20)

    report = tmp_path / "REPORT.md"
    assert run(["report", "--results", str(tmp_path), "--out", str(report)]) == 0
    assert "1 measured cells from 1 records" in capsys.readouterr().out
    assert "## The paper's 41 distinct rows" in report.read_text()
    assert "\nrandom,,hexagon,8,20," in (tmp_path / "all.csv").read_text()


def test_a_suite_takes_the_test_split_and_skips_what_is_not_there(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(SOLVERS, "vgan", RandomSolver)
    for name in ("annealing", "bayesopt", "fan"):
        monkeypatch.delitem(SOLVERS, name, raising=False)
    path = tmp_path / "table2.json"
    assert run(["bench", "--suite", "table2", "--count", "2", "--json", str(path)]) == 0
    assert capsys.readouterr().err == "sherd: skipped, no such solver here: annealing, bayesopt, fan\n"
    record = read_record(path)
    (result,) = record.cells
    assert (record.seed, result.first, result.count) == (8000, 4000, 2)
    assert result.published is not None
    assert (result.published.method, result.published.iou) == ("vgan", 0.545)


def test_a_suite_can_be_run_with_another_solver(tmp_path: Path) -> None:
    path = tmp_path / "table4.json"
    options = ["--suite", "table4", "--rows", "1:3", "--solver", "random", "--count", "1"]
    assert run(["bench", *options, "--json", str(path)]) == 0
    cells = [result.cell for result in read_record(path).cells]
    assert [(cell.solver, cell.degradation) for cell in cells] == [
        ("random", "eroded"),
        ("random", "distorted"),
    ]


def test_tangrams_are_a_suite_and_a_dissection(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    paths = tmp_path / "suite.json", tmp_path / "named.json"
    assert (
        run(["bench", "--suite", "tangram", "--rows", "13:14", "--count", "2", "--json", str(paths[0])]) == 0
    )
    assert "arrow" not in (out := capsys.readouterr().out)
    assert "cat, 7 tangram pieces, free rotation, mirrored" in out
    puzzles = [
        "--dissection",
        "tangram",
        "--shape",
        "cat",
        "--pieces",
        "7",
        "--rotations",
        "free",
        "--mirror",
    ]
    assert run(["bench", "--solver", "search", *puzzles, "--count", "2", "--json", str(paths[1])]) == 0
    (ours,), (named,) = (read_record(path).cells for path in paths)
    assert ours.cell == named.cell
    assert ours.figures.solved == ours.figures.cov95 == named.figures.solved == 1.0


def test_broken_things_are_suites_with_goals(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path, out = tmp_path / "broken.json", tmp_path / "REPORT.md"
    options = ["--suite", "broken", "--rows", "0:2", "--solver", "random", "--count", "2"]
    assert run(["bench", *options, "--json", str(path)]) == 0
    said = capsys.readouterr()
    assert said.err == "sherd: skipped rows without a target for random\n"
    lines = [line.split() for line in said.out.splitlines()]
    assert ["jagged,", "8", "pieces,", "moved-0.05,", "target"] in lines
    assert [*lines[-1][:3], *lines[-1][4:7]] == ["random", "2", "0.000", "all", "right", "1"]
    (result,) = read_record(path).contours
    assert (result.cell.input, result.count, result.time_limit) == ("moved-0.05", 2, 60.0)
    assert run(["report", "--results", str(tmp_path), "--out", str(out)]) == 0
    assert "1 measured cells from 1 records" in capsys.readouterr().out
    assert "\nrandom,jagged,8,moved-0.05,yes,all_right,1," in (tmp_path / "contours.csv").read_text()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("--size-px 64", "--size-px does not go with suites of broken things"),
        ("--pieces 8", "--pieces does not go with --suite, which has puzzles of its own"),
        ("--input masks", "input 'masks' is unknown: exact, or moved-P"),
    ],
)
def test_what_broken_things_do_not_have(
    options: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["bench", "--suite", "broken", *options.split()]) == 2
    assert message in capsys.readouterr().err


def test_the_help_names_what_there_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["bench", "--help"]) == 0
    unbroken = re.sub(r"-\n +", "-", capsys.readouterr().out)
    words = set(re.findall(r"[a-z0-9-]+", unbroken))
    assert {*SOLVERS, *BEYOND, *CONTOUR_SUITES, *SILHOUETTES, *SHAPES, *NON_CONVEX} <= words


class Interrupting(RandomSolver):
    """Random pieces until Ctrl-C is pressed in the fourth puzzle."""

    def __init__(self) -> None:
        self.calls = 0

    def solve(
        self,
        puzzle: Puzzle,
        *,
        stop: Stop,
        rng: np.random.Generator,
        on_progress: OnProgress | None = None,
    ) -> Proposal:
        self.calls += 1
        if self.calls == 4:
            raise KeyboardInterrupt
        return super().solve(puzzle, stop=stop, rng=rng, on_progress=on_progress)


def test_an_interrupted_run_keeps_what_is_finished(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(SOLVERS, "interrupting", Interrupting)
    path = tmp_path / "part.json"
    options = ["--solver", "random", "--solver", "interrupting", "--count", "5"]
    assert run(["bench", *options, "--json", str(path)]) == 130
    out, err = capsys.readouterr()
    assert err == "sherd: interrupted: 8 of 10 puzzles are done\n"
    assert "interrupting" in out
    assert [(result.cell.solver, result.count) for result in read_record(path).cells] == [
        ("random", 5),
        ("interrupting", 3),
    ]


class Unable(RandomSolver):
    """A solver that has something missing."""

    def __init__(self) -> None:
        raise UnsupportedError("the weights are not installed")


def test_a_solver_that_cannot_serve_is_skipped(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(SOLVERS, "unable", Unable)
    assert run(["bench", "--solver", "unable", "--solver", "random", "--count", "1"]) == 0
    why = "sherd: skipped unable on square, 8 pieces: the weights are not installed\n"
    assert capsys.readouterr().err == why
    assert run(["bench", "--solver", "unable", "--count", "1"]) == 2
    assert capsys.readouterr().err == why + "sherd: nothing could be measured\n"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("", "name a --solver ("),
        ("--solver guess", "unknown solver 'guess': choose "),
        ("--solver random --count 0", "count must be between 1 and 100,000, not 0"),
        ("--solver random --count 1000000", "count must be between 1 and 100,000, not 1,000,000"),
        ("--solver random --seed -1", "the seed must be at least 0, not -1"),
        ("--solver random --time-limit 0", "the time limit must be above 0 seconds, not 0.0"),
        ("--solver random --rotations some", "rotations must be a positive number of bins or 'free'"),
        ("--solver random --shape blob", "unknown shape 'blob'"),
        ("--solver random --pieces 0", "pieces must be between 1 and"),
        ("--solver random --noise 2", "noise must be between 0 and"),
        ("--solver random --texture nowhere", "texture 'nowhere' is neither built in"),
        ("--solver random --rows 0:1", "--rows goes with --suite only"),
        ("--suite table8", "unknown suite 'table8': choose table1"),
        ("--suite table1 --rows 3:99", "rows 3:99 are out of range: table1 has rows 0:10"),
        ("--suite table1 --rows first", "--rows must be START:STOP, such as 0:3, not 'first'"),
        ("--suite table1 --shape square", "--shape does not go with --suite"),
        ("--suite table1 --count 1001", "count must be at most 1,000 with a suite, not 1,001"),
    ],
)
def test_bad_arguments_are_answered_in_one_line(
    options: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["bench", *options.split()]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"sherd: {message}")
    assert err.count("\n") == 1


def test_a_file_that_cannot_be_written_is_found_out_before_the_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Unreachable(RandomSolver):
        def __init__(self) -> None:
            raise AssertionError("the run has begun")

    monkeypatch.setitem(SOLVERS, "unreachable", Unreachable)
    for path in (tmp_path, tmp_path / "no" / "such.json"):
        assert run(["bench", "--solver", "unreachable", "--json", str(path)]) == 2
        err = capsys.readouterr().err
        assert err.startswith(f"sherd: {path}: ")
        assert err.count("\n") == 1
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "there is no such folder"),
        ("{", "bad.json:1: not JSON"),
        ("{}", "bad.json:1: the key 'machine' is missing"),
    ],
)
def test_a_report_of_bad_records_is_refused(
    content: str | None, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    results, out = tmp_path / "results", tmp_path / "REPORT.md"
    if content is not None:
        results.mkdir()
        (results / "bad.json").write_text(content)
    assert run(["report", "--results", str(results), "--out", str(out)]) == 2
    err = capsys.readouterr().err
    assert message in err
    assert err.count("\n") == 1
    assert not out.exists()


def test_what_is_trained_is_measured_on_the_test_split(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned: list[tuple[bool, int | None, float | None, float | None, int | None]] = []

    def train_fan(cell: object, plan: TrainingPlan, **options: object) -> RandomSolver:
        planned.append((plan.shared_encoder, plan.batch_puzzles, plan.dropout, plan.minutes, plan.steps))
        return RandomSolver()

    monkeypatch.setattr("sherd.bench.train.train_fan", train_fan)
    path = tmp_path / "fan.json"
    options = [
        "--solver",
        "fan",
        "--pieces",
        "3",
        "--count",
        "2",
        "--train",
        "--steps",
        "7",
        "--shared-encoder",
        "--batch",
        "16",
        "--dropout",
        "0.0",
        "--device",
        "cpu",
    ]
    assert run(["bench", *options, "--json", str(path)]) == 0
    record = read_record(path)
    assert planned == [(True, 16, 0.0, None, 7)]
    assert record.cells[0].first == 4000
    assert record.command == f"sherd bench {' '.join(options)}"


def test_training_without_enough_memory(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def too_large(*arguments: object, **options: object) -> None:
        raise MemoryError

    monkeypatch.setattr("sherd.bench.train.FixedSet.of", too_large)
    words = ["bench", "--solver", "fan", "--pieces", "3", "--count", "2", "--train", "--device", "cpu"]
    assert run([*words, "--minutes", "0.01"]) == 2
    assert "the memory does not suffice: take smaller batches" in capsys.readouterr().err


def test_options_of_training_need_training(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["bench", "--solver", "random", "--shared-encoder"]) == 2
    assert capsys.readouterr().err == "sherd: --shared-encoder goes with --train only\n"
    assert run(["bench", "--solver", "fan", "--train", "--steps", "3", "--minutes", "1"]) == 2
    assert capsys.readouterr().err == "sherd: give --steps or --minutes, not both\n"
    assert run(["bench", "--solver", "random", "--device", "cpu"]) == 2
    assert capsys.readouterr().err == "sherd: --device goes with --train or --weights only\n"
    assert run(["bench", "--solver", "random", "--train"]) == 2
    assert capsys.readouterr().err.startswith("sherd: training is for the paper's network: name fan")


def test_more_pieces_than_memory_allows_are_refused_before_any_is_drawn(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sherd.learn.training.device._available_bytes", lambda: 2**30)
    words = ["--solver", "fan", "--train", "--device", "cpu", "--pieces", "1024", "--count", "1"]
    assert run(["bench", *words]) == 2
    assert "the memory does not suffice: training takes at least" in capsys.readouterr().err


@pytest.mark.parametrize("device", ["auto", "cpu"])
def test_that_there_is_no_accelerator_is_said_unless_none_was_asked_for(
    device: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("torch.cuda.is_available", lambda: False)
    monkeypatch.setattr("sherd.bench.train.train_fan", lambda *_, **given: RandomSolver())
    words = ["bench", "--solver", "fan", "--pieces", "3", "--count", "1", "--train", "--steps", "1"]
    assert run([*words, "--device", device]) == 0
    said = capsys.readouterr().err.splitlines()
    assert said[-1] == "sherd: training fan on square, 3 pieces"
    assert [line.startswith("sherd: no accelerator here: the CPU trains") for line in said[:-1]] == [True] * (
        device == "auto"
    )
