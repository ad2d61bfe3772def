"""Frozen test sets, made anew by anyone and told by their hashes, so that people's figures compare.

Each set is two files: ``NAME.jsonl``, what a solver may read, and ``NAME.truth.jsonl``, the same puzzles with
their answers, for `sherd score`. The ids of pieces hold the set and the puzzle, so that an answer to another
puzzle is never scored by mistake. The sets of a seed below 9,000 were looked at; these are for nothing else.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from pathlib import Path

from sherd.core.assembly import Assembly
from sherd.core.errors import ArgumentError, FileFormatError
from sherd.core.geometry import Rotations
from sherd.core.puzzle import Puzzle, Sample
from sherd.generation.dataset import (
    CUTS,
    NO_DEGRADATION,
    Dissection,
    PuzzleKind,
    make_observed,
    make_samples,
    target_shape,
)
from sherd.generation.degradation import Kind
from sherd.generation.tangram import SILHOUETTES
from sherd.io.atomic import write_atomically
from sherd.io.puzzle_files import puzzle_to_line

SEED = 9000
FREE = Rotations(None)
EXACT = "exact"
QUESTION, TRUTH = ".jsonl", ".truth.jsonl"


@dataclass(frozen=True, kw_only=True)
class PublicSet:
    """Some puzzles of each kind, how pieces are seen, and whether the solver is given the target."""

    about: str
    kinds: tuple[PuzzleKind, ...]
    each: int = 24
    seen: str = EXACT
    target: bool = True

    @property
    def told(self) -> str:
        """What a solver of the set is told."""
        outlines = {EXACT: "exact outlines", "grey-128": "outlines traced from grey masks of 128 px"}
        shown = outlines.get(self.seen, f"outlines seen as {self.seen}")
        return f"{'target' if self.target else 'no target'}, {shown}, no colour"


def _kind(
    shape: str,
    pieces: int,
    dissection: Dissection = CUTS,
    *,
    rotations: Rotations = FREE,
    degradation: Kind = NO_DEGRADATION,
    mirror: bool = False,
) -> PuzzleKind:
    return PuzzleKind(
        shape=target_shape(shape, dissection),
        pieces=pieces,
        rotations=rotations,
        degradation=degradation,
        dissection=dissection,
        mirror=mirror,
    )


PUBLIC_SETS = {
    "hexagon-8": PublicSet(about="a hexagon in 8 convex pieces", kinds=(_kind("hexagon", 8),)),
    "square-32": PublicSet(about="a square in 32 convex pieces", kinds=(_kind("square", 32),)),
    "mondrian-16": PublicSet(
        about="a Mondrian of 16 rectangles, turned by quarters",
        kinds=(_kind("mondrian", 16, rotations=Rotations(4)),),
    ),
    "missing-8": PublicSet(
        about="a square of 8, one of them lost", kinds=(_kind("square", 8, degradation="missing"),)
    ),
    "eroded-8": PublicSet(
        about="a hexagon of 8, four of them worn", kinds=(_kind("hexagon", 8, degradation="eroded"),)
    ),
    "masks-16": PublicSet(
        about="a square of 16, as it is traced from masks, pixel by pixel",
        kinds=(_kind("square", 16),),
        seen="grey-128",
    ),
    "star-15": PublicSet(
        about="a star in 15 pieces of any shape, some turned over",
        kinds=(_kind("star", 15, "merged", mirror=True),),
    ),
    "tangram": PublicSet(
        about="the tangram's eight silhouettes, three times each",
        kinds=tuple(_kind(name, 7, "tangram", mirror=True) for name in SILHOUETTES),
        each=3,
    ),
    "lattice-30": PublicSet(
        about="a frame on a grid, in 30 pieces",
        kinds=(_kind("frame", 30, "lattice"),),
    ),
    "torn-8": PublicSet(about="a square torn in 8", kinds=(_kind("square", 8, "broken"),)),
    "torn-8-alone": PublicSet(
        about="a square torn in 8, scanned at 300 px, and nothing to fill",
        kinds=(_kind("square", 8, "broken"),),
        seen="binary-300",
        target=False,
    ),
    "jigsaw-24-alone": PublicSet(
        about="a jigsaw of 24, and nothing to fill",
        kinds=(_kind("square", 24, "jigsaw"),),
        each=12,
        target=False,
    ),
}


def public_samples(name: str) -> Iterator[Sample]:
    """The puzzles of a set with their answers, the ids of pieces being those of the files."""
    public = PUBLIC_SETS[name]
    number = 0
    for kind in public.kinds:
        for sample in _seen(kind, public):
            yield _renamed(sample, f"{name}-{number}-")
            number += 1


def _seen(kind: PuzzleKind, public: PublicSet) -> Iterator[Sample]:
    if public.seen == EXACT:
        return make_samples(kind, seed=SEED, stop=public.each)
    return (found.own for found in make_observed(kind, public.seen, seed=SEED, stop=public.each))


def _renamed(sample: Sample, prefix: str) -> Sample:
    puzzle = sample.puzzle
    fragments = tuple(replace(one, id=prefix + one.id) for one in puzzle.fragments)
    mirror = (
        puzzle.mirror if isinstance(puzzle.mirror, bool) else frozenset(prefix + one for one in puzzle.mirror)
    )
    truth = Assembly(tuple(replace(one, id=prefix + one.id) for one in sample.truth))
    return Sample(replace(puzzle, fragments=fragments, mirror=mirror), truth)


def _shown(name: str, puzzle: Puzzle) -> Puzzle:
    return puzzle if PUBLIC_SETS[name].target else puzzle.without_target()


def write_set(name: str, folder: Path) -> dict[str, str]:
    """Write both files of a set, and return their hashes (SHA-256) by name.

    `FileFormatError` if they are not the frozen ones: this sherd, or a library below it, makes others.
    """
    if name not in PUBLIC_SETS:
        raise ArgumentError(f"unknown set {name!r}: choose {', '.join(PUBLIC_SETS)}")
    folder.mkdir(parents=True, exist_ok=True)
    samples = list(public_samples(name))
    texts = {
        name + QUESTION: "".join(f"{puzzle_to_line(_shown(name, one.puzzle))}\n" for one in samples),
        name + TRUTH: "".join(f"{puzzle_to_line(one)}\n" for one in samples),
    }
    hashes = {file: hashlib.sha256(text.encode()).hexdigest() for file, text in texts.items()}
    frozen = frozen_hashes()
    for file, text in texts.items():
        if frozen.get(file, hashes[file]) != hashes[file]:
            raise FileFormatError(f"{folder / file}: not the frozen set, so figures on it do not compare")
        write_atomically(folder / file, text)
    return hashes


def write_sets(folder: str | Path) -> dict[str, str]:
    """Write all sets into a folder; the hashes of the files."""
    return {file: hash_ for name in PUBLIC_SETS for file, hash_ in write_set(name, Path(folder)).items()}


@cache
def frozen_hashes() -> dict[str, str]:
    """The hashes of the frozen files, by name."""
    return json.loads(files("sherd.bench").joinpath("public_sets.json").read_text(encoding="utf-8"))


def set_of(path: Path) -> str | None:
    """The name of the frozen set that a file belongs to, told by its hash; None of other files."""
    hash_ = hashlib.sha256(path.read_bytes()).hexdigest()
    for file, frozen in frozen_hashes().items():
        if frozen == hash_:
            return file.removesuffix(TRUTH).removesuffix(QUESTION)
    return None
