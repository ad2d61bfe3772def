"""Damage takes what it should, leaves the rest alone, and keeps the truth true."""

from __future__ import annotations

import hashlib
from dataclasses import replace

import numpy as np
import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st
from shapely import Polygon

from sherd.core.assembly import Assembly, Placement
from sherd.core.errors import InvalidPuzzleError
from sherd.core.geometry import Pose, Rotations, difference, union
from sherd.core.proper_polygons import make_polygon
from sherd.core.puzzle import Fragment, Puzzle, Sample
from sherd.generation.degradation import DEGRADATIONS, DegradationParams, degrade, jitter
from sherd.generation.fragmentation import FragmentationParams, generate
from sherd.generation.painting import paint
from sherd.generation.shapes import SHAPES, named_shape

CLOSE = 1e-9


@st.composite
def samples(draw: st.DrawFn, least: int = 1) -> Sample:
    pieces = draw(st.sampled_from([n for n in (1, 2, 3, 8, 16) if n >= least]))
    params = FragmentationParams(pieces=pieces, rotations=Rotations(draw(st.sampled_from([1, 4, 20, None]))))
    shape = named_shape(draw(st.sampled_from([*SHAPES, "polygon:3"])))
    return next(generate(shape, params, count=1, seed=draw(st.integers(0, 10**6))))


PARAMS = st.builds(
    DegradationParams,
    pieces=st.integers(1, 6),
    chip=st.floats(0.001, 0.25),
    chipped=st.floats(0.0, 1.0),
    wear=st.floats(0.0005, 0.05),
    distortion=st.floats(0.001, 0.2),
)
GENERATORS = st.integers(0, 10**6).map(np.random.default_rng)


def in_place(sample: Sample) -> dict[str, Polygon]:
    return {p.id: p.pose.apply(sample.puzzle[p.id].polygon) for p in sample.truth}


def changed(before: Sample, after: Sample) -> list[str]:
    """The ids of the damaged pieces, once it is sure that all else is as it was."""
    assert after.puzzle.target == before.puzzle.target
    assert after.puzzle.rotations == before.puzzle.rotations
    assert [f.id for f in after.puzzle.fragments] == [f.id for f in before.puzzle.fragments]
    assert [p.id for p in after.truth] == [p.id for p in before.truth]
    damaged = [f.id for f in before.puzzle.fragments if after.puzzle[f.id] != f]
    for fragment in before.puzzle.fragments:
        if fragment.id not in damaged:
            assert after.truth[fragment.id] == before.truth[fragment.id]
    for fragment_id in damaged:
        outline = after.puzzle[fragment_id].polygon
        assert outline.is_valid
        assert outline.exterior.is_ccw
        assert abs(outline.centroid.x) < CLOSE
        assert abs(outline.centroid.y) < CLOSE
        assert after.truth[fragment_id].theta == before.truth[fragment_id].theta
    return damaged


@given(sample=samples(), params=PARAMS, rng=GENERATORS)
def test_no_damage_is_no_change(sample: Sample, params: DegradationParams, rng: np.random.Generator) -> None:
    assert degrade(sample, "none", params, rng) == sample


@given(sample=samples(least=2), params=PARAMS, rng=GENERATORS)
def test_one_piece_is_missing(sample: Sample, params: DegradationParams, rng: np.random.Generator) -> None:
    after = degrade(sample, "missing", params, rng)
    (lost,) = {f.id for f in sample.puzzle.fragments} - {f.id for f in after.puzzle.fragments}
    assert after.puzzle.fragments == tuple(f for f in sample.puzzle.fragments if f.id != lost)
    assert after.truth.placements == tuple(p for p in sample.truth if p.id != lost)
    hole = in_place(sample)[lost]
    assert after.reference.area == pytest.approx(sample.puzzle.target.area - hole.area, abs=CLOSE)
    assert shapely.area(shapely.symmetric_difference(
        after.reference, difference(sample.puzzle.target, hole), grid_size=1e-12
    )) < CLOSE  # fmt: skip


