"""Transforms in SVG attributes."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sherd.io.drawings.curves import Affine
from sherd.io.drawings.svg_values import transform


@given(st.lists(st.sampled_from(["translate(3,-2)", "rotate(30)", "scale(2 3)", "skewY(10)"]), max_size=5))
def test_transforms_apply_from_the_right(names: list[str]) -> None:
    point = np.array([1.5, -0.5])
    expected = point
    for name in reversed(names):
        expected = transform(name)(expected)
    assert np.allclose(transform(" ".join(names))(point), expected)
    assert np.allclose((transform(" ".join(names)) @ Affine())(point), expected)
