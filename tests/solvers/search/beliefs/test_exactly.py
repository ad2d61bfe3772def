"""Pieces that lie exactly among damaged ones, and what they decide."""

from __future__ import annotations

import numpy as np
import pytest

from sherd.core.geometry import Rotations
from sherd.core.puzzle import Sample
from sherd.core.symmetry import are_same
from sherd.generation.dataset import PuzzleKind, make_samples
from sherd.generation.degradation import Kind
from sherd.solvers import MaxEvaluations, make_solver, run
from sherd.solvers.search.beliefs.cut_lines import CutFit, fit_cuts
from sherd.solvers.search.beliefs.edge_lines import Lines
from sherd.solvers.search.beliefs.exactly import tied
from sherd.solvers.search.beliefs.rearrange import rearranged
from sherd.solvers.search.beliefs.seen_lines import seen_lines
from sherd.solvers.search.corner_outline import ring_of
from true_lines import noisy_and_lines, poses_of, rings_of


def _damaged(rotations: int | None, number: int) -> tuple[Sample, Lines, frozenset[int]]:
    """A distorted puzzle of 16, the line of each edge in true places, and the pieces that are undamaged."""

    def of(degradation: Kind) -> Sample:
        kind = PuzzleKind(pieces=16, rotations=Rotations(rotations), degradation=degradation)
        return next(iter(make_samples(kind, seed=803, start=number, stop=number + 1)))

    whole, sample = of("none"), of("distorted")
    lines = seen_lines(rings_of(whole), poses_of(whole), ring_of(whole.puzzle.target))
    assert lines is not None
    pairs = zip(whole.puzzle.fragments, sample.puzzle.fragments, strict=True)
    sound = frozenset(k for k, (one, other) in enumerate(pairs) if one.polygon == other.polygon)
    return sample, lines, sound


def _fit(sample: Sample, lines: Lines, *, turns: bool) -> CutFit:
    fit = fit_cuts(rings_of(sample), lines, ring_of(sample.puzzle.target), poses_of(sample), turns=turns)
    assert fit is not None
    return fit


@pytest.mark.parametrize("rotations", [1, None])
@pytest.mark.parametrize("number", [0, 1])
def test_all_undamaged_pieces_are_seen_to_lie_exactly(rotations: int | None, number: int) -> None:
    sample, lines, sound = _damaged(rotations, number)
    turns, target = rotations is None, ring_of(sample.puzzle.target)
    fit = _fit(sample, lines, turns=turns)
    found = tied(rings_of(sample), lines, target, fit, None, turns=turns, size=1.0)
    assert found.pieces == sound
    assert found.ties > 20
    assert found.fit.freedom == fit.freedom - found.ties


def test_other_arrangements_have_fewer_ties() -> None:
    sample, lines, _ = _damaged(None, 0)
    target, rings = ring_of(sample.puzzle.target), rings_of(sample)
    fit = _fit(sample, lines, turns=True)
    true = tied(rings, lines, target, fit, None, turns=True, size=1.0)
    others = sorted(
        rearranged(lines, fit, sample.puzzle.rotations, 3.0 * fit.squares), key=lambda other: other.off
    )
    ties: list[int] = []
    for other in others[:20]:
        anew = fit_cuts(rings, other.lines, target, other.poses, turns=True)
        if anew is not None:
            ties.append(tied(rings, other.lines, target, anew, None, turns=True, size=1.0).ties)
    assert max(ties) == true.ties  # halves that change places are the same turned by half a turn
    assert sum(own < true.ties for own in ties) > 5


def test_where_all_are_rough_none_lies_exactly() -> None:
    sample, lines = noisy_and_lines("pentagon", 8, 0.01, 600, 1)
    fit = _fit(sample, lines, turns=True)
    target = ring_of(sample.puzzle.target)
    found = tied(rings_of(sample), lines, target, fit, None, turns=True, size=1.0)
    assert (found.ties, found.pieces, found.fit) == (0, frozenset(), fit)


@pytest.mark.parametrize("rotations", [1, 20])
def test_what_lies_exactly_tells_which_of_two_that_cover_as_much_is_meant(rotations: int) -> None:
    """Four strips of 16 in another order cover as much as the truth but for 0.02 %, and were solved."""
    kind = PuzzleKind(pieces=16, rotations=Rotations(rotations), degradation="distorted")
    (sample,) = make_samples(kind, seed=802, start=1, stop=2)
    result = run(
        make_solver("search"), sample.puzzle, stop=MaxEvaluations(20_000), rng=np.random.default_rng(0)
    )
    assert result.solved
    assert are_same(result.assembly, sample.truth, sample.puzzle, 0.06 * sample.puzzle.size)
