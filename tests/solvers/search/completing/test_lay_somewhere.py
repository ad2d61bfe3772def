"""Where no piece fits a corner some are laid all the same, and no answer is empty."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import shapely
from shapely import MultiPolygon, Polygon, box
from shapely.affinity import rotate, scale

from sherd.core.clock import working_seconds
from sherd.core.geometry import Region, Rotations, difference, union
from sherd.core.puzzle import Fragment, Puzzle
from sherd.generation.shapes import regular, star
from sherd.solvers.run import Assembler
from sherd.solvers.search import SearchSolver
from sherd.solvers.search.case import Case
from sherd.solvers.search.completing.lay_somewhere import EACH_WAY, _laid, lay_somewhere
from sherd.solvers.search.constants.completing import MOST_CORNERS_SOMEWHERE, MOST_WAYS_SOMEWHERE
from sherd.solvers.stop import MaxEvaluations

L_SHAPE = Polygon([(0, 0), (4, 0), (4, 1.5), (1.5, 1.5), (1.5, 4), (0, 4)])
U_SHAPE = Polygon([(0, 0), (5, 0), (5, 4), (3.5, 4), (3.5, 1.2), (1.5, 1.2), (1.5, 4), (0, 4)])
FRAME = box(0, 0, 6, 6).difference(box(2, 2, 4, 4))
TARGETS: dict[str, Region] = {
    "star": star(5),
    "L": L_SHAPE,
    "U": U_SHAPE,
    "frame": FRAME,
    "two parts": MultiPolygon([box(0, 0, 2, 3), box(5, 0, 7, 3)]),
}
# Shapes that lie in no corner, or in no target at all, with the share of its area that each has.
STRANGE = {
    "hexagons": (regular(6), 0.2, 5),
    "discs": (regular(40), 0.12, 8),
    "stars": (star(5), 0.1, 4),
    "strips": (box(0, 0, 12, 1), 0.18, 5),
    "small L": (L_SHAPE, 1 / 6, 6),
    "pentagons": (regular(5), 0.027, 40),
}


def strange(target: Region, kind: str, rotations: Rotations) -> Puzzle:
    shape, share, count = STRANGE[kind]
    times = math.sqrt(share * target.area / shape.area)
    one = scale(shape, times, times, origin=(0, 0))
    pieces = tuple(Fragment(str(k), rotate(one, 7 * k + 11)) for k in range(count))
    return Puzzle(target=target, fragments=pieces, rotations=rotations)


@pytest.mark.parametrize("rotations", [Rotations(1), Rotations("free")], ids=str)
@pytest.mark.parametrize("kind", STRANGE)
@pytest.mark.parametrize("target", TARGETS)
def test_something_is_laid_in_any_target(target: str, kind: str, rotations: Rotations) -> None:
    case = Case(strange(TARGETS[target], kind, rotations))
    found = lay_somewhere(case)
    assert found.poses
    assert found.coverage > 0.0
    laid = [pose.apply(case.outlines[number]) for number, pose in found.poses.items()]
    if len(laid) > 1:  # then each lies in what the others leave
        assert sum(piece.area for piece in laid) == pytest.approx(union(laid).area, rel=1e-3)
        assert union(laid).difference(TARGETS[target].buffer(1e-3)).is_empty
    assert all(rotations.allows(pose.theta, 1e-9) for pose in found.poses.values())


@pytest.mark.parametrize("limit", [1, 30])
@pytest.mark.parametrize("kind", ["hexagons", "strips", "small L"])
@pytest.mark.parametrize("target", TARGETS)
def test_no_answer_of_the_search_is_empty(target: str, kind: str, limit: int) -> None:
    puzzle = strange(TARGETS[target], kind, Rotations(1))
    found = SearchSolver().solve(puzzle, stop=MaxEvaluations(limit), rng=np.random.default_rng(0))
    assert len(found.assembly) > 0
    assert found.remark


def test_what_people_get_is_not_empty_either() -> None:
    puzzle = strange(star(5), "small L", Rotations(1))
    _, result = Assembler()(puzzle, seconds=1.0, rng=np.random.default_rng(0))
    assert len(result.assembly) > 0
    assert not result.solved


def test_a_piece_that_fits_nowhere_sticks_out_as_little_as_it_can() -> None:
    needle = Puzzle(target=star(5), fragments=(Fragment("a", box(0, 0, 1.3, 0.02)),))
    found = lay_somewhere(Case(needle))
    (pose,) = found.poses.values()
    inside = shapely.intersection(pose.apply(needle.fragments[0].polygon), needle.target)
    assert inside.area > 0.5 * 1.3 * 0.02


@pytest.mark.parametrize("tick", [0.05, 0.2, 0.6])
@pytest.mark.parametrize("kind", ["hexagons", "strips", "discs"])
def test_nor_is_it_where_the_time_is_soon_over(
    kind: str, tick: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By a clock that goes on when it is looked at, so that no solver but the first has any time."""
    looks = itertools.count(1)
    monkeypatch.setattr(working_seconds, "now", lambda: tick * next(looks))
    puzzle = strange(L_SHAPE, kind, Rotations(1))
    _, result = Assembler()(puzzle, seconds=1.0, rng=np.random.default_rng(0))
    assert len(result.assembly) > 0
    assert not result.solved
    if "laid only to show something" in result.reason:
        assert set(result.elsewhere) == {placement.id for placement in result.assembly}


def test_what_there_was_no_time_to_begin_is_left_alone() -> None:
    puzzle = strange(star(5), "discs", Rotations(1))
    _, result = Assembler()(puzzle, seconds=0.0, rng=np.random.default_rng(0))
    assert len(result.assembly) == 0


@pytest.mark.parametrize("points", [500, 20_000])
def test_outlines_of_many_points_are_laid_by_few(points: int, monkeypatch: pytest.MonkeyPatch) -> None:
    tried = list[int]()
    monkeypatch.setattr(
        "sherd.solvers.search.completing.lay_somewhere._laid",
        lambda ring, ways: tried.append(len(ring) * len(ways)) or _laid(ring, ways),
    )
    around = np.linspace(0.0, math.tau, points, endpoint=False)
    wavy = (1.0 + 0.02 * np.sin(9.0 * around) + 1e-3 * np.sin(0.25 * points * around))[:, None]
    rim = np.stack([np.cos(around), np.sin(around)], axis=1) * wavy
    pieces = tuple(Fragment(str(k), Polygon(rim * (1.0 + 0.1 * k))) for k in range(4))
    target = Polygon(rim * 3.0)
    proposal = SearchSolver().lay_to_show(Puzzle(target=target, fragments=pieces, rotations=Rotations(None)))
    assert sum(tried) <= 2 * len(pieces) * (MOST_CORNERS_SOMEWHERE + 1) * (MOST_WAYS_SOMEWHERE + EACH_WAY**2)
    assert len(proposal.assembly) >= 3
    assert set(proposal.elsewhere) == {placement.id for placement in proposal.assembly}
    laid = [placement.pose.apply(pieces[int(placement.id)].polygon) for placement in proposal.assembly]
    assert union(laid).area == pytest.approx(sum(piece.area for piece in laid), rel=1e-6)
    assert difference(union(laid), target).area <= 1e-4 * target.area
