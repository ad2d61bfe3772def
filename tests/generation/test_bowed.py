"""Arcs between two points."""

from __future__ import annotations

import numpy as np
import pytest

from sherd.generation.bowed import arc


def test_an_arc_is_part_of_a_circle() -> None:
    points = arc(np.array([1.0, 2.0]), np.array([3.0, 1.0]), -0.3, 0.05)
    chord = np.hypot(2.0, 1.0)
    radius = chord * (0.25 + 0.3**2) / (2.0 * 0.3)
    toward = np.array([-1.0, -2.0]) / chord  # to the right of the chord
    middle = np.array([2.0, 1.5]) - (radius - 0.3 * chord) * toward
    assert np.hypot(*(points - middle).T) == pytest.approx(radius)
