"""Folders of answers are scored beside their puzzles, and those to other puzzles refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import shapely
from shapely import Polygon

from sherd.bench.public_sets import write_set
from sherd.bench.scoring import score_files
from sherd.cli import run
from sherd.core.assembly import Assembly, Group
from sherd.core.errors import FileFormatError
from sherd.core.geometry import Pose
from sherd.core.puzzle import Fragment, Puzzle
from sherd.io import SavedAssembly
from sherd.io.assembly_files import write_assembly
from sherd.io.puzzle_files import puzzle_to_line


@pytest.fixture
def solved(tmp_path: Path) -> Path:
    """A folder with three puzzles and their answers."""
    puzzles = tmp_path / "set.jsonl"
    assert run(["generate", str(puzzles), "--count", "3", "--pieces", "5", "--rotations", "free"]) == 0
    assert run(["assemble", str(puzzles), "--out", str(tmp_path / "answers")]) == 0
    return tmp_path


def change(path: Path, **changes: object) -> None:
    path.write_text(json.dumps(json.loads(path.read_text()) | changes))


def test_a_puzzle_without_an_answer_counts(solved: Path) -> None:
    (solved / "answers" / "set-2.assembly.json").unlink()
    assert score_files(solved / "set.jsonl", solved / "answers").unanswered == 1


def test_a_file_of_one_puzzle_may_end_in_a_number(solved: Path) -> None:
    (solved / "set-6.jsonl").write_text((solved / "set.jsonl").read_text().splitlines()[0] + "\n")
    alone = solved / "alone"
    alone.mkdir()
    (solved / "answers" / "set-0.assembly.json").rename(alone / "set-6.assembly.json")
    for answers in (alone, alone / "set-6.assembly.json"):
        assert len(score_files(solved / "set-6.jsonl", answers).answers) == 1


def test_answers_to_other_puzzles_are_refused(solved: Path) -> None:
    answers = solved / "answers"
    path = answers / "set-0.assembly.json"
    told = json.loads(path.read_text())
    told["placements"][0]["id"] = "stranger"
    change(path, placements=told["placements"])
    with pytest.raises(FileFormatError, match="another puzzle: this one has no piece 'stranger'"):
        score_files(solved / "set.jsonl", answers)
    path.rename(answers / "set-9.assembly.json")
    with pytest.raises(FileFormatError, match=r"there is no puzzle 9: .* holds 3, counted from 0"):
        score_files(solved / "set.jsonl", answers)


def test_answers_whose_puzzle_is_not_clear_are_refused(solved: Path) -> None:
    (solved / "answers" / "set-0.assembly.json").rename(solved / "answers" / "mine.assembly.json")
    with pytest.raises(FileFormatError, match="must end in the puzzle's number"):
        score_files(solved / "set.jsonl", solved / "answers")
    (solved / "empty").mkdir()
    with pytest.raises(FileFormatError, match="no answer there"):
        score_files(solved / "set.jsonl", solved / "empty")


def test_an_answer_to_another_puzzle_of_a_public_set_is_refused(tmp_path: Path) -> None:
    """Pieces of frozen sets are named after their puzzle, so that answers cannot be exchanged unnoticed."""
    write_set("hexagon-8", tmp_path)
    question = tmp_path / "hexagon-8.jsonl"
    first = question.read_text().splitlines()[0]
    (tmp_path / "one.jsonl").write_text(first + "\n")
    assert run(["assemble", str(tmp_path / "one.jsonl"), "--out", str(tmp_path / "answers")]) == 0
    (answer,) = (tmp_path / "answers").glob("*.assembly.json")
    truth = tmp_path / "hexagon-8.truth.jsonl"
    assert score_files(truth, answer.rename(tmp_path / "mine-0.assembly.json")).figures["cov95"] == 1.0
    (tmp_path / "mine-0.assembly.json").rename(tmp_path / "mine-1.assembly.json")
    with pytest.raises(FileFormatError, match="another puzzle: this one has no piece 'hexagon-8-0-f"):
        score_files(truth, tmp_path / "mine-1.assembly.json")


def test_answers_without_a_target_are_scored_by_groups(tmp_path: Path) -> None:
    puzzles = tmp_path / "torn.jsonl"
    torn = ["--dissection", "broken", "--pieces", "4", "--rotations", "free", "--count", "2"]
    assert run(["generate", str(puzzles), *torn]) == 0
    assert run(["assemble", str(puzzles), "--no-target", "--out", str(tmp_path / "answers")]) == 0
    scored = score_files(puzzles, tmp_path / "answers")
    assert scored.figures.keys() == {"all_right", "largest_right", "overlap"}
    assert scored.figures["all_right"] == 1.0
    assert scored.figures["overlap"] > 0.99
    (tmp_path / "answers" / "torn-1.assembly.json").unlink()
    assert score_files(puzzles, tmp_path / "answers").figures["all_right"] == 0.5


@pytest.mark.parametrize(("along", "code"), [(0.0, 0), (0.04, 1)])
def test_a_group_that_could_be_pushed_along_an_arc_is_not_believed(
    along: float, code: int, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Nothing overlaps and all is placed: only the verdict tells."""
    middle, radius = (0.5, -0.6), 1.1
    disc = shapely.Point(middle).buffer(radius, quad_segs=200)
    lower, upper = shapely.box(0, 0, 1, 1) & disc, shapely.box(0, 0, 1, 1) - disc
    assert isinstance(lower, Polygon) and isinstance(upper, Polygon)
    puzzle = Puzzle.of_pieces((Fragment("lower", lower), Fragment("upper", upper)))
    (tmp_path / "p.jsonl").write_text(puzzle_to_line(puzzle) + "\n")
    turn = Pose(*middle) @ Pose(theta=along / radius) @ Pose(*middle).inverse()
    laid = Assembly().place("lower", Pose()).place("upper", turn)
    answer = tmp_path / "p-0.assembly.json"
    saved = SavedAssembly(
        assembly=laid,
        solver="somebody",
        seconds=1.0,
        solved=True,
        coverage=0.0,
        iou=0.0,
        overlap=0.0,
        has_target=False,
        groups=(Group(laid),),
    )
    write_assembly(answer, saved)
    assert run(["score", str(tmp_path / "p.jsonl"), str(answer), "--check"]) == code
    assert ("could be pushed along" in capsys.readouterr().out) == bool(code)
