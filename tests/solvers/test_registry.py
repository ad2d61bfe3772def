"""Solvers by name."""

from __future__ import annotations

from pathlib import Path

import pytest

from sherd.solvers.base import Solver
from sherd.solvers.registry import NETWORKS, SOLVERS, load_solver


def test_every_name_makes_a_new_solver_or_says_what_it_needs() -> None:
    assert set(NETWORKS) <= set(SOLVERS)
    for name in ("random", "search", "contours"):
        first: Solver = SOLVERS[name]()
        assert callable(first.solve)
        assert SOLVERS[name]() is not first


def test_weights_of_ones_own_are_for_networks_alone(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="fan, fan-look, matcher, matcher-beam, not with search"):
        load_solver("search", tmp_path)
