"""Pieces put together from stretches of outline, with a target or without: the whole path."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
import shapely
from numpy.typing import NDArray
from shapely import MultiPolygon, Polygon

from sherd.core.geometry import Region, Rotations
from sherd.core.texture import Texture
from sherd.solvers.contours.bends import parts_by_bends
from sherd.solvers.contours.clusters import Clusters, bonds, copied, relisted, singles
from sherd.solvers.contours.compact import looks_of, outer_of, worth_of_looks
from sherd.solvers.contours.fusing import joints_of_clusters
from sherd.solvers.contours.groups import (
    NO_JOINTS,
    SEVERAL_WHOLES,
    TELLS_NOTHING,
    TOO_SHORT,
    Groups,
    groups_of,
    listed,
)
from sherd.solvers.contours.guesses import Guess, contrast, guesses, probes, traced_guess, traced_tolerance
from sherd.solvers.contours.improve import Arrangement, parted, shake, worth_of
from sherd.solvers.contours.joints import Joints, find_joints, with_more
from sherd.solvers.contours.likelihood import likelihoods
from sherd.solvers.contours.merge import MOST_WHOLE, Rules, merge_joints
from sherd.solvers.contours.outlines import has_outline, typical_size
from sherd.solvers.contours.params import ContoursParams
from sherd.solvers.contours.posegraph import relax_all
from sherd.solvers.contours.scene import Scene, make_scene
from sherd.solvers.contours.straight.search import StraightSearch
from sherd.solvers.contours.wear import Fitted, fit_wear, fitted_at
from sherd.solvers.contours.whole import holding, is_a_whole, is_whole, strangers
from sherd.solvers.stop import Stop

OnGroups = Callable[[Groups], None]
FREE = Rotations(None)
SPECK = 1e-3  # of the mean area: smaller pieces are left alone
STALE_NOISE = 0.3  # on the logarithm of what joints are worth, in a start after the first


def assemble_contours(
    pieces: Sequence[Polygon],
    target: Region | None,
    *,
    stop: Stop,
    rng: np.random.Generator,
    rotations: Rotations = FREE,
    params: ContoursParams | None = None,
    textures: Sequence[Texture] = (),
    pixel: float | None = None,
    on_progress: OnGroups | None = None,
) -> Groups:
    """Groups of pieces whose outlines fit, in the target's frame where there is one.

    ``textures`` are those of all pieces, if they are painted; ``pixel`` is the size of a pixel of the picture
    that pieces were traced from. Searches until everything lies together and
    nothing better comes, or ``stop`` says so.
    """
    unit = typical_size(pieces)
    usable = [k for k, piece in enumerate(pieces) if has_outline(piece) and piece.area > SPECK * unit**2]
    if not usable or (len(usable) == 1 and target is None):
        return Groups(alone=tuple(range(len(pieces))), note=NO_JOINTS)
    chosen = [pieces[k] for k in usable]
    whole = target if target is not None and has_outline(target) else None

    def report(groups: Groups) -> None:
        if on_progress is not None:
            on_progress(groups.numbered(usable, len(pieces)))

    listener = report if on_progress is not None else None
    # Corners know nothing of paint, nor of wholes in several parts.
    if not textures and are_few_corners(chosen) and not isinstance(whole, MultiPolygon):
        found = StraightSearch(chosen, whole, rotations, stop, rng, listener).run()
    else:
        own = [textures[k] for k in usable] if textures else ()
        found = _Search(
            chosen, whole, rotations, stop, rng, params or ContoursParams(), own, pixel, listener
        ).run()
    return found.numbered(usable, len(pieces))


def are_few_corners(pieces: Sequence[Polygon]) -> bool:
    """Whether most pieces have straight edges between few corners."""
    fewer = [piece.simplify(FEW_WITHIN * math.sqrt(piece.area)) for piece in pieces]
    return float(np.mean(shapely.get_num_coordinates(fewer))) - 1.0 <= FEW_CORNERS


FEW_WITHIN, FEW_CORNERS = 0.005, 10


@dataclass
class _Attempt:
    """A guess with its scene and joints, and where the search under it stands."""

    guess: Guess
    scene: Scene
    joints: Joints
    rules: Rules
    bonus: Callable[[Clusters], float]
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


SETTLED_ROUNDS = 40
MOST_PARTS, TRIES_A_PART = 6, 24  # of a whole in doubt, that are laid to the others anew, and how often


@dataclass
class _Search:
    """One run: attempts under several guesses, and the best arrangement of all."""

    pieces: Sequence[Polygon]
    target: Region | None
    rotations: Rotations
    stop: Stop
    rng: np.random.Generator
    params: ContoursParams
    textures: Sequence[Texture]
    pixel: float | None
    on_progress: OnGroups | None
    evaluations: int = 0
    _is_cut_short: bool = False

    def run(self) -> Groups:
        weighed = self._weighed()
        attempts: list[_Attempt] = []
        for turn in itertools.count():
            if len(attempts) < len(weighed):
                attempts.append(self._attempt(weighed[len(attempts)]))
            # The likeliest guess has every other turn; each of the others has one as soon as it is made.
            others = attempts[1:]
            chosen = others[turn % len(others)] if turn >= len(weighed) and others else attempts[-1]
            for attempt in (attempts[0], chosen)[: len(attempts)]:
                self._search(attempt)
                self._search_on(attempt)
                if attempt.whole:
                    return self._groups(self._plainer(attempt, weighed))
                if attempts[0].is_settled or self.stop(self.evaluations):
                    return self._groups(self._fullest(attempts))
                if turn == 0 and len(weighed) == 1:
                    weighed = self._all_weighed(weighed[0], attempts)
                self._fit_wear(attempt)
        raise AssertionError("unreachable")

    def _all_weighed(self, first: Guess, attempts: list[_Attempt]) -> list[Guess]:
        """All guesses after the first was tried alone; one that stands out more is attempted before it."""
        more = self._weighed(all_of_them=True)
        others = [guess for guess in more if guess != first]
        if more[0] == first or not others:
            return [first, *others]
        attempts.insert(0, self._attempt(others[0]))
        return [others[0], first, *others[1:]]

    def _plainer(self, whole: _Attempt, weighed: Sequence[Guess]) -> _Attempt:
        """The whole, or another that needs no wear: without a target what is grown is whole by chance."""
        if self.target is not None:
            return whole
        wholes = [whole]
        for guess in weighed:
            if whole.guess.growth > 0.0 and guess.growth == 0.0 and not self.stop(self.evaluations):
                attempt = self._attempt(guess)
                self._search(attempt)
                if attempt.whole:
                    wholes.append(attempt)
        if len(weighed) > 1:
            for attempt in wholes:
                self._fit_wear(attempt)
        return self._fullest(wholes)

    def _fit_wear(self, attempt: _Attempt) -> None:
        """Find how worn pieces are by where they lie, unless a target tells."""
        best = attempt.best
        if self.target is not None or best is None:
            return
        if attempt.fitted is None or attempt.fitted.arrangement is not best:
            near = attempt.guess.growth if attempt.fitted is None else attempt.fitted.growth
            attempt.fitted = fit_wear(near, self._compared, best, attempt.rules, self.params, self.stop)

    def _compared(self, growth: float) -> Scene:
        """Pieces grown so, under the tolerance that arrangements are compared with."""
        traced = 0.0 if self.pixel is None else traced_tolerance(self.pieces, self.pixel, self.params)
        return self._scene(Guess(max(self.params.compared_tolerance, traced), growth))

    def _fullest(self, attempts: Sequence[_Attempt]) -> _Attempt:
        """The attempt whose pieces share most once they are grown by what they lost; else the first."""
        known = [(attempt.fitted.worth, -k) for k, attempt in enumerate(attempts) if attempt.fitted]
        if not known:
            return attempts[0]
        chosen = attempts[-max(known)[1]]
        old, best = chosen.fitted, chosen.best
        if old is not None and best is not None and old.arrangement is not best:
            chosen.fitted = fitted_at(old.growth, self._compared, best, chosen.rules, self.params)
        return chosen

    def _weighed(self, *, all_of_them: bool = False) -> list[Guess]:
        """Guesses, the one under which joints stand out most first.

        The first alone where it is clear, or where the size of a pixel tells: that is tried before others.
        """
        if self.pixel is not None and not (self.textures or all_of_them):
            return [traced_guess(self.pieces, self.pixel, self.params)]
        found: list[tuple[float, Guess]] = []
        for guess in guesses(self.pieces, self.target, self.params, self.stop, self.pixel):
            scene = self._scene(guess)
            chosen = probes(scene)
            pairs = pairs_of(scene)
            joints = self._joints(scene, pairs[np.isin(pairs, chosen).any(axis=1)])
            clear = contrast(scene, joints, chosen, self.params) * guess.weight
            found.append((clear, guess))
            # Colours stand out under every guess, and so make none clear. What is clear may yet be worn,
            # unless a target tells.
            is_clear = not self.textures and found[0][0] > self.params.clear_evidence
            is_only = is_clear and (self.target is not None or not all_of_them)
            if is_only or self.stop(self.evaluations):
                break
        least = self.params.least_contrast * max(clear for clear, _ in found)
        return [guess for clear, guess in sorted(found, key=lambda one: -one[0]) if clear >= least]

    def _scene(self, guess: Guess) -> Scene:
        return make_scene(
            self.pieces,
            self.target,
            self.params,
            tolerance=guess.tolerance,
            growth=guess.growth,
            textures=self.textures,
        )

    def _joints(self, scene: Scene, pairs: NDArray[np.int64]) -> Joints:
        self.evaluations += 1
        found = find_joints(scene, pairs, self.params, rotations=self.rotations, stop=self.stop)
        self._is_cut_short = self.stop(0)
        return found

    def _attempt(self, guess: Guess) -> _Attempt:
        params, scene = self.params, self._scene(guess)
        joints = self._joints(scene, pairs_of(scene))
        rules = Rules(
            params.slack * scene.tolerance, params.least_merge, params.most_inside, params.contact_stride
        )
        if scene.has_target:
            return _Attempt(guess, scene, joints, rules, lambda clusters: 0.0)
        outer = outer_of(scene)
        return _Attempt(
            guess, scene, joints, rules, lambda clusters: worth_of_looks(looks_of(clusters, outer), params)
        )

    def _search(self, attempt: _Attempt) -> None:
        """Search under a guess until all come together or nothing better comes for a while."""
        best = attempt.best
        here = self._begin(attempt, noise=0.0 if best is None else STALE_NOISE)
        if best is None or here.worth > best.worth:
            self._improve(attempt, here)
        elif self.rng.random() < 0.5:
            here = best
        stale, patience = 0, self.params.patience + self.params.patience_a_piece * attempt.scene.pieces
        before = attempt.best
        while not (attempt.is_sure or stale > patience or self.stop(self.evaluations)):
            best = attempt.best
            assert best is not None
            found = shake(attempt.scene.shapes, here, attempt.joints, attempt.rules, self.rng, attempt.bonus)
            self.evaluations += 1
            temperature = self.params.temperature * abs(best.worth) * (1.0 - stale / (patience + 1))
            chance = math.exp(min(0.0, found.worth - here.worth) / max(temperature, 1e-9))
            if self.rng.random() < chance:
                here = found
            stale += 1
            if found.worth > best.worth * (1.0 + LEAST_GAIN):
                stale = 0
                self._improve(attempt, found)
            elif stale % self.params.steps_between_fusing == 0:
                self._fuse(attempt)
        attempt.stale_rounds = attempt.stale_rounds + 1 if attempt.best is before else 0

    def _search_on(self, attempt: _Attempt) -> None:
        """Search for more than a whole of which straight edges alone join parts: those lie elsewhere, too."""
        if not attempt.whole or attempt.is_sure or self.stop(self.evaluations):
            return
        assert attempt.best is not None
        scene, rules, best = attempt.scene, attempt.rules, attempt.best
        parts = parts_by_bends(scene, best.clusters, rules.tolerance, self.params)
        for part in np.unique(parts).tolist()[:MOST_PARTS]:
            # The others lie together as they do: only their common edge may be as long as one of the part.
            two = copied(best.clusters)
            own = np.flatnonzero(parts == part)
            two.labels[:] = np.flatnonzero(parts != part)[0]
            two.labels[own] = own[0]
            relisted(two)
            more = self._joints_along(attempt, two)
            for k in np.argsort(-more.worth, kind="stable").tolist()[:TRIES_A_PART]:
                if self.stop(self.evaluations):
                    return
                clusters, one = copied(two), more.chosen(np.array([k]))
                merge_joints(scene.shapes, clusters, one, np.ones(1), rules)
                for wide in (4.0, 1.0):  # what was found along one edge is not yet at rest along all
                    relax_all(scene.shapes, clusters, wide * rules.tolerance, self.params.last_steps)
                self.evaluations += 1
                worth = worth_of(scene.shapes, clusters, rules) + attempt.bonus(clusters)
                if worth > attempt.best.worth * (1.0 + LEAST_GAIN):
                    self._improve(attempt, Arrangement(clusters, worth))

    def _fuse(self, attempt: _Attempt) -> None:
        """Find joints along the outlines of what is put together so far, or of what holds best of it."""
        assert attempt.best is not None
        scene, clusters = attempt.scene, copied(attempt.best.clusters)
        pairs, _ = bonds(scene.shapes, clusters, attempt.rules.tolerance, attempt.rules.stride)
        held = np.sort(pairs[pairs > 0.0])
        is_one = bool((clusters.labels == clusters.labels[0]).all())
        if len(held) and (is_one or self.rng.random() > self.params.fused_whole):
            share = self.rng.uniform(*self.params.fused_cut)
            pairs[pairs < held[int(share * len(held))]] = 0.0
        parted(clusters, pairs, np.zeros(len(clusters.labels), dtype=np.bool_))
        more = self._joints_along(attempt, clusters)
        attempt.joints = with_more(scene, attempt.joints, more, self.params, self.stop)

    def _joints_along(self, attempt: _Attempt, clusters: Clusters) -> Joints:
        """The joints that are found along the outlines of clusters."""
        self.evaluations += 1
        return joints_of_clusters(
            attempt.scene,
            clusters,
            attempt.rules.tolerance,
            self.params,
            rotations=self.rotations,
            stop=self.stop,
        )

    def _begin(self, attempt: _Attempt, noise: float) -> Arrangement:
        """All pieces merged from scratch."""
        clusters = singles(len(attempt.scene.outlines))
        liking = np.exp(noise * self.rng.standard_normal(len(attempt.joints.first)))
        merge_joints(attempt.scene.shapes, clusters, attempt.joints, liking, attempt.rules)
        if attempt.scene.pieces > MOST_WHOLE and not self.stop(self.evaluations):  # merging left that out
            relax_all(attempt.scene.shapes, clusters, attempt.rules.tolerance, self.params.last_steps)
        self.evaluations += 1
        worth = worth_of(attempt.scene.shapes, clusters, attempt.rules)
        return Arrangement(clusters, worth + attempt.bonus(clusters))

    def _improve(self, attempt: _Attempt, found: Arrangement) -> None:
        attempt.best = found
        scene, tolerance = attempt.scene, attempt.rules.tolerance
        attempt.whole = is_whole(scene, found.clusters, tolerance, self.params)
        attempt.is_sure = attempt.whole and (
            scene.has_target
            or len(np.unique(parts_by_bends(scene, found.clusters, tolerance, self.params))) == 1
        )
        told = attempt.worth_told
        if self.on_progress is not None and (
            attempt.whole or found.worth >= told + WORTH_TELLING * abs(told)
        ):
            attempt.worth_told = found.worth
            self.on_progress(self._groups(attempt))

    def _groups(self, attempt: _Attempt) -> Groups:
        """The best arrangement of an attempt in the pieces' own units, and what is known besides."""
        scene, best = attempt.scene, attempt.best or self._begin(attempt, 0.0)
        clusters = copied(best.clusters)
        if attempt.fitted is not None and attempt.fitted.arrangement is best:
            scene, clusters = attempt.fitted.scene, copied(attempt.fitted.clusters)
        tolerance = self.params.slack * scene.tolerance
        relax_all(scene.shapes, clusters, tolerance, self.params.last_steps)
        foreign: list[int] = []
        if not (attempt.whole or scene.has_target):
            foreign = strangers(scene, clusters, tolerance, self.params)
        if not foreign and not (attempt.whole and scene.has_target):
            holding(scene, clusters, tolerance, self.params)
        parts = parts_by_bends(scene, clusters, tolerance, self.params) if attempt.whole else clusters.labels
        note = "" if attempt.whole else note_on(scene, attempt.joints)
        note = TOO_SHORT if note == NO_JOINTS and self._is_cut_short else note
        if attempt.whole and not scene.has_target and self._are_wholes(scene, clusters, parts, tolerance):
            clusters.labels[:] = parts
            relisted(clusters)
            note = SEVERAL_WHOLES
        chances = likelihoods(attempt.scene, attempt.joints)
        if np.bincount(clusters.labels).max() <= 2 and float(chances.max(initial=0.0)) < UNLIKELY:
            note = TOO_SHORT if self._is_cut_short else NO_JOINTS
        groups, alone = groups_of(
            clusters,
            self.rotations,
            unit=scene.unit,
            centres=scene.shapes.centres,
            target=scene.pieces if scene.has_target else None,
        )
        return Groups(
            groups=groups,
            joints=listed(scene, attempt.joints, chances),
            alone=alone,
            strangers=tuple(foreign),
            tolerance=scene.tolerance * scene.unit,
            worth=best.worth,
            evaluations=self.evaluations,
            bent=attempt.whole and len(np.unique(parts)) == 1,
            whole=attempt.whole and (scene.has_target or len(groups) == 1),
            note=note,
        )

    def _are_wholes(
        self, scene: Scene, clusters: Clusters, parts: NDArray[np.int64], tolerance: float
    ) -> bool:
        """Whether there are several parts, each a whole of its own."""
        names = np.unique(parts)
        alone = clusters._replace(labels=parts)
        return len(names) > 1 and all(
            is_a_whole(scene, alone, parts == part, tolerance, self.params) for part in names.tolist()
        )


