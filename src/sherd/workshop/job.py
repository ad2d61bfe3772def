"""From a drawing to a puzzle, and from its answer back to what was drawn."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import shapely
from shapely import Polygon

from sherd.core.assembly import Assembly, Placement
from sherd.core.errors import ArgumentError, FileFormatError, InvalidPolygonError, InvalidPuzzleError
from sherd.core.geometry import Pose, Region, difference, origin_for, polygons_in, size_of, union
from sherd.core.kerf import grow, grow_region, scaled
from sherd.core.proper_polygons import join_parts
from sherd.core.puzzle import Fragment, Puzzle
from sherd.core.thinning import refuse_tangles, thinned
from sherd.io.drawings.figures import some_of
from sherd.io.drawings.model import Drawing, Figure, Unit
from sherd.layout.layout import TOUCH_SHARE
from sherd.workshop.fits_in import too_large, why_none_fits
from sherd.workshop.params import OUTLINES, JobParams, Pin
from sherd.workshop.target import find_target

# How badly pieces may fit, as a share of the target's size, where nothing is said: as rough scans do.
LOOSEST_FIT = 0.02
EMPTY = Assembly()
HERE = Pose()
# Outlines of more points are thinned, by this share of a piece's size: nothing is made or seen so finely.
DENSE = 4000
THINNED = 1e-4
FORBIDDEN = "forbidden"
# What pinned pieces leave of the target counts if it is more than this share of it.
REST_SHARE = 1e-6
# A part of what they leave that has less than this share of the area of any other piece can hold none.
LEAST_ROOM = 0.5
# A piece that lacks no more than this share of the target's area is all of it.
SAME = 0.02


@dataclass(frozen=True)
class SetAside:
    """A piece that is not used, and why."""

    figure: Figure
    reason: str


@dataclass(frozen=True)
class Job:
    """A puzzle made from a drawing, and all that is needed to say its answer in the drawing's own terms.

    ``figures`` are the pieces as drawn, in the order of the puzzle's fragments and with their ids. A
    fragment is its figure moved by ``home``'s inverse, its centroid at (0, 0), scaled and grown.
    Lengths are in ``unit``. ``pinned`` are the pieces that lie where they must; ``puzzle`` holds these too,
    `to_solve` does not. Without a target all is put together in groups; ``outline`` is then the kind of shape
    that they should make, if it is known: one of `OUTLINES`. ``lies_in_target`` says that the pieces are
    drawn where they belong: the target is a border that lines cut up into them. The puzzle's own frame begins
    at ``origin`` of the drawing, which is near the target: far from it floats are too coarse.
    """

    source: str
    puzzle: Puzzle
    figures: tuple[Figure, ...]
    unit: Unit
    growth: float = 0.0
    scale: float = 1.0
    tolerance: float | None = None
    pinned: Assembly = EMPTY
    set_aside: tuple[SetAside, ...] = ()
    notes: tuple[str, ...] = ()
    outline: str = ""
    lies_in_target: bool = False
    origin: Pose = HERE

    @property
    def name(self) -> str:
        """What files about the job are called: the name of the drawing without its ending."""
        return Path(self.source).stem or self.source or "pieces"

    @property
    def forbidden(self) -> tuple[str, ...]:
        """The pieces that must not be used."""
        return tuple(item.figure.id for item in self.set_aside if item.reason == FORBIDDEN)

    @property
    def is_one_piece(self) -> bool:
        """Whether there is one piece, as large as the target: then there is nothing to put together."""
        target, (first, *others) = self.puzzle.target, self.puzzle.fragments
        return self.puzzle.has_target and not others and first.polygon.area >= (1.0 - SAME) * target.area

    @cached_property
    def share(self) -> float:
        """How much of the target's area the pieces have; 1 without a target."""
        if not self.puzzle.has_target:
            return 1.0
        area = float(shapely.area([one.polygon for one in self.puzzle.fragments]).sum())
        return area / self.puzzle.target.area

    @property
    def as_drawn(self) -> Assembly:
        """All pieces where they are drawn."""
        back = self.origin.inverse()
        return Assembly(tuple(Placement(figure.id, back @ self.home(figure.id)) for figure in self.figures))

    @property
    def target(self) -> Region:
        """What is to be filled, where it is drawn."""
        return self.origin.apply(self.puzzle.target)

    @cached_property
    def _by_id(self) -> dict[str, Figure]:
        return {figure.id: figure for figure in self.figures}

    @property
    def is_changed(self) -> bool:
        """Whether pieces are fitted in other sizes than they are drawn in."""
        return self.growth != 0.0 or self.scale != 1.0

    @cached_property
    def corners(self) -> int:
        """How many corners the pieces have as drawn: what all work on a drawing grows with."""
        return int(shapely.get_num_coordinates([figure.polygon for figure in self.figures]).sum())

    def figure(self, fragment_id: str) -> Figure:
        """The piece as it was drawn."""
        return self._by_id[fragment_id]

    def home(self, fragment_id: str) -> Pose:
        """Where the fragment lies in the drawing."""
        centre = self._by_id[fragment_id].polygon.centroid
        return Pose(centre.x, centre.y)

    def motion(self, placement: Placement) -> Pose:
        """What moves the figure from where it is drawn to its place in the target."""
        return self.origin @ placement.pose @ self.home(placement.id).inverse()

    def placed_figure(self, placement: Placement) -> Polygon:
        """The piece as it was drawn, without kerf, in its place."""
        return self.motion(placement).apply(self.figure(placement.id).polygon)

    def to_solve(self) -> Puzzle | None:
        """What is left for a solver when pinned pieces lie where they must; None if nothing is."""
        if not len(self.pinned):
            return self.puzzle
        loose = [fragment for fragment in self.puzzle.fragments if fragment.id not in self.pinned]
        rest = difference(self.puzzle.target, union(self.puzzle.placed(self.pinned)))
        least = REST_SHARE * self.puzzle.target.area
        thinnest = (self.tolerance or TOUCH_SHARE * size_of(self.puzzle.target)) / 2.0
        parts = [
            part
            for part in polygons_in(rest)
            if part.area > least and not part.buffer(-thinnest, join_style="mitre").is_empty
        ]
        if loose:  # what can hold none of them stays a gap
            smallest = min(fragment.polygon.area for fragment in loose)
            parts = [part for part in parts if part.area >= LEAST_ROOM * smallest]
        if not parts or not loose:
            return None
        target = join_parts(parts)
        fitting = tuple(fragment for fragment in loose if not too_large(fragment.polygon, target))
        return replace(self.puzzle, target=target, fragments=fitting) if fitting else None

    def complete(self, assembly: Assembly) -> Assembly:
        """An answer to `to_solve` with the pinned pieces in it, first."""
        return Assembly((*self.pinned, *assembly))


