"""How worn the pieces of an arrangement are: grown by that much, they share most and look most like a whole.

A search under a plain guess lays worn pieces together as if they were whole, so that they lie in the right
order and too close; under too large a guess they lie too far apart.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sherd.solvers.contours.clusters import Clusters, copied
from sherd.solvers.contours.compact import looks_of, outer_of, worth_of_looks
from sherd.solvers.contours.improve import Arrangement, worth_of
from sherd.solvers.contours.merge import Rules
from sherd.solvers.contours.params import ContoursParams
from sherd.solvers.contours.posegraph import relax_all
from sherd.solvers.contours.scene import Scene
from sherd.solvers.stop import Stop

# Growths that are looked at, in units, from one to the next until so many are no better.
STEPS_WITHOUT = 2
GROWTHS = (0.0, 0.005, 0.0075, 0.01, 0.0125, 0.0155, 0.02, 0.025, 0.032, 0.04, 0.05, 0.065)
LEAST_GAIN = 1.01  # pieces are worn if they are worth so many times as much when they are grown
WIDE = (0.025, 0.012)  # tolerances within which pieces that were grown come to rest, before the one asked for
STEPS = 4


@dataclass(frozen=True)
class Fitted:
    """An arrangement at rest with its pieces grown.

    ``shared`` is what pieces share so, ``worth`` that and what they look like.
    """

    arrangement: Arrangement
    growth: float
    scene: Scene
    clusters: Clusters
    shared: float
    worth: float


def fitted_at(
    growth: float,
    scene_of: Callable[[float], Scene],
    found: Arrangement,
    rules: Rules,
    params: ContoursParams,
) -> Fitted:
    """The arrangement with pieces grown so, moved until they are at rest."""
    scene, clusters = scene_of(growth), copied(found.clusters)
    rules = rules._replace(tolerance=params.slack * scene.tolerance, stride=1)
    for tolerance in (*WIDE, rules.tolerance):
        relax_all(scene.shapes, clusters, tolerance, STEPS)
    shared = float(worth_of(scene.shapes, clusters, rules))
    looks = looks_of(clusters, outer_of(scene))
    return Fitted(found, growth, scene, clusters, shared, shared + worth_of_looks(looks, params))


def fit_wear(
    near: float,
    scene_of: Callable[[float], Scene],
    found: Arrangement,
    rules: Rules,
    params: ContoursParams,
    stop: Stop,
) -> Fitted:
    """The arrangement with its pieces grown by what makes it worth most, looked for from ``near`` on.

    What pieces share says little where edges are nearly straight; then what is empty between them tells.

    Once ``stop`` says so, the best that was looked at.
    """
    at = min(range(len(GROWTHS)), key=lambda k: abs(GROWTHS[k] - near))
    tried = {k: fitted_at(GROWTHS[k], scene_of, found, rules, params) for k in {at, 0}}
    for way in (1, -1):
        k = best = at
        while 0 <= k + way < len(GROWTHS) and abs(k - best) < STEPS_WITHOUT and not stop(0):
            k += way
            if k not in tried:
                tried[k] = fitted_at(GROWTHS[k], scene_of, found, rules, params)
            best = max(best, k, key=lambda k: tried[k].worth)
        at = best
    return tried[at] if tried[at].worth > LEAST_GAIN * tried[0].worth else tried[0]
