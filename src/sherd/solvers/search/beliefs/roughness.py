"""Roughness: a guess at how far outlines are off, and how long it is given.

How rough outlines are is not known beforehand, so a ladder of guesses is climbed.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sherd.core.arrays import Floats
from sherd.core.tolerance import Tolerance
from sherd.solvers.search.beliefs.uncertain_outline import Belief, with_moved_corners, with_traced_edges
from sherd.solvers.search.constants.rough_outlines import DEEPEST, TRACED_SEAM


@dataclass(frozen=True, kw_only=True)
class Roughness:
    """A guess at how far outlines are off, as a share of the target's size.

    Either each corner by ``size`` to any side, or, if ``traced``, edges as they are when fitted to pixels
    of that size.
    """

    size: float
    traced: bool

    @property
    def tolerance(self) -> Tolerance:
        """What an assembly of such pieces has to fit in."""
        if self.traced:
            return Tolerance(seam=TRACED_SEAM * self.size, depth=min(self.size, DEEPEST))
        return Tolerance(seam=self.size, depth=min(2.0 * self.size, DEEPEST))

    def belief(self, corners: Floats, target_size: float) -> Belief:
        """What is believed of a piece with these corners."""
        believe: Callable[[Floats, float], Belief] = with_traced_edges if self.traced else with_moved_corners
        return believe(corners, self.size * target_size)


@dataclass(frozen=True, kw_only=True)
class Patience:
    """How long a guess is followed.

    ``joints`` is how many are tried. Where they make no whole, parts are held against regions ``fits``
    times, to be laid without the joints that they lack; what leaves more open than ``most_open`` of the
    target, or than seams may, is not taken.
    """

    joints: int
    fits: int = 0
    most_open: float = 0.0

    def __str__(self) -> str:
        finishing = f", {self.fits:,} fits" if self.fits else ""
        return f"{self.joints:,} joints{finishing}" + (
            f", {self.most_open:.0%} open" if self.most_open else ""
        )
