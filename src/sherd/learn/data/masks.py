"""Exact-area masks of whole batches of polygons, on any device and differentiable."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from sherd.core.errors import ArgumentError


def polygon_masks(vertices_px: Tensor, size_px: int) -> Tensor:
    """The share of every pixel that a simple polygon covers, exactly, as masks (..., size_px, size_px).

    ``vertices_px`` (..., V, 2) are (column, row) as in `sherd.core.grid.Grid`, float32 or float64, in either
    direction, convex or not, shorter polygons padded by repeating a vertex; what lies outside the grid is
    cut off. A hole is the difference of two masks. The same areas as `sherd.tracing.raster.masks`.

    By Green's theorem the covered area of a pixel is the sum over edges of the integral, over the part of
    the edge within the pixel's row, of clamp(x - column, 0, 1) dy. The clamp's integral is known in closed
    form, so nothing is sampled. Edges are summed one at a time: memory does not grow with V, and a compiler
    fuses the whole sum into one pass over the pixels.

    >>> polygon_masks(torch.tensor([[0.5, 0.0], [2.0, 0.0], [2.0, 1.0], [0.5, 1.0]]), 2).tolist()
    [[0.5, 1.0], [0.0, 0.0]]
    """
    if vertices_px.dtype not in (torch.float32, torch.float64):
        raise ArgumentError(f"vertices must be float32 or float64, not {vertices_px.dtype}")
    if vertices_px.ndim < 2 or vertices_px.shape[-1] != 2:
        raise ArgumentError(f"vertices must have shape (..., V, 2), not {tuple(vertices_px.shape)}")
    steps = torch.arange(size_px, dtype=vertices_px.dtype, device=vertices_px.device)
    x, y = vertices_px.unbind(-1)  # (..., V)
    count = vertices_px.shape[-2]
    cover = vertices_px.new_zeros((*vertices_px.shape[:-2], size_px, size_px))
    for k in range(count):
        after = (k + 1) % count
        cover += _beside_edge(x[..., k], y[..., k], x[..., after], y[..., after], steps)
    return (cover * _direction(x, y)[..., None, None]).clamp(0.0, 1.0)


def _beside_edge(x0: Tensor, y0: Tensor, x1: Tensor, y1: Tensor, steps: Tensor) -> Tensor:
    """Signed area (..., H, W) of each pixel to the left of edges (...), positive where y grows."""
    x0, y0, x1, y1 = (value[..., None] for value in (x0, y0, x1, y1))
    along_x, along_y = x1 - x0, y1 - y0

    # The edge within each row runs from (x_in, y_in) to (x_out, y_out), (..., H). A level edge is within one
    # row as a whole; dividing by 1 instead of its height then gives both its ends.
    y_in, y_out = (torch.clamp(y, min=steps, max=steps + 1.0) for y in (y0, y1))
    height = torch.where(along_y == 0.0, torch.ones_like(along_y), along_y)
    x_in = x0 + along_x * ((y_in - y0) / height).clamp(0.0, 1.0)
    x_out = x1 - along_x * ((y1 - y_out) / height).clamp(0.0, 1.0)

    # Mean of clamp(x - column, 0, 1) along that part: the stretch inside the column plus the stretch beyond
    # it. Both are differences of nearby numbers, so float32 loses nothing even when the part is nearly
    # upright; below the smallest width the middle's value is as good and has sound gradients.
    width = x_out - x_in
    upright = width.abs() < math.sqrt(torch.finfo(width.dtype).eps) / 4.0
    inverse = 1.0 / torch.where(upright, torch.ones_like(width), width)
    u_in, u_out = x_in[..., None] - steps, x_out[..., None] - steps  # (..., H, W)
    in_column, out_column = u_in.clamp(0.0, 1.0), u_out.clamp(0.0, 1.0)
    inside = (out_column - in_column) * (out_column + in_column) * 0.5
    beyond = (u_out - 1.0).clamp(min=0.0) - (u_in - 1.0).clamp(min=0.0)
    middle = ((u_in + u_out) * 0.5).clamp(0.0, 1.0)
    mean = torch.where(upright[..., None], middle, (inside + beyond) * inverse[..., None])
    return (y_out - y_in)[..., None] * mean


def _direction(x: Tensor, y: Tensor) -> Tensor:
    """1 or -1 (...): the sign that makes the signed area positive."""
    x, y = x.detach() - x.detach()[..., :1], y.detach() - y.detach()[..., :1]
    twice_area = (x * y.roll(-1, -1) - x.roll(-1, -1) * y).sum(-1)
    return torch.where(twice_area < 0.0, -1.0, 1.0).to(x.dtype)
