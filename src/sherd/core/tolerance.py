"""Tolerance: how far outlines are taken to be off when an answer is judged."""

from __future__ import annotations

from dataclasses import dataclass

# No tolerance is so tight that a disc of this radius, as a share of the target's size, is too deep.
LEAST_DEPTH = 2e-3
# Pieces that fit to this share of the target's size are as good as exact.
AS_GOOD_AS_EXACT = 1e-4
# However wide seams may be, pieces that cover less than their area by more than this share of the target do
# not fit, unless more than area speaks for them; and what leaves more open leaves more than seams.
WIDEST_SEAMS = 0.06


@dataclass(frozen=True)
class Tolerance:
    """How far outlines are taken to be off, as shares of the target's size.

    ``seam`` is how wide pieces may gape or overlap on average, ``depth`` the radius of the largest disc that
    may lie in two pieces, or in a piece and outside of the target. ``widest`` is the share of the target
    that all that overlaps and sticks out may have.
    """

    seam: float
    depth: float
    widest: float = WIDEST_SEAMS

    @classmethod
    def of_corners(cls, off: float) -> Tolerance:
        """The tolerance for outlines whose corners are off by this share."""
        return cls(off, max(LEAST_DEPTH, 2.0 * off))


EXACT = Tolerance.of_corners(1e-8)
