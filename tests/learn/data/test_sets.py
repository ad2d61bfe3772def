from __future__ import annotations

from collections.abc import Callable

import pytest
import torch
from torch import Tensor

from sherd.core.geometry import Rotations
from sherd.generation.dataset import PuzzleKind, make_samples
from sherd.generation.fragmentation import FragmentationParams, fragment_block, generate_arrays
from sherd.generation.shapes import named_shape
from sherd.learn.data.batch import PuzzleBatch, as_bytes
from sherd.learn.data.masks import polygon_masks
from sherd.learn.data.sets import (
    CORNERS_STEP,
    EndlessSet,
    FixedSet,
    batch_of_arrays,
    batch_of_samples,
    draw_set,
    puzzle_images,
)

CPU = torch.device("cpu")


def assert_same(one: PuzzleBatch, other: PuzzleBatch) -> None:
    for name, value in vars(one).items():
        assert torch.equal(value, vars(other)[name]), name


@pytest.mark.parametrize("shape", ["square", "pentagon", "mondrian"])
@pytest.mark.parametrize("bins", [1, 4, 5])
def test_arrays_and_samples_give_the_same_batch(shape: str, bins: int) -> None:
    kind = PuzzleKind(shape=named_shape(shape), pieces=5, rotations=Rotations(bins))
    arrays = generate_arrays(kind.shape, kind.fragmentation, seed=1, stop=4)
    one = batch_of_arrays(arrays, CPU, 32)
    other = batch_of_samples(list(make_samples(kind, seed=1, stop=4)), CPU, 32)
    assert one.images.shape == other.images.shape == (4, 5, bins, 1, 32, 32)
    assert (one.images.short() - other.images.short()).abs().max() <= 1  # rounding of half a grey level
    assert torch.equal(one.target, other.target)
    torch.testing.assert_close(one.centres, other.centres)
    assert torch.equal(one.turns, other.turns)


def test_drawing_in_parts_changes_nothing(
    draw: Callable[..., PuzzleBatch], monkeypatch: pytest.MonkeyPatch
) -> None:
    whole = draw(count=5, rotations=4)
    monkeypatch.setattr("sherd.learn.data.sets.POLYGONS_AT_ONCE_ON_CPU", 8)
    assert_same(draw(count=5, rotations=4), whole)


def test_free_rotation_has_no_bins() -> None:
    arrays = generate_arrays(
        named_shape("square"), PuzzleKind(rotations=Rotations(None)).fragmentation, seed=0, stop=1
    )
    with pytest.raises(ValueError, match="free rotation"):
        batch_of_arrays(arrays, CPU, 32)


def test_puzzles_of_one_batch_are_alike() -> None:
    samples = [
        next(make_samples(PuzzleKind(shape=named_shape(s)), seed=0, stop=1)) for s in ("square", "hexagon")
    ]
    puzzles = [sample.puzzle for sample in samples]
    with pytest.raises(ValueError, match="the same target"):
        puzzle_images(puzzles, [[f.id for f in p.fragments] for p in puzzles], 32)


def fixed(seed: int) -> FixedSet:
    return FixedSet.of([PuzzleKind(pieces=3)], seed=seed, part=range(10), device=CPU, size_px=32)


def endless(seed: int) -> EndlessSet:
    kinds = tuple(PuzzleKind(shape=named_shape(name), pieces=3) for name in ("square", "hexagon"))
    return EndlessSet(kinds, seed, CPU, 32)


@pytest.mark.parametrize("make", [fixed, endless])
def test_a_batch_depends_on_the_step_alone(make: Callable[[int], FixedSet | EndlessSet]) -> None:
    data, again = make(0), make(0)
    batches = [data.batch(step, 4) for step in (0, 1, 7, 2000, 3)]
    for step, batch in zip((3, 2000, 7, 1, 0), reversed(batches), strict=True):
        assert_same(again.batch(step, 4), batch)
    assert not torch.equal(batches[0].centres, batches[1].centres)
    assert not torch.equal(make(1).batch(0, 4).centres, batches[0].centres)


