"""What a chart begins with: sound pieces once, traced ones with other tips, exact ones glued before."""

from __future__ import annotations

import shapely
from shapely import Polygon

from sherd.core.geometry import Rotations
from sherd.core.puzzle import Fragment, Puzzle
from sherd.generation.dataset import PuzzleKind, make_samples
from sherd.solvers.search.beliefs.roughness import Roughness
from sherd.solvers.search.beliefs.starts import find_starts
from sherd.solvers.search.case import Case
from sherd.solvers.stop import MaxEvaluations

MOVED, TRACED = Roughness(size=0.005, traced=False), Roughness(size=0.005, traced=True)
STOP = MaxEvaluations(1000)


def case_of(**kind: float) -> Case:
    of = PuzzleKind(pieces=8, rotations=Rotations(None), **kind)  # pyright: ignore[reportArgumentType]
    return Case(next(iter(make_samples(of, seed=3, stop=1))).puzzle)


def test_rough_pieces_are_each_believed_in_once() -> None:
    case = case_of(noise=0.005)
    starts = find_starts(case, MOVED, STOP)
    assert [number for start in starts for number, _ in start.members] == list(range(8))
    assert all(start.penalty == 0.0 for start in starts)


def test_exact_pieces_are_glued_before_and_give_way_less() -> None:
    starts = find_starts(case_of(), MOVED, STOP)
    assert len(starts) < 8
    assert sorted(number for start in starts for number, _ in start.members) == list(range(8))
    whole = max(starts, key=lambda start: len(start.members))
    assert whole.belief.covariance.max() < 0.005**2


def test_traced_pieces_are_never_glued_before_but_may_have_other_tips() -> None:
    starts = find_starts(case_of(), TRACED, STOP)
    assert all(len(start.members) == 1 for start in starts)
    assert {start.members[0][0] for start in starts if start.penalty == 0.0} == set(range(8))


def test_one_piece_beyond_repair_leaves_nothing_to_begin_with() -> None:
    comb = [(0.05 * k, 0.0 if k % 2 else 0.2) for k in range(21)]
    pieces = (Polygon([*comb, (1.0, 0.9), (0.0, 0.9)]), shapely.box(0, 0, 1, 0.1))
    fragments = tuple(Fragment(str(k), piece) for k, piece in enumerate(pieces))
    case = Case(Puzzle(shapely.box(0, 0, 1, 1), fragments))
    assert find_starts(case, MOVED, STOP) == []
    assert find_starts(case, TRACED, STOP) != []