LEAST_GAIN = 1e-6
WORTH_TELLING = 0.01  # how much more an arrangement is worth than the last that was told, to be told


def pairs_of(scene: Scene) -> NDArray[np.int64]:
    """All pairs of pieces, and the target with each: (P, 2), the target first."""
    first, second = np.triu_indices(scene.pieces, 1)
    pairs = np.stack([first, second], axis=1)
    if scene.has_target:
        whole = np.full(scene.pieces, scene.pieces)
        pairs = np.concatenate([pairs, np.stack([whole, np.arange(scene.pieces)], axis=1)])
    return pairs.astype(np.int64)


def note_on(scene: Scene, joints: Joints) -> str:
    """What stands in the way, if joints show it: there are none, or all are alike."""
    if not len(joints.first):
        return NO_JOINTS
    own = joints.first < scene.pieces
    rivals: list[int] = []
    for piece in range(scene.pieces):
        worth = joints.worth[own & ((joints.first == piece) | (joints.second == piece))]
        rivals.append(int((worth > ALIKE * worth.max(initial=0.0)).sum()))
    return TELLS_NOTHING if np.median(rivals) > MANY else ""


ALIKE = 0.9
UNLIKELY = 0.1  # where no joint is likelier, and no more than two pieces lie together, none fit
MANY = 12
