"""Photographs as people take them: print, dark pieces, shadows, uneven light, strips, touching pieces."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest
import shapely
from numpy.typing import NDArray
from PIL import Image

from sherd.core.errors import FileFormatError
from sherd.core.geometry import Pose, Rotations
from sherd.generation.dataset import PuzzleKind, make_samples
from sherd.generation.painting import paint
from sherd.generation.patterns import PROCEDURAL
from sherd.generation.photographs import LyingPiece, PhotographParams, lay_apart, photograph
from sherd.io.drawings import Drawing, ReadParams, read_drawing

from .conftest import painted, save

REAL = Path(__file__).parents[1] / "photos"
SIDE_MM = 120.0
PX_PER_MM = 3.0
PHOTO = ReadParams(picture="photo")


def _photograph(
    path: Path, dissection: str, printed: str | None, params: PhotographParams, paper: tuple[float, ...] = ()
) -> list[shapely.Polygon]:
    """Write a photograph of six pieces, and return their outlines in pixels."""
    rng = np.random.default_rng(11)
    kind = PuzzleKind(dissection=dissection, pieces=6, rotations=Rotations(None))  # pyright: ignore
    sample = next(make_samples(kind, seed=3, stop=1))
    if printed is not None:
        sample = paint(sample, PROCEDURAL[printed](384, rng), size_px=384)
    low_x, low_y, high_x, high_y = sample.puzzle.target.bounds
    scale = SIDE_MM / max(high_x - low_x, high_y - low_y)
    outlines = {
        one.id: shapely.transform(one.polygon, lambda xy: xy * scale) for one in sample.puzzle.fragments
    }
    poses, size = lay_apart(outlines, rng, 6.0)
    lying = [
        LyingPiece(
            outlines[one.id],
            poses[one.id],
            None if one.texture is None else one.texture.scaled(scale),
            *([paper] if paper else []),
        )
        for one in sample.puzzle.fragments
    ]
    if params.strip is not None:
        size = (1.1 * size[0], size[1])
    path.write_bytes(photograph(lying, size, params, rng))
    return [
        shapely.transform(poses[name].apply(outline), lambda xy: xy * params.px_per_mm)
        for name, outline in outlines.items()
    ]


def _off_px(found: Drawing, true: list[shapely.Polygon]) -> float:
    """By how much outlines are off on average, of the piece for which it is most."""
    assert len(found.figures) == len(true)
    assert not any(figure.polygon.interiors for figure in found.figures)
    offs: list[float] = []
    for piece in true:
        figure = max(found.figures, key=lambda figure: figure.polygon.intersection(piece).area)
        offs.append(figure.polygon.symmetric_difference(piece).area / piece.length)
    return max(offs)


@pytest.mark.parametrize(
    ("dissection", "printed", "params", "paper", "most_off_px"),
    [
        ("broken", "page", PhotographParams(px_per_mm=PX_PER_MM), (), 0.6),
        ("broken", "page", PhotographParams(px_per_mm=PX_PER_MM, table=(170, 175, 182)), (), 1.2),
        (
            "jigsaw",
            "checker",
            PhotographParams(px_per_mm=PX_PER_MM, table=(40, 140, 60), light=0.35),
            (),
            0.6,
        ),
        ("broken", "marble", PhotographParams(px_per_mm=PX_PER_MM, table=(225, 225, 222)), (), 1.2),
        ("jigsaw", None, PhotographParams(px_per_mm=PX_PER_MM, table=(95, 90, 85)), (25, 22, 20), 0.4),
        ("cuts", None, PhotographParams(px_per_mm=PX_PER_MM, table=(235, 235, 232)), (120, 120, 122), 0.6),
    ],
    ids=[
        "page",
        "page on grey",
        "jigsaw in falling light",
        "marble in soft shadow",
        "dark",
        "grey in shadow",
    ],
)
def test_pieces_are_found_to_a_pixel(
    tmp_path: Path,
    dissection: str,
    printed: str | None,
    params: PhotographParams,
    paper: tuple[float, ...],
    most_off_px: float,
) -> None:
    true = _photograph(tmp_path / "photo.jpg", dissection, printed, params, paper)
    assert _off_px(read_drawing(tmp_path / "photo.jpg"), true) <= most_off_px


def test_a_strip_of_another_table_is_no_piece(tmp_path: Path) -> None:
    params = PhotographParams(px_per_mm=PX_PER_MM, table=(60, 90, 170), strip=(120, 80, 40))
    true = _photograph(tmp_path / "photo.jpg", "broken", "noise", params)
    found = read_drawing(tmp_path / "photo.jpg")
    assert _off_px(found, true) <= 0.6
    assert any("along the right border was taken for the edge of the table" in note for note in found.notes)


def test_a_background_that_the_border_does_not_show(tmp_path: Path, cover: NDArray[np.float32]) -> None:
    rng = np.random.default_rng(2)
    picture = painted(cover, [(220, 200, 60)] * 4, (40, 140, 60))
    busy = rng.integers(0, 255, (340, 340, 3)).astype(np.float64)
    busy[20:-20, 20:-20] = picture
    path = save(tmp_path / "photo.png", busy)
    with pytest.raises(
        FileFormatError, match=r"not plain: lay the pieces on one colour.*the setting background"
    ):
        read_drawing(path)
    found = read_drawing(path, ReadParams(background="#288c3c", specks=1000))
    assert sum(figure.polygon.area > 1000 for figure in found.figures) == 4
    with pytest.raises(FileFormatError, match=r"hardly anything has the background's colour #0000ff"):
        read_drawing(path, ReadParams(background="blue"))
    with pytest.raises(ValueError, match="background must be a colour such as #20a040"):
        ReadParams(background="nice")


def test_print_in_the_background_s_colour_is_no_hole(tmp_path: Path) -> None:
    picture = np.full((200, 260, 3), 245.0)
    picture[40:160, 40:220] = (60, 90, 160)
    picture[80:120, 100:160] = (236, 236, 236)  # nearly, but not quite
    found = read_drawing(save(tmp_path / "photo.png", picture), PHOTO)
    assert [len(figure.polygon.interiors) for figure in found.figures] == [0]
    picture[80:120, 100:160] = 245.0
    path = save(tmp_path / "photo.png", picture)
    kept = read_drawing(path, PHOTO)
    assert [len(figure.polygon.interiors) for figure in kept.figures] == [1]
    assert any('holes = "fill" if that is print' in note for note in kept.notes)
    filled = read_drawing(path, ReadParams(picture="photo", holes="fill"))
    assert [len(figure.polygon.interiors) for figure in filled.figures] == [0]


def test_threshold_and_specks(tmp_path: Path) -> None:
    picture = np.full((200, 260, 3), 100.0)
    picture[40:160, 40:120] = 110.0
    picture[40:60, 200:210] = 200.0
    path = save(tmp_path / "photo.png", picture)
    assert [round(figure.polygon.area, -1) for figure in read_drawing(path, PHOTO).figures] == [200]
    both = read_drawing(path, ReadParams(picture="photo", threshold=5.0)).figures
    assert sorted(round(figure.polygon.area, -1) for figure in both) == [200, 9600]
    one = read_drawing(path, ReadParams(picture="photo", threshold=5.0, specks=300)).figures
    assert [round(figure.polygon.area, -1) for figure in one] == [9600]
    for wrong in ({"threshold": 0.0}, {"specks": -1.0}, {"holes": "some"}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            ReadParams(**wrong)  # pyright: ignore


def test_touching_pieces_are_told_apart(tmp_path: Path) -> None:
    square = shapely.box(-15, -15, 15, 15)
    diamond = [
        Pose(30, 30, np.pi / 4),
        Pose(30 + 41.8, 30, np.pi / 4),
        Pose(120, 30),
        Pose(120, 80),
        Pose(40, 85),
    ]
    lying = [LyingPiece(square, pose) for pose in diamond]
    params = PhotographParams(px_per_mm=PX_PER_MM)
    path = tmp_path / "photo.jpg"
    path.write_bytes(photograph(lying, (150.0, 110.0), params, np.random.default_rng(0)))
    found = read_drawing(path)
    true = [shapely.transform(pose.apply(square), lambda xy: xy * PX_PER_MM) for pose in diamond]
    assert _off_px(found, true) <= 0.6
    assert any("1 part was told apart into pieces that touch" in note for note in found.notes)
    assert len(read_drawing(path, ReadParams(touching="one")).figures) == 4


def test_pieces_that_touch_along_an_edge_are_named(tmp_path: Path) -> None:
    square = shapely.box(-15, -15, 15, 15)
    lying = [LyingPiece(square, Pose(20.0 + 40.0 * k, 20.0)) for k in range(5)]
    lying.append(LyingPiece(square, Pose(180.0 + 29.0, 20.0)))
    path = tmp_path / "photo.jpg"
    params = PhotographParams(px_per_mm=PX_PER_MM)
    path.write_bytes(photograph(lying, (240.0, 40.0), params, np.random.default_rng(0)))
    found = read_drawing(path)
    assert len(found.figures) == 5
    assert any(
        "2.0 times as large as the others: lay pieces that touch apart" in note for note in found.notes
    )


def test_a_piece_cut_off_by_the_border_is_named(tmp_path: Path) -> None:
    picture = np.full((200, 260, 3), 230.0)
    picture[40:160, 40:120] = (60, 90, 160)
    picture[60:140, 180:] = (60, 90, 160)
    found = read_drawing(save(tmp_path / "photo.png", picture))
    assert len(found.figures) == 2
    assert any("reaches the border of the picture, and may be cut off there" in note for note in found.notes)


def test_a_real_piece_on_a_light_table_and_in_colour(tmp_path: Path) -> None:
    for name in ("piece9.jpg", "piece9_color.jpg"):
        (tmp_path / name[:-4]).mkdir()
        shutil.copy(REAL / name, tmp_path / name[:-4] / name)
    dark, coloured = (read_drawing(tmp_path / name) for name in ("piece9", "piece9_color"))
    (first,), (second,) = dark.figures, coloured.figures
    assert not first.polygon.interiors and not second.polygon.interiors
    # Light bends around the silhouette, and the edge of the piece is bevelled.
    assert first.polygon.symmetric_difference(second.polygon).area / first.polygon.length < 2.5
    assert first.polygon.area == pytest.approx(80_000, rel=0.02)
    shutil.copy(REAL / "piece9_color.jpg", tmp_path / "piece9")
    (both,) = read_drawing(tmp_path / "piece9").figures
    assert both.id == "piece9" and both.texture is not None
    middle = both.polygon.centroid
    red, _, blue = both.texture.sample((middle.x, middle.y)).tolist()
    assert red > 150.0 > 100.0 > blue  # yellow, not black


def test_several_photographs_are_one_set(tmp_path: Path, cover: NDArray[np.float32]) -> None:
    for name in ("a", "b"):
        save(tmp_path / f"{name}.png", painted(cover, [(220, 200, 60)] * 4, (40, 50, 60)))
    found = read_drawing(tmp_path)
    assert len(found.figures) == 8
    assert {figure.id.partition(".")[0] for figure in found.figures} == {"a", "b"}


def test_every_kind_of_pixel_gives_the_same_pieces(tmp_path: Path, cover: NDArray[np.float32]) -> None:
    picture = painted(cover, [(220, 200, 60)] * 4, (40, 50, 60)).round().astype(np.uint8)
    image = Image.fromarray(picture)
    image.convert("CMYK").save(tmp_path / "cmyk.jpg", quality=97)
    Image.fromarray(picture[..., 0].astype(np.uint16) * 257).save(tmp_path / "deep.tif")
    image.putalpha(255)
    image.save(tmp_path / "alpha.png")
    turned = image.convert("RGB").transpose(Image.Transpose.ROTATE_90)
    exif = Image.Exif()
    exif[0x0112] = 6
    turned.save(tmp_path / "turned.jpg", quality=97, exif=exif)
    areas = {
        name: sorted(round(figure.polygon.area, -2) for figure in read_drawing(tmp_path / name).figures)
        for name in ("cmyk.jpg", "deep.tif", "alpha.png", "turned.jpg")
    }
    assert len(set(map(tuple, areas.values()))) == 1
    upright, turned_back = (read_drawing(tmp_path / name) for name in ("alpha.png", "turned.jpg"))
    for figure, other in zip(upright.figures, turned_back.figures, strict=True):
        assert figure.polygon.symmetric_difference(other.polygon).area < 0.01 * figure.polygon.area


def test_heic_says_what_it_takes(tmp_path: Path) -> None:
    (tmp_path / "a.heic").write_bytes(b"\x00\x00\x00\x18ftypheic")
    with pytest.raises(FileFormatError, match=r"pip install pillow-heif|not an image"):
        read_drawing(tmp_path / "a.heic")
