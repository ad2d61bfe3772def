"""An attempt at a puzzle, and what comes of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from sherd.core.geometry import Pose
from sherd.core.tolerance import Tolerance
from sherd.solvers.search.arrangement import Arrangement
from sherd.solvers.search.case import Case
from sherd.solvers.stop import Stop


@dataclass(frozen=True)
class Evidence:
    """What speaks for an assembly: the noise that it shows, as a share of the size, and what is left open.

    ``elsewhere`` are pieces that may well lie elsewhere, by number, and ``rivals`` assemblies in which they
    do, the likeliest first. ``is_whole`` says that all of these were looked at, ``is_final`` that what they
    cover would not change how likely they are. It is not ``is_fair`` if corners are off by more than what is
    known of them explains, or if not all was looked at for want of patience: then something better is to be
    found. It ``lacks_a_piece`` by its area if that is more than such corners explain. ``exact`` is how many
    pieces lie exactly, where others are rough.
    """

    noise: float
    elsewhere: frozenset[int] = frozenset()
    rivals: tuple[dict[int, Pose], ...] = ()
    is_whole: bool = True
    is_final: bool = False
    is_fair: bool = True
    lacks_a_piece: bool = False
    exact: int = 0


@dataclass(frozen=True)
class Found:
    """Poses by piece number, how many evaluations they took, and whether that was all there is to find.

    ``exhausted`` says that nothing was left to try: more patience would find the same. ``halfway`` are the
    poses that it would have ended with after 1, 2, 4, 8, ... tries. ``evidence`` is what speaks
    for them where outlines are rough, if joints do; ``fullest`` covers more, where they are likelier.
    ``none_within`` is how far corners may be off, as a share of the size, so that no assembly of all pieces
    fits: that is proven; 0 if nothing is.
    """

    poses: dict[int, Pose]
    tries: int
    exhausted: bool = False
    halfway: tuple[dict[int, Pose], ...] = ()
    evidence: Evidence | None = None
    fullest: dict[int, Pose] = field(default_factory=dict[int, Pose])
    none_within: float = 0.0


# That a case gives nothing to try, and what did not work out at all.
NOTHING = Found({}, 0, exhausted=True)


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """One thing to try: how, when that makes sense, and how far it takes outlines to be off.

    Attempts of one ``space`` try the same things with more or less patience. If ``is_guess``, what it lays
    is worth filling in, for only area speaks for it. ``needs_evidence`` says whether an answer counts only
    if no other is as likely.
    """

    name: str
    space: tuple[str, str, float]
    applies: Callable[[Case], bool]
    run: Callable[[Case, Stop], Found]
    tolerance: Tolerance
    is_guess: bool = False
    needs_evidence: Callable[[Case, Arrangement], bool] = lambda case, answer: False
