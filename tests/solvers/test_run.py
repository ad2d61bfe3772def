from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sherd.bench.contour_suites import ContourCell, make_sample
from sherd.core.assembly import Assembly, Placement
from sherd.core.errors import UnsupportedError
from sherd.core.geometry import Pose, Rotations
from sherd.core.metrics import measure
from sherd.core.puzzle import Puzzle, Sample
from sherd.core.tolerance import Tolerance
from sherd.solvers import (
    SOLVERS,
    Assembler,
    MaxSeconds,
    Proposal,
    Result,
    Solver,
    Stop,
    assemble,
    refine_result,
    run,
    solver_names,
)
from sherd.solvers.base import OnProgress
from sherd.solvers.baselines.random import RandomSolver
from sherd.solvers.choosing import best_of
from sherd.solvers.refitted import with_fitted_edges
from sherd.solvers.run import each_judged, judged


def telling(monkeypatch: pytest.MonkeyPatch, truth: Assembly, solves: str) -> list[str]:
    """Who is asked, in turn, once the search and contours are stand-ins of which one knows the truth."""
    told: list[str] = []

    class Telling(RandomSolver):
        def __init__(self, name: str) -> None:
            super().__init__()
            self.name = name

        def solve(
            self,
            puzzle: Puzzle,
            *,
            stop: Stop,
            rng: np.random.Generator,
            on_progress: OnProgress | None = None,
        ) -> Proposal:
            told.append(self.name)
            answer = truth if self.name == solves else Assembly(())
            return Proposal(assembly=answer, objective=0.0, evaluations=1, tolerance=Tolerance(1e-3, 1e-3))

        def solve_all(
            self,
            puzzle: Puzzle,
            *,
            most: int,
            stop: Stop,
            rng: np.random.Generator,
            on_progress: OnProgress | None = None,
        ) -> Proposal:
            found = self.solve(puzzle, stop=stop, rng=rng)
            told[-1] = f"all by {self.name}"
            return found

    for name in ("search", "contours"):
        monkeypatch.setitem(SOLVERS, name, lambda name=name: Telling(name))
    return told


def with_one_smaller(puzzle: Puzzle) -> Puzzle:
    """Not exact any more."""
    first, *others = puzzle.fragments
    smaller = replace(first, polygon=first.polygon.buffer(-1e-5 * first.polygon.length, join_style="mitre"))
    return replace(puzzle, fragments=(smaller, *others))


def refuse() -> Solver:
    raise UnsupportedError("no weights here")


def test_auto_stands_for_registered_solvers() -> None:
    names = solver_names("auto")
    assert names
    assert set(names) <= set(SOLVERS)


def test_an_unknown_solver_is_refused_with_a_list() -> None:
    with pytest.raises(ValueError, match=r"unknown solver 'magic': choose auto, .*random"):
        solver_names("magic")


def test_the_clock_is_filled_in(two_halves: Sample, rng: np.random.Generator) -> None:
    result = run(RandomSolver(), two_halves.puzzle, stop=MaxSeconds(10.0), rng=rng)
    assert result.seconds > 0.0
    assert len(result.assembly) == 2


def test_no_time_places_nothing(two_halves: Sample, rng: np.random.Generator) -> None:
    assert len(run(RandomSolver(), two_halves.puzzle, stop=MaxSeconds(0.0), rng=rng).assembly) == 0


