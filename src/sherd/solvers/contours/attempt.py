"""The search under one guess: merged from scratch, taken apart in places and merged again."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sherd.solvers.contours.bends import parts_by_bends
from sherd.solvers.contours.clusters import Clusters, bonds, copied, relisted, singles
from sherd.solvers.contours.compact import looks_of, outer_of, worth_of_looks
from sherd.solvers.contours.guesses import Guess
from sherd.solvers.contours.improve import Arrangement, parted, shake, worth_of
from sherd.solvers.contours.joints import Joints, with_more
from sherd.solvers.contours.merge import MOST_WHOLE, Rules, merge_joints
from sherd.solvers.contours.posegraph import relax_all
from sherd.solvers.contours.scene import Scene, pairs_of
from sherd.solvers.contours.task import Task
from sherd.solvers.contours.wear import Fitted, fit_wear
from sherd.solvers.contours.whole import is_whole

STALE_NOISE = 0.3  # on the logarithm of what joints are worth, in a start after the first
SETTLED_ROUNDS = 40
MOST_PARTS, TRIES_A_PART = 6, 24  # of a whole in doubt, that are laid to the others anew, and how often
LEAST_GAIN = 1e-6
WORTH_TELLING = 0.01  # how much more an arrangement is worth than the last that was told, to be told


@dataclass
class Attempt:
    """A guess with its scene and joints, and where the search under it stands."""

    task: Task
    guess: Guess
    scene: Scene
    joints: Joints
    rules: Rules
    bonus: Callable[[Clusters], float]
    tell: Callable[[Attempt], None] | None
    best: Arrangement | None = None
    fitted: Fitted | None = None
    whole: bool = False
    is_sure: bool = False  # that a whole is one: more than straight edges join its parts
    stale_rounds: int = 0
    worth_told: float = -math.inf

    @property
    def is_settled(self) -> bool:
        """Whether no piece is in hand, and search after search found nothing better."""
        if self.best is None or self.stale_rounds < SETTLED_ROUNDS:
            return False
        labels = self.best.clusters.labels
        return bool((labels == labels[0]).all())

    def search(self) -> None:
        """Search until all come together or nothing better comes for a while."""
        task, best = self.task, self.best
        here = self.begin(noise=0.0 if best is None else STALE_NOISE)
        if best is None or here.worth > best.worth:
            self._improve(here)
        elif task.rng.random() < 0.5:
            here = best
        stale, patience = 0, task.params.patience + task.params.patience_a_piece * self.scene.pieces
        before = self.best
        while not (self.is_sure or stale > patience or task.is_over):
            best = self.best
            assert best is not None
            found = shake(self.scene.shapes, here, self.joints, self.rules, task.rng, self.bonus)
            task.evaluations += 1
            temperature = task.params.temperature * abs(best.worth) * (1.0 - stale / (patience + 1))
            chance = math.exp(min(0.0, found.worth - here.worth) / max(temperature, 1e-9))
            if task.rng.random() < chance:
                here = found
            stale += 1
            if found.worth > best.worth * (1.0 + LEAST_GAIN):
                stale = 0
                self._improve(found)
            elif stale % task.params.steps_between_fusing == 0:
                self._fuse()
        self.stale_rounds = self.stale_rounds + 1 if self.best is before else 0

    def search_on(self) -> None:
        """Search for more than a whole of which straight edges alone join parts: those lie elsewhere, too."""
        task, scene, rules = self.task, self.scene, self.rules
        if not self.whole or self.is_sure or task.is_over:
            return
        assert self.best is not None
        best = self.best
        parts = parts_by_bends(scene, best.clusters, rules.tolerance, task.params)
        for part in np.unique(parts).tolist()[:MOST_PARTS]:
            # The others lie together as they do: only their common edge may be as long as one of the part.
            two = copied(best.clusters)
            own = np.flatnonzero(parts == part)
            two.labels[:] = np.flatnonzero(parts != part)[0]
            two.labels[own] = own[0]
            relisted(two)
            more = task.joints_along(scene, two, rules.tolerance)
            for k in np.argsort(-more.worth, kind="stable").tolist()[:TRIES_A_PART]:
                if task.is_over:
                    return
                clusters, one = copied(two), more.chosen(np.array([k]))
                merge_joints(scene.shapes, clusters, one, np.ones(1), rules)
                for wide in (4.0, 1.0):  # what was found along one edge is not yet at rest along all
                    relax_all(scene.shapes, clusters, wide * rules.tolerance, task.params.last_steps)
                task.evaluations += 1
                worth = worth_of(scene.shapes, clusters, rules) + self.bonus(clusters)
                if worth > self.best.worth * (1.0 + LEAST_GAIN):
                    self._improve(Arrangement(clusters, worth))

    def begin(self, noise: float) -> Arrangement:
        """All pieces merged from scratch."""
        task, shapes = self.task, self.scene.shapes
        clusters = singles(len(self.scene.outlines))
        liking = np.exp(noise * task.rng.standard_normal(len(self.joints.first)))
        merge_joints(shapes, clusters, self.joints, liking, self.rules)
        if self.scene.pieces > MOST_WHOLE and not task.is_over:  # merging left that out
            relax_all(shapes, clusters, self.rules.tolerance, task.params.last_steps)
        task.evaluations += 1
        return Arrangement(clusters, worth_of(shapes, clusters, self.rules) + self.bonus(clusters))

    def fit_wear(self) -> None:
        """Find how worn pieces are by where they lie, unless a target tells."""
        task, best = self.task, self.best
        if task.target is not None or best is None:
            return
        if self.fitted is None or self.fitted.arrangement is not best:
            near = self.guess.growth if self.fitted is None else self.fitted.growth
            self.fitted = fit_wear(near, task.compared, best, self.rules, task.params, task.stop)

    def _fuse(self) -> None:
        """Find joints along the outlines of what is put together so far, or of what holds best of it."""
        assert self.best is not None
        task, scene, clusters = self.task, self.scene, copied(self.best.clusters)
        pairs, _ = bonds(scene.shapes, clusters, self.rules.tolerance, self.rules.stride)
        held = np.sort(pairs[pairs > 0.0])
        is_one = bool((clusters.labels == clusters.labels[0]).all())
        if len(held) and (is_one or task.rng.random() > task.params.fused_whole):
            share = task.rng.uniform(*task.params.fused_cut)
            pairs[pairs < held[int(share * len(held))]] = 0.0
        parted(clusters, pairs, np.zeros(len(clusters.labels), dtype=np.bool_))
        more = task.joints_along(scene, clusters, self.rules.tolerance)
        self.joints = with_more(scene, self.joints, more, task.params, task.stop)

    def _improve(self, found: Arrangement) -> None:
        self.best = found
        scene, tolerance, params = self.scene, self.rules.tolerance, self.task.params
        self.whole = is_whole(scene, found.clusters, tolerance, params)
        self.is_sure = self.whole and (
            scene.has_target or len(np.unique(parts_by_bends(scene, found.clusters, tolerance, params))) == 1
        )
        told = self.worth_told
        if self.tell is not None and (self.whole or found.worth >= told + WORTH_TELLING * abs(told)):
            self.worth_told = found.worth
            self.tell(self)


def make_attempt(task: Task, guess: Guess, tell: Callable[[Attempt], None] | None) -> Attempt:
    """The joints under a guess, and nothing searched yet; ``tell`` hears of what is better."""
    params, scene = task.params, task.scene(guess)
    joints = task.joints(scene, pairs_of(scene))
    rules = Rules(
        params.slack * scene.tolerance, params.least_merge, params.most_inside, params.contact_stride
    )
    if scene.has_target:
        return Attempt(task, guess, scene, joints, rules, lambda clusters: 0.0, tell)
    outer = outer_of(scene)
    return Attempt(
        task,
        guess,
        scene,
        joints,
        rules,
        lambda clusters: worth_of_looks(looks_of(clusters, outer), params),
        tell,
    )
