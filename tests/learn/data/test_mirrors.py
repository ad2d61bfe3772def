from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest
import torch

from sherd.learn.data.batch import PuzzleBatch, cells_at, remaining_images
from sherd.learn.data.mirrors import MIRRORS, from_bottom_left, mirrored, mirrors_of


def whole(batch: PuzzleBatch) -> PuzzleBatch:
    """The puzzles none of whose fragments reaches the edge of its image."""
    filled = batch.images > 0
    return batch[~(filled[..., 0, :].flatten(1).any(dim=1) | filled[..., 0].flatten(1).any(dim=1))]


@pytest.mark.parametrize(
    ("shape", "mirrors"),
    [
        ("square", ("columns", "rows", "diagonal")),
        ("hexagon", ("columns", "rows")),
        ("pentagon", ("columns",)),
    ],
)
def test_the_mirrors_of_the_targets(
    shape: str, mirrors: tuple[str, ...], draw: Callable[..., PuzzleBatch]
) -> None:
    assert mirrors_of(draw(count=2, shape=shape).target) == mirrors


@pytest.mark.parametrize("mirror", MIRRORS)
@pytest.mark.parametrize("rotations", [1, 4, 5])
def test_a_mirrored_puzzle_is_still_solved_by_its_truth(
    mirror: str, rotations: int, draw: Callable[..., PuzzleBatch]
) -> None:
    batch = whole(draw(count=60, pieces=8, rotations=rotations))
    assert len(batch) >= 3
    # On pixels' centres, where the mirror image of a placed piece is the placed mirror image.
    batch = replace(batch, centres=batch.centres.floor() + 0.5)
    other = mirrored(batch, mirror)
    left = remaining_images(batch, cells_at(batch.centres, 32))
    expected = left.mT if MIRRORS[mirror] is None else left.flip(MIRRORS[mirror])
    torch.testing.assert_close(remaining_images(other, cells_at(other.centres, 32)), expected)


@pytest.mark.parametrize("mirror", ["columns", "rows"])
def test_what_leaves_the_image_does_not_come_back(mirror: str, draw: Callable[..., PuzzleBatch]) -> None:
    batch = draw(count=20, pieces=2, rotations=5)
    assert len(whole(batch)) < 20
    other = mirrored(batch, mirror)
    assert (other.images.select(MIRRORS[mirror] or 0, 0) == 0).all()


@pytest.mark.parametrize("mirror", MIRRORS)
def test_mirroring_twice_changes_nothing(mirror: str, draw: Callable[..., PuzzleBatch]) -> None:
    batch = whole(draw(count=60, pieces=8, rotations=4))
    again = mirrored(mirrored(batch, mirror), mirror)
    for name, value in vars(batch).items():
        torch.testing.assert_close(vars(again)[name], value)


def test_the_order_of_generated_puzzles_is_kept(draw: Callable[..., PuzzleBatch]) -> None:
    for shape in ("square", "mondrian", "pentagon"):
        batch = draw(count=20, pieces=8, shape=shape)
        assert torch.equal(from_bottom_left(batch).centres, batch.centres)


def test_fragments_are_put_in_order_together_with_their_images(draw: Callable[..., PuzzleBatch]) -> None:
    batch = draw(count=4, pieces=6, rotations=4)
    shuffle = torch.tensor([4, 1, 5, 0, 3, 2])
    mixed = PuzzleBatch(
        **{name: value if name == "target" else value[:, shuffle] for name, value in vars(batch).items()}
    )
    for name, value in vars(from_bottom_left(mixed)).items():
        assert torch.equal(value, vars(batch)[name])
