"""Tolerance: how far outlines are taken to be off when an answer is judged."""

from __future__ import annotations

from dataclasses import dataclass

# No tolerance is so tight that a disc of this radius, as a share of the target's size, is too deep.
LEAST_DEPTH = 2e-3


@dataclass(frozen=True)
class Tolerance:
    """How far outlines are taken to be off, as shares of the target's size.

    ``seam`` is how wide pieces may gape or overlap on average, ``depth`` the radius of the largest disc that
    may lie in two pieces, or in a piece and outside of the target.
    """

    seam: float
    depth: float

    @classmethod
    def of_corners(cls, off: float) -> Tolerance:
        """The tolerance for outlines whose corners are off by this share."""
        return cls(off, max(LEAST_DEPTH, 2.0 * off))


EXACT = Tolerance.of_corners(1e-8)