def make_job(drawing: Drawing, params: JobParams | None = None) -> Job:
    """The puzzle that a drawing and what is asked of it make.

    Pieces that are forbidden or too large for the target are set aside; `FileFormatError` if none remains.
    Where there is no target every figure is a piece, whatever it is called.
    """
    params = params or JobParams()
    notes = list(drawing.notes)
    rough = params.outline if params.outline in OUTLINES else ""
    if params.no_target or rough:
        if params.play:
            raise ArgumentError("pieces have play in a target, and none is known")
        target: Region = Polygon()
        pieces = tuple(figure for figure in drawing.figures if not figure.is_border)
        _check_ids(params, pieces, drawing.source)
        pieces = _without_dense(pieces, notes)
    else:
        target, unit = find_target(
            drawing, replace(params, target=params.outline or params.target, outline=None)
        )
        _check_ids(params, drawing.pieces, drawing.source)
        pieces = _without_dense(drawing.pieces, notes)
        target = _as_asked(target, unit, drawing, pieces, params, notes)
    origin = origin_for(target)
    target = origin.inverse().apply(target)
    figures, fragments, aside = _fitting(pieces, target, params)
    if not fragments:
        forbidden = all(item.reason == FORBIDDEN for item in aside)
        raise FileFormatError(f"{drawing.source}: {why_none_fits(drawing, target, forbidden=forbidden)}")
    target, fragments = _with_fewer_corners(target, fragments, notes)
    puzzle = Puzzle(
        target,
        tuple(fragments),
        params.rotations,
        params.mirror,
        tolerance=params.tolerance,
        pixel=None if drawing.pixel is None else params.scale * drawing.pixel,
        turns=params.turns,
    )
    return Job(
        source=drawing.source,
        puzzle=replace(puzzle, tolerance=params.tolerance or LOOSEST_FIT * puzzle.size),
        figures=tuple(figures),
        unit=drawing.unit,
        growth=params.growth,
        scale=params.scale,
        tolerance=params.tolerance,
        pinned=_pinned(figures, params, origin),
        set_aside=tuple(aside),
        notes=tuple(notes),
        outline=rough,
        lies_in_target=params.target is None and any(one.is_border for one in drawing.figures),
        origin=origin,
    )


def _without_dense(pieces: tuple[Figure, ...], notes: list[str]) -> tuple[Figure, ...]:
    """The pieces, all thinned if some have very many points."""
    dense = [figure.id for figure in pieces if shapely.get_num_coordinates(figure.polygon) > DENSE]
    if not dense:
        return pieces
    notes.append(
        f"thinned by up to {THINNED:.2%} of their size, from over {DENSE:,} points: {some_of(dense)}"
    )
    return tuple(map(_thinned, pieces))


