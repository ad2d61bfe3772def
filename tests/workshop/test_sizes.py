"""Pieces that are a little too large or too small: told why, and put together nevertheless."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import shapely
from shapely import Polygon

from sherd.core.errors import InvalidPolygonError
from sherd.core.geometry import Pose, Rotations
from sherd.core.kerf import grow
from sherd.core.symmetry import are_same
from sherd.generation.fragmentation import FragmentationParams, generate
from sherd.generation.shapes import named_shape
from sherd.io.drawings import Drawing, Figure
from sherd.workshop import JobParams, assemble_job, make_job, warnings_of

SIDE = 150.0


def sized(polygon: Polygon, factor: float) -> Polygon:
    return shapely.transform(polygon, lambda points: points * factor)


CHANGES: dict[str, tuple[Callable[[Polygon], Polygon], str, dict[str, float]]] = {
    "a scan 0.6 % too large": (
        lambda p: sized(p, 1.006),
        "0.60% too large (scale 0.99404)",
        {"scale": 1 / 1.006},
    ),
    "a scan 1.5 % too small": (
        lambda p: sized(p, 0.985),
        "1.50% too small (scale 1.0152)",
        {"scale": 1 / 0.985},
    ),
    "2.9 % too large": (lambda p: sized(p, 1.029), "2.90% too large (scale 0.97182)", {"scale": 1 / 1.029}),
    "3 % too small": (lambda p: sized(p, 0.97), "3.00% too small (scale 1.0309)", {"scale": 1 / 0.97}),
    "drawn around": (lambda p: grow(p, 0.15), "as if cut with a kerf of -0.3", {"kerf": -0.3}),
    "cut": (lambda p: grow(p, -0.15), "as if cut with a kerf of 0.3", {"offset": 0.15}),
}


def drawn(change: Callable[[Polygon], Polygon], seed: int = 2) -> Drawing:
    """Eight pieces of a square of 150 mm, each changed."""
    params = FragmentationParams(pieces=8, rotations=Rotations(None))
    (sample,) = generate(named_shape("square"), params, count=1, seed=seed)
    pieces = (
        Figure(one.id, Pose(200.0 * k, 200.0).apply(change(sized(one.polygon, SIDE))))
        for k, one in enumerate(sample.puzzle.fragments)
    )
    return Drawing("a.svg", (Figure("target", shapely.box(0, 0, SIDE, SIDE)), *pieces), "mm")


@pytest.mark.parametrize(("change", "words", "given"), CHANGES.values(), ids=CHANGES)
def test_sizes_that_are_off_are_found_and_named(
    change: Callable[[Polygon], Polygon], words: str, given: dict[str, float]
) -> None:
    drawing = drawn(change)
    job = make_job(drawing)
    (said,) = warnings_of(job)
    assert "a scale of" in said
    assert "a kerf of" in said
    found = assemble_job(job)
    assert found.solved
    assert found.remark == f"the places were found with pieces taken for {words}"
    told = assemble_job(make_job(drawing, JobParams(**given)))
    assert told.solved
    assert told.remark == ""
    assert told.measures.iou == pytest.approx(1.0, abs=1e-6)
    assert are_same(found.result.assembly, told.result.assembly, told.job.puzzle, 1e-3)


def test_a_tray_with_play_around_its_pieces() -> None:
    tray = Figure("target", shapely.box(0, 0, 102, 52))
    halves = [Figure(name, shapely.box(x, 100, x + 50, 150)) for name, x in (("a", 0), ("b", 60))]
    found = assemble_job(make_job(Drawing("a", (tray, *halves), "mm"), JobParams(play=2.0)))
    assert found.solved
    assert found.measures.iou == pytest.approx(1.0)
    assert found.job.target.bounds == (1, 1, 101, 51)
    with pytest.raises(ValueError, match="the target is narrower than 60, which is the play"):
        make_job(Drawing("a", (tray, *halves), "mm"), JobParams(play=60.0))


def test_a_piece_too_narrow_to_shrink_is_set_aside() -> None:
    strip, other = Figure("strip", shapely.box(0, 0, 50, 0.2)), Figure("b", shapely.box(0, 10, 50, 50))
    job = make_job(Drawing("a", (strip, other), "mm"), JobParams(kerf=-0.3, target="square:60"))
    assert [(one.figure.id, one.reason) for one in job.set_aside] == [("strip", "narrower than 0.3")]
    with pytest.raises(InvalidPolygonError):
        grow(shapely.Polygon([(0, 0), (4, 0), (4, 4), (2, 0.1), (0, 4)]), -0.5)


@pytest.mark.parametrize(
    "given", [{"kerf": float("nan")}, {"scale": 0.0}, {"play": -1.0}, {"offset": float("inf")}]
)
def test_numbers_that_make_no_sense(given: dict[str, float]) -> None:
    with pytest.raises(ValueError, match=next(iter(given))):
        JobParams(**given)
