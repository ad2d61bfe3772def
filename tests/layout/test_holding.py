"""How each piece is held, against cases worked out by hand, and the rules of the bands."""

from __future__ import annotations

import numpy as np
import pytest
import shapely
from shapely import Polygon

from sherd.core.geometry import Pose, Rotations
from sherd.core.puzzle import Fragment, Puzzle, Sample
from sherd.generation.tangram import tangram
from sherd.layout.holding import moved_pieces
from sherd.plan import DrawnPiece, Hold, Layout, lay_out, make_plan, plan_result
from sherd.solvers import MaxEvaluations, Result
from sherd.solvers.run import judged
from sherd.solvers.search import SearchSolver

TARGET = shapely.box(0, 0, 10, 10)


def holds_of(*outlines: Polygon, all_found: bool = True) -> list[Hold]:
    pieces = tuple(DrawnPiece(f"p{k}", outline, Pose()) for k, outline in enumerate(outlines))
    plan = make_plan(Layout("by hand", TARGET, pieces, "mm", 0.1), all_found=all_found)
    return [plan.holds[piece.id] for piece in pieces]


def all_assemblies(puzzle: Puzzle, evaluations: int) -> Result:
    stop = MaxEvaluations(evaluations)
    found = SearchSolver().solve_all(puzzle, most=20, stop=stop, rng=np.random.default_rng(0))
    return judged(puzzle, found, 0.0)


def test_pieces_that_fit_are_certain_if_there_is_no_other_assembly(square_of_four: Sample) -> None:
    layout = lay_out(square_of_four.puzzle, square_of_four.truth)
    for all_found, band, elsewhere in ((True, "certain", False), (False, "likely", None)):
        for hold in make_plan(layout, all_found=all_found).holds.values():
            assert (hold.band, hold.elsewhere, hold.slides) == (band, elsewhere, False)
            assert (hold.gap, hold.overlap) == (0.0, 0.0)
            assert hold.share == pytest.approx(1.0)


def test_three_sides_of_four_are_likely() -> None:
    (hold,) = holds_of(shapely.box(0, 0, 10, 4))
    assert (hold.outline, hold.contact, hold.edge) == (28.0, pytest.approx(18.0), pytest.approx(18.0))
    assert hold.gap == pytest.approx(4.0)  # from the middle of the free side, the nearest edge lies below
    assert (hold.band, hold.slides) == ("likely", False)


@pytest.mark.parametrize(
    ("outline", "slides", "band"),
    [
        (shapely.box(0, 0, 1, 1), False, "loose"),  # in a corner, with only half of it held
        (shapely.box(4, 0, 6, 1), True, "loose"),  # along the edge
        (shapely.box(3, 0, 7, 10), True, "loose"),  # between two edges
        (shapely.box(0, 0, 3, 10), False, "likely"),
    ],
)
def test_what_can_be_pushed_along_slides(outline: Polygon, slides: bool, band: str) -> None:
    (hold,) = holds_of(outline)
    assert (hold.slides, hold.band) == (slides, band)


def test_overlaps_are_measured_by_their_depth_in_both_pieces() -> None:
    left, right = holds_of(shapely.box(0, 0, 6, 10), shapely.box(5, 0, 10, 10))
    assert left.overlap == pytest.approx(1.0)
    assert right.overlap == pytest.approx(1.0)
    assert left.band == right.band == "loose"


def test_sticking_out_of_the_target_is_an_overlap() -> None:
    (hold,) = holds_of(shapely.box(-0.5, 0, 9.5, 10))
    assert hold.overlap == pytest.approx(0.5)
    assert hold.band == "loose"


def test_a_seam_is_a_gap() -> None:
    left, right = holds_of(shapely.box(0, 0, 4.96, 10), shapely.box(5.04, 0, 10, 10))
    assert left.gap == pytest.approx(0.08)
    assert left.band == right.band == "certain"
    wide, _ = holds_of(shapely.box(0, 0, 4.9, 10), shapely.box(5.1, 0, 10, 10))
    assert wide.gap == pytest.approx(0.2)
    assert wide.band == "likely"


def test_a_mirror_twin_makes_doubt_only_where_it_differs() -> None:
    # A bar across the middle, with a long and a short piece below it, in either order.
    target = shapely.box(0, 0, 6, 3)
    boxes = {
        "bar": shapely.box(0, 1, 6, 3),
        "long": shapely.box(0, 0, 4, 1),
        "short": shapely.box(4, 0, 6, 1),
    }
    fragments = tuple(
        Fragment(name, Pose(-box.centroid.x, -box.centroid.y).apply(box)) for name, box in boxes.items()
    )
    puzzle = Puzzle(target, fragments, Rotations(1))
    result = all_assemblies(puzzle, 10_000)
    assert result.solved
    plan = plan_result(lay_out(puzzle, result.assembly), puzzle, result)
    bands = {name: hold.band for name, hold in plan.holds.items()}
    # The bar may also lie below, so no place is beyond doubt here.
    assert len(result.alternatives) == 3
    assert set(bands.values()) == {"loose"}
    twin = next(other for other in result.alternatives if other["bar"].is_close(result.assembly["bar"], 1e-6))
    assert moved_pieces(puzzle, result.assembly, [twin], 1e-3) == {"long", "short"}


def test_like_pieces_and_turned_assemblies_are_not_elsewhere() -> None:
    sample = tangram("square", np.random.default_rng(1))
    result = all_assemblies(sample.puzzle, 20_000)
    assert result.all_found
    plan = plan_result(lay_out(sample.puzzle, result.assembly), sample.puzzle, result)
    assert {hold.band for hold in plan.holds.values()} == {"certain"}
    assert moved_pieces(sample.puzzle, result.assembly, [sample.truth], 1e-3) == frozenset()


def test_outlines_of_very_many_corners_are_measured_alike() -> None:
    left, right = shapely.box(0, 0, 4.96, 10), shapely.box(5.04, 0, 10, 10)
    few, many = holds_of(left, right), holds_of(left.segmentize(0.02), right.segmentize(0.02))
    for plain, dense in zip(few, many, strict=True):
        assert dense.contact == pytest.approx(plain.contact)
        assert dense.gap == pytest.approx(plain.gap, abs=1e-9)
        assert dense.band == plain.band


def test_a_right_scan_is_not_loose() -> None:
    """Outlines of a scan are off by a pixel or two, which says nothing against their places."""
    halves = (
        Polygon([(0, 0), (5.02, 0), (5.01, 10), (0, 10)]),
        Polygon([(4.99, 0), (10, 0), (10, 10), (4.98, 10)]),
    )
    pieces = tuple(DrawnPiece(f"p{k}", outline, Pose()) for k, outline in enumerate(halves))
    for pixel, band in ((0.0, "loose"), (0.02, "certain")):
        plan = make_plan(Layout("a scan", TARGET, pieces, "mm", pixel=pixel), all_found=True)
        assert {hold.band for hold in plan.holds.values()} == {band}
        assert min(hold.share for hold in plan.holds.values()) > 0.6
