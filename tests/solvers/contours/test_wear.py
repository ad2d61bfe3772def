"""How worn pieces are, told by where they lie."""

from __future__ import annotations

import numpy as np
import pytest

from sherd.bench.contour_suites import ContourCell, make_sample
from sherd.generation.observed import Observed
from sherd.solvers.contours.clusters import Clusters, relisted, singles
from sherd.solvers.contours.improve import Arrangement
from sherd.solvers.contours.merge import Rules
from sherd.solvers.contours.params import ContoursParams
from sherd.solvers.contours.scene import Scene, make_scene
from sherd.solvers.contours.wear import fit_wear
from sherd.solvers.stop import MaxEvaluations

PARAMS = ContoursParams()
TOLERANCE = 0.006


def scene_of(observed: Observed, growth: float) -> Scene:
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
