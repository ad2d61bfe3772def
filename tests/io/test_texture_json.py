"""Paint in puzzle files."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sherd.core.errors import FileFormatError
from sherd.core.puzzle import Sample
from sherd.generation.painting import paint
from sherd.generation.patterns import PROCEDURAL
from sherd.io import (
    puzzle_to_json,
    puzzle_to_line,
)
from sherd.io.document import Document
from sherd.io.puzzle_files import puzzle_from_json

from .conftest import through_text


def test_paint_comes_back_as_it_was(two_halves: Sample, rng: np.random.Generator) -> None:
    painted = paint(two_halves, PROCEDURAL["marble"](32, rng), size_px=32)
    back = through_text(painted)
    assert isinstance(back, Sample)
    for before, after in zip(
        (painted.puzzle, *painted.puzzle.fragments), (back.puzzle, *back.puzzle.fragments), strict=True
    ):
        assert before.texture is not None
        assert after.texture is not None
        assert after.texture.grid == before.texture.grid
        assert np.array_equal(after.texture.image, before.texture.image)
    assert puzzle_to_line(back) == puzzle_to_line(painted)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"png": "?"}, r"texture\.png: not base64"),
        ({"png": "aGVsbG8="}, r"texture\.png: the texture is not a readable PNG"),
        ({"size_px": 31}, r"texture\.png: the texture has 32 x 32 pixels, not 31 x 31"),
        ({"size_px": 0}, r"texture\.size_px: expected a whole number from 1 to"),
        ({"pixel": 0}, r"texture\.pixel: a pixel's size must be above 0"),
    ],
)
def test_bad_paint_is_refused(
    two_halves: Sample, rng: np.random.Generator, change: dict[str, Any], reason: str
) -> None:
    document = puzzle_to_json(paint(two_halves, PROCEDURAL["noise"](32, rng), size_px=32))
    document["texture"].update(change)
    with pytest.raises(FileFormatError, match=reason):
        Document(Path("memory"), 1, json.dumps(document)).read(puzzle_from_json)
