"""Images of fragments moved over the target are what drawing them there gives."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
import shapely
import torch
from hypothesis import given
from hypothesis import strategies as st

from sherd.core.geometry import Pose, Rotations, size_of
from sherd.core.grid import Grid
from sherd.core.puzzle import Sample
from sherd.generation.dataset import PuzzleKind, make_samples
from sherd.learn.data.batch import (
    PuzzleBatch,
    as_bytes,
    as_floats,
    cells_at,
    concatenate,
    fragment_images,
    own_grid,
    place,
    remaining_images,
)
from sherd.learn.data.sets import batch_of_samples
from sherd.tracing.raster import masks

SIZE = 32
GRID = Grid.around(shapely.box(0, 0, 1, 1), SIZE)
PIECE = shapely.Polygon([(-0.2, -0.1), (0.15, -0.2), (0.25, 0.1), (-0.1, 0.22)])


def fits(sample: Sample) -> bool:
    """Whether no fragment, turned as it truly lies, is longer than its image."""
    limit = (SIZE - 1) * GRID.pixel
    return all(size_of(piece) < limit for piece in sample.puzzle.placed(sample.truth))


def middle(polygon: shapely.Polygon) -> Pose:
    """The middle of the bounding box."""
    low_x, low_y, high_x, high_y = polygon.bounds
    return Pose((low_x + high_x) / 2.0, (low_y + high_y) / 2.0)


def own_image() -> torch.Tensor:
    points = torch.tensor(np.asarray(PIECE.exterior.coords)[:-1], dtype=torch.float32)
    return fragment_images(points[None], 1, own_grid(GRID))[0][0, 0, 0]


@given(column=st.integers(0, SIZE - 1), row=st.integers(0, SIZE - 1))
def test_a_placed_image_is_the_piece_drawn_at_that_pixels_centre(column: int, row: int) -> None:
    x, y = GRID.to_world([column + 0.5, row + 0.5]).tolist()
    expected = masks([(Pose(x, y) @ middle(PIECE).inverse()).apply(PIECE)], GRID)[0]
    found = as_floats(place(own_image()[None], torch.tensor([[column, row]])))[0]
    np.testing.assert_allclose(found.numpy(), expected, atol=0.6 / 255)


def test_many_images_are_placed_each_at_its_own_cell() -> None:
    images = own_image().expand(2, 3, SIZE, SIZE)
    cells = torch.tensor([[[3, 4], [20, 9], [31, 0]], [[0, 0], [16, 16], [7, 30]]])
    together = place(images, cells)
    for i in range(2):
        for j in range(3):
            assert torch.equal(together[i, j], place(images[0, :1], cells[i, j][None])[0])
    assert torch.equal(together[1, 1], images[0, 0])  # the middle pixel is where images are drawn


def test_rotated_images_are_the_turned_piece() -> None:
    points = torch.tensor(np.asarray(PIECE.exterior.coords)[:-1], dtype=torch.float32)
    images, middles = fragment_images(points[None], 5, own_grid(GRID))
    for k, image in enumerate(images[0, :, 0]):
        turned = Pose(theta=2.0 * np.pi * k / 5).apply(PIECE)
        assert middles[0, k].tolist() == pytest.approx([middle(turned).x, middle(turned).y], abs=1e-6)
        expected = masks([middle(turned).inverse().apply(turned)], own_grid(GRID))[0]
        np.testing.assert_allclose(as_floats(image).numpy(), expected, atol=0.6 / 255)


def test_what_remains_is_the_target_without_the_pieces_placed_before() -> None:
    kind = PuzzleKind(pieces=8, rotations=Rotations(4))
    samples = [s for s in make_samples(kind, seed=3, stop=60) if fits(s)]
    batch = batch_of_samples(samples, torch.device("cpu"), SIZE)
    cells = cells_at(batch.centres, SIZE)
    found = remaining_images(batch, cells)
    assert found.shape == (len(samples), 8, 1, SIZE, SIZE)
    assert len(samples) >= 3
    for k, sample in enumerate(samples):
        left = masks([sample.puzzle.target], GRID)[0]
        for step, placement in enumerate(sample.truth):
            np.testing.assert_allclose(found[k, step, 0].numpy(), left.clip(0.0, 1.0), atol=0.02)
            x, y = GRID.to_world(cells[k, step].numpy() + 0.5).tolist()
            piece = placement.pose.apply(sample.puzzle[placement.id].polygon)
            left = left - masks([(Pose(x, y) @ middle(piece).inverse()).apply(piece)], GRID)[0]


def test_what_remains_keeps_the_targets_colours(draw: Callable[..., PuzzleBatch]) -> None:
    batch = draw(texture="checker")
    left = remaining_images(batch, cells_at(batch.centres, SIZE))
    torch.testing.assert_close(left[:, 0], as_floats(batch.target))
    assert left.shape[2] == 4
    bare = left[:, :, :1] == 0.0
    assert (left[:, :, 1:] * bare == 0.0).all()


def test_bytes_and_floats() -> None:
    values = torch.tensor([0.0, 0.5, 1.0, 1.2, -0.1])
    assert as_bytes(values).tolist() == [0, 128, 255, 255, 0]
    assert torch.equal(as_bytes(as_floats(torch.arange(256, dtype=torch.uint8))), torch.arange(256).byte())


def test_cells_stay_on_the_image() -> None:
    centres = torch.tensor([[-0.2, 3.99], [31.999, 32.4]])
    assert cells_at(centres, SIZE).tolist() == [[0, 3], [31, 31]]


def test_batches_are_taken_apart_and_put_together(draw: Callable[..., PuzzleBatch]) -> None:
    batch = draw(count=5)
    again = concatenate([batch[:2], batch[2:]])
    assert (len(again), again.pieces) == (5, 3)
    for name, value in vars(batch).items():
        assert torch.equal(vars(again)[name], value)
