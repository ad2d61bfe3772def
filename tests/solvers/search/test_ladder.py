"""The table of attempts: its order, its words, and the documentation that prints it."""

from __future__ import annotations

import pickle
from pathlib import Path

from sherd.core.in_target import WIDEST_SEAMS
from sherd.solvers.search import SearchSolver
from sherd.solvers.search.constants.rough_outlines import MOVED_GUESSES, TRACED_GUESSES
from sherd.solvers.search.ladder import LADDER, LadderParams, ladder_in_markdown, make_attempts

DOCS = Path(__file__).parents[3] / "docs"
BEGIN, END = "<!-- ladder -->", "<!-- /ladder -->"
ROWS = [row for rows in LADDER.values() for row in rows]


def test_the_documentation_holds_exactly_the_table() -> None:
    pages = [page.read_text() for page in sorted(DOCS.rglob("*.md")) if BEGIN in page.read_text()]
    assert pages
    for page in pages:
        assert page.split(BEGIN)[1].split(END)[0].strip() == ladder_in_markdown()


def test_a_later_row_of_the_same_name_is_more_patient_never_the_same() -> None:
    seen: set[tuple[str, str, float, str]] = set()
    for row in ROWS:
        for size in row.sizes:
            attempt = row.name, row.outlines, size, f"{row.limits_in_words} {row.when_in_words}"
            assert attempt not in seen
            seen.add(attempt)


def test_sizes_of_a_row_go_from_tight_to_loose() -> None:
    assert all(list(row.sizes) == sorted(row.sizes) for row in ROWS)
    assert all(0.0 < size < WIDEST_SEAMS for row in ROWS for size in row.sizes)


def test_every_guess_is_followed_with_the_same_patience() -> None:
    patient = [row for row in ROWS if "5% open" in row.limits_in_words]
    assert [row.sizes for row in patient] == [TRACED_GUESSES, MOVED_GUESSES] * 3


def test_where_pixels_are_known_outlines_are_taken_to_be_traced_from_them() -> None:
    def traced(pixel: float | None) -> list[float]:
        return [
            size
            for _, kind, size in (one.space for one in make_attempts(LadderParams(), pixel))
            if kind == "traced"
        ]

    def others(pixel: float | None) -> list[str]:
        return [one.name for one in make_attempts(LadderParams(), pixel) if one.space[1] != "traced"]

    usual, coarse, fine = traced(1 / 128), traced(1 / 64), traced(1 / 512)
    assert usual == traced(None)
    assert coarse == [2.0 * size for size in usual]
    # What was photographed may be off by more than fine pixels, so that the usual guesses follow.
    assert set(fine) == {*usual, *(size / 4.0 for size in usual)}
    assert fine[:2] == [usual[0] / 4.0, usual[0]]
    assert others(1 / 512) == others(None)


def test_attempts_are_those_of_the_table_in_turn() -> None:
    attempts = make_attempts(LadderParams())
    assert len(attempts) == sum(len(row.sizes) for row in ROWS)
    assert [attempt.space[0] for attempt in attempts[:6]] == [
        *3 * ["fill the grid"],
        "tile at once",
        "glue",
        "glue",
    ]
    assert {attempt.space[1] for attempt in attempts if attempt.is_guess} == {"traced", "moved"}


def test_every_row_says_when_it_is_tried() -> None:
    assert all(row.when_in_words and not row.when_in_words.endswith(".") for row in ROWS)


def test_a_solver_can_be_sent_to_another_process() -> None:
    copy = pickle.loads(pickle.dumps(SearchSolver()))
    assert copy.params == SearchSolver().params
