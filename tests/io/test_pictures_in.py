"""Pictures of pieces: cut-outs, masks, maps of labels and scans."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import shapely
from numpy.typing import NDArray
from PIL import Image

from sherd.core.errors import FileFormatError
from sherd.core.grid import Grid
from sherd.io.drawings import Drawing, ReadParams, read_drawing
from sherd.tracing.raster import masks

SIZE = 300
PIECES = (
    shapely.Polygon([(20, 20), (120, 30), (60, 130)]),
    shapely.Polygon([(160, 20), (280, 20), (280, 120), (200, 120), (200, 60), (160, 60)]),
    shapely.Polygon(
        [(30, 160), (130, 150), (140, 280), (40, 270)], [[(70, 190), (100, 190), (100, 230), (70, 230)]]
    ),
    shapely.Point(220, 220).buffer(50),
)
GRID = Grid(SIZE, 0.0, float(SIZE), 1.0)


@pytest.fixture(scope="module")
def cover() -> NDArray[np.float32]:
    """How much of each pixel each piece covers, (pieces, SIZE, SIZE)."""
    return masks(PIECES, GRID)


def check(found: Drawing, most_off_px: float, scale: float = 1.0) -> None:
    """Every piece was found once, its outline off by no more than so many pixels on average."""
    assert len(found.figures) == len(PIECES)
    for piece in PIECES:
        true = shapely.transform(piece, lambda xy: xy * scale)
        figure = max(found.figures, key=lambda figure: figure.polygon.intersection(true).area)
        off = figure.polygon.symmetric_difference(true).area / true.length / scale
        assert off <= most_off_px
        assert len(figure.polygon.interiors) == len(piece.interiors)


def painted(
    cover: NDArray[np.float32], colours: list[tuple[int, ...]], background: tuple[int, ...]
) -> NDArray[np.float64]:
    picture = np.ones((SIZE, SIZE, 3)) * background
    for part, colour in zip(cover, colours, strict=True):
        picture = picture * (1 - part[..., None]) + np.array(colour) * part[..., None]
    return picture


def save(path: Path, values: NDArray[np.generic], **options: object) -> Path:
    Image.fromarray(np.round(np.clip(values, 0, 255)).astype(np.uint8)).save(path, **options)  # pyright: ignore
    return path


def test_a_clean_scan_with_its_resolution(tmp_path: Path, cover: NDArray[np.float32]) -> None:
    colours = [(200, 30, 30), (20, 90, 20), (0, 0, 120), (90, 90, 90)]
    path = save(tmp_path / "scan.png", painted(cover, colours, (250, 250, 245)), dpi=(254, 254))
    found = read_drawing(path)
    assert found.unit == "mm"
    check(found, 0.15, scale=0.1)
    given = read_drawing(path, ReadParams(mm_per_px=0.5))
    check(given, 0.15, scale=0.5)


def test_a_noisy_photograph_in_falling_light(tmp_path: Path, cover: NDArray[np.float32]) -> None:
    rng = np.random.default_rng(5)
    picture = painted(cover, [(230, 220, 200)] * 4, (40, 50, 60))
    picture += np.linspace(-15, 15, SIZE)[None, :, None] + rng.normal(0, 4, picture.shape)
    picture[150:153, 20:22] = 255
    path = save(tmp_path / "photo.jpg", picture, quality=92)
    found = read_drawing(path)
    assert found.unit == "px"
    check(found, 0.3)
    assert any("taken for dirt" in note for note in found.notes)


def test_textured_pieces(tmp_path: Path, cover: NDArray[np.float32]) -> None:
    rng = np.random.default_rng(6)
    print_ = np.kron(rng.integers(90, 255, (30, 30)), np.ones((10, 10)))
    whole = cover.sum(axis=0)
    picture = np.stack([whole * print_, whole * print_[::-1], whole * 200], axis=-1)
    check(read_drawing(save(tmp_path / "print.png", picture)), 0.6)


def test_a_cut_out(tmp_path: Path, cover: NDArray[np.float32]) -> None:
    alpha = cover.sum(axis=0) * 255
    rgba = np.dstack([np.full((SIZE, SIZE, 3), 77.0), alpha])
    check(read_drawing(save(tmp_path / "cut.png", rgba)), 0.15)


def test_a_folder_of_masks_and_a_target(tmp_path: Path, cover: NDArray[np.float32]) -> None:
    folder = tmp_path / "pieces"
    folder.mkdir()
    save(folder / "b 🐢.png", cover[0] * 255)
    save(folder / "a'1.png", np.dstack([np.zeros((SIZE, SIZE, 3)), cover[1] * 255]))
    save(folder / "c.png", (cover[2] < 0.5) * 255.0)
    save(folder / "target.bmp", (cover[3] >= 0.5) * 255.0)
    (folder / "notes.txt").write_text("not a picture")
    found = read_drawing(folder)
    assert [figure.id for figure in found.figures] == ["a'1", "b 🐢", "c", "target"]
    assert [figure.id for figure in found.targets] == ["target"]
    check(found, 0.15)


@pytest.mark.parametrize("kind", ["numbers", "16 bit", "palette", "colours"])
def test_a_map_of_labels(tmp_path: Path, cover: NDArray[np.float32], kind: str) -> None:
    labels = np.zeros((SIZE, SIZE), dtype=np.uint16)
    for k, part in enumerate(cover):
        labels[part >= 0.5] = k + 1
    path = tmp_path / "labels.png"
    if kind == "16 bit":
        Image.fromarray(labels * 1000).save(path)
    elif kind == "colours":
        palette = np.array(
            [[255, 255, 255], [255, 0, 0], [0, 128, 0], [0, 0, 255], [9, 9, 9]], dtype=np.uint8
        )
        Image.fromarray(palette[labels]).save(path)
    else:
        image = Image.fromarray(labels.astype(np.uint8))
        if kind == "palette":
            image = image.convert("P")
        image.save(path)
    found = read_drawing(path)
    check(found, 0.15)
    names = {"16 bit": "1000", "colours": "#ff0000"}
    assert names.get(kind, "1") in [figure.id for figure in found.figures]


def test_labels_that_touch(tmp_path: Path) -> None:
    labels = np.ones((60, 60), dtype=np.uint8)
    labels[:, 25:] = 2
    labels[40:, :] = 3
    Image.fromarray(labels).save(tmp_path / "a.png")
    found = read_drawing(tmp_path / "a.png", ReadParams(picture="labels"))
    areas = {figure.id: figure.polygon.area for figure in found.figures}
    assert areas == {
        "1": pytest.approx(1000, abs=30),
        "2": pytest.approx(1400, abs=30),
        "3": pytest.approx(1200, abs=30),
    }


def test_large_pieces_are_traced_in_no_time(tmp_path: Path) -> None:
    grid = Grid(1500, 0.0, 1500.0, 1.0)
    angle = np.linspace(0, 2 * np.pi, 400)[:-1]
    radius = 600 + 60 * np.sin(9 * angle)
    wavy = shapely.Polygon(np.stack([750 + radius * np.cos(angle), 750 + radius * np.sin(angle)], axis=-1))
    Image.fromarray((masks([wavy], grid)[0] < 0.5).astype(np.uint8) * 255).save(tmp_path / "a.png")
    (figure,) = read_drawing(tmp_path / "a.png").figures
    assert figure.polygon.symmetric_difference(wavy).area / wavy.length < 0.3
    assert len(figure.polygon.exterior.coords) < 500


def test_refusals(tmp_path: Path, cover: NDArray[np.float32]) -> None:
    rng = np.random.default_rng(0)
    cases = {
        "nothing.png": (np.full((50, 50, 3), 200.0), "nothing stands out from the background"),
        "busy.png": (rng.integers(0, 255, (60, 60, 3)).astype(np.float64), "the background is not plain"),
        "tiny.png": (np.zeros((1, 1, 3)), "nothing stands out"),
    }
    for name, (values, reason) in cases.items():
        path = save(tmp_path / name, values)
        with pytest.raises(FileFormatError, match=reason) as caught:
            read_drawing(path)
        assert str(caught.value).startswith(f"{path}: ")
    (tmp_path / "bad.png").write_bytes(b"\x89PNG\r\n\x1a\nnonsense")
    (tmp_path / "cut.png").write_bytes((tmp_path / "busy.png").read_bytes()[:200])
    for name in ("bad.png", "cut.png"):
        with pytest.raises(FileFormatError, match=r"not an image|the image is broken"):
            read_drawing(tmp_path / name)
    (tmp_path / "empty").mkdir()
    with pytest.raises(FileFormatError, match="there is no closed shape"):
        read_drawing(tmp_path / "empty")


def test_huge_images_are_refused_unread(tmp_path: Path) -> None:
    header = Image.new("1", (20_000, 20_000))
    header.save(tmp_path / "a.png")
    with pytest.raises(
        FileFormatError, match=r"400 megapixels, and no more than 80 are read|hundreds of megapixels"
    ):
        read_drawing(tmp_path / "a.png")


def test_masks_of_different_resolution(tmp_path: Path, cover: NDArray[np.float32]) -> None:
    save(tmp_path / "a.png", cover[0] * 255, dpi=(300, 300))
    save(tmp_path / "b.png", cover[1] * 255, dpi=(600, 600))
    with pytest.raises(FileFormatError, match="mixed units: the pictures have different resolutions"):
        read_drawing(tmp_path)
    assert read_drawing(tmp_path, ReadParams(mm_per_px=1.0)).unit == "mm"
