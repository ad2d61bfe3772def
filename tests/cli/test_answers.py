"""What is said of answers."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sherd.cli.answers import assemblies_in_words, attempts_in_words, remarks_on
from sherd.core.assembly import Assembly
from sherd.core.puzzle import Sample
from sherd.core.tolerance import Tolerance
from sherd.core.verdict import judge
from sherd.solvers.base import Result, Tried


def result_of(sample: Sample, assembly: Assembly) -> Result:
    verdict = judge(sample.puzzle, assembly)
    return Result(assembly=assembly, objective=1.0, evaluations=1, verdict=verdict)


@pytest.mark.parametrize(
    ("others", "all_found", "most", "words"),
    [
        (0, True, 9, "there is no other assembly"),
        (2, True, 9, "there are 3 assemblies, and no others"),
        (2, False, 3, "there are at least 3 assemblies"),
        (2, False, 9, "there are 3 assemblies, and there may be more"),
        (0, False, 9, "there may be other assemblies"),
    ],
)
def test_how_many_assemblies_there_are(
    two_halves: Sample, others: int, all_found: bool, most: int, words: str
) -> None:
    found = result_of(two_halves, two_halves.truth)
    found = replace(found, alternatives=(two_halves.truth,) * others, all_found=all_found)
    assert assemblies_in_words(found, most) == words


def test_what_is_proven_on_a_grid_alone_is_said(two_halves: Sample) -> None:
    found = result_of(two_halves, two_halves.truth)
    found = replace(found, alternatives=(two_halves.truth,) * 535, all_on_grid=536)
    said = "there are 536 assemblies, all 536 on the grid of the corners; off it there may be more"
    assert assemblies_in_words(found, 1000) == said
    assert (
        assemblies_in_words(replace(found, all_found=True), 1000) == "there are 536 assemblies, and no others"
    )


def test_attempts_are_told_in_turn(two_halves: Sample) -> None:
    tried = (Tried("tile", 1, "nothing"), Tried("glue", 2000, "fits"))
    found = replace(result_of(two_halves, two_halves.truth), attempts=tried)
    assert attempts_in_words(found) == ["tried tile: 1 try, nothing", "tried glue: 2,000 tries, fits"]


def test_remarks_say_why_a_puzzle_is_not_solved_and_what_is_set_aside(two_halves: Sample) -> None:
    part = Assembly(two_halves.truth.placements[:1])
    assert remarks_on(two_halves.puzzle, result_of(two_halves, part), 3) == (
        "partly solved: 1 of 2 pieces not placed",
    )
    whole = replace(result_of(two_halves, two_halves.truth), set_aside=("dust",))
    assert remarks_on(two_halves.puzzle, whole, 3) == (
        "set aside (hardly any area): dust",
        "there may be other assemblies",
    )


def test_the_tolerance_is_said_where_pieces_do_not_fit_as_exact_ones(two_halves: Sample) -> None:
    loose = judge(two_halves.puzzle, two_halves.truth, tolerance=Tolerance.of_corners(0.004))
    found = replace(result_of(two_halves, two_halves.truth), verdict=loose)
    assert remarks_on(two_halves.puzzle, found, None) == (f"solved: {loose.within_in_words}",)
    assert "0.4 % of the size" in loose.within_in_words
