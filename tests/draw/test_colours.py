from __future__ import annotations

import itertools

import numpy as np
import pytest
from numpy.typing import NDArray

from sherd.core.geometry import LENGTH_TOLERANCE
from sherd.core.puzzle import Sample
from sherd.draw.colours import GAP, OVERLAP, PALETTE, piece_colours, shades
from sherd.generation.fragmentation import FragmentationParams, generate
from sherd.generation.shapes import named_shape

Floats = NDArray[np.float64]

# How linear RGB looks to people who lack one kind of cone (Machado, Oliveira and Fernandes 2009).
VISION = {
    "normal": np.eye(3),
    "protanopia": np.array(
        [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]]
    ),
    "deuteranopia": np.array(
        [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]]
    ),
    "tritanopia": np.array(
        [[1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.303900]]
    ),
}


def linear_rgb(colour: str) -> Floats:
    encoded = np.array(list(bytes.fromhex(colour[1:]))) / 255.0
    return np.where(encoded <= 0.04045, encoded / 12.92, ((encoded + 0.055) / 1.055) ** 2.4)


def oklab(rgb: Floats) -> Floats:
    """Ottosson's Oklab, in which equal distances look about equally different."""
    cones = np.array(
        [
            [0.4122214708, 0.5363325363, 0.0514459929],
            [0.2119034982, 0.6806995451, 0.1073969566],
            [0.0883024619, 0.2817188376, 0.6299787005],
        ]
    )
    opponents = np.array(
        [
            [0.2104542553, 0.7936177850, -0.0040720468],
            [1.9779984951, -2.4285922050, 0.4505937099],
            [0.0259040371, 0.7827717662, -0.8086757660],
        ]
    )
    return opponents @ np.cbrt(cones @ rgb)


def seen(colour: str, vision: str) -> Floats:
    return oklab(np.clip(VISION[vision] @ linear_rgb(colour), 0.0, 1.0))


@pytest.mark.parametrize("vision", VISION)
def test_piece_colours_stay_apart_for_every_kind_of_sight(vision: str) -> None:
    pairs = itertools.combinations(PALETTE, 2)
    nearest = min(float(np.linalg.norm(seen(a, vision) - seen(b, vision))) for a, b in pairs)
    assert nearest > 0.05  # about 0.02 can just be told apart side by side


@pytest.mark.parametrize("vision", VISION)
def test_flaws_stand_out_from_pieces_and_from_each_other_even_in_grey(vision: str) -> None:
    """Lightness alone tells them apart, so no colour vision is needed."""
    darkest_piece = min(seen(colour, vision)[0] for colour in PALETTE)
    overlap, gap = (seen(paint.fill or "", vision)[0] for paint in (OVERLAP, GAP))
    assert darkest_piece - max(overlap, gap) > 0.12
    assert np.linalg.norm(seen(OVERLAP.fill or "", vision) - seen(GAP.fill or "", vision)) > 0.05


@pytest.mark.parametrize("pieces", [8, 40])
def test_neighbours_differ(pieces: int) -> None:
    for sample in generate(named_shape("hexagon"), FragmentationParams(pieces=pieces), count=5, seed=3):
        colours = piece_colours(sample.puzzle, sample.truth)
        outlines = dict(zip((p.id for p in sample.truth), sample.puzzle.placed(sample.truth), strict=True))
        for a, b in itertools.combinations(outlines, 2):
            if outlines[a].distance(outlines[b]) <= LENGTH_TOLERANCE:
                assert colours[a] != colours[b]


def test_colours_do_not_depend_on_the_assembly_when_there_are_enough(square_of_four: Sample) -> None:
    puzzle = square_of_four.puzzle
    assert piece_colours(puzzle) == piece_colours(puzzle, square_of_four.truth)
    assert set(piece_colours(puzzle)) == {"a", "b", "c", "d"}


def test_a_piece_has_its_colour_in_all_pictures() -> None:
    """Where a neighbour has it too, a paler one of the same."""
    (sample,) = generate(named_shape("hexagon"), FragmentationParams(pieces=40), count=1, seed=3)
    alone, together = piece_colours(sample.puzzle), piece_colours(sample.puzzle, sample.truth)
    assert list(alone.values())[:8] == list(PALETTE)
    for rank, fragment in enumerate(sample.puzzle.fragments):
        assert alone[fragment.id] == PALETTE[rank % len(PALETTE)]
        assert together[fragment.id] in shades(rank)
    assert alone != together
