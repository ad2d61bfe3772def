"""What is seen of pieces: nearly where they belong, never more than was there, and foreign ones unnamed."""

from __future__ import annotations

from dataclasses import fields

import numpy as np
import pytest
import shapely
import shapely.affinity
from hypothesis import given, settings
from hypothesis import strategies as st
from shapely import Polygon

from sherd.core.alignment import score_groups
from sherd.core.errors import InvalidPuzzleError
from sherd.core.geometry import Rotations
from sherd.core.puzzle import Sample
from sherd.generation.broken import BrokenParams
from sherd.generation.dataset import PuzzleKind, make_observed, target_shape
from sherd.generation.fracture import fractured
from sherd.generation.observed import EXACT, Observed, ObservedParams, observe
from sherd.generation.shapes import named_shape

SQUARE = named_shape("square").outline
PIXEL = 1.0 / 300


def torn(rng: np.random.Generator, pieces: int = 6) -> Sample:
    return fractured(SQUARE, BrokenParams(pieces=pieces, straight=0.3), rng)


def seen(seed: int = 0, **params: float) -> Observed:
    rng = np.random.default_rng(seed)
    return observe(torn(rng), ObservedParams(**params), rng, torn)  # pyright: ignore[reportArgumentType]


def in_place(observed: Observed) -> list[tuple[Polygon, Polygon]]:
    """Each piece as it is seen and as it was, where it belongs."""
    here = dict(
        zip((at.id for at in observed.truth), observed.own.puzzle.placed(observed.truth), strict=True)
    )
    exact = observed.exact
    return [
        (here[at.id], place) for at, place in zip(exact.truth, exact.puzzle.placed(exact.truth), strict=True)
    ]


observations = st.sampled_from(
    [
        ({"moved": 0.0005}, 0.0006),
        ({"moved": 0.01}, 0.0101),
        ({"normal": 0.003}, 0.02),
        ({"scan_px": 300, "binary": True}, PIXEL),
        ({"scan_px": 300}, PIXEL),
        ({"worn": 0.01}, 0.03),
    ]
)


@settings(max_examples=40)
@given(observations, st.integers(0, 999))
def test_what_is_seen_lies_nearly_where_it_belongs(
    observation: tuple[dict[str, float], float], seed: int
) -> None:
    params, near = observation
    observed = seen(seed, **params)
    assert len(observed.truth) == 6
    assert not observed.foreign
    assert observed.puzzle.pixel == (1.0 / 300.0 if "scan_px" in params else None)
    for found, place in in_place(observed):
        assert found.is_valid
        # Not the other way round: neither a scan nor wear leaves the sharpest tips.
        assert shapely.distance(shapely.points(found.exterior.coords), place.exterior).max() <= near
        assert found.symmetric_difference(place).area <= near * place.length
    for fragment in observed.puzzle.fragments:
        assert fragment.polygon.exterior.is_ccw
        assert shapely.distance(fragment.polygon.centroid, shapely.Point(0, 0)) <= 1e-9


def test_pieces_of_any_names_are_seen() -> None:
    kind = PuzzleKind(
        shape=target_shape("cat", "tangram"), pieces=7, rotations=Rotations(None), dissection="tangram"
    )
    (found,) = make_observed(kind, "grey-128+missing-1", seed=3, stop=1)
    names = [fragment.id for fragment in found.puzzle.fragments]
    assert len(names) == 6 and names == sorted(names)


def test_nothing_changes_where_nothing_is_asked() -> None:
    sample = torn(np.random.default_rng(0))
    observed = observe(sample, EXACT, np.random.default_rng(0))
    assert observed.exact == sample
    for fragment in sample.puzzle.fragments:
        assert shapely.equals_exact(observed.puzzle[fragment.id].polygon, fragment.polygon, 1e-12)


def test_some_are_missing_and_others_foreign() -> None:
    observed = seen(3, missing=1, foreign=2)
    assert len(observed.puzzle.fragments) == 7
    assert len(observed.truth) == 5
    assert len(observed.foreign) == 2
    assert {fragment.id for fragment in observed.puzzle.fragments} == {f"f{k}" for k in range(7)}
    assert len(observed.own.puzzle.fragments) == 5
    foreign = [seen(seed, foreign=2).foreign for seed in range(6)]
    assert len(set(foreign)) > 3  # any ids


def test_the_truth_of_what_is_seen_scores_in_full() -> None:
    observed = seen(5, missing=1, foreign=1, worn=0.02)
    outlines = {fragment.id: fragment.polygon for fragment in observed.puzzle.fragments}
    truth = {at.id: at.pose for at in observed.truth}
    found = score_groups(outlines, truth, [truth], side=1.0, joints=observed.joints, found=observed.joints)
    assert found.all_right
    assert found.joint_recall == found.joint_precision == 1.0


def test_the_same_seed_shows_the_same() -> None:
    assert seen(2, missing=1, foreign=1, worn=0.01, scan_px=200) == seen(
        2, missing=1, foreign=1, worn=0.01, scan_px=200
    )


def test_what_cannot_be_is_refused() -> None:
    sample, rng = torn(np.random.default_rng(0)), np.random.default_rng(0)
    with pytest.raises(InvalidPuzzleError, match="6 of 6 pieces cannot be missing"):
        observe(sample, ObservedParams(missing=6), rng)
    with pytest.raises(ValueError, match="another puzzle to come from"):
        observe(sample, ObservedParams(foreign=1), rng)
    with pytest.raises(InvalidPuzzleError, match="has 6 pieces, not 7"):
        observe(sample, ObservedParams(foreign=7), rng, torn)
    wrong = {
        "missing": -1,
        "foreign": -1,
        "worn": 0.5,
        "moved": 0.5,
        "normal": 0.5,
        "scan_px": 3,
        "paint_px": 3,
    }
    for name, value in wrong.items():
        with pytest.raises(ValueError, match=name):
            ObservedParams(**{name: value})  # pyright: ignore[reportArgumentType]
    assert {field.name for field in fields(ObservedParams)} - set(wrong) == {"all_edges", "binary"}
