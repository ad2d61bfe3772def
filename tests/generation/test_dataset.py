"""Sets of puzzles: what a kind can be, and that merged pieces come with numbers of their own."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from PIL import Image

from sherd.core.errors import UnsupportedError
from sherd.core.geometry import Rotations
from sherd.core.metrics import measure
from sherd.generation.dataset import PuzzleKind, make_samples, painted_from, target_shape
from sherd.generation.shapes import named_shape
from sherd.generation.tangram import PIECES, SILHOUETTES, silhouette

FREE = Rotations(None)
STAR = PuzzleKind(shape=named_shape("star"), pieces=9, rotations=FREE, dissection="merged", mirror=True)


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
    with pytest.raises(ValueError, match="pieces that are cut from side to side are not mirrored"):
        PuzzleKind(mirror=True)
    with pytest.raises(ValueError, match="random order"):
        PuzzleKind(dissection="merged", order="random")
    with pytest.raises(ValueError, match=r"dissection must be one of cuts, merged, .*, not 'torn'"):
        PuzzleKind(dissection="torn")  # pyright: ignore[reportArgumentType]
    with pytest.raises(UnsupportedError, match="one puzzle at a time"):
        STAR.fragmentation  # noqa: B018


def tangrams(name: str, *, mirror: bool = False) -> PuzzleKind:
    shape = target_shape(name, "tangram")
    return PuzzleKind(shape=shape, pieces=7, rotations=FREE, dissection="tangram", mirror=mirror)


@pytest.mark.parametrize("mirror", [False, True])
@pytest.mark.parametrize("name", SILHOUETTES)
def test_a_set_of_tangrams_has_the_same_pieces_in_any_order(name: str, mirror: bool) -> None:
    kind = tangrams(name, mirror=mirror)
    whole = list(make_samples(kind, seed=3, stop=4))
    assert list(make_samples(kind, seed=3, start=2, stop=4)) == whole[2:]
    orders = [[fragment.id for fragment in sample.puzzle.fragments] for sample in whole]
    assert all(sorted(order) == sorted(PIECES) for order in orders)
    assert len({tuple(order) for order in orders}) > 1
    for sample in whole:
        assert sample.puzzle.target == silhouette(name)
        assert sample.puzzle.mirror is mirror
        assert measure(sample.truth, sample.puzzle).coverage >= 1.0 - 1e-9


def test_what_is_no_tangram_is_refused() -> None:
    with pytest.raises(ValueError, match="unknown silhouette 'star': choose square, triangle"):
        target_shape("star", "tangram")
    with pytest.raises(ValueError, match="unknown silhouette 'star'"):
        PuzzleKind(shape=named_shape("star"), pieces=7, rotations=FREE, dissection="tangram")
    with pytest.raises(ValueError, match="this arrow is not the silhouette of that name"):
        PuzzleKind(shape=named_shape("arrow"), pieces=7, rotations=FREE, dissection="tangram")
    with pytest.raises(ValueError, match="a tangram has 7 pieces, not 8"):
        replace(tangrams("cat"), pieces=8)
    with pytest.raises(ValueError, match="free to turn: rotations must not be 4"):
        replace(tangrams("cat"), rotations=Rotations(4))
    with pytest.raises(ValueError, match="random order"):
        replace(tangrams("cat"), order="random")
    with pytest.raises(UnsupportedError, match="one puzzle at a time"):
        tangrams("cat").fragmentation  # noqa: B018


def test_strength_multiplies_what_damage_takes_away() -> None:
    lost: list[float] = []
    for strength in (0.5, 1.0, 2.0):
        kind = PuzzleKind(degradation="eroded", strength=strength)
        samples = list(make_samples(kind, seed=3, stop=20))
        lost.append(sum(1.0 - sum(f.polygon.area for f in s.puzzle.fragments) for s in samples))
    # Twice as deep along all edges; chips, which grow by their square, are the smaller part.
    assert 1.5 < lost[1] / lost[0] < 4.0
    assert 1.5 < lost[2] / lost[1] < 4.0


def test_the_usual_strength_changes_no_bit() -> None:
    for degradation in ("eroded", "distorted"):
        kind = PuzzleKind(degradation=degradation)
        usual, said = (make_samples(one, seed=3, stop=3) for one in (kind, replace(kind, strength=1.0)))
        assert list(usual) == list(said)
    with pytest.raises(ValueError, match="strength must be 1 unless pieces are eroded or distorted"):
        PuzzleKind(degradation="missing", strength=2.0)
    with pytest.raises(ValueError, match="strength must be above 0 and at most 5, not "):
        PuzzleKind(degradation="distorted", strength=5.5)


def test_images_to_test_on_are_of_other_pictures_than_those_to_train_on(tmp_path: Path) -> None:
    for picture in ("boat", "cat", "dog-big", "owl", "sea", "yak"):
        for number in range(3):
            Image.new("RGB", (8, 8)).save(tmp_path / f"{picture}-{number:02d}.png")
    train, test = (painted_from(f"{tmp_path}", part) for part in ("train", "test"))
    assert (len(train), len(test)) == (12, 6)  # two of six
    assert not {path.stem[:-3] for path in train} & {path.stem[:-3] for path in test}
    assert sorted(train + test) == painted_from(f"{tmp_path}")
    for path in tmp_path.glob("[!b]*"):
        path.unlink()
    with pytest.raises(ValueError, match="all images are of one picture, so that none can be kept"):
        painted_from(f"{tmp_path}", "test")
