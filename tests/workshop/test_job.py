"""From drawings to jobs: pieces, kerf, pins and what is set aside."""

from __future__ import annotations

import math

import pytest
import shapely

from sherd.core.assembly import Assembly, Placement
from sherd.core.errors import FileFormatError
from sherd.core.geometry import Pose, Rotations, union
from sherd.io.drawings import Drawing, Figure, Unit
from sherd.workshop.job import make_job
from sherd.workshop.params import JobParams, Pin
from sherd.workshop.summary import warnings_of

from .conftest import HALVES, LEFT, RIGHT, TARGET

ANSWER = Assembly((Placement("left", Pose(20, 50)), Placement("right", Pose(70, 50))))


def test_a_job_keeps_what_was_drawn() -> None:
    job = make_job(HALVES)
    assert [fragment.id for fragment in job.puzzle.fragments] == ["left", "right"]
    assert job.puzzle.rotations == Rotations(None)
    for fragment in job.puzzle.fragments:
        assert fragment.polygon.centroid.distance(shapely.Point(0, 0)) < 1e-12
        assert (
            job.home(fragment.id).apply(fragment.polygon).equals_exact(job.figure(fragment.id).polygon, 1e-9)
        )
    assert job.figure("left").groups == ("tray",)
    placed = [job.placed_figure(placement) for placement in ANSWER]
    assert union(placed).symmetric_difference(job.puzzle.target).area < 1e-9
    assert job.motion(ANSWER.placements[0]).is_close(Pose(-200, 0))


@pytest.mark.parametrize("mirrored", [False, True])
def test_motions_move_what_was_drawn(mirrored: bool) -> None:
    job = make_job(HALVES)
    placement = Placement("left", Pose(3, 4, 1.0, mirrored))
    expected = placement.pose.apply(job.puzzle["left"].polygon)
    assert job.placed_figure(placement).equals_exact(expected, 1e-9)


def test_kerf_grows_pieces_by_half_of_it() -> None:
    cut = [
        Figure("left", shapely.box(200.1, 0.1, 239.9, 99.9)),
        Figure("right", shapely.box(300.1, 0.1, 359.9, 99.9)),
        TARGET,
    ]
    job = make_job(Drawing("cut.svg", tuple(cut), "mm"), JobParams(kerf=0.2))
    assert job.puzzle["left"].polygon.equals_exact(shapely.box(-20, -50, 20, 50), 1e-9, normalize=True)
    assert job.figure("left").polygon.area == pytest.approx(39.8 * 99.8)
    assert warnings_of(job) == []


def test_no_target_and_no_pieces() -> None:
    with pytest.raises(FileFormatError, match="there is no target: call a shape, group or layer 'target'"):
        make_job(Drawing("a.svg", (LEFT,), "mm"))
    with pytest.raises(FileFormatError, match="there are no pieces beside the target"):
        make_job(Drawing("a.svg", (TARGET,), "mm"))
    with pytest.raises(FileFormatError, match="no piece is small enough for the target: is the unit right"):
        make_job(HALVES, JobParams(target="square:3"))
    with pytest.raises(FileFormatError, match="all pieces are forbidden"):
        make_job(HALVES, JobParams(forbid=frozenset(("left", "right"))))


def test_foreign_and_forbidden_pieces_are_set_aside() -> None:
    large = Figure("door", shapely.box(0, 0, 900, 2000))
    long = Figure("stick", shapely.box(0, 0, 1, 500))
    job = make_job(Drawing("a", (*HALVES.figures, large, long), "mm"), JobParams(forbid=frozenset(["left"])))
    assert [(item.figure.id, item.reason) for item in job.set_aside] == [
        ("left", "forbidden"),
        ("door", "larger than the target"),
        ("stick", "longer than the target"),
    ]
    said = warnings_of(job)
    assert "set aside (larger than the target): door" in said


def test_pins() -> None:
    job = make_job(HALVES, JobParams(pins={"left": Pin(20, 50, 180)}))
    rest = job.to_solve()
    assert rest is not None
    assert [fragment.id for fragment in rest.fragments] == ["right"]
    assert rest.target.equals_exact(shapely.box(40, 0, 100, 100), 1e-6, normalize=True)
    whole = job.complete(Assembly((Placement("right", Pose(70, 50)),)))
    assert whole["left"].theta == pytest.approx(math.pi)
    assert union(job.puzzle.placed(whole)).symmetric_difference(job.puzzle.target).area < 1e-6
    loose = make_job(HALVES)
    assert loose.to_solve() is loose.puzzle


def test_pins_that_leave_nothing_or_two_parts() -> None:
    both = make_job(HALVES, JobParams(pins={"left": Pin(20, 50), "right": Pin(70, 50)}))
    assert both.to_solve() is None
    assert warnings_of(both) == []
    middle = make_job(HALVES, JobParams(pins={"left": Pin(50, 50)}))
    rest = middle.to_solve()
    assert rest is not None
    assert {part.bounds for part in shapely.get_parts(rest.target)} == {(0, 0, 30, 100), (70, 0, 100, 100)}


def test_a_piece_pinned_as_drawn_and_one_that_sticks_out() -> None:
    drawn = Drawing("a", (TARGET, Figure("left", shapely.box(0, 0, 40, 100)), RIGHT), "mm")
    job = make_job(drawn, JobParams(pins={"left": None}))
    assert job.pinned["left"] == Pose(20, 50)
    out = make_job(drawn, JobParams(pins={"left": Pin(0, 50), "right": Pin(20, 50)}))
    said = warnings_of(out)
    assert "the pinned piece 'left' sticks out of the target" in said
    assert "pinned pieces lie on each other" in said


def test_mirroring_piece_by_piece() -> None:
    assert make_job(HALVES).puzzle.mirror is False
    assert make_job(HALVES, JobParams(mirror=True)).puzzle.mirror is True
    assert make_job(HALVES, JobParams(mirror=frozenset(["left"]))).puzzle.mirror == {"left"}


@pytest.mark.parametrize(
    "params", [{"forbid": frozenset("x")}, {"pins": {"x": None}}, {"mirror": frozenset("x")}]
)
def test_names_that_no_piece_has(params: dict[str, object]) -> None:
    with pytest.raises(
        ValueError, match=r"halves.svg has no piece 'x' to (forbid|pin|turn over); it has left, right"
    ):
        make_job(HALVES, JobParams(**params))  # pyright: ignore


@pytest.mark.parametrize(("unit", "asked"), [("mm", "is the unit right"), ("px", "the setting mm_per_px")])
def test_pieces_that_are_all_too_large(unit: Unit, asked: str) -> None:
    drawing = Drawing("large", (TARGET, Figure("door", shapely.box(0, 0, 900, 900))), unit)
    with pytest.raises(FileFormatError, match=f"no piece is small enough for the target: .*{asked}"):
        make_job(drawing)


def test_pieces_in_another_unit_than_the_target_are_said_to_be() -> None:
    said = (
        r"2 pieces, .* mm across; target 4.724 x 3.15 mm; no piece is small enough for the target: "
        "sizes of pieces and target differ as inches and millimetres do"
    )
    with pytest.raises(FileFormatError, match=said):
        make_job(HALVES, JobParams(target="rect:4.724x3.15"))


def test_play_needs_a_target() -> None:
    with pytest.raises(ValueError, match="pieces have play in a target, and none is known"):
        make_job(HALVES, JobParams(no_target=True, play=1.0))
