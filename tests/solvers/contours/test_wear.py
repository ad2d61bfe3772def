"""How worn pieces are, told by where they lie."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sherd.bench.contour_suites import ContourCell, make_sample
from sherd.core.assembly import Assembly
from sherd.generation.observed import Observed
from sherd.solvers.contours.clusters import Clusters, relisted, singles
from sherd.solvers.contours.improve import Arrangement
from sherd.solvers.contours.merge import Rules
from sherd.solvers.contours.params import ContoursParams
from sherd.solvers.contours.scene import Scene, make_scene
from sherd.solvers.contours.wear import fit_each, fit_wear
from sherd.solvers.stop import MaxEvaluations

PARAMS = ContoursParams()
TOLERANCE = 0.006


def scene_of(observed: Observed, growth: float | tuple[float, ...]) -> Scene:
    pieces = [fragment.polygon for fragment in observed.puzzle.fragments]
    return make_scene(pieces, None, PARAMS, tolerance=TOLERANCE, growth=growth)


def at_their_places(observed: Observed, unit: float) -> Clusters:
    clusters = singles(len(observed.puzzle.fragments))
    clusters.labels[:] = 0
    for k, fragment in enumerate(observed.puzzle.fragments):
        pose = observed.truth[fragment.id]
        clusters.turns[k] = np.exp(1j * pose.theta)
        clusters.shifts[k] = complex(pose.x, pose.y) / unit
    relisted(clusters)
    return clusters


@pytest.mark.parametrize(("seen", "worn"), [("worn-0.5", 0.005), ("worn-1", 0.01), ("moved-0.05", 0.0)])
def test_pieces_are_grown_by_what_they_lost(seen: str, worn: float) -> None:
    observed = make_sample(ContourCell(kind="jagged", pieces=(8, 8), input=seen), 310, 0)
    unit = scene_of(observed, 0.0).unit
    found = Arrangement(at_their_places(observed, unit), 0.0)
    rules = Rules(TOLERANCE, PARAMS.least_merge, PARAMS.most_inside, 1)
    fitted = fit_wear(0.0, lambda growth: scene_of(observed, growth), found, rules, PARAMS, MaxEvaluations(1))
    assert fitted.growth * unit == pytest.approx(worn, rel=0.2, abs=1e-9)


def every_other_worn(kind: str) -> Observed:
    """Eight pieces, of which those with odd numbers are worn by 1 % of the side."""
    whole, worn = (
        make_sample(ContourCell(kind=kind, pieces=(8, 8), input=seen), 671, 1) for seen in ("exact", "worn-1")
    )
    chosen = [(worn if k % 2 else whole) for k in range(8)]
    names = [fragment.id for fragment in whole.puzzle.fragments]
    fragments = tuple(one.puzzle[name] for one, name in zip(chosen, names, strict=True))
    truth = tuple(
        next(at for at in one.truth if at.id == name) for one, name in zip(chosen, names, strict=True)
    )
    return replace(whole, puzzle=replace(whole.puzzle, fragments=fragments), truth=Assembly(truth))


@pytest.mark.parametrize("kind", ["jagged", "wavy"])
def test_each_piece_is_grown_by_what_it_lost(kind: str) -> None:
    observed = every_other_worn(kind)
    unit = scene_of(observed, 0.0).unit
    found = Arrangement(at_their_places(observed, unit), 0.0)
    rules = Rules(1.5 * TOLERANCE, PARAMS.least_merge, PARAMS.most_inside, 1)

    def grown(growths: tuple[float, ...]) -> Scene:
        return scene_of(observed, growths)

    even = fit_wear(0.0, grown, found, rules, PARAMS, MaxEvaluations(1))
    fitted = fit_each(even, grown, rules, PARAMS, MaxEvaluations(1))
    assert not even.is_uneven and fitted.is_uneven and fitted.worth > even.worth
    assert np.mean(fitted.growths[1::2]) > 2.0 * np.mean(fitted.growths[::2])
    assert fit_each(even, grown, rules, PARAMS, MaxEvaluations(0)) is even  # no time to tell


@pytest.mark.parametrize("kind", ["jagged", "wavy"])
def test_pieces_that_are_not_worn_are_not_told_as_worn_one_by_one(kind: str) -> None:
    observed = make_sample(ContourCell(kind=kind, pieces=(8, 8), input="binary-1000"), 671, 2)
    unit = scene_of(observed, 0.0).unit
    found = Arrangement(at_their_places(observed, unit), 0.0)
    rules = Rules(1.5 * TOLERANCE, PARAMS.least_merge, PARAMS.most_inside, 1)

    def grown(growths: tuple[float, ...]) -> Scene:
        return scene_of(observed, growths)

    even = fit_wear(0.0, grown, found, rules, PARAMS, MaxEvaluations(1))
    assert even.growth == 0.0 and fit_each(even, grown, rules, PARAMS, MaxEvaluations(1)) is even
