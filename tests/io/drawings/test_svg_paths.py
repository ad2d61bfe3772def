"""Path data of SVG: what it means, and what is refused."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from sherd.io.drawings.svg_paths import path_data

from .conftest import only, same, svg_drawing


def test_quadratics_and_their_reflections(tmp_path: Path) -> None:
    written_out = only(svg_drawing(tmp_path, '<path d="M0 10Q10 0 20 10Q30 20 40 10V40H0z"/>'))
    assert same(only(svg_drawing(tmp_path, '<path d="M0 10Q10 0 20 10T40 10V40H0z"/>')), written_out)
    assert same(only(svg_drawing(tmp_path, '<path d="M0 10q10-10 20 0t20 0v30h-40z"/>')), written_out)


def test_path_data_that_breaks() -> None:
    for text in (
        "L1 1",
        "M0",
        "M0 0 X",
        "M0 0 5",
        "M0 0 A1 1 0 2 0 5 5",
        "M0 0 L1e999 0",
        "Z",
        "M0 0zL",
        "M0 0z 5",
    ):
        with pytest.raises(ValueError, match=r"path data|is not"):
            path_data(text)
    assert path_data("") == []


@pytest.mark.parametrize(
    ("text", "end"),
    [
        ("M0 0L1.e2 010", (100.0, 10.0)),
        ("M0 0L1.5.5", (1.5, 0.5)),
        ("M0 0A5 5 0 0\n1 6 6", (6.0, 6.0)),
        ("M0 0a5,5,0,016-6", (6.0, -6.0)),
        ("M1 2l3,4-5\t6", (-1.0, 12.0)),
        ("m1 2m3 4h1", (5.0, 6.0)),
    ],
)
def test_numbers_in_every_spelling(text: str, end: tuple[float, float]) -> None:
    assert tuple(path_data(text)[-1].flattened(0.1)[-1].tolist()) == end


@pytest.mark.parametrize("far", [0.0, 1e6])
def test_half_circles_are_exact_however_far_away(far: float) -> None:
    (path,) = path_data(f"M{far} {far}a1 1 0 0 1 2 0a1 1 0 0 1 -2 0z")
    assert np.hypot(*(path.flattened(1e-4) - (far + 1.0, far)).T) == pytest.approx(1.0, abs=1e-9)


def test_arcs_that_are_straight_or_nothing() -> None:
    (path,) = path_data("M0 0A0 5 0 0 1 4 0A9 9 0 0 1 4 0V3z")
    assert path.flattened(0.1).tolist() == [[0, 0], [4, 0], [4, 0], [4, 3], [0, 0]]
    with pytest.raises(ValueError, match="too large or too small"):
        path_data("M0 0A1e-200 1e-200 0 0 0 5 5")


def test_a_drawing_goes_on_where_a_path_was_closed() -> None:
    first, second = path_data("M1 1h2v2zl-1-1v-1z")
    assert second.flattened(0.1).tolist() == [[1, 1], [0, 0], [0, -1], [1, 1]]
    assert first.closed
    assert second.closed


def test_long_rows_of_digits_are_refused_at_once() -> None:
    with pytest.raises(ValueError, match="numbers of an arc") as caught:
        path_data("M0 0A" + "1" * 100_000)
    assert len(str(caught.value)) < 100