def _as_asked(
    target: Region,
    unit: Unit,
    drawing: Drawing,
    pieces: Sequence[Figure],
    params: JobParams,
    notes: list[str],
) -> Region:
    """The target as large as the pieces together if only its outline is known, and less the play."""
    if params.outline:
        target, scale = _as_large_as(target, pieces)
        notes.append(f"the outline is taken {scale:.4g} times as large as it is drawn, by the pieces' area")
    elif unit != drawing.unit:
        notes.append(
            f"mixed units: the pieces are in {_named(drawing.unit)}, the target in {_named(unit)}; "
            "the numbers are taken as they are"
        )
    try:
        return grow_region(target, -params.play / 2.0)
    except InvalidPolygonError as error:
        raise ArgumentError(f"the target is {error}, which is the play") from None


def _fitting(
    pieces: Sequence[Figure], target: Region, params: JobParams
) -> tuple[list[Figure], list[Fragment], list[SetAside]]:
    """The pieces that may lie in the target, as drawn and as they are fitted, and the others."""
    figures: list[Figure] = []
    fragments: list[Fragment] = []
    aside: list[SetAside] = []
    for figure in pieces:
        centre = figure.polygon.centroid
        own = Pose(-centre.x, -centre.y).apply(figure.polygon)
        if figure.id in params.forbid:
            aside.append(SetAside(figure, FORBIDDEN))
            continue
        try:
            grown = grow(scaled(own, params.scale), params.growth)
        except InvalidPolygonError as error:
            aside.append(SetAside(figure, str(error)))
            continue
        if reason := too_large(grown, target):
            aside.append(SetAside(figure, reason))
        else:
            figures.append(figure)
            texture = None if figure.texture is None else figure.texture.moved(-centre.x, -centre.y)
            fragments.append(Fragment(figure.id, grown, texture))
    return figures, fragments, aside


def _pinned(figures: Sequence[Figure], params: JobParams, origin: Pose) -> Assembly:
    """The pieces that lie where they must; `InvalidPuzzleError` if one of them is not among these."""
    known = {figure.id for figure in figures}
    for name in params.pins:
        if name not in known:
            raise InvalidPuzzleError(f"{name!r} is pinned, but too large for the target")
    back = origin.inverse()
    return Assembly(
        tuple(
            Placement(figure.id, back @ _pose(params.pins[figure.id], figure))
            for figure in figures
            if figure.id in params.pins
        )
    )


def _with_fewer_corners(
    target: Region, fragments: list[Fragment], notes: list[str]
) -> tuple[Region, list[Fragment]]:
    """The target and the pieces, thinned if they have more corners than a solver can look at."""
    everything = [fragment.polygon for fragment in fragments]
    size = max(map(size_of, everything)) if target.is_empty else size_of(target)
    (target,), target_off = thinned([target], size)
    outlines, off = thinned(everything, size)
    refuse_tangles([target])
    refuse_tangles(outlines)
    if max(off, target_off) > 0.0:
        moved = f"{max(off, target_off):.2g}"
        notes.append(f"outlines of very many corners were thinned, and moved by about {moved} for that")
        fragments = [replace(one, polygon=few) for one, few in zip(fragments, outlines, strict=True)]
    return target, fragments


def _as_large_as(target: Region, pieces: Sequence[Figure]) -> tuple[Region, float]:
    """The target with the area of the pieces together, and how many times as large that is."""
    area = float(shapely.area([figure.polygon for figure in pieces]).sum())
    scale = math.sqrt(area / target.area) if area > 0.0 else 1.0
    return shapely.transform(target, lambda points: scale * points), scale


def _thinned(figure: Figure) -> Figure:
    """A figure of very many points without those that hardly differ from the line between others."""
    if shapely.get_num_coordinates(figure.polygon) <= DENSE:
        return figure
    thin = shapely.simplify(figure.polygon, THINNED * size_of(figure.polygon))
    return replace(figure, polygon=thin) if thin.is_valid else figure


def _named(unit: Unit) -> str:
    return "an unknown unit" if unit == "unknown" else unit


def _check_ids(params: JobParams, pieces: Sequence[Figure], source: str) -> None:
    known = {figure.id for figure in pieces}
    mirrored: Iterable[str] = params.mirror if isinstance(params.mirror, frozenset) else ()
    for what, ids in (
        ("forbid", params.forbid),
        ("pin", params.pins),
        ("turn", params.turns),
        ("turn over", mirrored),
    ):
        for name in sorted(ids):
            if name not in known:
                raise ArgumentError(
                    f"{source} has no piece {name!r} to {what}; it has {some_of(sorted(known))}"
                )


def _pose(pin: Pin | None, figure: Figure) -> Pose:
    if pin is None:
        centre = figure.polygon.centroid
        return Pose(centre.x, centre.y)
    return Pose(pin.x, pin.y, math.radians(pin.turn_deg))
