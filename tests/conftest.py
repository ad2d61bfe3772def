"""Settings shared by all tests, and tiny named puzzles."""

from __future__ import annotations

import json
import os
import signal
import sys
import time
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import shapely
from hypothesis import settings

sys.path.insert(0, str(Path(__file__).parent))  # for what tests share

from checked import DEEPEST, check_answer_to_job, check_document, check_result
from sherd.core.assembly import Assembly, Placement
from sherd.core.clock import working_seconds
from sherd.core.geometry import Pose, Rotations
from sherd.core.puzzle import Fragment, Puzzle, Sample
from sherd.core.unforeseen import REPORTS
from sherd.io.puzzle_files import puzzle_to_json
from sherd.solvers.base import Proposal, Result

# The same examples each time, unless others are asked for (make nightly).
settings.register_profile("sherd", deadline=None, derandomize=True, max_examples=25)
settings.register_profile("nightly", deadline=None, max_examples=500, print_blob=True)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "sherd"))

IS_NIGHT = os.environ.get("HYPOTHESIS_PROFILE") == "nightly"


# How the names of tests begin that are run by night alone.
NIGHTLY = tuple(
    line for line in (Path(__file__).parent / "nightly.txt").read_text().splitlines() if line[:1] != "#"
)
# Tests that share what is dear to make (a server, an example's answer, compiled code) and so one process.
TOGETHER = ("tests/studio/", "tests/test_examples.py", "tests/solvers/contours/", "tests/solvers/search/")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What is marked as nightly is skipped by day; what belongs together is run by one process."""
    for item in items:
        for shared in TOGETHER:
            if item.nodeid.startswith(shared):
                item.add_marker(pytest.mark.xdist_group(shared))
        is_slow = item.nodeid.startswith(NIGHTLY) or item.get_closest_marker("nightly")
        if is_slow and not IS_NIGHT:
            item.add_marker(pytest.mark.skip(reason="takes long: make nightly"))


# Started in the background by a shell, we and what we start would be deaf to Ctrl-C.
signal.signal(signal.SIGINT, signal.default_int_handler)

# Limits in seconds are limits of work here, however busy the machine is.
working_seconds.now = time.process_time


@pytest.fixture(autouse=True)
def check_every_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever a test calls solved is checked by other means than the verdict's, written answers by file."""

    def judged(puzzle: Puzzle, proposal: Proposal, seconds: float) -> Result:
        result = judge_as_usual(puzzle, proposal, seconds)
        if result.solved:
            check_result(puzzle, result)
        return result

    def written(found: Any, *given: Any) -> tuple[Path, ...]:
        files = write_as_usual(found, *given)
        for path in files:
            if path.name.endswith(".assembly.json"):
                check_answer_to_job(found, path)
        return files

    def assembled(request: Any, item: Puzzle | Sample, *given: Any) -> Any:
        rows = assemble_as_usual(request, item, *given)
        puzzle = item.puzzle if isinstance(item, Sample) else item
        for row in rows:
            if row.saved.has_target and not request.writes_nothing:
                document = json.loads((request.out / f"{row.name}.assembly.json").read_text())
                check_document(puzzle_to_json(puzzle), document, DEEPEST)
        return rows

    runner = import_module("sherd.solvers.run")  # the package has a function of this name
    judge_as_usual = runner.judged
    monkeypatch.setattr(runner, "judged", judged)
    write_as_usual = import_module("sherd.workshop.result").write_answer
    monkeypatch.setattr("sherd.workshop.result.write_answer", written)
    assemble_as_usual = import_module("sherd.cli.assemble_puzzles").assemble_one
    monkeypatch.setattr("sherd.cli.assemble_puzzles.assemble_one", assembled)


@pytest.fixture(autouse=True)
def no_unforeseen_errors(
    monkeypatch: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Path]:
    """No command, be it in a process of its own, may end in an error that nobody foresaw."""
    reports = _reports_folder(tmp_path_factory)
    monkeypatch.setenv(REPORTS, str(reports))
    yield reports
    for report in reports.iterdir():
        text = report.read_text()
        report.unlink()
        pytest.fail(f"an error that was not foreseen:\n{text}")


@pytest.fixture
def breaks(no_unforeseen_errors: Path) -> Iterator[None]:
    """For tests in which something breaks, so that there is a report of it in the end."""
    yield
    reports = list(no_unforeseen_errors.iterdir())
    assert reports
    for report in reports:
        report.unlink()


def _reports_folder(factory: pytest.TempPathFactory) -> Path:
    folder = factory.getbasetemp() / "reports"  # one a run: a folder for each test would take its time
    folder.mkdir(exist_ok=True)
    return folder


@pytest.fixture
def rng() -> np.random.Generator:
    return np.random.default_rng(0)


@pytest.fixture
def two_halves() -> Sample:
    """The unit square cut upright in the middle."""
    half = shapely.box(-0.25, -0.5, 0.25, 0.5)
    puzzle = Puzzle(shapely.box(0, 0, 1, 1), (Fragment("left", half), Fragment("right", half)))
    return Sample(puzzle, Assembly((Placement("left", Pose(0.25, 0.5)), Placement("right", Pose(0.75, 0.5)))))


@pytest.fixture
def square_of_four() -> Sample:
    """The unit square cut into four unlike upright rectangles, free to turn."""
    boxes = {
        "a": shapely.box(0, 0, 0.4, 0.3),
        "b": shapely.box(0.4, 0, 1, 0.3),
        "c": shapely.box(0, 0.3, 0.7, 1),
        "d": shapely.box(0.7, 0.3, 1, 1),
    }
    fragments: list[Fragment] = []
    placements: list[Placement] = []
    for name, box in boxes.items():
        pose = Pose(box.centroid.x, box.centroid.y)
        fragments.append(Fragment(name, pose.inverse().apply(box)))
        placements.append(Placement(name, pose))
    return Sample(
        Puzzle(shapely.box(0, 0, 1, 1), tuple(fragments), Rotations(None)), Assembly(tuple(placements))
    )
