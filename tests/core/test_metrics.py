from __future__ import annotations

import dataclasses
import itertools
import math

import numpy as np
import pytest
import shapely
import shapely.affinity
from hypothesis import given
from hypothesis import strategies as st

from sherd.core.assembly import Assembly, Placement
from sherd.core.geometry import Pose, Rotations, intersection, size_of, turning_symmetries
from sherd.core.metrics import Scores, measure, score, summarise
from sherd.core.proper_polygons import make_polygon
from sherd.core.puzzle import Fragment, Puzzle, Sample
from sherd.core.symmetry import allowed_symmetries
from sherd.generation.fragmentation import FragmentationParams, generate
from sherd.generation.shapes import SHAPES, regular


def moved(sample: Sample, motion: Pose) -> Assembly:
    """The whole truth moved at once."""
    return Assembly(tuple(Placement(p.id, motion @ p.pose) for p in sample.truth))


def about_the_middle(theta: float) -> Pose:
    return Pose(0.5, 0.5) @ Pose(theta=theta) @ Pose(-0.5, -0.5)


def cut_from(target: shapely.Polygon, boxes: dict[str, shapely.Polygon], rotations: Rotations) -> Sample:
    """A sample whose pieces keep the frame of the target, off-centre as a user's may be."""
    return Sample(
        Puzzle(target, tuple(Fragment(name, box) for name, box in boxes.items()), rotations),
        Assembly(tuple(Placement(name, Pose()) for name in boxes)),
    )


def assert_perfect(scores: Scores) -> None:
    assert scores.coverage == pytest.approx(1.0, abs=1e-9)
    assert scores.iou == pytest.approx(1.0, abs=1e-9)
    assert scores.overlap == pytest.approx(0.0, abs=1e-9)
    assert scores.posed_right == 1.0
    assert scores.position_error == pytest.approx(0.0, abs=1e-9)
    assert scores.rotation_error_deg == pytest.approx(0.0, abs=1e-6)


@given(
    shape=st.sampled_from(sorted(SHAPES)),
    pieces=st.integers(1, 12),
    bins=st.sampled_from([1, 4, 20, None]),
    seed=st.integers(0, 2**32),
)
def test_the_truth_is_perfect_in_every_allowed_orientation(
    shape: str, pieces: int, bins: int | None, seed: int
) -> None:
    params = FragmentationParams(pieces=pieces, rotations=Rotations(bins))
    (sample,) = generate(SHAPES[shape](), params, count=1, seed=seed)
    target = sample.puzzle.target
    centre = Pose(target.centroid.x, target.centroid.y)
    for angle in turning_symmetries(target):
        motion = centre @ Pose(theta=angle) @ centre.inverse()
        if Rotations(bins).allows(angle, 1e-6):
            assert_perfect(score(moved(sample, motion), sample))
    whole = measure(sample.truth, sample.puzzle)
    assert whole.coverage == pytest.approx(1.0, abs=1e-9)


def test_a_half_covered_square(two_halves: Sample) -> None:
    scores = score(Assembly().place("left", Pose(0.25, 0.5)), two_halves)
    assert scores == Scores(
        coverage=0.5,
        iou=0.5,
        coverage_whole=0.5,
        overlap=0.0,
        posed_right=0.5,
        position_error=0.0,
        rotation_error_deg=0.0,
    )


def test_nothing_placed(two_halves: Sample) -> None:
    scores = score(Assembly(), two_halves)
    assert (scores.coverage, scores.iou, scores.overlap, scores.posed_right) == (0.0, 0.0, 0.0, 0.0)
    assert scores.position_error is None
    assert scores.rotation_error_deg is None
    assert measure(Assembly(), two_halves.puzzle).coverage == 0.0


def test_overlap_counts_what_is_covered_twice(two_halves: Sample) -> None:
    both = Assembly().place("left", Pose(0.25, 0.5)).place("right", Pose(0.5, 0.5))
    measured = measure(both, two_halves.puzzle)
    assert measured.coverage == pytest.approx(0.75)
    assert measured.overlap == pytest.approx(0.25)
    assert measured.iou == pytest.approx(0.75)


def test_what_sticks_out_lowers_iou_but_not_coverage(two_halves: Sample) -> None:
    out = Assembly().place("left", Pose(0.25, 0.5)).place("right", Pose(1.0, 0.5))
    measured = measure(out, two_halves.puzzle)
    assert measured.coverage == pytest.approx(0.75)
    assert measured.iou == pytest.approx(0.75 / 1.25)


def test_like_fragments_are_interchangeable(two_halves: Sample) -> None:
    assert_perfect(
        score(Assembly().place("right", Pose(0.25, 0.5)).place("left", Pose(0.75, 0.5)), two_halves)
    )
    pile = Assembly().place("right", Pose(0.25, 0.5)).place("left", Pose(0.25, 0.5))
    scores = score(pile, two_halves)
    assert scores.posed_right == 0.5
    assert scores.position_error == pytest.approx(0.25)


