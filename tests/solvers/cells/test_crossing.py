"""Cuts all the way across a target: rough pieces come in order, and what may lie elsewhere is said."""

from __future__ import annotations

import math

import numpy as np
import pytest
import shapely
from shapely import Polygon

from sherd.bench.contour_suites import ContourCell, make_sample
from sherd.core.assembly import Assembly
from sherd.core.geometry import FREE, angle_between
from sherd.core.puzzle import Fragment, Puzzle
from sherd.generation.dataset import PuzzleKind, make_samples, target_shape
from sherd.generation.observed import Observed
from sherd.layout.holding import moved_pieces
from sherd.solvers.base import Result
from sherd.solvers.cells.crossing import CrossingSolver, serves
from sherd.solvers.run import run
from sherd.solvers.stop import MaxEvaluations


def seen(kind: str, level: int, number: int, seed: int = 724) -> Observed:
    pieces = (3, 5) if kind == "crosscut" else (4, 9)
    return make_sample(ContourCell(kind=kind, pieces=pieces, input=f"level-{level}"), seed, number)


def solved(puzzle: Puzzle) -> Result:
    return run(CrossingSolver(), puzzle, stop=MaxEvaluations(20_000), rng=np.random.default_rng(0))


def lie_in_order(observed: Observed, found: Assembly) -> bool:
    """Each piece is nearer to its own place than to any other, and turned by less than an eighth."""
    ids = [fragment.id for fragment in observed.puzzle.fragments]
    truth = {placement.id: placement.pose for placement in observed.truth}
    places = np.array([[truth[one].x, truth[one].y] for one in ids])
    laid = np.array([[found[one].x, found[one].y] for one in ids])
    nearest = np.hypot(*(laid[:, None] - places).transpose(2, 0, 1)).argmin(axis=1)
    turned = max(angle_between(found[one].theta, truth[one].theta) for one in ids)
    return nearest.tolist() == list(range(len(ids))) and turned < math.pi / 4.0


@pytest.mark.parametrize(("level", "number"), [(3, 1), (3, 2), (3, 9), (4, 2), (4, 10)])
def test_crossing_cuts_come_in_order(level: int, number: int) -> None:
    observed = seen("crosscut", level, number)
    assert serves(observed.puzzle)
    result = solved(observed.puzzle)
    assert result.verdict.is_solved, result.reason
    assert lie_in_order(observed, result.assembly)
    assert not result.elsewhere


@pytest.mark.parametrize(("level", "number"), [(3, 7), (4, 16)])
def test_where_another_arrangement_is_as_likely_both_are_told(level: int, number: int) -> None:
    """In the first the wrong one is the likelier, by a factor of 300: a nearly symmetric piece is turned."""
    observed = seen("crosscut", level, number)
    result = solved(observed.puzzle)
    assert result.verdict.state != "solved"
    assert "ambiguous" in result.reason
    assert result.elsewhere
    assert any(lie_in_order(observed, one) for one in (result.assembly, *result.alternatives))


@pytest.mark.parametrize("number", range(4))
def test_cells_are_no_crossing_cuts(number: int) -> None:
    """Where pieces meet in threes they have fewer corners than cuts across would leave them."""
    assert not serves(seen("voronoi", 2, number).puzzle)


def test_exact_pieces_and_those_that_may_not_turn_are_left_to_others() -> None:
    quarters = tuple(Fragment(name, shapely.box(-0.5, -0.5, 0.5, 0.5)) for name in ("a", "b", "c", "d"))
    assert not serves(Puzzle(shapely.box(0, 0, 2, 2), quarters, rotations=FREE))
    larger = Puzzle(shapely.box(0, 0, 2.01, 2.01), quarters, rotations=FREE)
    assert serves(larger)
    assert not serves(Puzzle(larger.target, quarters))


def test_cuts_that_end_at_others_are_told_nothing_of() -> None:
    """A brick beside two others, corners off: no cut goes all the way across but one."""
    rng = np.random.default_rng(3)
    boxes = ((0, 0, 1, 2), (1, 0, 2, 0.7), (1, 0.7, 2, 2), (0, 2, 0.6, 3), (0.6, 2, 2, 3))
    fragments: list[Fragment] = []
    for number, box in enumerate(boxes):
        corners = np.array(shapely.box(*box).exterior.coords)[:-1]
        outline = Polygon(corners - corners.mean(axis=0) + rng.normal(0.0, 0.02, corners.shape))
        middle = shapely.get_coordinates(outline.centroid)
        fragments.append(Fragment(f"p{number}", Polygon(shapely.get_coordinates(outline) - middle)))
    puzzle = Puzzle(shapely.box(0, 0, 2, 3), tuple(fragments), rotations=FREE)
    assert serves(puzzle)
    assert not solved(puzzle).verdict.is_solved


def test_pieces_are_named_that_lie_elsewhere_in_the_target() -> None:
    """Seen from one of four pieces only the three others lay elsewhere, though it did, too."""
    kind = PuzzleKind(shape=target_shape("square", "cuts"), pieces=4, rotations=FREE, noise=0.02)
    *_, sample = make_samples(kind, seed=20700, stop=4)
    result = solved(sample.puzzle)
    assert "ambiguous" in result.reason
    wrong = moved_pieces(sample.puzzle, result.assembly, [sample.truth], 0.06 * sample.puzzle.size)
    assert wrong
    assert set(wrong) <= set(result.elsewhere)
