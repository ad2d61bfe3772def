"""Solvers of other packages join by an entry point; those that make no sense are named and left out."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from sherd.cli import run
from sherd.solvers.plugins import plugins
from sherd.solvers.registry import SOLVERS, is_known, known_solvers

MODULE = """
import math
from sherd import Assembly, Pose
from sherd.solvers import Proposal
from sherd.solvers.baselines.random import RandomSolver

class Mine(RandomSolver):
    pass

class Groups(RandomSolver):
    solve_groups = RandomSolver.solve

class Answers:
    def __init__(self, answer):
        self.answer = answer
    def solve(self, puzzle, *, stop, rng, on_progress=None):
        return self.answer

def proposal(assembly):
    return Proposal(assembly=assembly, objective=0.0, evaluations=1)

def wordy():
    return Answers("solved")

def strange():
    return Answers(proposal(Assembly().place("stranger", Pose(0, 0))))

def nowhere():
    return Answers(proposal(Assembly().place("f0", Pose(math.nan, 0))))

def listed():
    return Answers(proposal([]))

def broken():
    raise RuntimeError("no licence")

def hollow():
    return object()

number = 7
"""
Package = Callable[..., None]


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Package]:
    """Installs a package that brings solvers, by name and what makes them."""

    def install(**points: str) -> None:
        (tmp_path / "theirs_for_tests.py").write_text(MODULE)
        (tmp_path / "ends_for_tests.py").write_text("raise SystemExit('not today')")
        about = tmp_path / "theirs-1.0.dist-info"
        about.mkdir()
        (about / "METADATA").write_text("Metadata-Version: 2.1\nName: theirs\nVersion: 1.0\n")
        lines = "".join(f"{name} = {value}\n" for name, value in points.items())
        (about / "entry_points.txt").write_text(f"[sherd.solvers]\n{lines}")
        monkeypatch.syspath_prepend(str(tmp_path))

    before = dict(SOLVERS)
    plugins.cache_clear()
    yield install
    plugins.cache_clear()
    SOLVERS.clear()
    SOLVERS.update(before)


def bench(*solvers: str) -> int:
    named = [word for solver in solvers for word in ("--solver", solver)]
    return run(["bench", *named, "--pieces", "3", "--count", "2", "--seed", "5"])


def test_a_solver_joins_by_an_entry_point(package: Package, capsys: pytest.CaptureFixture[str]) -> None:
    package(mine="theirs_for_tests:Mine")
    assert bench("mine", "random") == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    (mine,), (ours,) = ([row for row in rows if name in row] for name in ("mine", "random"))
    assert mine[:-1] == ["mine" if word == "random" else word for word in ours[:-1]]
    assert known_solvers()[-1] == "mine"


def test_our_own_names_ask_nobody(package: Package) -> None:
    package(mine="theirs_for_tests:Mine")
    assert is_known("random")
    assert "mine" not in SOLVERS
    assert is_known("mine")


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        ("not_there_for_tests:Mine", "ModuleNotFoundError: No module named 'not_there_for_tests'"),
        ("theirs_for_tests:absent", "AttributeError: module 'theirs_for_tests' has no attribute 'absent'"),
        ("theirs_for_tests:number", "TypeError: theirs_for_tests:number cannot be called to make a solver"),
        ("ends_for_tests:Mine", "SystemExit: not today"),
    ],
)
def test_what_cannot_be_loaded_is_named_and_left_out(
    value: str, reason: str, package: Package, caplog: pytest.LogCaptureFixture
) -> None:
    package(bad=value, mine="theirs_for_tests:Mine")
    assert bench("mine") == 0
    assert caplog.messages == [f"the solver bad of the package theirs is left out: {reason}"]


def test_a_name_of_ours_is_not_given_away(package: Package, caplog: pytest.LogCaptureFixture) -> None:
    package(search="theirs_for_tests:Mine")
    ours = SOLVERS["search"]
    assert run(["assemble", "x.jsonl", "--solver", "guess"]) == 2
    assert SOLVERS["search"] is ours
    (message,) = caplog.messages
    assert message.endswith(
        "search of the package theirs is left out: ArgumentError: there is a solver of that name"
    )


@pytest.mark.parametrize(
    ("name", "reason"),
    [
        ("broken", "bad of the package theirs is left out: RuntimeError: no licence"),
        ("hollow", "bad of the package theirs is left out: a object has no method solve"),
        ("wordy", "theirs_for_tests.Answers is left out: it returned a str and no Proposal"),
        ("strange", "Answers is left out: it placed 'stranger', which is no piece of the puzzle"),
        ("nowhere", "Answers is left out: it placed 'f0' nowhere: its pose is not finite"),
        ("listed", "Answers is left out: its assembly is a list"),
    ],
)
def test_nonsense_is_left_out_and_others_are_measured(
    name: str, reason: str, package: Package, capsys: pytest.CaptureFixture[str]
) -> None:
    package(bad=f"theirs_for_tests:{name}")
    assert bench("bad", "random") == 0
    told = capsys.readouterr()
    (line,) = told.err.splitlines()
    assert line.startswith("sherd: skipped bad on square, 3 pieces: the solver ")
    assert line.endswith(reason)
    assert "random" in told.out


def test_one_that_forms_groups_is_measured_without_a_target(package: Package) -> None:
    from sherd.bench.contour_measure import ContourRequest

    package(mine="theirs_for_tests:Mine", groups="theirs_for_tests:Groups")
    skipped = ContourRequest(suite="broken", solvers=("mine", "groups")).skipped
    assert skipped == ("skipped rows without a target for mine",)
