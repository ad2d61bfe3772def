from __future__ import annotations

import pytest

from sherd.bench import warm_up
from sherd.core import plain_at_first
from sherd.core.compiled import is_compiled
from sherd.generation.dataset import PuzzleKind
from sherd.solvers.search.tiling.backtracking import search


def test_exact_pieces_are_compiled_for_though_plain_python_would_do(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plain_at_first.spent, "seconds", 0.0)
    assert warm_up.solve_lot((PuzzleKind(pieces=4),)) == 1
    assert is_compiled(search)
    assert plain_at_first.spent.seconds == 0.0


def test_the_lots_have_no_kind_in_common() -> None:
    first, second = map(set, warm_up.LOTS)
    assert not first & second
