"""What is seen, in words."""

from __future__ import annotations

import pytest

from sherd.core.puzzle import Sample
from sherd.generation.dataset import PuzzleKind, make_observed, make_samples
from sherd.generation.observation import observation
from sherd.generation.observed import EXACT, ObservedParams


def test_words_for_what_is_seen_are_read() -> None:
    assert observation("exact") == EXACT
    assert observation("moved-0.05").moved == pytest.approx(0.0005)
    assert observation("worn-2+foreign-2") == ObservedParams(worn=0.02, foreign=2)
    assert observation("grey-100-a-piece", 6) == ObservedParams(scan_px=600)


@pytest.mark.parametrize("word", ["blurred", "binary", "level-5", "missing-0.5", "worn-x", "exact+torn-1"])
def test_unknown_words_are_refused(word: str) -> None:
    with pytest.raises(ValueError, match="is unknown: exact, or moved-P"):
        observation(word)


TORN = PuzzleKind(pieces=6, dissection="broken")


def test_the_puzzles_of_a_set_are_seen_the_same_way_whatever_part_is_asked_for() -> None:
    seen = list(make_observed(TORN, "binary-200+missing-1", seed=3, stop=3))
    assert seen[1:] == list(make_observed(TORN, "binary-200+missing-1", seed=3, start=1, stop=3))
    exact = list(make_samples(TORN, seed=3, stop=3))
    for one, whole in zip(seen, exact, strict=True):
        assert one.puzzle.target == whole.puzzle.target
        assert len(one.truth) == len(one.puzzle.fragments) == 5
        assert Sample(one.puzzle, one.truth).puzzle == one.puzzle


def test_foreign_pieces_come_from_a_puzzle_of_the_same_kind() -> None:
    (seen,) = make_observed(TORN, "foreign-2", seed=3, stop=1)
    assert (len(seen.puzzle.fragments), len(seen.foreign)) == (8, 2)


def test_a_piece_of_a_jigsaw_has_so_many_pixels() -> None:
    kind = PuzzleKind(pieces=6, dissection="jigsaw")
    (coarse,) = make_observed(kind, "binary-40-a-piece", seed=3, stop=1)
    (same,) = make_observed(kind, "binary-120", seed=3, stop=1)
    assert coarse == same
