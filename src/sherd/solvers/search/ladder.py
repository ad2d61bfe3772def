"""The ladder: what is tried at a puzzle, in turn, from tight to loose and from quick to patient.

It is one table, read from top to bottom. A row tries one thing at some sizes, one after the other: by how
much outlines are taken to be off, as a share of the target's size. Rows of one name try the same things with
more or less patience: what one of them has exhausted at a size is not tried again.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal

from sherd.core.tolerance import Tolerance
from sherd.solvers.search.attempt import Attempt, Found
from sherd.solvers.search.beliefs.evidence import needs_evidence
from sherd.solvers.search.beliefs.glue_roughly import glue_roughly
from sherd.solvers.search.beliefs.roughness import Patience, Roughness
from sherd.solvers.search.case import Case
from sherd.solvers.search.completing.fill_bent import fill_bent
from sherd.solvers.search.completing.lay_around_a_gap import (
    fill_piece_by_piece,
    fill_with_parts,
    fill_without_slivers,
    lay_around_a_gap,
)
from sherd.solvers.search.conditions import (
    always,
    areas_add_up,
    has_few_right_angles,
    has_no_holes,
    has_no_tolerance,
    has_tolerance,
    is_bent_and_off,
    is_drawn_by_hand,
    is_tolerated,
    lacks_area,
    lacks_only_a_piece,
    lies_on_a_drawn_grid,
    may_have_been_convex,
    seems_to_lie_on_a_grid,
)
from sherd.solvers.search.constants.completing import (
    LOOSEST_BENT,
    LOOSEST_DRAWN,
    MOST_BENT,
    MOST_DRAWN,
)
from sherd.solvers.search.constants.on_grid import FEWEST_ON_GRID
from sherd.solvers.search.constants.rough_outlines import (
    LOOSER_THAN_PIXELS,
    MOVED_GUESSES,
    TRACED_GUESSES,
    USUAL_PIXEL,
)
from sherd.solvers.search.constants.tiling import LOOSEST_TILING, WIDE_BEAM, WIDE_WAYS
from sherd.solvers.search.gluing.glue_exactly import GluingBeam, glue_exactly
from sherd.solvers.search.lattice.fill_grid import fill_drawn_grid, fill_grid
from sherd.solvers.search.tiling.tile_corners import tile_at_once, tile_loosely, tile_thoroughly
from sherd.solvers.stop import Stop

# What outlines are taken for: exact but for rounding, with corners moved by up to the size, or traced from
# pixels of that size.
Outlines = Literal["exact", "moved", "traced"]


@dataclass(frozen=True, kw_only=True)
class Rung:
    """One thing to try: a verb with its limits, at some sizes, and when."""

    name: str
    verb: Callable[..., Found]
    sizes: tuple[float, ...]
    when: Callable[[Case, float], bool]
    outlines: Outlines = "exact"
    limits: Mapping[str, object] = field(default_factory=dict[str, object])

    @property
    def limits_in_words(self) -> str:
        """The limits, "" if it has none."""
        return "; ".join(_in_words(key, value) for key, value in self.limits.items())

    @property
    def when_in_words(self) -> str:
        """When it is tried."""
        said = (self.when.__doc__ or "").strip().removesuffix(".")
        for name, value in _NAMED.items():
            said = said.replace(name, value)
        first, *rest = said
        return "".join((first.lower(), *rest))


# Patience with guesses. Most puzzles need few joints if the guess is right: 400 for those of up to 1 % halved
# the time of distorted pentagons of 16 (damage, seed 321); the others were not swept. Only area speaks for
# parts that are laid without their joints, so that at first they have to cover nearly all: with 5 % open at
# first, distorted pieces were taken for solved that were not (damage, seed 6).
HASTY = {"patience": Patience(joints=400)}
FIRST = {"patience": Patience(joints=3000)}
FIRST_TRACED = {"patience": Patience(joints=3000, fits=200_000)}
SECOND, THIRD, FOURTH = (
    {"patience": Patience(joints=joints, fits=1_000_000, most_open=0.05)} for joints in (6000, 18_000, 90_000)
)
WIDE = {"beam": GluingBeam(width=WIDE_BEAM, ways=WIDE_WAYS)}
FEW, SOME, AT_ONCE = {"most_placements": 30}, {"most_placements": 500}, {"at_once_only": True}
PAST = {"past_corners": True}
HASTILY = {"most_placements": 60}
ROUNDED = (1e-6, 1e-5, 2e-4)
DRAWN = (2e-4, 4e-4, 1e-3, 2e-3, LOOSEST_DRAWN)
BENT = (2e-3, 4e-3, LOOSEST_BENT)
LOOSE = (2e-4, 4e-4, 7e-4, 1e-3, 2e-3, 4e-3, 8e-3)

_guess = partial(Rung, name="glue roughly", verb=glue_roughly, when=may_have_been_convex)

LADDER: dict[str, tuple[Rung, ...]] = {
    "Exact pieces, one of which may be lost": (
        Rung(name="fill the grid", verb=fill_grid, sizes=(1e-8, 1e-6, 1e-5), when=seems_to_lie_on_a_grid),
        Rung(name="tile at once", verb=tile_at_once, sizes=(1e-8,), when=areas_add_up),
        Rung(name="glue", verb=glue_exactly, sizes=(1e-9, 1e-6), when=has_no_holes),
        Rung(name="tile thoroughly", verb=tile_thoroughly, sizes=(1e-8,), when=areas_add_up),
        Rung(name="fill the grid", verb=fill_grid, sizes=(1e-8,), when=has_few_right_angles),
        Rung(name="tile at once", verb=tile_at_once, sizes=(1e-6, 1e-5, 1e-4), when=areas_add_up),
        Rung(name="lay around a gap", verb=lay_around_a_gap, sizes=(1e-6,), when=lacks_area),
        Rung(name="glue", verb=glue_exactly, sizes=(1e-4, 3e-4), when=has_no_holes),
        Rung(
            name="fill with parts", verb=fill_with_parts, sizes=(1e-6,), when=lacks_only_a_piece, limits=FEW
        ),
    ),
    # Exact pieces tell themselves by their angles; only the target is off, and more so than tiling likes.
    "Exact pieces in a silhouette drawn by hand": (
        Rung(name="fill the drawn grid", verb=fill_drawn_grid, sizes=DRAWN, when=lies_on_a_drawn_grid),
        Rung(
            name="tile thoroughly",
            verb=tile_thoroughly,
            sizes=DRAWN[:-1],
            when=is_drawn_by_hand,
            limits=SOME,
        ),
        Rung(
            name="fill without slivers",
            verb=fill_without_slivers,
            sizes=DRAWN[2:],
            when=is_drawn_by_hand,
            limits=SOME,
        ),
    ),
    # The tightest guess does what a beam does for outlines from grey masks, in a tenth of the time. Looser
    # ones would take rounded pieces for rough, so these come before.
    "Outlines from grey masks, or of few decimals": (
        _guess(sizes=TRACED_GUESSES[:1], outlines="traced", limits=FIRST_TRACED),
        Rung(name="tile thoroughly", verb=tile_thoroughly, sizes=ROUNDED, when=areas_add_up, limits=SOME),
        Rung(name="glue in many ways", verb=glue_exactly, sizes=(1e-4, 3e-4), when=has_no_holes, limits=WIDE),
        Rung(name="tile loosely at once", verb=tile_loosely, sizes=LOOSE, when=has_tolerance, limits=AT_ONCE),
    ),
    "Rough outlines": (
        Rung(name="fill bent", verb=fill_bent, sizes=BENT, when=is_bent_and_off, limits=HASTILY),
        Rung(name="fill bent", verb=fill_bent, sizes=BENT, when=is_bent_and_off, limits=SOME),
        Rung(
            name="fill bent past corners",
            verb=fill_bent,
            sizes=BENT,
            when=is_bent_and_off,
            limits={**SOME, **PAST},
        ),
        _guess(sizes=TRACED_GUESSES[1:3], outlines="traced", limits=HASTY),
        _guess(sizes=MOVED_GUESSES[:3], outlines="moved", limits=HASTY),
        _guess(sizes=TRACED_GUESSES[1:], outlines="traced", limits=FIRST_TRACED),
        _guess(sizes=MOVED_GUESSES, outlines="moved", limits=FIRST),
        _guess(sizes=TRACED_GUESSES, outlines="traced", limits=SECOND),
        _guess(sizes=MOVED_GUESSES, outlines="moved", limits=SECOND),
        _guess(sizes=TRACED_GUESSES, outlines="traced", limits=THIRD),
        _guess(sizes=MOVED_GUESSES, outlines="moved", limits=THIRD),
        _guess(sizes=TRACED_GUESSES, outlines="traced", limits=FOURTH),
        _guess(sizes=MOVED_GUESSES, outlines="moved", limits=FOURTH),
    ),
    "All that is left, until time is up": (
        Rung(
            name="tile loosely at once", verb=tile_loosely, sizes=LOOSE, when=has_no_tolerance, limits=AT_ONCE
        ),
        Rung(name="tile thoroughly", verb=tile_thoroughly, sizes=(1e-6, 1e-5, 1e-4), when=areas_add_up),
        Rung(name="tile loosely", verb=tile_loosely, sizes=LOOSE, when=is_tolerated),
        Rung(name="fill without slivers", verb=fill_without_slivers, sizes=DRAWN, when=is_drawn_by_hand),
        Rung(name="fill bent", verb=fill_bent, sizes=BENT, when=is_bent_and_off),
        Rung(name="fill bent past corners", verb=fill_bent, sizes=BENT, when=is_bent_and_off, limits=PAST),
        Rung(name="fill with parts", verb=fill_with_parts, sizes=(1e-6, 1e-3), when=lacks_area),
        Rung(name="fill piece by piece", verb=fill_piece_by_piece, sizes=(1e-6, 1e-3), when=always),
    ),
}


@dataclass(frozen=True, kw_only=True)
class LadderParams:
    """What is tried, and the tolerances, as shares of the target's size, of what comes after.

    At those of ``exact`` all assemblies of an exact puzzle are looked for, from tight to loose, and what is
    laid last must fit in the first. At those of ``last`` pieces are laid when time is up: of rough pieces,
    the loosest lays the most.
    """

    table: Mapping[str, tuple[Rung, ...]] = field(default_factory=lambda: LADDER)
    exact: tuple[float, ...] = (1e-8, 1e-6, 1e-5, 1e-4)
    last: tuple[float, ...] = (1e-8, 8e-3)


def make_attempts(params: LadderParams, pixel: float | None = None) -> tuple[Attempt, ...]:
    """The attempts of the table, in turn, where ``pixel`` is what the puzzle tells: a share of the size."""
    rows = (row for rows in params.table.values() for row in rows)
    return tuple(_attempt(row, size) for row in rows for size in _sizes(row, pixel))


def _sizes(row: Rung, pixel: float | None) -> tuple[float, ...]:
    """The sizes at which a row is tried: at the puzzle's own pixels if they are known."""
    if row.outlines != "traced" or pixel is None:
        return row.sizes
    own = tuple(size * (pixel / USUAL_PIXEL) for size in row.sizes)
    return (*own, *(size for size in row.sizes if size > LOOSER_THAN_PIXELS * own[-1]))