def test_a_stray_fragment_is_measured_to_the_place_left_over(two_halves: Sample) -> None:
    swapped = Assembly().place("right", Pose(0.25, 0.5)).place("left", Pose(0.75, 0.9))
    scores = score(swapped, two_halves)
    assert scores.posed_right == 0.5
    assert scores.position_error == pytest.approx(0.2)


def test_unlike_fragments_are_not_interchangeable(square_of_four: Sample) -> None:
    swapped = {"a": "d", "d": "a"}
    wrong = Assembly(
        tuple(
            Placement(p.id, Pose(*(lambda q: (q.x, q.y))(square_of_four.truth[swapped.get(p.id, p.id)])))
            for p in square_of_four.truth
        )
    )
    assert score(wrong, square_of_four).posed_right == 0.5


def test_a_fragment_turned_onto_itself_is_right(square_of_four: Sample) -> None:
    turned = Assembly(tuple(Placement(p.id, Pose(p.pose.x, p.pose.y, math.pi)) for p in square_of_four.truth))
    assert_perfect(score(turned, square_of_four))


def test_errors_are_measured(square_of_four: Sample) -> None:
    first, *rest = square_of_four.truth.placements
    off = Placement(first.id, Pose(first.pose.x + 0.03, first.pose.y + 0.04, math.radians(20)))
    scores = score(Assembly((off, *rest)), square_of_four)
    assert scores.posed_right == 0.75
    assert scores.position_error == pytest.approx(0.05 / 4)
    assert scores.rotation_error_deg == pytest.approx(20.0 / 4)


def test_only_allowed_symmetries_count(square_of_four: Sample) -> None:
    quarter = moved(square_of_four, about_the_middle(math.pi / 2))
    assert_perfect(score(quarter, square_of_four))
    fixed = Sample(dataclasses.replace(square_of_four.puzzle, rotations=Rotations(1)), square_of_four.truth)
    assert score(quarter, fixed).posed_right == 0.0


def test_a_mirror_image_is_right_where_mirroring_is_allowed(square_of_four: Sample) -> None:
    scalene = {
        "a": make_polygon([[0, 0], [1, 0], [1, 0.2], [0, 0.7]]),
        "b": make_polygon([[0, 0.7], [1, 0.2], [1, 1], [0, 1]]),
    }
    plain = cut_from(shapely.box(0, 0, 1, 1), scalene, Rotations(4))
    flipped = moved(plain, Pose(1.0, 0.0, mirrored=True))
    assert score(flipped, plain).posed_right == 0.0
    assert score(flipped, plain).rotation_error_deg == 180.0
    assert_perfect(score(flipped, Sample(dataclasses.replace(plain.puzzle, mirror=True), plain.truth)))


def test_a_target_with_a_hole_is_not_symmetric_without_it() -> None:
    target = make_polygon(
        [[0, 0], [1, 0], [1, 1], [0, 1]], [[[0.1, 0.1], [0.1, 0.3], [0.3, 0.3], [0.3, 0.1]]]
    )
    sample = cut_from(target, {"all": target}, Rotations(4))
    assert turning_symmetries(target) == (0.0,)
    assert score(moved(sample, about_the_middle(math.pi / 2)), sample).posed_right == 0.0


def test_a_vertex_on_an_edge_does_not_hide_symmetry() -> None:
    target = make_polygon([[0.5, 0], [1, 0], [1, 1], [0, 1], [0, 0]])
    assert len(turning_symmetries(target)) == 4


def test_damage_is_left_out_and_turns_with_the_assembly(square_of_four: Sample) -> None:
    kept = tuple(f for f in square_of_four.puzzle.fragments if f.id != "a")
    truth = Assembly(tuple(p for p in square_of_four.truth if p.id != "a"))
    sample = Sample(dataclasses.replace(square_of_four.puzzle, fragments=kept), truth)
    for turn in (0.0, math.pi / 2):
        scores = score(moved(sample, about_the_middle(turn)), sample)
        assert_perfect(scores)
        assert scores.coverage_whole == pytest.approx(0.88)
    assert measure(truth, sample.puzzle).coverage == pytest.approx(0.88)


def test_units_do_not_matter(square_of_four: Sample) -> None:
    scale = 250.0
    big = Sample(
        Puzzle(
            shapely.box(0, 0, scale, scale),
            tuple(
                Fragment(f.id, make_polygon(np.asarray(f.polygon.exterior.coords) * scale))
                for f in square_of_four.puzzle.fragments
            ),
            Rotations(None),
        ),
        Assembly(
            tuple(Placement(p.id, Pose(p.pose.x * scale, p.pose.y * scale)) for p in square_of_four.truth)
        ),
    )
    off = moved(big, Pose(0.1 * scale, 0.0))
    assert score(off, big).position_error == pytest.approx(0.1)


