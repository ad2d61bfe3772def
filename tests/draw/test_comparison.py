"""Tables of assemblies."""

from __future__ import annotations

import pytest

from sherd.core.assembly import Assembly
from sherd.core.puzzle import Sample
from sherd.draw.comparison import Compared, draw_comparison
from sherd.draw.scene import Area, Text


def test_rows_and_columns_are_named_and_every_piece_has_an_id_of_its_own(two_halves: Sample) -> None:
    whole = Compared(two_halves.puzzle, two_halves.truth, "100 %")
    empty = Compared(two_halves.puzzle, Assembly())
    picture = draw_comparison({"first": [whole, whole], "second": [empty, whole]}, columns=["a", "b"])
    texts = [item.text for layer in picture.layers for item in layer.items if isinstance(item, Text)]
    assert {"first", "second", "a", "b", "100 %"} <= {*texts}
    ids = [item.id for layer in picture.layers for item in layer.items if isinstance(item, Area) and item.id]
    assert sorted(ids) == sorted(
        f"entry{row}.{column}-{name}"
        for row, column in ((1, 1), (1, 2), (2, 2))
        for name in ("left", "right")
    )
    assert picture.title == "A comparison of first, second"


def test_what_makes_no_table_is_refused(two_halves: Sample) -> None:
    with pytest.raises(ValueError, match="at least one assembly"):
        draw_comparison({"first": []})
    with pytest.raises(ValueError, match="1 columns need as many headings, not 2"):
        draw_comparison({"first": [Compared(two_halves.puzzle, two_halves.truth)]}, columns=["a", "b"])
