"""Figures, drawings and their names."""

from __future__ import annotations

import shapely

from sherd.io.drawings.model import Drawing, Figure, unique_names

BOX = shapely.box(0, 0, 2, 1)


def test_a_figure_is_the_target_by_its_own_name_or_a_group_around_it() -> None:
    figures = (Figure("a", BOX, ("Target ", "b")), Figure("TARGET", BOX), Figure("targets", BOX, ("x", "y")))
    drawing = Drawing("file", figures)
    assert drawing.targets == figures[:2]
    assert drawing.pieces == figures[2:]
    assert [figure.layer for figure in figures] == ["Target ", "", "x"]


def test_lengths_are_scaled_and_the_unit_goes_with_them() -> None:
    scaled = Drawing("file", (Figure("a", BOX),), notes=("closed",)).scaled(25.4, "mm")
    assert scaled.figures[0].polygon.bounds == (0.0, 0.0, 50.8, 25.4)
    assert (scaled.unit, scaled.notes) == ("mm", ("closed",))


def test_names_are_unique_even_where_a_made_up_one_is_taken() -> None:
    assert [*unique_names(["", "piece 1", "", "piece 1"])] == ["piece 1", "piece 1.2", "piece 3", "piece 1.3"]
    assert all(len(name) <= 200 for name in unique_names(["x" * 5000] * 3))
