"""Lengths of contact against what can be worked out by hand."""

from __future__ import annotations

import pytest
import shapely
from hypothesis import given
from hypothesis import strategies as st
from shapely import Point, Polygon

from sherd.core.geometry import Pose
from sherd.core.puzzle import Sample
from sherd.generation.fragmentation import FragmentationParams, generate
from sherd.generation.shapes import named_shape
from sherd.layout.contact import find_contacts
from sherd.plan import DrawnPiece, Layout, lay_out


def layout_of(*outlines: Polygon, target: Polygon, tolerance: float = 0.01) -> Layout:
    pieces = tuple(DrawnPiece(f"p{k}", outline, Pose()) for k, outline in enumerate(outlines))
    return Layout("by hand", target, pieces, "mm", tolerance)


def test_four_rectangles(square_of_four: Sample) -> None:
    contacts = find_contacts(lay_out(square_of_four.puzzle, square_of_four.truth))
    a, b, c, d = range(4)
    expected: dict[tuple[int, int], float] = {}
    for i, k, length in ((a, b, 0.3), (a, c, 0.4), (b, c, 0.3), (b, d, 0.3), (c, d, 0.7)):
        expected[i, k] = expected[k, i] = length
    assert contacts.pairs == pytest.approx(expected, abs=1e-12)
    assert contacts.beside == pytest.approx(contacts.total - contacts.edge, abs=1e-12)
    assert contacts.edge == pytest.approx([0.7, 0.9, 1.4, 1.0], abs=1e-12)
    assert contacts.total == pytest.approx([1.4, 1.8, 2.8, 2.0], abs=1e-12)
    # The sides of a rectangle hold it against pushes along its other sides.
    assert contacts.grip == pytest.approx([0.6, 0.6, 1.4, 0.6], abs=1e-12)
    assert contacts.touch == ((b, c), (a, c, d), (a, b, d), (b, c))


def test_a_corner_is_not_a_contact() -> None:
    contacts = find_contacts(
        layout_of(shapely.box(0, 0, 1, 1), shapely.box(1, 1, 2, 2), target=shapely.box(-5, -5, 7, 7))
    )
    assert not contacts.pairs
    assert contacts.touch == ((1,), (0,))


def test_a_seam_counts_up_to_the_tolerance() -> None:
    target = shapely.box(-5, -5, 7, 7)
    left = shapely.box(0, 0, 1, 1)
    near = layout_of(left, shapely.box(1.009, 0, 2, 1), target=target)
    far = layout_of(left, shapely.box(1.011, 0, 2, 1), target=target)
    assert find_contacts(near).pairs[0, 1] == pytest.approx(1.0)
    assert find_contacts(far).total.tolist() == [0.0, 0.0]


def test_a_seam_that_opens_counts_as_far_as_it_is_narrow() -> None:
    # The gap grows from 0 to 0.04 over a height of 1: a quarter of that is within 0.01.
    wedge = Polygon([(1, 0), (2, 0), (2, 1), (1.04, 1)])
    contacts = find_contacts(layout_of(shapely.box(0, 0, 1, 1), wedge, target=shapely.box(-5, -5, 7, 7)))
    assert contacts.pairs[0, 1] == pytest.approx(0.25, abs=1e-3)
    assert contacts.pairs[1, 0] == pytest.approx(0.25, abs=1e-3)


def test_a_disc_in_a_round_hole_is_held_all_around() -> None:
    disc = Point(0, 0).buffer(1.0)
    square = shapely.box(-2, -2, 2, 2)
    contacts = find_contacts(layout_of(disc, square.difference(disc), target=square))
    assert contacts.total == pytest.approx([disc.length, disc.length + 16.0])
    assert contacts.edge == pytest.approx([0.0, 16.0])


def test_mirrored_pieces_touch_as_others_do() -> None:
    triangle = Polygon([(0, 0), (-1, 0), (-1, 1)])
    layout = Layout(
        "a square",
        shapely.box(0, 0, 1, 1),
        (
            DrawnPiece("as drawn", Polygon([(0, 0), (1, 1), (0, 1)]), Pose()),
            DrawnPiece("over", triangle, Pose(mirrored=True)),
        ),
    )
    assert find_contacts(layout).total == pytest.approx([2.0 + 2.0**0.5] * 2)


@given(seed=st.integers(0, 999), pieces=st.integers(2, 20))
def test_pieces_that_fill_the_target_are_held_all_around(seed: int, pieces: int) -> None:
    (sample,) = generate(named_shape("square"), FragmentationParams(pieces=pieces), count=1, seed=seed)
    layout = lay_out(sample.puzzle, sample.truth)
    contacts = find_contacts(layout)
    assert contacts.total == pytest.approx(shapely.length(layout.fitted), rel=1e-6)
    for (one, other), length in contacts.pairs.items():
        back = contacts.pairs.get((other, one), 0.0)
        assert length == pytest.approx(back, abs=1e-2 * layout.tolerance + 1e-3)
    assert contacts.edge.sum() == pytest.approx(layout.target.length, rel=1e-2)