@pytest.mark.parametrize("off", [0.0, 1e-6, 1e-3, 0.02])
def test_near_places_are_taken_first_as_if_all_were_looked_at(
    off: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    params = FragmentationParams(pieces=60)
    (sample,) = generate(SHAPES["square"](), params, seed=6, count=1)
    rng = np.random.default_rng(6)
    moves = [Pose(*rng.normal(0.0, off, 2).tolist()) for _ in sample.truth]
    shaken = Assembly(
        tuple(Placement(at.id, move @ at.pose) for at, move in zip(sample.truth, moves, strict=True))
    )
    weighed = score(shaken, sample)
    monkeypatch.setattr("sherd.core.metrics.MOST_WEIGHED", 0)
    staged = score(shaken, sample)
    monkeypatch.setattr("sherd.core.metrics.NEAR_SHARES", ())
    assert score(shaken, sample) == staged
    if off <= 1e-3:
        assert staged == weighed


def sectors_of_a_disc() -> Sample:
    """Six worn sectors, no two alike, of a disc with 48 corners."""
    disc = regular(48)
    ends = np.array([0.0, 0.3, 0.9, 1.8, 3.0, 4.5, math.tau])
    rim = [np.linspace(*pair, 30) for pair in itertools.pairwise(ends)]
    far = 2.0 * size_of(disc)
    wedges = [shapely.Polygon([(0, 0), *np.stack([far * np.cos(a), far * np.sin(a)], 1)]) for a in rim]
    centred = shapely.affinity.translate(disc, -disc.centroid.x, -disc.centroid.y)
    pieces = {str(k): centred.intersection(w).buffer(-4e-3) for k, w in enumerate(wedges)}
    return cut_from(centred, pieces, Rotations(None))


@pytest.mark.parametrize("how", ["right", "turned", "some off", "strewn"])
def test_of_many_symmetries_few_are_looked_at_closely(how: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """And the scores are those of looking at all of them."""
    sample, rng = sectors_of_a_disc(), np.random.default_rng(3)
    symmetries = allowed_symmetries(sample.puzzle)
    assert len(symmetries) == 48
    turned = moved(sample, symmetries[17] if how != "right" else Pose())
    off = {"some off": (0, 3), "strewn": tuple(range(6))}.get(how, ())
    answer = Assembly(
        tuple(
            Placement(p.id, Pose(*(0.4 * rng.normal(size=3)).tolist()) if k in off else p.pose)
            for k, p in enumerate(turned)
        )
    )
    pairs, overlays = list[int](), list[int]()

    def hausdorff(first: np.ndarray, second: np.ndarray) -> np.ndarray:
        pairs.append(np.size(first))
        both = zip(*np.atleast_1d(first, second), strict=True)
        return np.asarray([one.hausdorff_distance(two) for one, two in both])

    def overlay(first: shapely.Geometry, second: shapely.Geometry) -> shapely.Geometry:
        overlays.append(1)
        return intersection(first, second)

    with monkeypatch.context() as patch:
        patch.setattr(shapely, "hausdorff_distance", hausdorff)
        patch.setattr("sherd.core.metrics.intersection", overlay)
        found = score(answer, sample)
    assert sum(pairs) < 8 * len(symmetries)  # each outline with each place would be 36 a symmetry
    assert len(overlays) <= 2 * len(answer) + 2
    one_by_one = [score_under(answer, sample, symmetry, monkeypatch) for symmetry in symmetries]
    assert (found.coverage, found.iou) == max(
        ((one.coverage, one.iou) for one in one_by_one), key=lambda pair: pair[1]
    )
    best = max(one_by_one, key=lambda one: (one.posed_right, -(one.position_error or 0.0)))
    assert (found.posed_right, found.position_error) == (best.posed_right, best.position_error)
    assert found.rotation_error_deg == best.rotation_error_deg
    if how in ("right", "turned"):
        assert found.posed_right == 1.0


def score_under(answer: Assembly, sample: Sample, symmetry: Pose, monkeypatch: pytest.MonkeyPatch) -> Scores:
    with monkeypatch.context() as patch:
        patch.setattr("sherd.core.metrics.allowed_symmetries", lambda puzzle: [symmetry])
        return score(answer, sample)


def test_summary() -> None:
    def row(coverage: float, position_error: float | None) -> Scores:
        return Scores(
            coverage=coverage,
            iou=coverage / 2,
            coverage_whole=coverage,
            overlap=0.0,
            posed_right=1.0,
            position_error=position_error,
            rotation_error_deg=None,
        )

    summary = summarise([row(1.0, 0.1), row(0.95, None), row(0.94, 0.3), row(0.5, None)])
    assert (summary.count, summary.cov95, summary.cov90) == (4, 0.5, 0.75)
    assert summary.cov == pytest.approx(0.8475)
    assert summary.iou == pytest.approx(0.42375)
    assert summary.position_error == pytest.approx(0.2)
    assert summary.rotation_error_deg is None
    with pytest.raises(ValueError, match="no scores"):
        summarise([])
