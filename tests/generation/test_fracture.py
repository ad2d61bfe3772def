"""Fractures: whatever the lines, the pieces are simple, share their edges and fill their target."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st
from shapely import Polygon

from sherd.core.errors import InvalidPolygonError
from sherd.core.geometry import size_of
from sherd.core.metrics import measure
from sherd.generation.bowed import BowedParams
from sherd.generation.broken import BrokenParams
from sherd.generation.cracks import CracksParams
from sherd.generation.crosscut import CrosscutParams, random_convex
from sherd.generation.dataset import PuzzleKind, make_samples
from sherd.generation.fracture import Fracture, fracture_outlines, fractured
from sherd.generation.jigsaw import JigsawParams
from sherd.generation.scattering import FREE
from sherd.generation.sectors import SectorsParams
from sherd.generation.shapes import named_shape
from sherd.generation.voronoi import VoronoiParams

EXACT = 1e-9
SQUARE, DISC = named_shape("square").outline, named_shape("disc").outline
SHEET = shapely.box(0.0, 0.0, 3.0, 2.0)
EVERY_SHAPE = ("square", "hexagon", "star", "cross", "arrow")


@dataclass(frozen=True)
class Case:
    target: Polygon
    fracture: Fracture
    pieces: int | None


@st.composite
def cases(draw: st.DrawFn) -> Case:
    """A fracture of a target that it can be of."""
    pieces = draw(st.integers(2, 20))
    outline = named_shape(draw(st.sampled_from(EVERY_SHAPE))).outline
    rough = draw(st.sampled_from([0.0, 0.03, 0.1]))
    share = draw(st.sampled_from([0.0, 0.5, 1.0]))
    rows, columns = draw(st.integers(1, 5)), draw(st.integers(2, 6))
    rings = draw(st.integers(1, 3))
    cuts = draw(st.integers(1, 5))
    convex = random_convex(np.random.default_rng(pieces))
    return draw(
        st.sampled_from(
            [
                Case(outline, BrokenParams(pieces=pieces, roughness=rough, straight=share), pieces),
                Case(outline, CracksParams(pieces=pieces, roughness=rough, later=share), pieces),
                Case(outline, BowedParams(pieces=pieces, bow=0.1 + 0.3 * share), pieces),
                Case(SHEET, JigsawParams(rows=rows, columns=columns), rows * columns),
                Case(DISC, SectorsParams(pieces=pieces + 2 * rings, rings=rings), pieces + 2 * rings),
                Case(outline, VoronoiParams(pieces=pieces), pieces),
                Case(convex, CrosscutParams(cuts=cuts), None),
            ]
        )
    )


@given(cases(), st.integers(0, 999))
def test_the_pieces_fill_the_target(case: Case, seed: int) -> None:
    sample = fractured(case.target, case.fracture, np.random.default_rng(seed))
    fragments = sample.puzzle.fragments
    assert case.pieces is None or len(fragments) == case.pieces
    assert abs(sum(fragment.polygon.area for fragment in fragments) / case.target.area - 1.0) <= EXACT
    found = measure(sample.truth, sample.puzzle)
    assert found.coverage >= 1.0 - EXACT
    assert found.overlap <= EXACT
    for fragment in fragments:
        assert fragment.polygon.is_valid
        assert fragment.polygon.exterior.is_ccw
        centre = shapely.distance(fragment.polygon.centroid, shapely.Point(0, 0))
        assert centre <= EXACT * size_of(case.target)


@given(cases(), st.integers(0, 99))
def test_the_same_seed_gives_the_same_puzzle(case: Case, seed: int) -> None:
    first, second = (fractured(case.target, case.fracture, np.random.default_rng(seed)) for _ in range(2))
    assert first == second


def test_targets_that_a_fracture_cannot_be_of_are_refused() -> None:
    rng, star = np.random.default_rng(0), named_shape("star").outline
    with pytest.raises(InvalidPolygonError, match="upright rectangle"):
        fracture_outlines(star, JigsawParams(), rng)
    with pytest.raises(InvalidPolygonError, match="convex target is cut across"):
        fracture_outlines(star, CrosscutParams(), rng)
    with pytest.raises(InvalidPolygonError, match="convex target is cut into sectors"):
        fracture_outlines(star, SectorsParams(), rng)


@pytest.mark.parametrize(
    ("make", "complaint"),
    [
        (lambda: SectorsParams(pieces=3, rings=2), "2 rings need at least 4 pieces, not 3"),
        (lambda: SectorsParams(rings=0), "rings must be between 1 and 10, not 0"),
        (lambda: JigsawParams(rows=1, columns=1), "not 1 rows of 1"),
        (lambda: CrosscutParams(cuts=0), "cuts must be between 1 and 8, not 0"),
        (lambda: BowedParams(bow=0.5), "bow must be above 0 and at most"),
        (lambda: CracksParams(later=2.0), "later must be between 0 and 1, not 2"),
        (lambda: VoronoiParams(pieces=0), "between 1 and 1,000, not 0"),
    ],
)
def test_values_out_of_range_are_refused(make: object, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint):
        make()  # pyright: ignore[reportCallIssue]


@pytest.mark.parametrize(
    ("dissection", "shape", "pieces"),
    [
        ("broken", "star", 6),
        ("cracks", "cross", 9),
        ("bowed", "square", 7),
        ("jigsaw", "square", 6),
        ("sectors", "disc", 12),
        ("voronoi", "hexagon", 5),
    ],
)
def test_a_set_is_the_same_wherever_it_is_entered(dissection: str, shape: str, pieces: int) -> None:
    kind = PuzzleKind(
        shape=named_shape(shape),
        pieces=pieces,
        rotations=FREE,
        dissection=dissection,  # pyright: ignore[reportArgumentType]
        mirror=True,
    )
    whole = list(make_samples(kind, seed=3, stop=3))
    assert list(make_samples(kind, seed=3, start=2, stop=3)) == whole[2:]
    assert whole[0] != whole[1]
    assert {len(sample.puzzle.fragments) for sample in whole} == {pieces}
    assert measure(whole[0].truth, whole[0].puzzle).coverage >= 1.0 - EXACT