def test_each_piece_may_be_the_missing_one(square_of_four: Sample, rng: np.random.Generator) -> None:
    ids = {"a", "b", "c", "d"}
    left = [degrade(square_of_four, "missing", DegradationParams(), rng).puzzle for _ in range(60)]
    lost = set[str]().union(*(ids - {f.id for f in puzzle.fragments} for puzzle in left))
    assert lost == ids


def test_the_only_piece_cannot_be_missing(rng: np.random.Generator) -> None:
    sample = next(generate(named_shape("square"), FragmentationParams(pieces=1), count=1, seed=0))
    with pytest.raises(InvalidPuzzleError, match="only piece"):
        degrade(sample, "missing", DegradationParams(), rng)


@given(sample=samples(), params=PARAMS, rng=GENERATORS)
def test_eroded_pieces_only_lose(sample: Sample, params: DegradationParams, rng: np.random.Generator) -> None:
    after = degrade(sample, "eroded", params, rng)
    damaged = changed(sample, after)
    assert len(damaged) == min(params.pieces, len(sample.puzzle.fragments))
    whole, worn = in_place(sample), in_place(after)
    for fragment_id in damaged:
        assert shapely.contains_properly(whole[fragment_id].buffer(CLOSE), worn[fragment_id])
        assert worn[fragment_id].area < whole[fragment_id].area
        assert len(worn[fragment_id].exterior.coords) - 1 <= 40
        # No material is lost deeper than a chip reaches, a hollow in it, and wear.
        deepest = 2.0 * params.chip + 2.0 * params.wear
        assert shapely.hausdorff_distance(whole[fragment_id], worn[fragment_id]) <= deepest
    lost = union([difference(whole[k], worn[k]) for k in damaged])
    assert after.reference.area == pytest.approx(sample.puzzle.target.area - lost.area, abs=CLOSE)


def test_erosion_by_default_takes_a_little_and_four_pieces(rng: np.random.Generator) -> None:
    """On puzzles of 8, four pieces lose some percent, and never fewer vertices than a worn piece shows."""
    shares: list[float] = []
    for sample in generate(named_shape("square"), FragmentationParams(), count=50, seed=3):
        after = degrade(sample, "eroded", DegradationParams(), rng)
        damaged = changed(sample, after)
        assert len(damaged) == 4
        for k in damaged:
            assert len(after.puzzle[k].polygon.exterior.coords) > len(
                sample.puzzle[k].polygon.exterior.coords
            )
            shares.append(1.0 - after.puzzle[k].polygon.area / sample.puzzle[k].polygon.area)
    assert 0.04 < np.mean(shares) < 0.15


@given(sample=samples(), params=PARAMS, rng=GENERATORS)
def test_distorted_vertices_move_within_reach(
    sample: Sample, params: DegradationParams, rng: np.random.Generator
) -> None:
    after = degrade(sample, "distorted", params, rng)
    damaged = changed(sample, after)
    assert len(damaged) == min(params.pieces, len(sample.puzzle.fragments))
    before, now = in_place(sample), in_place(after)
    for k in damaged:
        there, here = (np.asarray(outline.exterior.coords) for outline in (before[k], now[k]))
        assert there.shape == here.shape
        moved = np.hypot(*(here - there).T)
        assert moved.max() <= params.distortion + CLOSE  # the generated targets have size 1
        assert moved.max() > 0.0
    kept = union(list(now.values()))
    expected = shapely.area(shapely.intersection(kept, sample.puzzle.target, grid_size=1e-12))
    assert after.reference.area == pytest.approx(expected, abs=CLOSE)
    assert after.reference.area <= sample.puzzle.target.area + CLOSE


@given(sample=samples(), amount=st.floats(0.0, 0.1), rng=GENERATORS)
def test_jitter_moves_every_vertex_of_every_piece(
    sample: Sample, amount: float, rng: np.random.Generator
) -> None:
    after = jitter(sample, amount, rng)
    changed(sample, after)
    before, now = in_place(sample), in_place(after)
    for k in before:
        there, here = (np.asarray(outline.exterior.coords) for outline in (before[k], now[k]))
        moved = np.hypot(*(here - there).T)
        # Half as far, and so on, only where a piece is too thin for more.
        halvings = np.log2(amount / moved.max()) if amount > 1e-6 else 0.0
        assert np.ptp(moved) <= CLOSE
        assert halvings == pytest.approx(round(halvings), abs=1e-3) and halvings >= -1e-3


