"""Puzzles on a grid: whole corners, all area there, and frames as contests have them."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

from sherd.core.errors import ArgumentError
from sherd.core.geometry import Rotations, is_convex
from sherd.core.metrics import measure
from sherd.generation.dataset import PuzzleKind, make_samples, target_shape
from sherd.generation.drawn_tangram import drawn_tangram
from sherd.generation.frame_words import LATTICE_SHAPES, MOST_CORNERS
from sherd.generation.lattice import LatticeParams, lattice
from sherd.generation.polyominoes import PENTOMINO_BOXES, filled_box, outline_of

FREE = Rotations(None)


@pytest.mark.parametrize("name", LATTICE_SHAPES)
@pytest.mark.parametrize("mirror", [False, True])
def test_every_corner_has_whole_coordinates_and_nothing_is_lost(name: str, mirror: bool) -> None:
    pieces = 12 if name in PENTOMINO_BOXES else 17
    sample = lattice(LatticeParams(name=name, pieces=pieces, mirror=mirror), np.random.default_rng(2))
    puzzle = sample.puzzle
    assert len(puzzle.fragments) == pieces
    assert 4 <= len(puzzle.target.exterior.coords) - 1 <= MOST_CORNERS
    assert puzzle.target.bounds[2] <= 100
    for outline in (puzzle.target, *puzzle.placed(sample.truth)):
        corners = shapely.get_coordinates(outline)
        assert np.abs(corners - corners.round()).max() < 1e-9
    measures = measure(sample.truth, puzzle)
    assert measures.coverage > 1.0 - 1e-9
    assert measures.overlap < 1e-9
    assert any(placement.pose.mirrored for placement in sample.truth) == mirror


def test_a_seed_makes_the_same_puzzles() -> None:
    kind = PuzzleKind(shape=target_shape("equal", "lattice"), pieces=20, rotations=FREE, dissection="lattice")
    one, other = (list(make_samples(kind, seed=4, stop=2)) for _ in range(2))
    assert one == other
    assert one[0] != one[1]


def test_equal_pieces_fill_a_box_of_a_size_that_divides() -> None:
    puzzle = lattice(LatticeParams(name="equal:60x40", pieces=12), np.random.default_rng(1)).puzzle
    assert puzzle.target.bounds == (0.0, 0.0, 60.0, 40.0)
    assert len(puzzle.fragments) == 12
    assert len({round(fragment.polygon.area, 6) for fragment in puzzle.fragments}) <= 3
    with pytest.raises(ArgumentError, match="not divided into equal boxes"):
        LatticeParams(name="equal:61x41", pieces=12)


def test_equal_pieces_are_equal() -> None:
    puzzle = lattice(LatticeParams(name="equal", pieces=24), np.random.default_rng(1)).puzzle
    areas = np.array([fragment.polygon.area for fragment in puzzle.fragments]).round(6)
    assert len(np.unique(areas)) <= 12


@pytest.mark.parametrize(
    ("name", "pieces", "why"),
    [("square", 20, "unknown frame"), ("frame", 6, "between 7 and 64"), ("6x10", 11, "12 pentominoes")],
)
def test_what_cannot_be_made_is_said(name: str, pieces: int, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        LatticeParams(name=name, pieces=pieces)


def test_polyominoes_fill_their_box() -> None:
    rings = filled_box(9, 7, 12, np.random.default_rng(0))
    assert len(rings) == 12
    assert shapely.union_all([shapely.Polygon(ring) for ring in rings]).area == 63.0


def test_cells_that_do_not_make_an_outline_are_refused() -> None:
    with pytest.raises(ValueError, match="corner"):
        outline_of([(0, 0), (1, 1)])
    with pytest.raises(ValueError, match="hole"):
        outline_of([(x, y) for x in range(3) for y in range(3) if (x, y) != (1, 1)])


@pytest.mark.parametrize("closing", [3e-4, 4e-3])
def test_a_drawn_tangram_is_nearly_covered_by_its_pieces(closing: float) -> None:
    sample = drawn_tangram(np.random.default_rng(3), closing=closing)
    measures = measure(sample.truth, sample.puzzle)
    assert measures.coverage > 0.98
    assert measures.overlap < 0.01


def test_a_tangram_that_hangs_together_loosely_is_in_parts_or_touches_itself() -> None:
    targets = [
        drawn_tangram(np.random.default_rng(seed), closing=4e-3, loosely=True).puzzle.target
        for seed in range(20)
    ]
    parts = [shapely.get_num_geometries(target) for target in targets]
    assert {1, 2, 3} <= set(parts)
    assert all(target.is_valid for target in targets)


@pytest.mark.parametrize("seed", range(4))
def test_frames_are_as_large_and_have_as_many_corners_as_told(seed: int) -> None:
    rng = np.random.default_rng(seed)
    for name, size, corners in (
        ("frame:60x40+corners-12", (60, 40), 12),
        ("rectilinear:100x65+corners-20", (100, 65), 20),
        ("frame:30x30+corners-4", (30, 30), 4),
    ):
        target = lattice(LatticeParams(name=name, pieces=12), rng).puzzle.target
        assert target.area >= 0.6 * size[0] * size[1]
        assert all(bound <= most for bound, most in zip(target.bounds[2:], size, strict=True))
        assert shapely.get_num_coordinates(target) - 1 <= corners
    assert lattice(LatticeParams(name="polyomino:9x7", pieces=12), rng).puzzle.target.area == 63


@pytest.mark.parametrize("seed", range(3))
def test_pieces_are_convex_if_told(seed: int) -> None:
    sample = lattice(LatticeParams(name="frame:80x50+convex", pieces=24), np.random.default_rng(seed))
    assert sample.puzzle.target.area == 4000
    assert all(is_convex(one.polygon) for one in sample.puzzle.fragments)
    bent = lattice(LatticeParams(name="frame:80x50", pieces=24), np.random.default_rng(seed))
    assert not all(is_convex(one.polygon) for one in bent.puzzle.fragments)


def test_a_box_must_have_room_for_its_pieces() -> None:
    for name, pieces in (("frame:20x20", 30), ("polyomino:4x4", 12), ("polyomino:60x60", 7)):
        with pytest.raises(ArgumentError, match="has no fair room"):
            LatticeParams(name=name, pieces=pieces)


def test_a_frame_that_cannot_be_cut_so_often_is_drawn_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    frame = target_shape("frame:30x20", "lattice")
    kind = PuzzleKind(shape=frame, pieces=9, rotations=Rotations(4), dissection="lattice", mirror=True)
    (sample,) = make_samples(kind, seed=59101, stop=1)  # its first frame ends in parts that are all small
    assert len(sample.puzzle.fragments) == 9
    monkeypatch.setattr("sherd.generation.lattice._cut", lambda *args, **kwargs: None)
    with pytest.raises(ArgumentError, match="that is cut into 9 pieces"):
        list(make_samples(kind, seed=0, stop=1))