def _attempt(row: Rung, size: float) -> Attempt:
    is_rough = row.outlines != "exact"
    roughness = Roughness(size=size, traced=row.outlines == "traced") if is_rough else None
    taken_for = "" if roughness is None else f"{row.outlines} "
    limits = f" ({row.limits_in_words})" if row.limits else ""
    attempt = Attempt(
        name=f"{row.name}, {taken_for}{_short(size)}{limits}",
        space=(row.name, row.outlines, size),
        applies=partial(_holds, row, size),
        run=partial(_run, row, size if roughness is None else roughness),
        tolerance=Tolerance.of_corners(size) if roughness is None else roughness.tolerance,
        is_guess=roughness is not None,
    )
    if roughness is None and row.verb is not tile_loosely:
        return attempt
    return replace(attempt, needs_evidence=needs_evidence)


def _holds(row: Rung, size: float, case: Case) -> bool:
    return row.when(case, size)


def _run(row: Rung, taken_for: float | Roughness, case: Case, stop: Stop) -> Found:
    return row.verb(case, taken_for, stop, **row.limits)


def ladder_in_markdown(table: Mapping[str, tuple[Rung, ...]] = LADDER) -> str:
    """The table for the documentation."""
    lines = ["| | attempt | outlines off by | limits | tried if |", "| --- | --- | --- | --- | --- |"]
    number = 0
    for heading, rows in table.items():
        lines.append(f"| | **{heading}** | | | |")
        for row in rows:
            number += 1
            kind = "" if row.outlines == "exact" else f"{row.outlines}: "
            sizes = ", ".join(map(_short, row.sizes))
            cells = (str(number), row.name, f"{kind}{sizes}", row.limits_in_words, row.when_in_words)
            lines.append(f"| {' | '.join(cells)} |")
    return "\n".join(lines)


def _in_words(key: str, value: object) -> str:
    words = key.replace("_", " ")
    if value is True:
        return words
    return f"{words} {value:,}" if isinstance(value, int) else f"{value}"


def _short(size: float) -> str:
    return f"{size:.3g}".replace("e-0", "e-")


# What conditions name in words for the documentation.
_NAMED = {
    "LOOSEST_BENT": _short(LOOSEST_BENT),
    "LOOSEST_DRAWN": _short(LOOSEST_DRAWN),
    "LOOSEST_TILING": _short(LOOSEST_TILING),
    "FEWEST_ON_GRID": str(FEWEST_ON_GRID),
    "MOST_BENT": str(MOST_BENT),
    "MOST_DRAWN": str(MOST_DRAWN),
}
