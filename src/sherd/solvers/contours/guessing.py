"""Guesses searched in turn, and the choice among what was found under each."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sherd.core.threads import made_ahead
from sherd.solvers.contours.attempt import GuessAttempt, make_attempt
from sherd.solvers.contours.ending import Ending, end_of, groups_at
from sherd.solvers.contours.groups import Groups, OnGroups
from sherd.solvers.contours.guesses import Guess, contrast, guesses, probes, traced_guess
from sherd.solvers.contours.scene import pairs_of
from sherd.solvers.contours.undertaking import Undertaking
from sherd.solvers.contours.wear import fitted_at


@dataclass
class Guessing:
    """One run: attempts under several guesses, and the best arrangement of all."""

    task: Undertaking
    on_progress: OnGroups | None

    def run(self) -> Groups:
        """Search under the likeliest guess, sound the others, then all in turn, until there is a whole."""
        weighed = self._weighed()
        attempts = [self._attempt(weighed[0])]
        attempts[0].search()
        self._look_at(attempts[0])
        if len(weighed) == 1 and not self._is_ended(attempts):
            weighed = self._weighed(all_of_them=True)
        for guess in weighed:
            if self._is_ended(attempts):
                break
            if guess != attempts[0].guess:
                attempts.append(self._attempt(guess))
                attempts[-1].sound()
                self._look_at(attempts[-1])
        for turn in itertools.count():
            if self._is_ended(attempts):
                break
            # The guess that has come furthest has every other turn; the others begin with what it found.
            furthest = max(attempts, key=_shared)
            chosen = attempts[turn // 2 % len(attempts)] if turn % 2 else furthest
            if furthest.fitted is not None and chosen is not furthest:
                chosen.adopt(furthest.fitted.clusters)
            chosen.search()
            self._look_at(chosen)
        wholes = [attempt for attempt in attempts if attempt.whole]
        return self._best_of(self._plainer(wholes[0], attempts, weighed) if wholes else attempts)

    def _look_at(self, attempt: GuessAttempt) -> None:
        """Lay parts anew that need it, and tell wear where there is no whole yet."""
        attempt.search_on()
        if not attempt.whole:
            attempt.fit_wear()

    def _is_ended(self, attempts: Sequence[GuessAttempt]) -> bool:
        """Whether there is a whole, nothing better came for long, or time is over."""
        is_found = any(attempt.whole for attempt in attempts) or attempts[0].is_settled
        return is_found or self.task.is_over

    def _attempt(self, guess: Guess) -> GuessAttempt:
        return make_attempt(self.task, guess, self._tell if self.on_progress is not None else None)

    def _tell(self, attempt: GuessAttempt) -> None:
        if self.on_progress is not None:
            self.on_progress(groups_at(attempt, end_of(attempt)))

    def _plainer(
        self, whole: GuessAttempt, attempts: Sequence[GuessAttempt], weighed: Sequence[Guess]
    ) -> list[GuessAttempt]:
        """The whole, and others that need no wear: without a target what is grown is whole by chance.

        Those that were searched already made no whole.
        """
        if self.task.target is not None:
            return [whole]
        wholes = [whole]
        searched = [attempt.guess for attempt in attempts]
        for guess in weighed:
            is_plainer = guess.growth == 0.0 < whole.guess.growth and guess not in searched
            if is_plainer and not self.task.is_over:
                attempt = self._attempt(guess)
                attempt.search()
                if attempt.whole:
                    wholes.append(attempt)
        if len(weighed) > 1:
            for attempt in wholes:
                attempt.fit_wear()
        return wholes

    def _best_of(self, attempts: Sequence[GuessAttempt]) -> Groups:
        """The attempt all of whose pieces make wholes, one or several, and then that whose pieces share most.

        They are compared grown by what they lost, as far as that is known; in a target by how many have a
        place in it. Of equals the first counts.
        """
        known = [attempt for attempt in attempts if attempt.fitted] or attempts[:1]
        if self.task.target is not None:
            known = [attempt for attempt in attempts if attempt.best is not None] or attempts[:1]
        ends = [self._end(attempt) for attempt in known]
        best = max(
            range(len(known)), key=lambda k: (ends[k].explained, ends[k].placed, _shared(known[k]), -k)
        )
        return groups_at(known[best], ends[best])

    def _end(self, attempt: GuessAttempt) -> Ending:
        """Its end; where something better was found since wear was, with pieces grown as they were then."""
        old, best = attempt.fitted, attempt.best
        if old is not None and best is not None and old.arrangement is not best:
            task = self.task
            attempt.fitted = fitted_at(old.growths, task.compared, best, attempt.rules, task.params)
        return end_of(attempt)

    def _weighed(self, *, all_of_them: bool = False) -> list[Guess]:
        """Guesses, the one under which joints stand out most first.

        The first alone where it is clear, or where the size of a pixel tells: that is tried before others. Of
        very long outlines only those that there is time for.
        """
        task, params = self.task, self.task.params
        if task.pixel is not None and not (task.textures or all_of_them):
            return [traced_guess(task.pieces, task.pixel, params)]
        found: list[tuple[float, Guess]] = []
        every = guesses(task.pieces, task.target, params, task.stop, task.pixel)
        for guess, scene in made_ahead(task.scene, every):
            chosen = probes(scene)
            pairs = pairs_of(scene)
            joints = task.joints(scene, pairs[np.isin(pairs, chosen).any(axis=1)])
            clear = contrast(scene, joints, chosen, params) * guess.weight
            found.append((clear, guess))
            # Colours stand out under every guess, and so make none clear. What is clear may yet be worn,
            # unless a target tells.
            is_clear = not task.textures and found[0][0] > params.clear_evidence
            is_only = is_clear and (task.target is not None or not all_of_them)
            if is_only or task.is_over or (task.is_late and not all_of_them):
                break
        least = params.least_contrast * max(clear for clear, _ in found)
        # Nor do colours, which fade beyond an outline, say that pieces are not worn by what the target lacks.
        told = task.target is not None and bool(task.textures)
        return [
            guess
            for clear, guess in sorted(found, key=lambda one: -one[0])
            if clear >= least or (told and guess.growth > 0.0)
        ]


def _shared(attempt: GuessAttempt) -> float:
    """What its pieces share and what they look like, once they are grown by what they lost."""
    return -math.inf if attempt.fitted is None else attempt.fitted.worth
