"""The search under one guess: merged from scratch, taken apart in places and merged again."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from sherd.solvers.contours.beam import Links
from sherd.solvers.contours.bends import parts_by_bends
from sherd.solvers.contours.clusters import Clusters, bonds, copied, relisted, singles
from sherd.solvers.contours.compact import Outer, beside_hull, looks_of, outer_of, worth_of_looks
from sherd.solvers.contours.growing import Growth
from sherd.solvers.contours.guesses import Guess
from sherd.solvers.contours.improve import Arrangement, loosened, parted, shake, worth_of
from sherd.solvers.contours.joints import Joints, with_more
from sherd.solvers.contours.lines import sides_of_lines
from sherd.solvers.contours.merge import MOST_WHOLE, Rules, merge_joints
from sherd.solvers.contours.posegraph import relax_all
from sherd.solvers.contours.scene import Scene, pairs_of
from sherd.solvers.contours.turned import turned_otherwise
from sherd.solvers.contours.undertaking import Undertaking
from sherd.solvers.contours.wear import Fitted, fit_each, fit_wear
from sherd.solvers.contours.whole import is_whole

STALE_NOISE = 0.3  # on the logarithm of what joints are worth, in a start after the first
SETTLED_ROUNDS = 40
MOST_PARTS, TRIES_A_PART = 8, 120  # that are laid to the others anew, and how often
RESTING = (4.0, 2.0, 1.0, 0.5)  # tolerances within which turned parts come to rest, and are compared
TURNED_AGAIN = 4  # times, at most
CLEAR_LEAD = 0.985  # an arrangement is clear of another that shares no more than this share of what it does
LAID_AGAIN = 6  # times that parts are laid anew, at most
EMPTY = 1.0  # what a unit of area that is empty in a hull costs more, where parts are laid anew
BESIDE = 0.25  # and one beside it in a rectangle
WHOLE_SHARE = 0.95  # of what the best is worth, that a whole is worth at least to count more
LEAST_GAIN = 1e-6
WORTH_TELLING = 0.01  # how much more an arrangement is worth than the last that was told, to be told


@dataclass
class GuessAttempt:
    """A guess with its scene and joints, and where the search under it stands."""

    task: Undertaking
    guess: Guess
    scene: Scene
    joints: Joints
    rules: Rules
    outer: Outer | None  # of the pieces, where there is no target
    tell: Callable[[GuessAttempt], None] | None
    best: Arrangement | None = None
    fitted: Fitted | None = None
    whole: bool = False
    is_sure: bool = False  # that a whole is one: more than straight edges join its parts
    has_rivals: bool = False  # parts of a whole could lie turned
    laid_anew: Arrangement | None = None  # the best when its parts were laid anew
    beams: int = 0  # that were grown
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
        """Search until all come together or nothing better comes for a while.

        First from what merging gives, and then, each time, from what a beam does.
        """
        task, before = self.task, self.best
        patience = task.params.patience + task.params.patience_a_piece * self.scene.pieces
        if self.best is None:
            patience = int(task.params.first_patience * patience)
            here = self.begin(noise=0.0)
            self._improve(here)
            self._shake_on(here, patience)
        if not (self.is_sure or task.is_over):
            assert self.best is not None
            here = self._grown_anew()
            if here.worth > self.best.worth:
                self._improve(here)
            elif task.rng.random() < 0.5:
                here = self.best
            self._shake_on(here, patience)
        self.stale_rounds = self.stale_rounds + 1 if self.best is before else 0

    def sound(self) -> None:
        """See how far a narrow beam comes, to tell whether this guess is worth a search."""
        self._improve(self._grown_anew())

    def adopt(self, clusters: Clusters) -> None:
        """Go on from what was found under another guess, if that is better under this one."""
        laid = copied(clusters)
        found = self._at_rest(laid)
        worth = worth_of(self.scene.shapes, laid, self.rules) + self.bonus(laid)
        if self.best is None or worth > self.best.worth * (1.0 + LEAST_GAIN):
            self._improve(found._replace(worth=worth))

    def _shake_on(self, here: Arrangement, patience: int) -> None:
        """Take arrangements apart in places and merge them again, until nothing better comes."""
        task, stale = self.task, 0
        while not (self.is_sure or stale > patience or task.is_over):
            best = self.best
            assert best is not None
            if task.rng.random() < task.params.grown_steps:
                found = self._grown_on(here)
            else:
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

    def search_on(self) -> None:
        """Lay parts anew that straight edges alone join to the others: those lie elsewhere, too."""
        if self.whole:
            self._turn_parts()
        best = self.best
        if best is None or self.outer is None or self.is_sure or self.laid_anew is best:
            return
        self.laid_anew = here = best
        for _ in range(LAID_AGAIN):
            found = max(
                (self._laid_anew(here, own) for own in self._parts(here)), key=self._fullness, default=here
            )
            if self._fullness(found) <= self._fullness(here):
                break
            here = found
        if self._is_better(here):
            self._improve(here)
            self.laid_anew = here

    def _parts(self, here: Arrangement) -> list[NDArray[np.bool_]]:
        """What straight lines part from the rest of an arrangement, or straight edges alone join to it."""
        clusters, labels = here.clusters, here.clusters.labels
        assert self.outer is not None
        if (labels != labels[0]).any():
            return []
        lines = sides_of_lines(clusters, self.outer)
        if not (lines or self.whole):
            return []
        apart = parts_by_bends(self.scene, clusters, self.rules.tolerance, self.task.params)
        names = np.unique(apart)
        return [*lines, *(apart == part for part in names if len(names) > 1)][:MOST_PARTS]

    def _laid_anew(self, here: Arrangement, own: NDArray[np.bool_]) -> Arrangement:
        """The best of a part laid to the others where their common outlines show that it may lie."""
        task, scene, rules = self.task, self.scene, self.rules
        # The others lie together as they do: only their common edge may be as long as one of the part.
        two = copied(here.clusters)
        part, others = np.flatnonzero(own), np.flatnonzero(~own)
        two.labels[others] = others[0]
        two.labels[part] = part[0]
        relisted(two)
        if task.is_over:
            return here
        more = task.joints_along(scene, two, rules.tolerance, most=TRIES_A_PART)
        for k in _distinct_places(two, more, part)[:TRIES_A_PART]:
            if task.is_over:
                break
            laid, one = copied(two), more.chosen(np.array([k]))
            merge_joints(scene.shapes, laid, one, np.ones(1), rules)
            for wide in (4.0, 1.0):  # what was found along one edge is not yet at rest along all
                relax_all(scene.shapes, laid, wide * rules.tolerance, task.params.last_steps)
            task.evaluations += 1
            found = Arrangement(laid, worth_of(scene.shapes, laid, rules) + self.bonus(laid))
            here = max(here, found, key=self._fullness)
        return here

    def _fullness(self, found: Arrangement) -> float:
        """What an arrangement is worth, where looks count more: straight edges share little."""
        assert self.outer is not None
        empty = looks_of(found.clusters, self.outer).empty
        return found.worth - EMPTY * empty - BESIDE * beside_hull(found.clusters, self.outer)

    def _is_better(self, found: Arrangement) -> bool:
        """Whether an arrangement is worth more than the best, or is a whole that looks better."""
        assert self.best is not None
        is_one = is_whole(self.scene, found.clusters, self.rules.tolerance, self.task.params)
        if is_one and found.worth > WHOLE_SHARE * self.best.worth:
            return not self.whole or self._fullness(found) > self._fullness(self.best)
        return not self.whole and found.worth > self.best.worth * (1.0 + LEAST_GAIN)

    def _turn_parts(self) -> None:
        """Turn parts that look the same turned while that is better, and see whether rivals are left."""
        assert self.best is not None
        own = self._at_rest(copied(self.best.clusters))
        for _ in range(TURNED_AGAIN):
            self.task.evaluations += 1
            tolerance, params = self.rules.tolerance, self.task.params
            others = [
                self._at_rest(other)
                for other in turned_otherwise(self.scene, own.clusters, tolerance, params)
            ]
            best = max(others, key=lambda other: other.worth, default=None)
            self.has_rivals = best is not None and best.worth > CLEAR_LEAD * own.worth
            if best is None or best.worth <= own.worth:
                return
            if not is_whole(self.scene, best.clusters, tolerance, params):
                return
            own = best
            worth = worth_of(self.scene.shapes, own.clusters, self.rules) + self.bonus(own.clusters)
            self._improve(Arrangement(own.clusters, worth))

    def _at_rest(self, clusters: Clusters) -> Arrangement:
        """Pieces moved, in place, until they lie best."""
        for wide in RESTING:
            relax_all(self.scene.shapes, clusters, wide * self.rules.tolerance, self.task.params.last_steps)
        finer = self.rules._replace(tolerance=RESTING[-1] * self.rules.tolerance, stride=1)
        return Arrangement(clusters, worth_of(self.scene.shapes, clusters, finer) + self.bonus(clusters))

    def bonus(self, clusters: Clusters) -> float:
        """What an arrangement is worth besides contact: for how it looks, where no target tells."""
        return 0.0 if self.outer is None else worth_of_looks(looks_of(clusters, self.outer), self.task.params)

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

    def _grown_anew(self) -> Arrangement:
        """Pieces added one by one to many arrangements at once, each time to more, and with noise."""
        growth = self._growth(STALE_NOISE if self.beams else 0.0)
        self.beams += 1
        self.task.evaluations += 1
        return growth.anew(self.joints.best_of_pieces.hope * growth.links.liking, self.beams)

    def _grown_on(self, here: Arrangement) -> Arrangement:
        """Some pieces taken out and added again one by one, to a few arrangements at once."""
        clusters = copied(here.clusters)
        pairs, out = loosened(self.scene.shapes, clusters, self.rules, self.task.rng)
        parted(clusters, pairs, out)
        return self._growth(STALE_NOISE).onward(clusters)

    def _growth(self, noise: float) -> Growth:
        task, joints = self.task, self.joints.best_of_pieces
        liking = np.exp(noise * task.rng.standard_normal(len(joints.first)))
        links = Links(joints.first, joints.second, joints.turns, joints.shifts, liking)
        outer = self.outer or outer_of(self.scene)
        return Growth(self.scene, outer, links, self.rules, task.params, task.stop)

    def fit_wear(self) -> None:
        """Find how worn pieces are by where they lie, unless a target tells."""
        task, best = self.task, self.best
        if task.target is not None or best is None:
            return
        if self.fitted is None or self.fitted.arrangement is not best:
            near = self.guess.growth if self.fitted is None else self.fitted.growth
            fitted = fit_wear(near, task.compared, best, self.rules, task.params, task.stop)
            if not (self.whole or task.textures):
                fitted = fit_each(fitted, task.compared, self.rules, task.params, task.stop)
            self.fitted = fitted
            if fitted.is_uneven:
                tolerance = task.params.slack * fitted.scene.tolerance
                self.whole = is_whole(fitted.scene, fitted.clusters, tolerance, task.params)

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


def make_attempt(
    task: Undertaking, guess: Guess, tell: Callable[[GuessAttempt], None] | None
) -> GuessAttempt:
    """The joints under a guess, and nothing searched yet; ``tell`` hears of what is better."""
    params, scene = task.params, task.scene(guess)
    joints = task.joints(scene, pairs_of(scene))
    rules = Rules(
        params.slack * scene.tolerance, params.least_merge, params.most_inside, params.contact_stride
    )
    outer = None if scene.has_target else outer_of(scene)
    return GuessAttempt(task, guess, scene, joints, rules, outer, tell)


def _distinct_places(two: Clusters, joints: Joints, own: NDArray[np.int64]) -> list[int]:
    """Joints, listed as those of two clusters are, that lay these together in different ways."""
    first, second = joints.first, joints.second
    turns: NDArray[np.complex128] = two.turns[first] * joints.turns * two.turns[second].conj()
    shifts: NDArray[np.complex128] = (
        two.turns[first] * joints.shifts + two.shifts[first] - turns * two.shifts[second]
    )
    back = np.isin(first, own)  # all as the place of the part among the others
    turns = np.where(back, turns.conj(), turns)
    shifts = np.where(back, -turns * shifts, shifts)
    found: dict[tuple[complex, complex], int] = {}
    for k in range(len(first)):
        found.setdefault((turns[k].round(3), shifts[k].round(3)), k)
    return list(found.values())