def bracket_with_a_hole() -> Sample:
    """A piece that is neither convex nor whole, lying turned over in a target twice the size of the rest."""
    bracket = make_polygon(
        [[0, 0], [2, 0], [2, 2], [1.6, 2], [1.6, 0.8], [0.4, 0.8], [0.4, 2], [0, 2]],
        [[[0.5, 0.2], [0.8, 0.2], [0.8, 0.6], [0.5, 0.6]]],
    )
    centred = Pose(-bracket.centroid.x, -bracket.centroid.y).apply(bracket)
    pose = Pose(1.0, 1.0, 0.7, mirrored=True)
    return Sample(
        Puzzle(shapely.box(-2, -2, 4, 4), (Fragment("b", centred),), mirror=True),
        Assembly((Placement("b", pose),)),
    )


@given(rng=GENERATORS, kind=st.sampled_from(["eroded", "distorted"]))
def test_pieces_with_notches_and_holes_are_damaged_too(rng: np.random.Generator, kind: str) -> None:
    sample = bracket_with_a_hole()
    after = DEGRADATIONS[kind](sample, DegradationParams(), rng)
    assert changed(sample, after) == ["b"]
    whole, damaged = in_place(sample)["b"], in_place(after)["b"]
    assert len(damaged.interiors) == 1
    if kind == "eroded":
        assert shapely.covers(whole.buffer(CLOSE), damaged)
    reach = DegradationParams().distortion * 6.0
    deepest = {"eroded": 0.12 * 6.0, "distorted": reach}[kind]
    assert shapely.hausdorff_distance(whole, damaged) <= deepest + CLOSE


@pytest.mark.parametrize("kind", DEGRADATIONS)
def test_the_same_generator_does_the_same_damage(kind: str, square_of_four: Sample) -> None:
    first, again, other = (
        DEGRADATIONS[kind](square_of_four, DegradationParams(), np.random.default_rng(seed))
        for seed in (1, 1, 4)
    )
    assert first == again
    assert (first == other) == (kind == "none")


def test_damaged_sets_are_the_same_bits_everywhere() -> None:
    rng = np.random.default_rng(11)
    digest = hashlib.sha256()
    params = FragmentationParams(rotations=Rotations(None))
    for kind in ("missing", "eroded", "distorted"):
        for sample in generate(named_shape("pentagon"), params, count=3, seed=5):
            after = degrade(sample, kind, DegradationParams(), rng)
            for placement in after.truth:
                digest.update(np.asarray(after.puzzle[placement.id].polygon.exterior.coords).tobytes())
                pose = placement.pose
                digest.update(np.array([pose.x, pose.y, pose.theta]).tobytes())
    assert digest.hexdigest() == "d9fba14932abc787e8752e7a1c06fde6bb2b326ffe113488d75429f229205db9"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("pieces", 0),
        ("chip", 0.0),
        ("chip", 0.3),
        ("wear", -0.1),
        ("distortion", float("nan")),
        ("chipped", 1.5),
    ],
)
def test_bad_strengths_are_named(name: str, value: float) -> None:
    with pytest.raises(ValueError, match=f"{name} must .*{value}"):
        replace(DegradationParams(), **{name: value})


def test_bad_requests_are_refused(two_halves: Sample, rng: np.random.Generator) -> None:
    with pytest.raises(ValueError, match="unknown degradation 'burnt'"):
        degrade(two_halves, "burnt", DegradationParams(), rng)  # type: ignore[arg-type]
    with pytest.raises(ValueError, match=r"not 0\.5"):
        jitter(two_halves, 0.5, rng)
    painted = paint(two_halves, np.zeros((8, 8, 3), dtype=np.uint8), size_px=8)
    with pytest.raises(ValueError, match="damage it first"):
        degrade(painted, "eroded", DegradationParams(), rng)
