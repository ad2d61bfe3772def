"""Answers as files hold them."""

from __future__ import annotations

from dataclasses import replace

from sherd.core.assembly import Assembly
from sherd.core.metrics import measure
from sherd.core.puzzle import Sample
from sherd.core.verdict import judge
from sherd.solvers.base import Result
from sherd.workshop.saving import answer_to_save


def test_numbers_of_assemblies_are_told_of_solutions_alone(two_halves: Sample) -> None:
    puzzle = two_halves.puzzle
    whole = Result(
        assembly=two_halves.truth,
        objective=1.0,
        evaluations=1,
        verdict=judge(puzzle, two_halves.truth),
        alternatives=(two_halves.truth,),
        all_found=True,
        seconds=2.5,
    )
    saved = answer_to_save(puzzle, "search", whole, measure(two_halves.truth, puzzle), counted=True)
    assert (saved.assemblies, saved.all_found, saved.solved, saved.seconds) == (2, True, True, 2.5)
    assert (saved.coverage, saved.iou, saved.overlap) == (1.0, 1.0, 0.0)
    uncounted = answer_to_save(puzzle, "search", whole, measure(two_halves.truth, puzzle), counted=False)
    assert (uncounted.assemblies, uncounted.all_found) == (None, False)
    part = Assembly(two_halves.truth.placements[:1])
    left = replace(whole, assembly=part, verdict=judge(puzzle, part), set_aside=("dust",))
    saved = answer_to_save(puzzle, "search", left, measure(part, puzzle), counted=True)
    assert (saved.assemblies, saved.all_found, saved.solved) == (None, False, False)
    assert saved.set_aside == {"right": "no place was found", "dust": "hardly any area"}
    assert saved.reason == "1 of 2 pieces not placed"
