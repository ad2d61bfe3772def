from __future__ import annotations

import math

import numpy as np
import pytest
import shapely
import torch
from hypothesis import given
from hypothesis import strategies as st

from sherd.learn.data.masks import polygon_masks

SIZE = 12


def star(seed: int, corners: int = 7, centre: float = SIZE / 2, radius: float = SIZE / 2) -> torch.Tensor:
    """A simple, mostly non-convex polygon (V, 2) that may reach over the grid's border."""
    rng = np.random.default_rng(seed)
    angle = (np.arange(corners) + rng.uniform(0.0, 0.9, corners)) / corners * 2 * np.pi
    reach = rng.uniform(0.2, 1.4, corners) * radius
    return torch.tensor(np.stack([centre + reach * np.cos(angle), centre + reach * np.sin(angle)], axis=-1))


def areas(vertices: torch.Tensor, size: int) -> torch.Tensor:
    polygon = shapely.Polygon(vertices.numpy())
    columns, rows = np.meshgrid(np.arange(size), np.arange(size))
    pixels = shapely.box(columns, rows, columns + 1, rows + 1)
    return torch.tensor(shapely.area(shapely.intersection(pixels, polygon)))


@given(st.integers(0, 2**32), st.integers(3, 9), st.booleans())
def test_mask_is_the_exact_area(seed: int, corners: int, backwards: bool) -> None:
    vertices = star(seed, corners)
    given_order = vertices.flip(0) if backwards else vertices
    torch.testing.assert_close(
        polygon_masks(given_order, SIZE), areas(vertices, SIZE), atol=1e-9, rtol=0.0, check_dtype=False
    )


@given(st.integers(0, 2**32))
def test_float32_is_close_at_training_size(seed: int) -> None:
    vertices = star(seed, centre=64.0, radius=50.0)
    exact = polygon_masks(vertices, 128)
    assert (polygon_masks(vertices.float(), 128) - exact).abs().max() < 1e-4


@pytest.mark.parametrize("tilt", [0.0, 1e-12, 1e-9, 1e-7, 1e-6, 1e-5, 1e-4, 1e-3])
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_nearly_upright_and_level_edges(tilt: float, dtype: torch.dtype) -> None:
    turn = torch.tensor(
        [[math.cos(tilt), math.sin(tilt)], [-math.sin(tilt), math.cos(tilt)]], dtype=torch.float64
    )
    box = torch.tensor([[20.3, 30.6], [90.0, 30.6], [90.0, 77.7], [20.3, 77.7]], dtype=torch.float64) @ turn
    mask = polygon_masks(box.to(dtype), 128).double()
    assert (mask - areas(box, 128)).abs().max() < (1e-4 if dtype == torch.float32 else 1e-8)


def test_padding_and_batches_change_nothing() -> None:
    short, long = star(1, 5), star(2, 7)
    padded = torch.cat([short, short[-1:].expand(2, 2)])
    masks = polygon_masks(torch.stack([padded, long])[None], SIZE)
    assert masks.shape == (1, 2, SIZE, SIZE)
    torch.testing.assert_close(masks[0, 0], polygon_masks(short, SIZE))
    torch.testing.assert_close(masks[0, 1], polygon_masks(long, SIZE))


def test_a_polygon_without_area_or_outside_is_empty() -> None:
    point = torch.full((4, 2), 3.3)
    outside = star(3).float() + 100.0
    assert polygon_masks(torch.stack([point, outside[:4]]), SIZE).abs().max() == 0.0


def test_gradients() -> None:
    for seed in range(3):
        vertices = star(seed, 5, centre=3.0, radius=3.0).requires_grad_()
        assert torch.autograd.gradcheck(lambda v: polygon_masks(v, 6), (vertices,))


def test_gradients_of_an_upright_box() -> None:
    box = torch.tensor([[1.3, 1.2], [4.6, 1.2], [4.6, 3.7], [1.3, 3.7], [1.3, 3.7]], dtype=torch.float64)
    polygon_masks(box.requires_grad_(), 6).sum().backward()
    # Moving a corner of a box by d changes its area by d times half the edge beside it.
    assert box.grad is not None
    expected = torch.tensor([[-1.25, -1.65], [1.25, -1.65], [1.25, 1.65], [-1.25, 0.0], [0.0, 1.65]])
    assert torch.isfinite(box.grad).all()
    torch.testing.assert_close(box.grad[:3], expected[:3].double())
    # The padded corner is one corner in two parts: together they move the area like any other.
    torch.testing.assert_close(box.grad[3:].sum(0), expected[3:].sum(0).double())


def test_wrong_input() -> None:
    with pytest.raises(ValueError, match=r"float32 or float64, not torch\.int64"):
        polygon_masks(torch.zeros((3, 2), dtype=torch.int64), SIZE)
    with pytest.raises(ValueError, match=r"\(\.\.\., V, 2\), not \(3, 3\)"):
        polygon_masks(torch.zeros((3, 3)), SIZE)
