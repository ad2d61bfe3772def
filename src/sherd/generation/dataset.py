"""A kind of puzzle and the set that a seed makes of it: what is generated, trained on and measured.

Puzzle number k of a set and all that is random about it come from the seed and k alone.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal, get_args

import numpy as np

from sherd.core.errors import ArgumentError, UnsupportedError
from sherd.core.geometry import FIXED, Rotations
from sherd.core.puzzle import Sample
from sherd.generation.bowed import BowedParams
from sherd.generation.broken import BrokenParams
from sherd.generation.cracks import CracksParams
from sherd.generation.crosscut import CrosscutParams
from sherd.generation.degradation import DEGRADATIONS, DegradationParams, Kind, degrade, jitter
from sherd.generation.fractal import JAGGED
from sherd.generation.fracture import Fracture, fractured
from sherd.generation.fragmentation import BLOCK, FragmentationParams, Order, generate_arrays
from sherd.generation.jigsaw import JigsawParams, rows_and_columns
from sherd.generation.lattice import LatticeParams, frame_outline, lattice
from sherd.generation.merged_parts import DissectionParams, dissect
from sherd.generation.observation import observation
from sherd.generation.observed import Observed, observe
from sherd.generation.painting import paint
from sherd.generation.patterns import PROCEDURAL, images_in, load_image
from sherd.generation.sectors import SectorsParams, rings_for
from sherd.generation.shapes import SHAPES, Shape, named_shape
from sherd.generation.tangram import PIECES, silhouette, tangram
from sherd.generation.voronoi import VoronoiParams

# Sets the random streams of this module apart from those that fragmentation draws from the same seed.
STREAM = 0x64616D67
DISSECTION_STREAM = 0x64697373
SEEN_STREAM = 0x7365656E
# Foreign pieces come from the set of another seed, below this.
MOST_SEED = 2**62
TEXTURE_PX = 128
# A vertex moved by more than this share of the side leaves no puzzle worth the name.
MOST_NOISE = 0.1
NO_DEGRADATION = "none"
# How a target comes apart: cut from side to side into convex pieces, with neighbours merged again, into the
# seven pieces of the tangram, with corners on a grid, or in one of the ways of `sherd.generation.fracture`.
Dissection = Literal[
    "cuts",
    "merged",
    "tangram",
    "lattice",
    "broken",
    "cracks",
    "bowed",
    "jigsaw",
    "sectors",
    "voronoi",
    "crosscut",
]
# The kinds of damage that can be stronger or weaker.
GRADED = ("eroded", "distorted")
# Chips of a quarter of the side.
MOST_STRENGTH = 5.0
# Of a folder of images: all, those to train on, or those that are held out.
Images = Literal["all", "train", "test"]
IMAGES_SEED = 0
CUTS: Dissection = "cuts"
TANGRAM: Dissection = "tangram"
MERGED: Dissection = "merged"
LATTICE: Dissection = "lattice"
SQUARE = SHAPES["square"]()


@dataclass(frozen=True, kw_only=True)
class PuzzleKind:
    """What the puzzles of a set have in common.

    ``strength`` multiplies the lengths of `DegradationParams` where pieces are eroded or distorted.
    ``noise`` moves every vertex by that share of the target's side. ``texture`` names a built-in
    texture or a folder of images, of which ``images`` says whether all may be drawn, or only those that are
    for training or for testing. Merged pieces are of any shape, as may be their target, and may be
    mirrored; they have no other order of assembly than from bottom to top. So may the seven pieces of a
    tangram, which are free to turn; its shape is a silhouette (see `target_shape`). Of the ways in which a
    target breaks, ``roughness`` says how jagged broken and cracked edges are, None what is usual for them,
    and ``straight`` which share of breaks are straight cuts instead.
    """

    shape: Shape = SQUARE
    pieces: int = 8
    rotations: Rotations = FIXED
    order: Order = "bottom-left"
    degradation: Kind = NO_DEGRADATION
    strength: float = 1.0
    noise: float = 0.0
    texture: str | None = None
    images: Images = "all"
    dissection: Dissection = CUTS
    mirror: bool = False
    roughness: float | None = None
    straight: float = 0.0

    def __post_init__(self) -> None:
        FragmentationParams(pieces=self.pieces, rotations=self.rotations, order=self.order)  # checks them
        if self.dissection not in get_args(Dissection):
            known = ", ".join(get_args(Dissection))
            raise ArgumentError(f"dissection must be one of {known}, not {self.dissection!r}")
        if self.dissection == CUTS:
            if not self.shape.is_convex:
                raise ArgumentError(
                    f"{self.shape.name} is not convex, and such shapes have merged or broken pieces only: "
                    "the dissection must be merged, broken, cracks, bowed or voronoi"
                )
            if self.mirror:
                raise ArgumentError("pieces that are cut from side to side are not mirrored")
        elif self.order != "bottom-left":
            raise ArgumentError(f"{self.dissection} pieces are not in random order")
        elif self.dissection == TANGRAM:
            self._check_tangram()
        elif self.dissection == LATTICE:
            self.on_grid  # noqa: B018  (checks the frame and the number of pieces)
        elif self.dissection != MERGED:
            self.fracture  # noqa: B018  (checks the number of pieces and their edges)
        else:
            self.dissected  # noqa: B018  (checks the number of pieces)
        if self.roughness is not None and self.dissection not in ("broken", "cracks"):
            raise ArgumentError(f"roughness is of broken or cracked pieces, not of {self.dissection}")
        if self.straight and self.dissection != "broken":
            raise ArgumentError(f"straight is of broken pieces, not of {self.dissection}")
        if self.degradation != NO_DEGRADATION and self.degradation not in DEGRADATIONS:
            known = ", ".join((NO_DEGRADATION, *DEGRADATIONS))
            raise ArgumentError(f"degradation must be one of {known}, not {self.degradation!r}")
        if self.strength != 1.0 and self.degradation not in GRADED:
            graded = " or ".join(GRADED)
            raise ArgumentError(f"strength must be 1 unless pieces are {graded}, not {self.strength}")
        if not 0.0 < self.strength <= MOST_STRENGTH:
            raise ArgumentError(
                f"strength must be above 0 and at most {MOST_STRENGTH:g}, not {self.strength}"
            )
        if not 0.0 <= self.noise <= MOST_NOISE:
            raise ArgumentError(f"noise must be between 0 and {MOST_NOISE} of the side, not {self.noise}")

    def _check_tangram(self) -> None:
        if self.shape.outline != silhouette(self.shape.name):
            raise ArgumentError(f"this {self.shape.name} is not the silhouette of that name")
        if self.pieces != len(PIECES):
            raise ArgumentError(f"a tangram has {len(PIECES)} pieces, not {self.pieces}")
        if self.rotations.bins is not None:
            raise ArgumentError(
                f"the pieces of a tangram are free to turn: rotations must not be {self.rotations}"
            )

    @property
    def fragmentation(self) -> FragmentationParams:
        """How the target is cut."""
        if self.dissection != CUTS:
            raise UnsupportedError(f"{self.dissection} pieces come one puzzle at a time, not as arrays")
        return FragmentationParams(pieces=self.pieces, rotations=self.rotations, order=self.order)

    @property
    def dissected(self) -> DissectionParams:
        """How the target is cut and merged."""
        return DissectionParams(
            pieces=self.pieces,
            rotations=self.rotations,
            mirror=self.mirror,
            axis_aligned=self.shape.axis_aligned,
        )

    @property
    def on_grid(self) -> LatticeParams:
        """How a frame is cut on a grid."""
        return LatticeParams(
            name=self.shape.name, pieces=self.pieces, rotations=self.rotations, mirror=self.mirror
        )

    @property
    def fracture(self) -> Fracture:
        """How the target breaks."""
        match self.dissection:
            case "broken":
                roughness = JAGGED if self.roughness is None else self.roughness
                return BrokenParams(pieces=self.pieces, roughness=roughness, straight=self.straight)
            case "cracks":
                return CracksParams(pieces=self.pieces, roughness=self.roughness or 0.0)
            case "bowed":
                return BowedParams(pieces=self.pieces)
            case "jigsaw":
                low_x, low_y, high_x, high_y = self.shape.outline.bounds
                rows, columns = rows_and_columns(self.pieces, high_x - low_x, high_y - low_y)
                return JigsawParams(rows=rows, columns=columns)
            case "sectors":
                return SectorsParams(pieces=self.pieces, rings=rings_for(self.pieces))
            case "voronoi":
                return VoronoiParams(pieces=self.pieces)
            case "crosscut":
                return CrosscutParams(pieces=self.pieces)
            case _:
                raise UnsupportedError(f"{self.dissection} pieces are not broken ones")

    @property
    def damage(self) -> DegradationParams:
        """How hard the pieces are hit."""
        return DegradationParams().times(self.strength)

    @property
    def is_plain(self) -> bool:
        """Whether the puzzles are just as they are cut: neither damaged nor painted."""
        return self.degradation == NO_DEGRADATION and not self.noise and self.texture is None


def target_shape(name: str, dissection: Dissection) -> Shape:
    """The shape of that name, which for a tangram is a silhouette, and on a grid a kind of frame.

    >>> len(target_shape("arrow", "merged").vertices), len(target_shape("arrow", "tangram").vertices)
    (8, 7)
    """
    if dissection == LATTICE:
        return Shape(name, frame_outline(name))
    return Shape(name, silhouette(name)) if dissection == TANGRAM else named_shape(name)


def make_samples(kind: PuzzleKind, *, seed: int, start: int = 0, stop: int) -> Iterator[Sample]:
    """Puzzles ``start`` to ``stop`` of the set that this seed makes, damaged and painted as asked."""
    images = painted_from(kind.texture, kind.images)
    make = _cut if kind.dissection == CUTS else _dissect
    for number, sample in enumerate(make(kind, seed, start, stop), start=start):
        yield sample if kind.is_plain else _finish(sample, kind, images, [seed, STREAM, number])


def make_observed(kind: PuzzleKind, seen: str, *, seed: int, start: int = 0, stop: int) -> Iterator[Observed]:
    """The same puzzles as they are seen, in the words of `observation`; foreign pieces come from another."""
    way = kind.fracture if kind.dissection == "jigsaw" else None
    params = observation(seen, max(way.rows, way.columns) if isinstance(way, JigsawParams) else 1)
    for number, sample in enumerate(make_samples(kind, seed=seed, start=start, stop=stop), start=start):

        def other(rng: np.random.Generator) -> Sample:
            return next(make_samples(kind, seed=int(rng.integers(MOST_SEED)), stop=1))

        yield observe(sample, params, np.random.default_rng([seed, SEEN_STREAM, number]), other)


def _cut(kind: PuzzleKind, seed: int, start: int, stop: int) -> Iterator[Sample]:
    for first in range(start, stop, BLOCK):
        last = min(first + BLOCK, stop)
        yield from generate_arrays(
            kind.shape, kind.fragmentation, seed=seed, start=first, stop=last
        ).samples()


def _dissect(kind: PuzzleKind, seed: int, start: int, stop: int) -> Iterator[Sample]:
    for number in range(start, stop):
        rng = np.random.default_rng([seed, DISSECTION_STREAM, number])
        if kind.dissection == TANGRAM:
            yield _shuffled(tangram(kind.shape.name, rng, mirror=kind.mirror), rng)
        elif kind.dissection == LATTICE:
            yield lattice(kind.on_grid, rng)
        elif kind.dissection == MERGED:
            yield dissect(kind.shape.outline, kind.dissected, rng)
        else:
            yield fractured(
                kind.shape.outline, kind.fracture, rng, rotations=kind.rotations, mirror=kind.mirror
            )


def _shuffled(sample: Sample, rng: np.random.Generator) -> Sample:
    """The same puzzle with its pieces in another order."""
    fragments = sample.puzzle.fragments
    order: list[int] = rng.permutation(len(fragments)).tolist()
    return replace(sample, puzzle=replace(sample.puzzle, fragments=tuple(fragments[k] for k in order)))


def _finish(sample: Sample, kind: PuzzleKind, images: list[Path], entropy: list[int]) -> Sample:
    damage_rng, noise_rng, texture_rng = np.random.default_rng(entropy).spawn(3)
    sample = degrade(sample, kind.degradation, kind.damage, damage_rng)
    if kind.noise:
        sample = jitter(sample, kind.noise, noise_rng)
    if images:
        sample = paint(sample, load_image(images[texture_rng.integers(len(images))]), size_px=TEXTURE_PX)
    elif kind.texture is not None:
        sample = paint(sample, PROCEDURAL[kind.texture](TEXTURE_PX, texture_rng), size_px=TEXTURE_PX)
    return sample


def painted_from(texture: str | None, part: Images = "all") -> list[Path]:
    """The images of the folder that ``texture`` names, or a part of them; none for a built-in texture.

    A fifth is kept for testing, whatever the seed of the puzzles. Images whose names agree up to their last
    hyphen are cut from the same picture, and are kept together.
    """
    if texture is None or texture in PROCEDURAL:
        return []
    if not Path(texture).is_dir():
        known = ", ".join(PROCEDURAL)
        raise ArgumentError(f"texture {texture!r} is neither built in ({known}) nor a folder of images")
    images = images_in(Path(texture))
    if part == "all":
        return images
    sources = sorted({_source(image) for image in images})
    if len(sources) < 2:
        raise ArgumentError(f"{texture}: all images are of one picture, so that none can be kept for testing")
    shuffled: list[int] = np.random.default_rng(IMAGES_SEED).permutation(len(sources)).tolist()
    held_out = {sources[k] for k in shuffled[: -(-len(sources) // 5)]}
    return [image for image in images if (_source(image) in held_out) == (part == "test")]


def _source(image: Path) -> str:
    """The picture that an image is of, by its name."""
    return image.stem.rpartition("-")[0] or image.stem
