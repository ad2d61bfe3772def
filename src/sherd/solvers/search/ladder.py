"""The ladder: which attempts are made at a puzzle, in turn, from tight to loose and from quick to patient."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial

from sherd.core.geometry import Pose
from sherd.core.puzzle import Puzzle
from sherd.core.verdict import Tolerance
from sherd.solvers.search.beliefs.glue_roughly import glued, glued_roughly
from sherd.solvers.search.beliefs.roughness import Roughness
from sherd.solvers.search.completing.lay_around_a_gap import filled, filled_with_parts, laid_around_a_gap
from sherd.solvers.search.gluing.glue_exactly import Beam
from sherd.solvers.search.tiling.tile_corners import tile_at_once, tile_loosely, tile_thoroughly
from sherd.solvers.stop import Stop

# A puzzle, a tolerance and a stop rule to poses by piece number, and how many evaluations they took.
Attempt = Callable[[Puzzle, float, Stop], tuple[dict[int, Pose], int]]

# Outlines known worse than this share of the target's size are traced.
TRACED = 1e-4
WIDE = Beam(width=16, ways=6)
# So many placements show whether nothing but a lost piece is wrong.
FEW = 30
# Parts of a chart that lacks joints are held against regions so often, at first and later; later they may
# leave this share of the target open.
FEW_FITS, MANY_FITS = 200_000, 1_000_000
MOST_OPEN = 0.05
# Most puzzles need few joints if the guess is right, so guesses up to this size are tried with few first.
HASTY_JOINTS = 400
HASTY_SIZE = 0.01
# Rounded pieces of which some are rare need few placements; traced ones, which may add up too, need not wait.
HASTY_TRIES = 500
# What a guess finds is weighed against what so many looser ones find.
LOOSER = 1
ROUGH = tuple(
    Roughness(size=size, traced=traced, joints=3000)
    for traced, sizes in (
        (True, (0.0006, 0.008, 0.01, 0.012, 0.018)),
        (False, (0.002, 0.005, 0.01, 0.015, 0.02)),
    )
    for size in sizes
)


@dataclass(frozen=True, kw_only=True)
class SearchParams:
    """The ladders of tolerances, from tight to loose, as shares of the target's size.

    Gluing is for exact outlines and those traced from grey masks; what is worse is ``rough``, climbed
    once for each number of ``patience`` with so many times its joints. Filling allows angles to be off by
    ``angle_factor`` times as much, in radians, since edges are short beside the target. Tiling is for exact
    pieces and takes what it can at once; only when pieces that must be exact, by their area, neither tile
    quickly nor glue, is every way tried, in haste for ``rounded`` ones. ``loose`` rungs of tiling end where
    the puzzle tells its tolerance.
    """

    tile: tuple[float, ...] = (1e-8, 1e-6, 1e-5, 1e-4)
    loose: tuple[float, ...] = (2e-4, 4e-4, 7e-4, 1e-3, 2e-3, 4e-3, 8e-3)
    rounded: tuple[float, ...] = (1e-6, 1e-5, 2e-4)
    glue: tuple[float, ...] = (1e-9, 1e-6, 1e-4, 3e-4)
    rough: tuple[Roughness, ...] = ROUGH
    patience: tuple[int, ...] = (1, 2, 6, 30)
    fill: tuple[float, ...] = (1e-6, 1e-3)
    angle_factor: float = 20.0


@dataclass(frozen=True)
class Rung:
    """An attempt, how far corners may be off, as a share of the target's size, and what it must fit in.

    If it glues rough outlines, ``guess`` tells how rough they are taken to be.
    """

    attempt: Attempt
    corners: float
    tolerance: Tolerance
    guess: Roughness | None = None


def make_ladder(params: SearchParams) -> list[Rung]:
    """What is tried, in turn."""
    guesses = _guesses(params)
    # The tightest guess does what the beam does for outlines from grey masks, in a tenth of the time.
    return [
        *_quick(params),
        *guesses[:1],
        *_rounded(params),
        *_wide(params),
        *guesses[1:],
        *_patient(params),
    ]


def _quick(params: SearchParams) -> list[Rung]:
    """For exact pieces, one of which may be lost."""
    exact, *others = params.tile
    few_parts = partial(filled_with_parts, angle_factor=params.angle_factor, most=FEW)
    return [
        _rung(tile_at_once, exact),
        *(_rung(glued, tolerance) for tolerance in params.glue if tolerance < TRACED),
        _rung(tile_thoroughly, exact),
        *(_rung(tile_at_once, tolerance) for tolerance in others),
        _rung(laid_around_a_gap, params.fill[0]),
        *(_rung(glued, tolerance) for tolerance in params.glue if tolerance >= TRACED),
        _rung(few_parts, params.fill[0]),
    ]


def _rounded(params: SearchParams) -> list[Rung]:
    """For pieces that are exact but for rounding, which a loose guess would take for rough ones."""
    hasty = partial(tile_thoroughly, most_tries=HASTY_TRIES)
    return [_rung(hasty, tolerance) for tolerance in params.rounded]


def _wide(params: SearchParams) -> list[Rung]:
    """For outlines from grey masks, and for pieces whose tolerance is told."""
    told = partial(tile_loosely, quick=True, only_told=True)
    return [
        *(_rung(partial(glued, beam=WIDE), tolerance) for tolerance in params.glue if tolerance >= TRACED),
        *(_rung(told, tolerance) for tolerance in params.loose),
    ]


def _guesses(params: SearchParams) -> list[Rung]:
    """For rough outlines: each guess in haste, then all with more and more patience."""
    hasty = [replace(rough, joints=HASTY_JOINTS) for rough in params.rough if rough.size <= HASTY_SIZE]
    # Only area speaks for parts that are laid without their joints: at first it has to be nearly all.
    roughs = [
        replace(rough, fits=FEW_FITS if rough.traced else 0)
        if times == 1
        else replace(rough, joints=times * rough.joints, fits=MANY_FITS, most_open=MOST_OPEN)
        for times in params.patience
        for rough in params.rough
    ]
    return [
        Rung(
            partial(glued_roughly, roughness=rough, looser=_looser(params, rough)),
            rough.seam,
            Tolerance(rough.seam, rough.depth),
            guess=rough,
        )
        for rough in (*roughs[:1], *hasty, *roughs[1:])
    ]


def _looser(params: SearchParams, rough: Roughness) -> tuple[Roughness, ...]:
    """The next guesses at corners that are moved more."""
    return tuple(r for r in params.rough if not r.traced and r.size > rough.size)[:LOOSER]


def _patient(params: SearchParams) -> list[Rung]:
    """For all that is left, until time is up."""
    with_parts = partial(filled_with_parts, angle_factor=params.angle_factor)
    piece_by_piece = partial(filled, angle_factor=params.angle_factor)
    return [
        *(_rung(partial(tile_loosely, quick=True), tolerance) for tolerance in params.loose),
        *(_rung(tile_thoroughly, tolerance) for tolerance in params.tile[1:]),
        *(_rung(tile_loosely, tolerance) for tolerance in params.loose),
        *(_rung(with_parts, tolerance) for tolerance in params.fill),
        *(_rung(piece_by_piece, tolerance) for tolerance in params.fill),
    ]


def _rung(attempt: Attempt, tolerance: float) -> Rung:
    return Rung(attempt, tolerance, Tolerance.of_corners(tolerance))
