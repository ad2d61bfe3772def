"""Screening gives the residual and pose of the best rigid fit of two stretches."""

from __future__ import annotations

import numpy as np
import pytest

from sherd.bench.contour_suites import ContourCell, make_sample
from sherd.solvers.contours.outlines import Ring, outline_of
from sherd.solvers.contours.screen import make_windows, polynomials, screen


def ring_of(points: list[complex] | np.ndarray) -> Ring:
    z = np.asarray(points, dtype=np.complex128)
    return Ring(z, np.ones_like(z))


def test_polynomials_are_orthonormal_and_centred() -> None:
    basis = polynomials(31, 9)
    assert np.allclose(basis.T @ basis, np.eye(9))
    assert np.allclose(basis.sum(axis=0), 0.0)


@pytest.mark.parametrize("seed", range(5))
def test_a_stretch_is_found_on_the_other_side_of_the_break(seed: int) -> None:
    rng = np.random.default_rng(seed)
    wave = np.cumsum(rng.standard_normal(400) + 1j * rng.standard_normal(400))
    kernel = np.exp(-0.5 * (np.arange(-20, 21) / 6.0) ** 2)
    curve = np.convolve(wave, kernel, "valid")
    other = np.convolve(np.cumsum(rng.standard_normal(300) * (1 + 1j)), kernel, "valid")
    turn, shift = np.exp(1j * rng.uniform(0.0, 6.0)), complex(*rng.normal(0.0, 50.0, 2))
    # The second runs along the same break the other way, in a frame of its own.
    first = ring_of(np.concatenate([curve[100:200], other[:100]]))
    second = ring_of(np.concatenate([((curve[100:200] - shift) / turn)[::-1], other[100:200]]))
    windows = make_windows([(first,), (second,)], samples=61, degrees=12)
    found = screen(windows, np.array([[0, 1]]), softening=1e-3, least=1.0, most=50)
    best = int(found.likeness.argmax())
    assert abs(found.turns[best] - turn) < 1e-3
    assert abs(found.shifts[best] - shift) < 0.1
    assert abs(int(found.first_point[best]) + int(found.second_point[best]) - 200 - 99) <= 1


def test_an_outline_is_even_and_faces_outwards() -> None:
    cell = ContourCell(kind="jagged", pieces=(4, 4), input="binary-300")
    for fragment in make_sample(cell, 3, 0).puzzle.fragments:
        (ring,) = outline_of(fragment.polygon, spacing=0.01, smoothing=0.005)
        steps = np.abs(np.diff(ring.points, append=ring.points[:1]))
        assert steps.max() < 1.05 * np.median(steps)
        area = 0.5 * np.sum((ring.points.conj() * np.roll(ring.points, -1)).imag)
        assert abs(area / fragment.polygon.area - 1.0) < 0.02
        outwards = ring.points + 0.002 * ring.normals
        grown = 0.5 * np.sum((outwards.conj() * np.roll(outwards, -1)).imag)
        assert grown > area
        back = ring.reversed()
        assert np.array_equal(back.reversed().points, ring.points)
        assert np.array_equal(back.normals, -ring.normals[::-1])
