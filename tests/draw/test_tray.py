from __future__ import annotations

import itertools
import math

import shapely
from hypothesis import given
from hypothesis import strategies as st

from sherd.core.geometry import Pose, Rotations
from sherd.core.puzzle import Fragment
from sherd.draw.labels import text_width
from sherd.draw.tray import lay_out
from sherd.generation.fragmentation import FragmentationParams, generate
from sherd.generation.shapes import named_shape


@given(
    st.sampled_from(["square", "pentagon", "mondrian"]),
    st.integers(1, 30),
    st.floats(20.0, 500.0),
    st.integers(0, 3),
)
def test_pieces_and_labels_keep_apart(shape: str, pieces: int, scale: float, seed: int) -> None:
    params = FragmentationParams(pieces=pieces, rotations=Rotations(None))
    (sample,) = generate(named_shape(shape), params, count=1, seed=seed)
    tray = lay_out(sample.puzzle.fragments, scale, scale)
    assert {slot.fragment.id for slot in tray.slots} == {f.id for f in sample.puzzle.fragments}
    boxes = []
    for slot in tray.slots:
        placed = Pose(slot.x / scale, slot.y / scale).apply(slot.fragment.polygon)
        outline = shapely.transform(placed, lambda points: points * scale)
        assert slot.label is not None
        right, up = text_width(slot.label.text, slot.label.size) / 2, slot.label.size / 2
        turned = Pose(slot.label.x, slot.label.y, math.radians(slot.label.angle_deg))
        name = turned.apply(shapely.box(-right, -up, right, up))
        assert outline.buffer(1e-6).contains(name) or outline.distance(name) > 0
        boxes.append(shapely.union(outline, name).envelope)
    page = shapely.box(0, -tray.height, tray.width, 0).buffer(1e-6)
    assert all(page.contains(one) for one in boxes)
    assert all(a.distance(b) >= 3.9 for a, b in itertools.combinations(boxes, 2))


def test_one_high_piece_gets_a_row_of_its_own_length() -> None:
    tray = lay_out([Fragment("tall", shapely.box(-1, -50, 1, 50))], 10.0, 100.0)
    assert tray.height >= 1000.0
