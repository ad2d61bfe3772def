"""The figures of a cell over all the runs that count for it, and how far chance may have moved them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass, replace
from statistics import fmean, stdev

from sherd.bench.cell import Cell
from sherd.bench.entries import Entry, count_evaluations, counting

# The paper measures each row on so many puzzles.
PUBLISHED_PUZZLES = 1000
PASSES = "passes"


@dataclass(frozen=True)
class Pooled:
    """The figures of a cell over all the entries that count for it.

    ``evaluations`` is how often its test puzzles were looked at, in these entries and others.
    ``usual_spread`` is how far trainings of such rows lie apart, in log odds: two or three of a row may lie
    nearer to each other by chance.
    """

    entries: tuple[Entry, ...]
    evaluations: int
    usual_spread: float = 0.0

    @property
    def count(self) -> int:
        """How many puzzles there were, each counted once a training."""
        return sum(entry.result.count for entry in self.entries)

    def mean(self, figure: str) -> float:
        """A figure over all these puzzles."""
        values = (entry.result.count * getattr(entry.result.figures, figure) for entry in self.entries)
        return sum(values) / self.count

    @property
    def trainings(self) -> int:
        """From how many seeds networks were trained for the row."""
        return len({entry.train_seed for entry in self.entries} - {None})

    def deviation(self, figure: str) -> float | None:
        """The standard deviation of a figure between trainings; None where there are not several."""
        if self.trainings < 2:
            return None
        return stdev(getattr(entry.result.figures, figure) for entry in self.entries)

    @property
    def spread(self) -> float | None:
        """How far the trainings' cov95 lie apart in log odds; None where there are not several."""
        deviation = self.deviation("cov95")
        return None if deviation is None else deviation / self._slope

    @property
    def standard_error(self) -> float:
        """That of the mean of cov95: of puzzles, each of which counts once, and of trainings."""
        counts: dict[int, int] = {}
        for entry in self.entries:
            counts[entry.record.seed] = max(entry.result.count, counts.get(entry.record.seed, 0))
        of_puzzles = standard_error(self.mean("cov95"), sum(counts.values()))
        if not self.trainings:
            return of_puzzles
        deviation = max(self.deviation("cov95") or 0.0, self.usual_spread * self._slope)
        return math.hypot(of_puzzles, deviation / math.sqrt(self.trainings))

    @property
    def _slope(self) -> float:
        """By how much cov95 grows with its log odds."""
        share = _softened(self.mean("cov95"), self.count)
        return share * (1.0 - share)

    def shown(self, figure: str) -> str:
        """A figure with its spread, such as "0.772 ± 0.010 (3)"."""
        deviation = self.deviation(figure)
        spread = "" if deviation is None else f" ± {deviation:.3f} ({len(self.entries)})"
        return f"{self.mean(figure):.3f}{spread}"

    def margin(self, published: float) -> float:
        """How far our cov95 is above the published one, in standard errors of the difference."""
        error = math.hypot(self.standard_error, standard_error(published, PUBLISHED_PUZZLES))
        return (self.mean("cov95") - published) / error

    def verdict(self, published: float) -> str:
        """Whether our cov95 passes the published one, by more than the standard error."""
        margin = self.margin(published)
        if abs(margin) <= 1.0:
            return "equal"
        return PASSES if margin > 0.0 else "below"

    @property
    def seeds(self) -> tuple[int, ...]:
        """The seeds that the puzzles were made from."""
        return tuple(entry.record.seed for entry in self.entries)

    @property
    def commit(self) -> str:
        """The commit that all of them were measured at."""
        return self.entries[0].record.commit


def pooled_cells(entries: Iterable[Entry]) -> dict[Cell, Pooled]:
    """What counts for each cell; the spread of rows that were trained often is the least that any has."""
    entries = list(entries)
    evaluations = count_evaluations(entries)
    pooled = {cell: Pooled(counted, evaluations[cell]) for cell, counted in counting(entries).items()}
    spread = spread_of_trainings(pooled.values())
    return {cell: replace(one, usual_spread=spread) for cell, one in pooled.items()}


def spread_of_trainings(pooled: Iterable[Pooled]) -> float:
    """How far trainings of a row lie apart, in log odds, over all rows that were trained several times."""
    spreads = [one.spread for one in pooled]
    squares = [spread**2 for spread in spreads if spread is not None]
    return math.sqrt(fmean(squares)) if squares else 0.0


def standard_error(share: float, count: int) -> float:
    """That of a share of ``count`` independent puzzles; none of few says less than none of many.

    >>> round(standard_error(0.5, 98), 3), round(standard_error(0.0, 48), 3)
    (0.05, 0.02)
    """
    softened = _softened(share, count)
    return math.sqrt(softened * (1.0 - softened) / (count + 2))


def _softened(share: float, count: int) -> float:
    """The share as if one puzzle more had been solved and one more had not (Laplace), never 0 nor 1."""
    return (share * count + 1) / (count + 2)
