"""Assembling with the matcher: of the likeliest placements of any fragment the best, again and again.

Fragments do not change from step to step: their spectra are computed once.

Shapes in comments: B puzzles, S partial assemblies, N fragments, R rotations, H = W pixels, h = H / 2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import torch
from torch import Tensor

from sherd.learn.data.batch import as_floats
from sherd.learn.matcher.again import OVERLAPS_MUCH, Rivals, either
from sherd.learn.matcher.look import LOOKED_AT, Looked, look_at, place_between
from sherd.learn.matcher.network import Matcher, Spectra, as_images, correlate, fragment_spectra
from sherd.learn.matcher.peaks import Peaks, find_peaks
from sherd.learn.training.parts import assemble_in_parts
from sherd.learn.training.threads import Each, sharing

# Images that a CPU encodes at once; with 8, what one layer gives is still at hand for the next.
AT_ONCE_ON_CPU = 8
# The score of what may not be chosen: low, but finite, so that a puzzle of absent fragments comes to an end.
NEVER = -1e9


@dataclass(frozen=True)
class Assemblies:
    """Assemblies of B puzzles of N fragments, step by step.

    chosen     (B, N)     which fragment each step placed, -1 where it was stopped before
    centres    (B, N, 2)  where the middle of its image lies, in pixels, (column, row), by step
    turns      (B, N)     at which rotation, by step
    certainty  (B, N)     how likely the judge held the placement to be, of those in conflict with it
    remaining  (B, H, W)  what no fragment covers in the end
    """

    chosen: Tensor
    centres: Tensor
    turns: Tensor
    certainty: Tensor
    remaining: Tensor

    def step(self, step: int) -> Peaks:
        """The placement of a step, (B, 1), with its certainty for probability."""
        made = (self.chosen, self.turns, self.centres, self.certainty)
        return Peaks(*(value[:, step : step + 1] for value in made))


def assemble(
    model: Matcher,
    images: Tensor,
    target: Tensor,
    stop: Callable[[int], bool] = lambda steps: False,
    tries: int = 0,
    on_step: Callable[[Assemblies], None] = lambda so_far: None,
) -> Assemblies:
    """Place all fragments greedily, the best placement first.

    ``images`` and ``target`` are a `PuzzleBatch`'s; any number of puzzles, a part of them at a time.
    ``stop``, called with the number of steps taken, may end it early, also while fragments are encoded.
    Assemblies that overlap much are tried again, up to so many ``tries``, from where they were least sure.
    ``on_step`` is told after each step, of the puzzles that are taken together.
    """

    def part(images: Tensor, target: Tensor, each: Each) -> Assemblies:
        return _assemble_part(model, images, target, stop, each, tries, on_step)

    return assemble_in_parts(part, images, target)


@torch.no_grad()
def _assemble_part(
    model: Matcher,
    images: Tensor,
    target: Tensor,
    stop: Callable[[int], bool],
    each: Each,
    tries: int,
    on_step: Callable[[Assemblies], None],
) -> Assemblies:
    state = State.empty(images, target)
    candidates = PlacementCandidates.of(model, images, each, stop)
    if candidates is None:
        return state.answer
    pieces = images.shape[1]
    rivals = Rivals.none(len(images), pieces, images.device)
    if (
        len(candidates.fragments) < pieces
    ):  # out of time: one is laid all the same, so that there is an answer
        state = state.placed(images, candidates.look(images, state, candidates.maps(state)).best, 0)
        on_step(state.answer)
        return state.answer
    for step in range(pieces):
        if stop(step):
            return state.answer
        seen = candidates.look(images, state, candidates.maps(state))
        rivals = rivals.seen(seen, step) if tries else rivals
        state = state.placed(images, seen.best, step)
        on_step(state.answer)
        if len(images) == 1:
            candidates.remove(int(state.chosen[0, step]))
    for number in range(1, tries + 1):
        much = state.overlap > OVERLAPS_MUCH * state.target.sum(dim=(1, 2))
        again = (much & rivals.regret.isfinite().any(dim=1)).nonzero()[:, 0]
        if not len(again):
            break
        few, before = (images[again], target[again]), (state.of(again), rivals.of(again))
        steps = number * pieces
        found = _turned_back(candidates.again(again), *few, *before, lambda step, n=steps: stop(n + step))
        if found is None:  # out of time
            break
        state, rivals = _better(state, rivals, again, *found)
    return state.answer


def _turned_back(
    candidates: PlacementCandidates,
    images: Tensor,
    target: Tensor,
    made: State,
    rivals: Rivals,
    stop: Callable[[int], bool],
) -> tuple[State, Rivals] | None:
    """Whole assemblies with their least regretted rival in its place, and the rest anew; None if stopped."""
    turning = rivals.regret.argmin(dim=1)
    state, found = State.empty(images, target), Rivals.none(len(images), images.shape[1], images.device)
    first = int(turning.min())
    for step in range(images.shape[1]):
        if stop(step):
            return None
        peaks = Peaks(
            *(
                torch.where((turning == step).view(-1, *[1] * (old.ndim - 1)), new, old)
                for old, new in zip(vars(made.answer.step(step)).values(), rivals.step(step), strict=True)
            )
        )
        if step > first:
            seen = candidates.look(images, state, candidates.maps(state))
            found = found.seen(seen, step)
            own = vars(seen.best).values()
            peaks = Peaks(
                *(
                    torch.where((step > turning).view(-1, *[1] * (old.ndim - 1)), new, old)
                    for old, new in zip(vars(peaks).values(), own, strict=True)
                )
            )
        state = state.placed(images, peaks, step)
        if bool((state.overlap >= made.overlap).all()):  # which only grows
            return made, rivals.tried(turning)
        if len(images) == 1:
            candidates.remove(int(state.chosen[0, step]))
    return state, found.after(turning, rivals)


def _better(
    state: State, rivals: Rivals, again: Tensor, found: State, of_found: Rivals
) -> tuple[State, Rivals]:
    """All assemblies; those of the numbers ``again`` as found, where they then overlap less."""
    before, of_before = state.of(again), rivals.of(again)
    less = found.overlap < before.overlap
    values = {
        name: value.index_copy(
            0,
            again,
            torch.where(less.view(-1, *[1] * (value.ndim - 1)), vars(found)[name], vars(before)[name]),
        )
        for name, value in vars(state).items()
    }
    kept = either(
        less[:, None].expand_as(of_before.regret), of_found, of_before.tried(of_before.regret.argmin(dim=1))
    )
    peaks = zip(vars(rivals.peaks).values(), vars(kept.peaks).values(), strict=True)
    return State(**values), Rivals(
        rivals.regret.index_copy(0, again, kept.regret), Peaks(*(a.index_copy(0, again, b) for a, b in peaks))
    )


@torch.no_grad()
def explain(model: Matcher, images: Tensor, target: Tensor, tries: int = 0) -> list[Tensor]:
    """What the assembly of one puzzle (1, N, R, C, H, W) by as many ``tries`` saw, step by step.

    Log-probabilities (H, W): of the likeliest fragment, turned the likeliest way, at each pixel.
    """
    seen: list[Tensor] = []
    made = assemble(model, images, target, tries=tries)
    with sharing(images.device) as each:
        candidates, state = PlacementCandidates.of(model, images, each), State.empty(images, target)
        assert candidates is not None  # nothing stops it
        for step in range(images.shape[1]):
            maps = candidates.maps(state)
            seen.append(maps.amax(dim=(0, 1, 2)) - maps.flatten().logsumexp(dim=0))
            state = state.placed(images, made.step(step), step)
            candidates.remove(int(state.chosen[0, step]))
    return seen


class PlacementCandidates:
    """The fragments of B puzzles, ready to be compared with what remains."""

    def __init__(self, model: Matcher, each: Each, number: Tensor, spectra: Spectra) -> None:
        self._model, self._each = model, each
        self._number, self._spectra = number, spectra
        self._all = number, spectra

    @classmethod
    def of(
        cls, model: Matcher, images: Tensor, each: Each, stop: Callable[[int], bool] = lambda steps: False
    ) -> PlacementCandidates | None:
        """All fragments of puzzles (B, N, R, C, H, W), or of one those before ``stop``; None if none were.

        It is asked before every few.
        """
        model.eval()
        if len(images) == 1 and images.device.type == "cpu":
            spectra = _encode_few_at_once(
                model, images[:, :, :, 0].flatten(0, 2), images.shape[2], each, stop
            )
        else:
            spectra = encode(model, images)
        if spectra is None:
            return None
        number = torch.arange(spectra.bias.shape[1] // images.shape[2], device=images.device)
        return cls(model, each, number, spectra)

    @property
    def fragments(self) -> list[int]:
        """The fragments that are left, in the order of the maps."""
        return self._number.tolist()

    def maps(self, state: State) -> Tensor:
        """Scores of those that are left, a softmax of which is the probability: (S, N, R, H, W).

        All states are of one puzzle, or each of its own.
        """
        # Of one puzzle, states are compared as steps are in training; else each has spectra of its own.
        across = 0 if len(self._spectra.bias) == 1 else 1
        left, target, allowed = (
            value.unsqueeze(across) for value in (state.left, state.target, state.allowed[:, self._number])
        )
        scores = placement_scores(self._model, left, target, self._spectra, allowed)
        return as_images(scores.squeeze(across))

    def look(self, images: Tensor, state: State, maps: Tensor) -> Looked:
        """The likeliest placements by their maps, laid in each state and judged."""
        peaks = find_peaks(maps, LOOKED_AT)
        peaks = replace(peaks, fragment=self._number[peaks.fragment])
        return look_at(self._judged, images, state.left, state.target, peaks)

    def _judged(self, *seen: Tensor) -> Tensor:
        if seen[0].device.type != "cpu":
            with autocast(self._model):
                return self._model.judge(*seen)

        @torch.no_grad()
        def judged(few: tuple[Tensor, ...]) -> Tensor:
            return self._model.judge(*few)

        parts = zip(*(value.split(AT_ONCE_ON_CPU // 2) for value in seen), strict=True)
        return torch.cat(list(self._each(judged, parts)))

    def again(self, puzzles: Tensor) -> PlacementCandidates:
        """All fragments of the puzzles of these numbers once more."""
        number, spectra = self._all
        if len(puzzles) == len(spectra.bias):
            return PlacementCandidates(self._model, self._each, number, spectra)
        few = Spectra(spectra.values[puzzles], spectra.bias[puzzles])
        return PlacementCandidates(self._model, self._each, number.clone(), few)

    def remove(self, fragment: int) -> None:
        """Look at a fragment of the one puzzle no more; on a CPU it would take half of the time.

        It changes places with the last in the spectra, so that no others need to be moved.
        """
        at, last = int((self._number == fragment).nonzero()), len(self._number) - 1
        values, bias = self._spectra
        turns = bias.shape[1] // len(self._number)
        here, end = slice(at * turns, (at + 1) * turns), slice(last * turns, None)
        if at != last:
            for value, one, other in ((self._number, at, last), (values, here, end), (bias, here, end)):
                one_value = value[..., one].clone()
                value[..., one] = value[..., other]
                value[..., other] = one_value
        self._number = self._number[:last]
        self._spectra = Spectra(values[..., : end.start], bias[:, : end.start])


def autocast(model: Matcher) -> torch.autocast:
    """Half precision where the device is quicker for it."""
    fast = model.device.type == "cuda" and torch.cuda.is_bf16_supported()
    return torch.autocast(model.device.type, dtype=torch.bfloat16, enabled=fast)


def encode(model: Matcher, images: Tensor) -> Spectra:
    """Fragments (B, N, R, C, H, W), bytes, ready to be compared."""
    with autocast(model):
        found = model.fragments(as_floats(images[:, :, :, 0].flatten(0, 2)))
    return fragment_spectra(found, len(images))


def _encode_few_at_once(
    model: Matcher, masks: Tensor, turns: int, each: Each, stop: Callable[[int], bool]
) -> Spectra | None:
    """The same for masks (M, H, W) of one puzzle, without gradients; stopped, of whole fragments, if any."""

    @torch.no_grad()
    def spectra(part: Tensor) -> Spectra | None:
        return None if stop(0) else fragment_spectra(model.fragments(as_floats(part)), 1)

    values, bias = None, torch.empty((1, len(masks)))
    at = 0
    for part in each(spectra, masks.split(AT_ONCE_ON_CPU)):
        if part is None:
            break
        if values is None:
            values = torch.empty((*part.values.shape[:3], len(masks)), dtype=part.values.dtype)
        end = at + part.bias.shape[1]
        values[..., at:end], bias[:, at:end] = part.values, part.bias
        at = end
    whole = at - at % turns
    return None if values is None or not whole else Spectra(values[..., :whole], bias[:, :whole])


def placement_scores(
    model: Matcher, left: Tensor, target: Tensor, spectra: Spectra, allowed: Tensor
) -> Tensor:
    """Scores of all placements on what is left (B, T, H, W) of targets (B, T, H, W).

    (B, T, N, R, 4, h, h), `NEVER` for fragments that are not ``allowed`` (B, T, N).
    """
    with autocast(model):
        shapes = model.shapes(left.flatten(0, 1), target.flatten(0, 1))
    found = correlate(shapes.unflatten(0, left.shape[:2]), spectra)
    found = found.unflatten(2, (allowed.shape[2], -1))
    return found.masked_fill(~allowed[..., None, None, None, None], NEVER)


@dataclass(frozen=True)
class State:
    """S partial assemblies: what is left (S, H, W) of targets (S, H, W), and how it came to that."""

    target: Tensor
    left: Tensor
    allowed: Tensor  # (S, N)
    overlap: Tensor  # (S,), in pixels, what lies outside the target too
    chosen: Tensor
    centres: Tensor
    turns: Tensor
    certainty: Tensor

    @classmethod
    def empty(cls, images: Tensor, target: Tensor) -> State:
        puzzles, pieces = images.shape[:2]
        whole = as_floats(target[:, 0])
        chosen = torch.full((puzzles, pieces), -1, device=images.device)
        return cls(
            whole,
            whole,
            images[:, :, 0, 0].amax(dim=(2, 3)) > 0,
            torch.zeros(puzzles, device=images.device),
            chosen,
            torch.zeros((puzzles, pieces, 2), device=images.device),
            torch.zeros_like(chosen),
            torch.zeros((puzzles, pieces), device=images.device),
        )

    def of(self, index: Tensor) -> State:
        """The states of these numbers."""
        return State(**{name: value[index] for name, value in vars(self).items()})

    def placed(self, images: Tensor, peaks: Peaks, step: int) -> State:
        """After each state's first peak; all states are of one puzzle, or each of its own."""
        states = len(self.left)
        every = torch.arange(states, device=self.left.device)
        owner = every if len(images) == states else torch.zeros_like(every)
        fragment, turn, centre = peaks.fragment[:, 0], peaks.turn[:, 0], peaks.centre[:, 0]
        # When only absent fragments are left, one of those is taken, which changes nothing.
        number = torch.arange(self.allowed.shape[1], device=self.left.device)
        taken = (self.chosen[:, :, None] == number).any(dim=1)
        fragment = torch.where(self.allowed.any(dim=1), fragment, taken.float().argmin(dim=1))
        piece = as_floats(images[owner, fragment, turn, 0])
        chosen, centres, turns, certainty = (
            value.clone() for value in (self.chosen, self.centres, self.turns, self.certainty)
        )
        chosen[:, step], centres[:, step], turns[:, step] = fragment, centre, turn
        certainty[:, step] = peaks.probability[:, 0]
        left = (self.left - place_between(piece, centre)).clamp_min(0.0)
        return replace(
            self,
            left=left,
            allowed=self.allowed.scatter(1, fragment[:, None], False),
            overlap=self.overlap + piece.sum(dim=(1, 2)) - (self.left - left).sum(dim=(1, 2)),
            chosen=chosen,
            centres=centres,
            turns=turns,
            certainty=certainty,
        )

    @property
    def answer(self) -> Assemblies:
        """The placements so far."""
        return Assemblies(self.chosen, self.centres, self.turns, self.certainty, self.left)