def test_auto_passes_over_a_solver_that_cannot_serve(
    two_halves: Sample, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    for preferred in ("search", "matcher", "fan"):
        monkeypatch.setitem(SOLVERS, preferred, refuse)
    name, result = Assembler()(two_halves.puzzle, seconds=1.0, rng=rng)
    assert name == "random"
    assert len(result.assembly) == 2
    with pytest.raises(UnsupportedError, match="no weights"):
        Assembler("fan")(two_halves.puzzle, seconds=1.0, rng=rng)


@pytest.mark.parametrize(
    ("exact", "solves", "asked", "best"),
    [
        (True, "nobody", ["search"], "search"),
        (False, "search", ["search"], "search"),
        (False, "contours", ["search", "contours"], "contours"),
        (False, "nobody", ["search", "contours", "search"], "search"),
    ],
)
def test_auto_tries_contours_at_straight_pieces_that_are_not_exact(
    two_halves: Sample,
    rng: np.random.Generator,
    monkeypatch: pytest.MonkeyPatch,
    exact: bool,
    solves: str,
    asked: list[str],
    best: str,
) -> None:
    told = telling(monkeypatch, two_halves.truth, solves)
    puzzle = two_halves.puzzle if exact else with_one_smaller(two_halves.puzzle)
    name, result = Assembler()(puzzle, seconds=60.0, rng=rng)
    assert (told, name, result.solved) == (asked, best, solves != "nobody")


def test_what_each_found_is_told_before_the_next_begins(
    two_halves: Sample, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Should that not end in time, it is not lost."""
    asked = telling(monkeypatch, two_halves.truth, "nobody")
    heard: list[int] = []
    Assembler()(
        with_one_smaller(two_halves.puzzle),
        seconds=60.0,
        rng=rng,
        on_progress=lambda _: heard.append(len(asked)),
    )
    assert heard == [1, 2] and len(asked) == 3


@pytest.mark.parametrize(
    ("solves", "asked"),
    [("search", ["search", "all by search"]), ("contours", ["search", "contours"])],
)
def test_where_all_assemblies_are_asked_for_contours_are_tried_too(
    two_halves: Sample,
    rng: np.random.Generator,
    monkeypatch: pytest.MonkeyPatch,
    solves: str,
    asked: list[str],
) -> None:
    """As the command line does of drawings: a tile with cracks came right by contours alone."""
    told = telling(monkeypatch, two_halves.truth, solves)
    name, result = Assembler()(with_one_smaller(two_halves.puzzle), seconds=60.0, rng=rng, most=5)
    assert (told, name, result.solved) == (asked, solves, True)


def test_of_outlines_traced_pixel_by_pixel_both_are_asked(
    rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Wavy edges of few pixels look straight at a glance."""
    observed = make_sample(ContourCell(kind="wavy", pieces=(32, 32), input="grey-300"), 640, 0)
    assert with_fitted_edges(observed.puzzle) is not observed.puzzle
    told = telling(monkeypatch, observed.truth, "nobody")
    Assembler()(observed.puzzle, seconds=60.0, rng=rng)
    assert told == ["search", "contours", "search"]


def test_of_several_answers_a_few_pieces_that_fit_come_after_more_that_cover_more(two_halves: Sample) -> None:
    """Else more time, in which a solver lays one piece so that it fits, would make the answer worse."""
    left = Assembly().place("left", Pose(0.25, 0.5))
    answers = {
        "one that fits": left,
        "both, one off": left.place("right", Pose(0.7, 0.5)),
        "solved": two_halves.truth,
    }
    found = [
        (name, judged(two_halves.puzzle, Proposal(assembly=one, objective=0.0, evaluations=1), 1.0))
        for name, one in answers.items()
    ]
    assert [result.verdict.state for _, result in found] == ["partly", "not solved", "solved"]
    for several in (found[:2], found[1::-1]):
        assert best_of(two_halves.puzzle, several)[0] == "both, one off"
    assert best_of(two_halves.puzzle, found)[0] == "solved"


def test_a_solver_is_made_once_for_many_puzzles(
    two_halves: Sample, rng: np.random.Generator, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[Solver] = []

    def make() -> Solver:
        made.append(RandomSolver())
        return made[-1]

    monkeypatch.setitem(SOLVERS, "random", make)
    assembler = Assembler("random")
    for _ in range(3):
        assembler(two_halves.puzzle, seconds=1.0, rng=rng)
    assert len(made) == 1


def test_a_reason_from_before_refinement_is_called_so(two_halves: Sample) -> None:
    left, right = two_halves.truth
    near = Pose(right.pose.x, right.pose.y + 0.05, right.pose.theta, right.pose.mirrored)
    proposal = Proposal(
        assembly=Assembly((left, Placement(right.id, near))),
        objective=0.9,
        evaluations=1,
        remark="the best IoU found is 0.900",
    )
    result = judged(two_halves.puzzle, proposal, seconds=0.0)
    assert not result.solved
    refined = refine_result(two_halves.puzzle, result, stop=MaxSeconds(5.0))
    assert measure(refined.assembly, two_halves.puzzle).iou > 0.99
    assert refined.remark == "the best IoU found is 0.900 (before refinement)"
    unmoved = refine_result(two_halves.puzzle, result, stop=MaxSeconds(0.0))
    assert (unmoved.assembly, unmoved.reason) == (result.assembly, result.reason)
    partial = replace(result, assembly=Assembly((Placement(right.id, near),)), remark="1 of 2 not placed")
    assert refine_result(two_halves.puzzle, partial, stop=MaxSeconds(5.0)).reason == partial.reason


@pytest.mark.parametrize("name", ["matcher", "matcher-beam"])
def test_a_matcher_refuses_under_its_own_name(
    name: str, two_halves: Sample, rng: np.random.Generator
) -> None:
    free = replace(two_halves.puzzle, rotations=Rotations(None))
    with pytest.raises(UnsupportedError, match=f"^{name} chooses among rotation bins"):
        Assembler(name)(free, seconds=1.0, rng=rng)


def test_assemble_is_one_call(two_halves: Sample) -> None:
    def answer(puzzle: Puzzle, seed: int) -> Result:
        return assemble(puzzle, "random", seconds=1.0, seed=seed)

    assert answer(two_halves.puzzle, 1).assembly == answer(two_halves.puzzle, 1).assembly
    assert answer(two_halves.puzzle, 1).assembly != answer(two_halves.puzzle, 2).assembly


def test_each_assembly_of_a_result_is_judged_by_itself(two_halves: Sample) -> None:
    truth = two_halves.truth
    swapped = Assembly().place("left", truth["right"]).place("right", truth["left"])
    on_one_heap = Assembly().place("left", truth["left"]).place("right", truth["left"])
    proposal = Proposal(assembly=truth, objective=1.0, evaluations=1, alternatives=(swapped, on_one_heap))
    first, *others = each_judged(two_halves.puzzle, judged(two_halves.puzzle, proposal, 0.0))
    assert [one.assembly for one in (first, *others)] == [truth, swapped, on_one_heap]
    assert [one.solved for one in (first, *others)] == [True, True, False]
    assert others[0].alternatives == (truth, on_one_heap)
    assert "overlap" in others[1].reason
