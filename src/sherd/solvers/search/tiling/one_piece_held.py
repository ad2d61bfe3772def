"""One piece held within a share of its turns, so that of assemblies that are the same one is looked for.

A motion that maps the target onto itself maps an assembly onto another, and turns every piece. A piece that
is like no other, nor like itself turned or turned over, tells such assemblies apart: held to a quarter of all
turns and face up in a square, it is met in one of eight.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sherd.core.geometry import TAU
from sherd.core.symmetry import allowed_symmetries
from sherd.solvers.search.case import Case
from sherd.solvers.search.tiling.facts import gather_pieces


@dataclass(frozen=True)
class Held:
    """A piece that is turned within so many radians, and maybe not turned over."""

    number: int
    turned_within: float
    face_up: bool


def hold_one(case: Case, off: float) -> Held | None:
    """The largest piece that can be held; None if the target has no symmetry, or there is no such piece."""
    motions = allowed_symmetries(case.puzzle)
    if len(motions) == 1:
        return None
    _, pieces = gather_pieces(case.outlines, case.rotations, off * case.size, case.may_mirror)
    # Outlines with holes are told apart from no other, so they may be like themselves.
    own = [
        number
        for number, outline in enumerate(case.outlines)
        if not outline.interiors
        and (pieces.key == pieces.key[number]).sum() == 1
        and len(np.unique(orbits := pieces.orbit[pieces.piece == number])) == len(orbits)
    ]
    if not own:
        return None
    turns = sum(not motion.mirrored for motion in motions)
    largest = max(own, key=lambda number: float(pieces.area[number]))
    return Held(largest, TAU / turns, face_up=turns < len(motions))
