"""Sets of puzzles: what a kind can be, and that merged pieces come with numbers of their own."""

from __future__ import annotations

import pytest

from sherd.dataset import PuzzleKind, make_samples
from sherd.errors import UnsupportedError
from sherd.geometry import Rotations
from sherd.metrics import measure
from sherd.shapes import named_shape

STAR = PuzzleKind(
    shape=named_shape("star"), pieces=9, rotations=Rotations(None), dissection="merged", mirror=True
)


def test_a_merged_set_is_the_same_wherever_it_is_entered() -> None:
    whole = list(make_samples(STAR, seed=3, stop=5))
    assert list(make_samples(STAR, seed=3, start=3, stop=5)) == whole[3:]
    assert list(make_samples(STAR, seed=4, stop=1)) != whole[:1]
    for sample in whole:
        assert len(sample.puzzle.fragments) == 9
        assert sample.puzzle.mirror
        assert measure(sample.truth, sample.puzzle).coverage >= 1.0 - 1e-9


def test_merged_pieces_can_be_damaged_and_painted() -> None:
    kind = PuzzleKind(pieces=6, dissection="merged", degradation="missing", texture="marble")
    (sample,) = make_samples(kind, seed=0, stop=1)
    assert len(sample.puzzle.fragments) == 5
    assert all(fragment.texture is not None for fragment in sample.puzzle.fragments)


def test_what_does_not_go_together_is_said() -> None:
    with pytest.raises(ValueError, match="star is not convex"):
        PuzzleKind(shape=named_shape("star"))
    with pytest.raises(ValueError, match="only merged pieces are mirrored"):
        PuzzleKind(mirror=True)
    with pytest.raises(ValueError, match="random order"):
        PuzzleKind(dissection="merged", order="random")
    with pytest.raises(ValueError, match="dissection must be one of cuts, merged, not 'torn'"):
        PuzzleKind(dissection="torn")  # pyright: ignore[reportArgumentType]
    with pytest.raises(UnsupportedError, match="one puzzle at a time"):
        STAR.fragmentation  # noqa: B018
