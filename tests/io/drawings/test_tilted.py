"""Tilted photographs: a marker page, or a plain sheet, tells their scale and squares them up."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import shapely

from sherd.core.errors import FileFormatError
from sherd.core.geometry import Pose
from sherd.draw import to_image
from sherd.draw.marker_page import draw_marker_page
from sherd.generation.photographs import LyingPiece, PaperOnTable, PhotographParams, photograph
from sherd.io.drawings import Drawing, ReadParams, read_drawing

SHAPES = (
    shapely.Polygon([(-20, -15), (22, -12), (10, 25), (-18, 20)]),
    shapely.Polygon([(-25, -10), (25, -10), (25, 5), (5, 5), (5, 20), (-25, 20)]),
    shapely.Polygon([(-15, -20), (15, -22), (20, 15), (0, 24), (-18, 12)]),
)
TILTED = PhotographParams(
    px_per_mm=3.0, tilt_deg=18.0, distortion=0.03, table=(90, 70, 50), shadow=0.25, grain=1.0
)


def _photograph(
    path: Path,
    params: PhotographParams,
    sheet: np.ndarray | None,
    beside: bool,
    colour: tuple[float, float, float],
) -> None:
    rng = np.random.default_rng(4)
    left = 250.0 if beside else 0.0
    places = [Pose(95 + left, 90, 0.4), Pose(165 + left, 150, 2.0), Pose(95 + left, 230, -1.0)]
    lying = [LyingPiece(shape, pose, paper=colour) for shape, pose in zip(SHAPES, places, strict=True)]
    page = np.full((297, 210, 3), 248, np.uint8) if sheet is None else sheet
    sheets = [PaperOnTable((25.0, 20.0), 210.0, 297.0, page)]
    path.write_bytes(photograph(lying, (480.0 if beside else 260.0, 340.0), params, rng, sheets))


@pytest.fixture(scope="module")
def marker_page() -> np.ndarray:
    return np.asarray(to_image(draw_marker_page("a4"), zoom=2.0))


def _check(found: Drawing, most_off_mm: float) -> None:
    assert found.unit == "mm" and len(found.figures) == 3
    assert found.pixel == pytest.approx(1.0 / TILTED.px_per_mm, rel=0.5)
    for figure in found.figures:
        best = min(
            SHAPES,
            key=lambda shape: (
                abs(shape.area - figure.polygon.area) + abs(shape.length - figure.polygon.length)
            ),
        )
        assert figure.polygon.area == pytest.approx(best.area, rel=0.01)
        sides = [
            sorted(np.hypot(*np.diff(shapely.get_coordinates(one.minimum_rotated_rectangle)[:3], axis=0).T))
            for one in (figure.polygon, best)
        ]
        assert np.abs(np.array(sides[0]) - sides[1]).max() <= most_off_mm
        assert figure.texture is not None and figure.texture.alpha is not None
        painted = figure.texture.alpha.sum() / 255.0 * figure.texture.grid.pixel**2
        assert painted == pytest.approx(figure.polygon.area, rel=0.02)


@pytest.mark.parametrize(
    "beside", [pytest.param(False, marks=pytest.mark.nightly), True], ids=["on it", "beside it"]
)
def test_a_marker_page_is_found_by_itself(tmp_path: Path, marker_page: np.ndarray, beside: bool) -> None:
    colour = (210.0, 205.0, 190.0) if beside else (60.0, 90.0, 140.0)
    _photograph(tmp_path / "photo.jpg", TILTED, marker_page, beside, colour)
    found = read_drawing(tmp_path / "photo.jpg")
    _check(found, 0.5)
    assert any("squared up and measured by the marker page" in note for note in found.notes)


def test_a_plain_sheet_that_is_named(tmp_path: Path) -> None:
    straight = PhotographParams(px_per_mm=3.0, tilt_deg=18.0, table=(90, 70, 50), shadow=0.25, grain=1.0)
    _photograph(tmp_path / "on.jpg", straight, None, False, (60.0, 90.0, 140.0))
    _check(read_drawing(tmp_path / "on.jpg", ReadParams(sheet="a4")), 0.6)
    with pytest.raises(FileFormatError, match=r"no marker page is seen: print one \(sherd marker\)"):
        read_drawing(tmp_path / "on.jpg", ReadParams(sheet="marker"))
    with pytest.raises(ValueError, match="both a sheet and mm_per_px"):
        ReadParams(sheet="a4", mm_per_px=0.1)


def test_no_sheet_says_what_to_do(tmp_path: Path) -> None:
    params = PhotographParams(px_per_mm=2.0, table=(30, 40, 50))
    lying = [LyingPiece(SHAPES[1], Pose(60, 60))]
    (tmp_path / "a.jpg").write_bytes(photograph(lying, (120.0, 120.0), params, np.random.default_rng(0)))
    with pytest.raises(FileFormatError, match="no sheet of A4 with four straight edges: lay it flat"):
        read_drawing(tmp_path / "a.jpg", ReadParams(sheet="a4"))


@pytest.mark.nightly
def test_letter_is_not_taken_for_a4(tmp_path: Path) -> None:
    page = np.asarray(to_image(draw_marker_page("letter"), zoom=2.0))
    lying = [LyingPiece(SHAPES[1], Pose(130, 150), paper=(60.0, 90.0, 140.0))]
    sheets = [PaperOnTable((20.0, 20.0), 215.9, 279.4, page)]
    params = PhotographParams(px_per_mm=2.5, tilt_deg=10.0, table=(90, 70, 50))
    data = photograph(lying, (256.0, 320.0), params, np.random.default_rng(0), sheets)
    (tmp_path / "a.jpg").write_bytes(data)
    (figure,) = read_drawing(tmp_path / "a.jpg").figures
    assert figure.polygon.area == pytest.approx(SHAPES[1].area, rel=0.01)
