"""What can be said about a file of shapes."""

from __future__ import annotations

import math
from typing import Any

import pytest

from sherd.io.drawings.params import ReadParams


@pytest.mark.parametrize(
    ("wrong", "words"),
    [
        ({"unit": "ell"}, "unknown unit 'ell'"),
        ({"mm_per_px": 0.0}, "mm_per_px must be above 0, not 0"),
        ({"flatten": math.nan}, "flatten must be above 0, not nan"),
        ({"gap": -1.0}, "gap must be at least 0, not -1"),
        ({"gap": math.inf}, "gap must be at least 0"),
        ({"nested": "both"}, "nested must be one of holes, pieces"),
        ({"doubles": "both"}, "doubles must be one of drop, keep"),
        ({"picture": "painting"}, "picture must be one of"),
    ],
)
def test_bad_values_are_named(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(ValueError, match=words):
        ReadParams(**wrong)


def test_no_gap_at_all_and_every_unit_are_allowed() -> None:
    assert ReadParams(gap=0.0, unit="in", nested="pieces", doubles="keep", picture="alpha").gap == 0.0
