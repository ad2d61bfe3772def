"""What was read, as a picture: outlines with names over the scan."""

from __future__ import annotations

import numpy as np
import shapely

from sherd.core.grid import Grid
from sherd.core.texture import Texture
from sherd.draw import to_image, to_svg
from sherd.draw.leaders import leader_labels
from sherd.draw.reading import draw_reading
from sherd.draw.scene import Area, Text


def _texts(picture: object) -> list[Text]:
    return [item for layer in picture.layers for item in layer.items if isinstance(item, Text)]  # pyright: ignore


def test_outlines_lie_over_the_scan() -> None:
    image = np.full((100, 100, 3), 90, np.uint8)
    image[20:60, 10:50] = (200, 40, 40)
    scan = Texture(image, Grid(100, 0.0, 50.0, 0.5))
    piece = shapely.box(5, 20, 25, 40)
    picture = draw_reading([("left wing", piece, None)], unit="mm", scan=scan, caption="a.png: 1 piece")
    drawn = np.asarray(to_image(picture)).astype(int)
    layer = next(layer for layer in picture.layers if layer.name == "pieces")

    def at(x: float, y: float) -> list[int]:
        column, row = (layer.frame.to_page([x, y]) * (1, -1)).round().astype(int).tolist()
        return drawn[row, column].tolist()

    assert at(10, 25) == [200, 40, 40]
    assert at(40, 10) == [90, 90, 90]
    assert max(at(5, 30)) < 255 and at(5, 30) != [200, 40, 40]  # the outline
    words = [text.text for text in _texts(picture)]
    assert "left wing" in words
    assert "left wing: 20 x 20 mm, 400 sq mm" in words
    assert "a.png: 1 piece" in words


def test_pieces_of_pictures_of_their_own_lie_side_by_side() -> None:
    texture = Texture(np.full((10, 10, 3), 60, np.uint8), Grid(10, 0.0, 10.0, 1.0))
    pieces = [(name, shapely.box(1, 1, 9, 9), texture) for name in "abc"]
    picture = draw_reading(pieces, unit="px")
    tray = next(layer for layer in picture.layers if layer.name == "tray")
    boxes = [shapely.box(*area.pose.apply(area.geometry).bounds) for area in tray.items]  # pyright: ignore
    assert all(one.disjoint(other) for one in boxes for other in boxes if one is not other)
    assert all(isinstance(area, Area) and area.texture is not None for area in tray.items)
    assert to_svg(picture).count("<image") == 3


def test_small_pieces_are_named_beside_a_line() -> None:
    large = shapely.box(0, 0, 60, 60)
    small = [(f"chip {k}", shapely.box(62 + 4 * k, 20, 64 + 4 * k, 22)) for k in range(4)]
    items = list(leader_labels(small, [], [large, *(outline for _, outline in small)], 5.0))
    texts = [item for item in items if isinstance(item, Text)]
    assert [text.text for text in texts] == [name for name, _ in small]
    lines = [item.geometry for item in items if isinstance(item, Area)][1::2]
    for line, (_, outline) in zip(lines, small, strict=True):
        assert line.distance(outline) == 0.0
    apart = [(text.x, text.y) for text in texts]
    assert len({(round(x), round(y)) for x, y in apart}) == 4
