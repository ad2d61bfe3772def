"""What an attempt finds."""

from __future__ import annotations

from sherd.solvers.search.attempt import NOTHING, Found
from sherd.solvers.search.ladder import LadderParams, make_attempts


def test_nothing_is_all_there_is_to_find_where_there_is_nothing_to_try() -> None:
    assert Found({}, 0, exhausted=True) == NOTHING
    assert not Found({}, 1).exhausted


def test_attempts_of_one_name_and_patience_have_one_space() -> None:
    spaces: dict[str, tuple[str, str, float]] = {}
    for attempt in make_attempts(LadderParams()):
        assert spaces.setdefault(attempt.name, attempt.space) == attempt.space
