"""What a chart cannot glue is laid into the target from outside inwards, the last pieces by area."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from shapely import box

from sherd.core.arrays import Floats
from sherd.core.geometry import Pose, Rotations, intersection, union
from sherd.core.proper_polygons import make_polygon
from sherd.core.puzzle import Fragment, Puzzle
from sherd.generation.fragmentation import FragmentationParams, generate
from sherd.generation.shapes import named_shape
from sherd.solvers.search.beliefs.assemble_rough import assemble_rough
from sherd.solvers.search.beliefs.finish import finish
from sherd.solvers.search.beliefs.inwards import ChartParts
from sherd.solvers.search.beliefs.roughness import Patience, Roughness
from sherd.solvers.search.case import Case
from sherd.solvers.stop import MaxEvaluations


def with_a_bad_piece(puzzle: Puzzle, number: int) -> Puzzle:
    """The puzzle with one corner of a piece moved so far that its edges fit no other."""
    ring = np.asarray(puzzle.fragments[number].polygon.exterior.coords)[:-1].copy()
    ring[0] *= 0.7
    bad = make_polygon(ring)
    centred = Pose(-bad.centroid.x, -bad.centroid.y).apply(bad)
    fragments = list(puzzle.fragments)
    fragments[number] = Fragment(fragments[number].id, centred)
    return replace(puzzle, fragments=tuple(fragments))


@pytest.mark.parametrize("rotations", [Rotations(1), Rotations(4), Rotations(None)], ids=str)
@pytest.mark.parametrize("shape", ["square", "hexagon"])
def test_one_bad_piece_does_not_keep_the_others_apart(shape: str, rotations: Rotations) -> None:
    params = FragmentationParams(pieces=16, rotations=rotations)
    guess = Roughness(size=0.002, traced=False), Patience(joints=3000, fits=1_000_000)
    for number, sample in enumerate(generate(named_shape(shape), params, count=3, seed=4)):
        puzzle = with_a_bad_piece(sample.puzzle, number)
        wholes = assemble_rough(Case(puzzle), *guess, MaxEvaluations(1_000_000)).wholes
        assert wholes
        placed = [pose.apply(puzzle.fragments[k].polygon) for k, pose in wholes[0].poses.items()]
        assert len(placed) == 16
        covered = intersection(union(placed), puzzle.target).area
        assert covered >= sum(piece.area for piece in placed) - 0.01 * puzzle.target.area
        assert all(rotations.allows(pose.theta, 1e-6) for pose in wholes[0].poses.values())


def test_it_stops_when_told() -> None:
    (sample,) = generate(named_shape("square"), FragmentationParams(pieces=16), count=1, seed=4)
    puzzle = with_a_bad_piece(sample.puzzle, 0)
    found = assemble_rough(
        Case(puzzle),
        Roughness(size=0.002, traced=False),
        Patience(joints=3000, fits=1_000_000),
        MaxEvaluations(0),
    )
    assert (found.wholes, found.joints) == ([], 0)


def test_few_pieces_that_are_left_may_be_glued_anew() -> None:
    half = np.array([[0.0, 0.0], [0.5, 0.0], [0.5, 1.0], [0.0, 1.0]])
    thorn = np.array([[0.0, 0.0], [0.4, 0.0], [0.0, 0.04]])  # fits nowhere by itself
    outlines = [half, *([thorn] * 4)]
    parts = ChartParts(
        corners=np.concatenate(outlines),
        begins=np.concatenate([[0], np.cumsum([len(outline) for outline in outlines])]),
        words=np.array([[1 << number] for number in range(5)]),
        pieces=np.ones(5, dtype=np.int64),
        costs=np.zeros(5),
    )
    strip = box(-0.25, -0.125, 0.25, 0.125)
    asked: list[tuple[float, list[int]]] = []

    def glue_rest(region: Floats, numbers: list[int]) -> list[dict[int, Pose]]:
        asked.append((make_polygon(region).area, numbers))
        return [{number: Pose(0.75, 0.25 * number - 0.125) for number in numbers}]

    target = np.array([[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]])
    pieces = [make_polygon(half), *([strip] * 4)]
    ways, _ = finish(
        parts, pieces, target, Rotations(1), 0.01, most=200_000, glue_rest=glue_rest, stop=lambda: False
    )
    assert asked[0] == (pytest.approx(0.5), [1, 2, 3, 4])
    assert [number for number, _ in ways[0].parts] == [0]
    assert [number for number, _ in ways[0].lone] == [1, 2, 3, 4]
