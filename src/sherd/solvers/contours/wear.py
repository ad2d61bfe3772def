"""How worn the pieces of an arrangement are: grown by that much, they share most and look most like a whole.

All are taken to be worn alike at first, and then each as it fits best: worn ones may lie beside others.

A search under a plain guess lays worn pieces together as if they were whole, so that they lie in the right
order and too close; under too large a guess they lie too far apart.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

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
# Shares of the common wear, or of the least that is told, that each piece is tried with, how often, and how
# much better each must make it. All together must be worth so many times as much: true arrangements of 8 and
# 16 pieces (seed 671) gain up to 3 % where none is worn, 20 to 52 % where every other one is, by 1 %.
OWN_SHARES, OWN_SWEEPS = (0.0, 0.5, 1.0, 1.6, 2.4), 2
LEAST_OWN, OWN_GAIN, LEAST_OWN_GAIN = 0.01, 1.002, 1.08
MOST_OWN = 32  # pieces: a try for each takes as long as there are pieces


@dataclass(frozen=True)
class Fitted:
    """An arrangement at rest with its pieces grown.

    ``growths`` are those of all pieces; ``shared`` is what they share so, ``worth`` that and what they look
    like.
    """

    arrangement: Arrangement
    growths: tuple[float, ...]
    scene: Scene
    clusters: Clusters
    shared: float
    worth: float

    @property
    def growth(self) -> float:
        """The mean growth."""
        return sum(self.growths) / len(self.growths)

    @property
    def is_uneven(self) -> bool:
        """Whether some pieces are worn more than others."""
        return len(set(self.growths)) > 1


SceneOf = Callable[[tuple[float, ...]], Scene]


def fitted_at(
    growths: tuple[float, ...],
    scene_of: SceneOf,
    found: Arrangement,
    rules: Rules,
    params: ContoursParams,
) -> Fitted:
    """The arrangement with pieces grown so, moved until they are at rest."""
    scene, clusters = scene_of(growths), copied(found.clusters)
    rules = rules._replace(tolerance=params.slack * scene.tolerance, stride=1)
    for tolerance in (*WIDE, rules.tolerance):
        relax_all(scene.shapes, clusters, tolerance, STEPS)
    shared = float(worth_of(scene.shapes, clusters, rules))
    looks = looks_of(clusters, outer_of(scene))
    return Fitted(found, growths, scene, clusters, shared, shared + worth_of_looks(looks, params))


def fit_wear(
    near: float,
    scene_of: SceneOf,
    found: Arrangement,
    rules: Rules,
    params: ContoursParams,
    stop: Stop,
) -> Fitted:
    """The arrangement with its pieces grown by what makes it worth most, looked for from ``near`` on.

    What pieces share says little where edges are nearly straight; then what is empty between them tells.

    Once ``stop`` says so, the best that was looked at.
    """

    def at_growth(k: int) -> Fitted:
        return fitted_at((GROWTHS[k],) * len(found.clusters.labels), scene_of, found, rules, params)

    at = min(range(len(GROWTHS)), key=lambda k: abs(GROWTHS[k] - near))
    tried = {k: at_growth(k) for k in {at, 0}}
    for way in (1, -1):
        k = best = at
        while 0 <= k + way < len(GROWTHS) and abs(k - best) < STEPS_WITHOUT and not stop(0):
            k += way
            if k not in tried:
                tried[k] = at_growth(k)
            best = max(best, k, key=lambda k: tried[k].worth)
        at = best
    return tried[at] if tried[at].worth > LEAST_GAIN * tried[0].worth else tried[0]


def fit_each(even: Fitted, scene_of: SceneOf, rules: Rules, params: ContoursParams, stop: Stop) -> Fitted:
    """The same with each piece grown as it fits best, if that tells that some are worn more than others.

    Once ``stop`` says so, what was found is not told.
    """
    labels = even.clusters.labels
    if len(labels) > MOST_OWN or (labels != labels[0]).any():
        return even
    worn, whole = max(even.growth, LEAST_OWN), (0.0,) * len(labels)
    best = even if even.growth == 0.0 else fitted_at(whole, scene_of, even.arrangement, rules, params)
    for _ in range(OWN_SWEEPS):
        before = best
        for piece in range(len(labels)):
            for growth in (share * worn for share in OWN_SHARES):
                if stop(0):
                    return even
                growths = (*best.growths[:piece], growth, *best.growths[piece + 1 :])
                if growths == best.growths:
                    continue
                here = even.arrangement._replace(clusters=best.clusters)
                found = fitted_at(growths, scene_of, here, rules, params)
                if found.worth > OWN_GAIN * best.worth:
                    best = found
        if best is before:
            break
    is_told = best.worth > LEAST_OWN_GAIN * even.worth
    return replace(best, arrangement=even.arrangement) if is_told else even
