"""What is seen of a broken thing: some pieces lost, strange ones among them, all worn, moved or scanned.

These come in this order, and each piece gets its centroid back to (0, 0) and its true pose moved with it.
Lengths are shares of the side, the target's longer one.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from shapely import Polygon

from sherd.core.alignment import TOUCHING, Joint, joints_of
from sherd.core.assembly import Assembly, Placement
from sherd.core.errors import ArgumentError, InvalidPolygonError, InvalidPuzzleError
from sherd.core.geometry import Pose, size_of
from sherd.core.puzzle import Fragment, Puzzle, Sample
from sherd.generation.moved import LARGEST_MOVE, moved
from sherd.generation.painting import paint
from sherd.generation.patterns import PROCEDURAL
from sherd.generation.scanned import FEWEST_PX, scanned
from sherd.generation.worn import DEEPEST, worn

MOST_PX = 50_000


@dataclass(frozen=True, kw_only=True)
class ObservedParams:
    """What has become of the pieces and how they are seen.

    missing   how many are lost
    foreign   how many of another puzzle are among them
    worn      how deep edges are worn, on average; those of the target only if ``all_edges``
    moved     how far each vertex is off, in any direction
    normal    the standard deviation of a vertex in x and in y
    scan_px   how many pixels of a scan span the side; grey ones, or black and white if ``binary``
    paint_px  how many pixels of paint span the side; the target's own picture is not shown
    """

    missing: int = 0
    foreign: int = 0
    worn: float = 0.0
    all_edges: bool = False
    moved: float = 0.0
    normal: float = 0.0
    scan_px: int | None = None
    binary: bool = False
    paint_px: int | None = None

    def __post_init__(self) -> None:
        if self.paint_px is not None and (self.foreign or self.paint_px < FEWEST_PX):
            raise ArgumentError(f"paint_px must be at least {FEWEST_PX}, and no piece foreign")
        if self.missing < 0 or self.foreign < 0:
            raise ArgumentError(
                f"missing and foreign must be at least 0, not {self.missing} and {self.foreign}"
            )
        if not 0.0 <= self.worn <= DEEPEST:
            raise ArgumentError(f"worn must be between 0 and {DEEPEST}, not {self.worn}")
        for name, value in (("moved", self.moved), ("normal", self.normal)):
            if not 0.0 <= value <= LARGEST_MOVE:
                raise ArgumentError(f"{name} must be between 0 and {LARGEST_MOVE}, not {value}")
        if self.scan_px is not None and not FEWEST_PX <= self.scan_px <= MOST_PX:
            raise ArgumentError(f"scan_px must be between {FEWEST_PX} and {MOST_PX:,}, not {self.scan_px}")


EXACT = ObservedParams()


@dataclass(frozen=True)
class Observed:
    """A puzzle as it is seen, where those pieces belong that do, and these as they were before."""

    puzzle: Puzzle
    truth: Assembly
    exact: Sample

    @property
    def foreign(self) -> frozenset[str]:
        """The pieces that belong elsewhere."""
        return frozenset(fragment.id for fragment in self.puzzle.fragments if fragment.id not in self.truth)

    @property
    def own(self) -> Sample:
        """The puzzle without foreign pieces, and its answer."""
        kept = tuple(fragment for fragment in self.puzzle.fragments if fragment.id in self.truth)
        return Sample(replace(self.puzzle, fragments=kept), self.truth)

    @cached_property
    def joints(self) -> frozenset[Joint]:
        """The pairs of pieces that are neighbours, told from their exact outlines."""
        outlines = {fragment.id: fragment.polygon for fragment in self.exact.puzzle.fragments}
        poses = {placement.id: placement.pose for placement in self.exact.truth}
        side = size_of(self.exact.puzzle.target)
        return frozenset(joints_of(outlines, poses, TOUCHING * side))


def observe(
    sample: Sample,
    params: ObservedParams,
    rng: np.random.Generator,
    other: Callable[[np.random.Generator], Sample] | None = None,
) -> Observed:
    """A sample as it is seen; ``other`` makes the puzzle that foreign pieces come from."""
    choice_rng, *rngs = rng.spawn(4)
    own, strangers = _chosen(sample, params, choice_rng, other)
    seen = _seen(own, params, rngs)
    if not seen:
        raise InvalidPuzzleError("nothing is left of the pieces")
    truth = Assembly(tuple(placement for _, placement in seen))
    fragments = [fragment for fragment, _ in seen]
    if strangers is not None:
        fragments += [fragment for fragment, _ in _seen(strangers, params, rngs)]
    fragments.sort(key=lambda fragment: _in_order(fragment.id))
    pixel = None if params.scan_px is None else size_of(sample.puzzle.target) / params.scan_px
    puzzle = replace(sample.puzzle, fragments=tuple(fragments), pixel=pixel)
    if params.paint_px is not None:
        puzzle = _painted(puzzle, truth, params.paint_px, rng.spawn(1)[0])
    return Observed(puzzle, truth, _only(own, truth.__contains__))


def _in_order(name: str) -> list[str | int]:
    """A key by which f2 comes before f10."""
    return [int(part) if part.isdecimal() else part for part in re.split(r"(\d+)", name)]


def _painted(puzzle: Puzzle, truth: Assembly, size_px: int, rng: np.random.Generator) -> Puzzle:
    """The puzzle with what is left of its pieces painted, in one pattern or another."""
    pattern = PROCEDURAL[sorted(PROCEDURAL)[int(rng.integers(len(PROCEDURAL)))]]
    painted = paint(Sample(puzzle, truth), pattern(size_px, rng), size_px=size_px).puzzle
    return replace(painted, texture=None)


def _seen(
    sample: Sample, params: ObservedParams, rngs: Sequence[np.random.Generator]
) -> list[tuple[Fragment, Placement]]:
    """What is seen of each piece of a sample, and where it belongs; not those that cannot be seen."""
    target = sample.puzzle.one_part
    found: list[tuple[Fragment, Placement]] = []
    for placement in sample.truth:
        there = placement.pose.inverse().apply(target)
        try:
            outline = _outline(sample.puzzle[placement.id].polygon, there, size_of(target), params, rngs)
        except InvalidPolygonError:
            continue  # worn away, or too small for the scan
        x, y = outline.centroid.x, outline.centroid.y
        fragment = Fragment(placement.id, Pose(-x, -y).apply(outline))
        found.append((fragment, Placement(placement.id, placement.pose @ Pose(x, y))))
    return found


def _outline(
    outline: Polygon,
    target: Polygon,
    side: float,
    params: ObservedParams,
    rngs: Sequence[np.random.Generator],
) -> Polygon:
    """What is seen of a piece, in whose frame its target is given too."""
    wear_rng, move_rng, scan_rng = rngs
    if params.worn:
        outline = worn(outline, params.worn * side, wear_rng, None if params.all_edges else target)
    if params.moved:
        outline = moved(outline, params.moved * side, move_rng)
    if params.normal:
        outline = moved(outline, params.normal * side, move_rng, normal=True)
    if params.scan_px is not None:
        outline = scanned(outline, side / params.scan_px, scan_rng, binary=params.binary)
    return outline


def _chosen(
    sample: Sample,
    params: ObservedParams,
    rng: np.random.Generator,
    other: Callable[[np.random.Generator], Sample] | None,
) -> tuple[Sample, Sample | None]:
    """The pieces that are not lost, and the foreign ones, under ids that do not tell which is which."""
    names = [fragment.id for fragment in sample.puzzle.fragments]
    if params.missing >= len(names):
        raise InvalidPuzzleError(f"{params.missing} of {len(names)} pieces cannot be missing")
    mixed: list[int] = rng.permutation(len(names)).tolist()
    lost = {names[k] for k in mixed[: params.missing]}
    own = _only(sample, lambda name: name not in lost)
    if not params.foreign:
        return (_renamed(own, range(len(names) - len(lost))) if lost else own), None
    if other is None:
        raise ArgumentError("foreign pieces need another puzzle to come from")
    elsewhere = other(rng)
    strange = [fragment.id for fragment in elsewhere.puzzle.fragments]
    if params.foreign > len(strange):
        raise InvalidPuzzleError(f"the other puzzle has {len(strange)} pieces, not {params.foreign}")
    mixed = rng.permutation(len(strange)).tolist()
    taken = {strange[k] for k in mixed[: params.foreign]}
    numbers: list[int] = rng.permutation(len(names) - len(lost) + len(taken)).tolist()
    strangers = _renamed(_only(elsewhere, taken.__contains__), numbers[: len(taken)])
    return _renamed(own, numbers[len(taken) :]), strangers


def _only(sample: Sample, is_kept: Callable[[str], bool]) -> Sample:
    """The sample with only some of its pieces."""
    fragments = tuple(fragment for fragment in sample.puzzle.fragments if is_kept(fragment.id))
    truth = Assembly(tuple(placement for placement in sample.truth if is_kept(placement.id)))
    return Sample(replace(sample.puzzle, fragments=fragments), truth)


def _renamed(sample: Sample, numbers: range | list[int]) -> Sample:
    """The sample with these numbers in the ids of its pieces."""
    fragments = sample.puzzle.fragments
    names = {fragment.id: f"f{number}" for fragment, number in zip(fragments, numbers, strict=True)}
    puzzle = replace(
        sample.puzzle, fragments=tuple(replace(piece, id=names[piece.id]) for piece in fragments)
    )
    return Sample(puzzle, Assembly(tuple(replace(at, id=names[at.id]) for at in sample.truth)))
