"""What the name of a frame says, and what it cannot say."""

from __future__ import annotations

import pytest

from sherd.core.errors import ArgumentError
from sherd.generation.frame_words import LATTICE_SHAPES, FrameWords


def test_plain_names_say_no_more_than_their_kind() -> None:
    assert [FrameWords.of(name) for name in LATTICE_SHAPES] == [FrameWords(name) for name in LATTICE_SHAPES]


def test_words_are_read_in_any_order() -> None:
    told = FrameWords("rectilinear", (60, 40), 12)
    assert FrameWords.of("rectilinear:60x40+corners-12") == told
    assert FrameWords.of("rectilinear:corners-12+60x40") == told
    assert FrameWords.of("frame:convex") == FrameWords("frame", convex=True)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("fram", "unknown frame 'fram'"),
        ("frame:big", "'big' says nothing of frame"),
        ("equal:corners-12", "'corners-12' says nothing of equal"),
        ("rectilinear:corners-5", "an even number of corners, not 5"),
        ("rectilinear:convex", "'convex' says nothing of rectilinear"),
        ("6x10:corners-5", "'corners-5' says nothing of 6x10"),
        ("frame:101x65", "a box must be 20x20 to 100x65, not 101x65"),
        ("frame:10x40", "a box must be 20x20 to 100x65, not 10x40"),
        ("frame:corners-46", "4 to 45 corners, not 46"),
        ("frame:convex+corners-9", "convex pieces fill a box of 4 corners"),
    ],
)
def test_what_makes_no_frame_is_refused(name: str, why: str) -> None:
    with pytest.raises(ArgumentError, match=why):
        FrameWords.of(name)
