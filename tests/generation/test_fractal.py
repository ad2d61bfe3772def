"""Fractal lines."""

from __future__ import annotations

import numpy as np

from sherd.generation.fractal import fractal_line

START, END = np.zeros(2), np.array([1.0, 0.0])


def test_rough_lines_are_longer_than_smooth_ones() -> None:
    def length(roughness: float) -> float:
        line = fractal_line(START, END, roughness, 0.01, np.random.default_rng(3))
        return float(np.hypot(*np.diff(line, axis=0).T).sum())

    assert length(0.1) > 1.05 * length(0.03)
    assert length(0.03) > length(0.0) == 1.0


def test_a_line_is_halved_until_its_stretches_are_short() -> None:
    line = fractal_line(START, END, 0.1, 0.01, np.random.default_rng(0))
    assert len(line) == 2**7 + 1
    assert (line[[0, -1]] == [START, END]).all()
    assert np.hypot(*np.diff(line, axis=0).T).max() < 0.02
