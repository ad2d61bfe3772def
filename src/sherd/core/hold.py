"""How a placed piece is held: `sherd.layout.holding` finds it, and files of answers tell it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

Band = Literal["certain", "likely", "loose"]


@dataclass(frozen=True, kw_only=True)
class Hold:
    """How one placed piece is held, lengths in the drawing's unit.

    outline    the length of its own outline
    contact    how much of it runs along other pieces or the target's edge, within the tolerance
    edge       how much of that is the target's edge
    gap        the farthest that any of its outline lies from what is next to it
    overlap    the deepest that it reaches into another piece, another into it, or out of the target
    slides     whether it could be pushed along what holds it
    elsewhere  whether another complete assembly has it elsewhere; None if not all are known
    """

    outline: float
    contact: float
    edge: float
    gap: float
    overlap: float
    slides: bool
    elsewhere: bool | None
    band: Band

    @property
    def share(self) -> float:
        """The share of the outline that is held."""
        return min(self.contact / self.outline, 1.0)
