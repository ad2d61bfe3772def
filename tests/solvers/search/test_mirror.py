"""Only pieces that may be turned over are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import shapely
from shapely import Polygon

from sherd.core.errors import UnsupportedError
from sherd.core.geometry import Pose, Rotations
from sherd.core.metrics import measure
from sherd.core.puzzle import Fragment, Puzzle
from sherd.generation.merged_parts import DissectionParams, dissect
from sherd.solvers import assemble
from sherd.solvers.base import Result
from sherd.solvers.run import run
from sherd.solvers.search import SearchSolver
from sherd.solvers.stop import MaxEvaluations

ELL = Polygon([(0, 0), (1.5, 0), (1.5, 1), (1, 1), (1, 2), (0, 2)])


def turned_over(result: Result) -> set[str]:
    return {placement.id for placement in result.assembly if placement.pose.mirrored}


def dissected(seed: int, pieces: int = 9) -> tuple[Puzzle, frozenset[str]]:
    """A board whose cuts are mirrored now and then, and which of its pieces are."""
    board = shapely.box(0, 0, 1.3, 1.0)
    params = DissectionParams(pieces=pieces, mirror=True)
    sample = dissect(board, params, np.random.default_rng(seed))
    return sample.puzzle, frozenset(placement.id for placement in sample.truth if placement.pose.mirrored)


@pytest.mark.parametrize("seed", range(8))
def test_the_pieces_that_must_be_turned_over_are_no_others(seed: int) -> None:
    puzzle, must = dissected(seed)
    found = run(
        SearchSolver(),
        replace(puzzle, mirror=must),
        stop=MaxEvaluations(20_000),
        rng=np.random.default_rng(0),
    )
    assert found.solved
    assert turned_over(found) <= must
    assert measure(found.assembly, puzzle).iou == pytest.approx(1.0, abs=1e-6)


@pytest.mark.parametrize("free", ["one", "other"])
def test_of_two_alike_only_the_one_that_may_is_turned_over(free: str) -> None:
    # Two ells, one of them turned over, stand at both ends of an oblong.
    target, ell = shapely.box(0, 0, 4, 2), _centred(ELL)
    rest = shapely.difference(target, shapely.union_all([ELL, Pose(4, 0, mirrored=True).apply(ELL)]))
    assert isinstance(rest, Polygon)
    outlines = {"one": ell, "other": ell, "rest": _centred(rest)}
    fragments = tuple(Fragment(name, outline) for name, outline in outlines.items())
    puzzle = Puzzle(target, fragments, Rotations(1), frozenset([free]))
    found = assemble(puzzle)
    assert found.solved
    assert turned_over(found) == {free}
    assert not assemble(replace(puzzle, mirror=False)).solved


def _centred(polygon: Polygon) -> Polygon:
    return Pose(-polygon.centroid.x, -polygon.centroid.y).apply(polygon)


def test_annealing_says_that_it_cannot() -> None:
    puzzle, must = dissected(0)
    with pytest.raises(UnsupportedError, match="all pieces or none"):
        assemble(replace(puzzle, mirror=must), "annealing")