def test_an_epoch_of_a_fixed_set_has_each_puzzle_once() -> None:
    data = FixedSet(draw_set(PuzzleKind(pieces=3), 0, range(8), CPU, 32), seed=0)
    for epoch in range(2):
        centres = torch.cat([data.batch(2 * epoch + k, 4).centres for k in range(2)])
        assert sorted(centres.flatten(1).tolist()) == sorted(data.puzzles.centres.flatten(1).tolist())


def test_a_set_smaller_than_a_batch_is_the_batch() -> None:
    assert len(fixed(0).batch(3, 64)) == 10


def test_endless_puzzles_are_new_at_every_step_and_of_all_kinds() -> None:
    data = endless(0)
    seen = torch.cat([data.batch(step, 6).centres.flatten(1) for step in range(5)])
    assert len(seen.unique(dim=0)) == 30
    batch = data.batch(0, 6)
    assert batch.target[0].any()
    assert not torch.equal(batch.target[0], batch.target[-1])


def test_damaged_puzzles_are_endless_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sherd.learn.data.sets.BLOCK", 6)
    data = EndlessSet((PuzzleKind(pieces=4, degradation="missing"),), 0, CPU, 32)
    assert data.batch(0, 3).images.shape == (3, 3, 1, 1, 32, 32)
    assert not torch.equal(data.batch(0, 3).centres, data.batch(2, 3).centres)


def test_a_batch_cannot_outgrow_a_block() -> None:
    with pytest.raises(ValueError, match="at most"):
        endless(0).batch(0, 100_000)


def test_painted_puzzles_have_colours_where_their_masks_are(draw: Callable[..., PuzzleBatch]) -> None:
    batch = draw(count=2, texture="checker")
    mask, colours = batch.images[:, :, :, :1], batch.images[:, :, :, 1:]
    assert batch.images.shape[3] == 4
    assert (colours[(mask == 0).expand_as(colours)] == 0).all()
    assert (colours.amax(dim=(-1, -2)) > 0).any()


@pytest.mark.parametrize("device", ["cpu", "cuda"])
def test_endless_puzzles_are_drawn_compiled_on_an_accelerator(
    device: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[bool] = []
    whole = draw_set(PuzzleKind(pieces=3), 0, range(4), CPU, 32)

    def draw(*arguments: object, fused: bool = False) -> PuzzleBatch:
        asked.append(fused)
        return whole

    monkeypatch.setattr("sherd.learn.data.sets.batch_of_arrays", draw)
    EndlessSet((PuzzleKind(pieces=3),), 0, torch.device(device), 32).batch(0, 2)
    assert asked == [device == "cuda"]


def test_compiled_drawing_gives_the_same_images_of_few_numbers_of_corners(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    corners: list[int] = []

    def draw(pixels: Tensor, size_px: int) -> Tensor:
        """In place of the compiled function, which takes long to make."""
        corners.append(pixels.shape[-2])
        return as_bytes(polygon_masks(pixels, size_px))

    monkeypatch.setattr("sherd.learn.data.batch._fused_drawing", lambda: draw)
    params, uneven = FragmentationParams(pieces=8), set[int]()
    for shape in ("square", "pentagon", "hexagon"):
        puzzles = fragment_block(named_shape(shape), params, seed=3, block=0)[:20]
        uneven.add(puzzles.vertices.shape[-2] % CORNERS_STEP)
        plain = batch_of_arrays(puzzles, CPU, 32)
        assert not corners
        fused = batch_of_arrays(puzzles, CPU, 32, fused=True)
        assert corners
        assert all(count % CORNERS_STEP == 0 for count in corners)
        corners.clear()
        assert_same(plain, fused)
    assert uneven != {0}  # or there was nothing to pad
