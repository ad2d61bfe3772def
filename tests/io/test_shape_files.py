"""Shapes of one's own."""

from __future__ import annotations

from pathlib import Path

import pytest

from sherd.core.errors import FileFormatError
from sherd.core.puzzle import Sample
from sherd.io import puzzle_to_line, read_shape


def test_a_shape_of_ones_own(tmp_path: Path, two_halves: Sample) -> None:
    (tmp_path / "kite.json").write_text('{"exterior": [[0, 0], [2, -1], [3, 0], [2, 1]]}')
    shape = read_shape(tmp_path / "kite.json")
    assert (shape.name, shape.outline.area) == ("kite", 3.0)
    (tmp_path / "set.jsonl").write_text(puzzle_to_line(two_halves))
    assert read_shape(tmp_path / "set.jsonl").outline == two_halves.puzzle.target


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ('{"exterior": [[0, 0], [2, 0]]}', "fewer than 3"),
        ('{"exterior": [[0, 0], [2, 0], [0, 1]], "holes": []}', 'unknown key "holes"'),
        ("{}", "the key 'exterior' is missing"),
        ("[]", "expected an object"),
    ],
)
def test_bad_shapes_are_refused(tmp_path: Path, text: str, reason: str) -> None:
    (tmp_path / "a.json").write_text(text)
    with pytest.raises(FileFormatError, match=rf"a\.json:1: .*{reason}"):
        read_shape(tmp_path / "a.json")
