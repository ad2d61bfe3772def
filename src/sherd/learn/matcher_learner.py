"""Teaching the matcher several steps of a puzzle at once, and letting it assemble.

Fragments do not change from step to step: their features are computed once for all steps of a puzzle.

Shapes in comments: B puzzles, N fragments, R rotations, T steps, K ways of a beam, H = W pixels, h = H / 2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import torch
from torch import Tensor, nn
from torch.nn import functional

from sherd.learn.batch import PuzzleBatch, as_floats, cells_at, place
from sherd.learn.matcher import Fragments, Matcher, Spectra, as_images, correlate, fragment_spectra

# Images encoded, and maps compared, at once when no gradients are kept.
IMAGES_AT_ONCE = 2048
# On a CPU so few that what one layer gives is still at hand for the next: a third quicker.
AT_ONCE_ON_CPU = 8
# The score of what may not be chosen: low, but finite, so that a puzzle of absent fragments comes to an end.
NEVER = -1e9
# The coarser places whose probability may be taught too.
COARSE_PX = (4, 16)


@dataclass(frozen=True, kw_only=True)
class MatcherLossParams:
    """What counts as right, and how training states are made.

    ``any_order`` calls any fragment in its place right, not only the next one. ``spread_px`` is how far
    earlier fragments lie from their true places. Of each puzzle ``steps`` are taught, drawn at random.
    ``coarse_weight`` weighs how surprising the true 4 x 4 and 16 x 16 pixels are, beside the true place.
    """

    any_order: bool = True
    spread_px: float = 0.3
    steps: int = 8
    coarse_weight: float = 0.0

    def __post_init__(self) -> None:
        if self.steps < 1:
            raise ValueError(f"steps must be at least 1, not {self.steps}")
        if not self.spread_px >= 0.0 or not self.coarse_weight >= 0.0:
            raise ValueError("spread_px and coarse_weight must be at least 0")


@dataclass(frozen=True, kw_only=True)
class BeamParams:
    """How many assemblies are followed at once, and what is held against them.

    Each is followed along its ``ways`` likeliest placements. ``overlap_weight`` takes so much from the
    sum of log-probabilities for an overlap as large as the target's hundredth part.
    """

    width: int = 8
    ways: int = 4
    overlap_weight: float = 1.0

    def __post_init__(self) -> None:
        if self.width < 1 or self.ways < 1:
            raise ValueError("width and ways must be at least 1")


@dataclass(frozen=True)
class Answer:
    """Assemblies of B puzzles of N fragments, step by step.

    chosen     (B, N)     which fragment each step placed, -1 where it was stopped before
    centres    (B, N, 2)  where the middle of its image lies, in pixels, (column, row), by step
    turns      (B, N)     at which rotation, by step
    certainty  (B, N)     how likely the step held the placement to be
    remaining  (B, H, W)  what no fragment covers in the end
    """

    chosen: Tensor
    centres: Tensor
    turns: Tensor
    certainty: Tensor
    remaining: Tensor


@dataclass(frozen=True)
class Corners:
    """The pixels (..., 4, 2) whose centres surround points, and how much (..., 4) each of them counts."""

    cells: Tensor
    weights: Tensor

    @classmethod
    def around(cls, centres: Tensor) -> Corners:
        """Of points (..., 2): the weights' mean of the pixels' centres is the point itself."""
        base = (centres - 0.5).floor()
        share = centres - 0.5 - base
        number = torch.arange(4, device=centres.device)
        steps = torch.stack([number % 2, number // 2], dim=-1)  # (4, 2)
        weights = torch.where(steps == 1, share[..., None, :], 1.0 - share[..., None, :]).prod(dim=-1)
        return cls(base.long()[..., None, :] + steps, weights)


def place_between(masks: Tensor, centres: Tensor) -> Tensor:
    """Masks (..., H, W), drawn about the middle pixel, moved to points (..., 2) between pixels' centres."""
    base = (centres - 0.5).floor()
    right, down = (centres - 0.5 - base)[..., None, None].unbind(dim=-3)
    moved = place(masks, base.long())
    moved = torch.lerp(moved, functional.pad(moved, (1, 0))[..., :-1], right)
    return torch.lerp(moved, functional.pad(moved, (0, 0, 1, 0))[..., :-1, :], down)


@dataclass(frozen=True)
class Peaks:
    """The likeliest placements of each state, the best first.

    fragment, turn  (S, K)     which fragment, and its rotation
    centre          (S, K, 2)  where, in pixels, (column, row), to a fraction of a pixel
    probability     (S, K)     that of the 3 x 3 pixels about it
    """

    fragment: Tensor
    turn: Tensor
    centre: Tensor
    probability: Tensor


def find_peaks(maps: Tensor, count: int) -> Peaks:
    """The ``count`` likeliest placements by scores (S, N, R, H, W), one to a place of any turned fragment."""
    size, rotations = maps.shape[-1], maps.shape[2]
    states, flat = len(maps), maps.flatten(1)
    probability = (maps - flat.logsumexp(dim=1).view(-1, 1, 1, 1, 1)).exp().flatten(1, 2)  # (S, M, H, W)
    near = functional.avg_pool2d(probability, 3, stride=1, padding=1) * 9.0
    if count > 1:  # no two of them may lie beside each other
        found = functional.max_pool2d(near, 5, stride=1, padding=2, return_indices=True)[1].flatten(2)
        near = torch.where(found == torch.arange(size**2, device=maps.device), near.flatten(2), -1.0)
    value, at = near.flatten(1).topk(count, dim=1)
    member, pixel = at // size**2, at % size**2
    column, row = pixel % size, pixel // size
    step = torch.arange(-1, 2, device=maps.device)
    rows, columns = torch.broadcast_tensors(
        row[..., None, None] + step[:, None], column[..., None, None] + step
    )
    inside = (rows >= 0) & (rows < size) & (columns >= 0) & (columns < size)
    every = torch.arange(states, device=maps.device)[:, None, None, None]
    window = probability[every, member[..., None, None], rows.clamp(0, size - 1), columns.clamp(0, size - 1)]
    window = window * inside + 1e-30
    total = window.sum(dim=(2, 3))
    centre = torch.stack(
        [(window * columns).sum(dim=(2, 3)) / total, (window * rows).sum(dim=(2, 3)) / total], dim=-1
    )
    return Peaks(member // rotations, member % rotations, centre + 0.5, value.clamp(0.0, 1.0))


class MatcherLearner(nn.Module):
    """A matcher with what training and assembling need besides the network."""

    def __init__(self, model: Matcher, params: MatcherLossParams | None = None) -> None:
        super().__init__()
        self.model = model
        self.params = params or MatcherLossParams()

    def _autocast(self) -> torch.autocast:
        device = self.model.device
        fast = device.type == "cuda" and torch.cuda.is_bf16_supported()
        return torch.autocast(device.type, dtype=torch.bfloat16, enabled=fast)

    def forward(self, batch: PuzzleBatch, noise: Tensor) -> dict[str, Tensor]:
        """The losses of some steps of all puzzles.

        ``noise`` (B, N, 2), of unit variance, moves the fragments placed earlier, as imperfect steps would.
        """
        puzzles, pieces = batch.images.shape[:2]
        device = batch.images.device
        every, number = torch.arange(puzzles, device=device)[:, None], torch.arange(pieces, device=device)
        spectra = self.encode(batch.images)
        masks = as_floats(batch.images[every, number, batch.turns, 0])
        placed = place_between(masks, batch.centres + self.params.spread_px * noise)
        before = placed.cumsum(dim=1) - placed
        count = min(self.params.steps, pieces)
        steps = torch.rand((puzzles, pieces), device=device).topk(count, dim=1).indices  # (B, T)
        target = as_floats(batch.target[:, 0])
        left = (target[:, None] - before[every, steps]).clamp(0.0, 1.0)  # (B, T, H, W)
        present = masks.amax(dim=(2, 3)) > 0.0  # (B, N)
        allowed = present[:, None] & (number >= steps[..., None])  # (B, T, N)
        scores = self.scores(left, target, spectra, allowed)  # (B, T, N, R, 4, h, h)
        return self._losses(scores, batch, allowed)

    def _losses(self, scores: Tensor, batch: PuzzleBatch, allowed: Tensor) -> dict[str, Tensor]:
        puzzles, steps, pieces = allowed.shape
        size = batch.images.shape[-1]
        device = scores.device
        total = scores.flatten(2).logsumexp(dim=2)  # (B, T)
        puzzle, step, piece = torch.meshgrid(
            *(torch.arange(n, device=device) for n in (puzzles, steps, pieces)), indexing="ij"
        )
        turn = batch.turns[:, None].expand_as(piece)
        around = Corners.around(batch.centres)
        column, row = around.cells.clamp(0, size - 1).unbind(dim=-1)  # (B, N, 4)
        phase = (2 * (row % 2) + column % 2)[:, None].expand(-1, steps, -1, -1)
        row, column = (
            (value // 2)[:, None].expand(-1, steps, -1, -1) for value in (row, column)
        )  # (B, T, N, 4)
        place_of = [index[..., None] for index in (puzzle, step, piece, turn)]
        right = (scores[(*place_of, phase, row, column)] * around.weights[:, None]).sum(dim=-1)
        losses = {"place": self._surprise(right, total, allowed)}
        losses["loss"] = losses["place"]
        if self.params.coarse_weight > 0.0:
            own = scores[puzzle, step, piece, turn].logsumexp(dim=3) - total[..., None, None, None]
            own = own.exp()  # (B, T, N, h, h), probabilities of 2 x 2 pixels
            cells = cells_at(batch.centres, size)[:, None].expand(-1, steps, -1, -1)  # (B, T, N, 2)
            losses["coarse"] = torch.zeros_like(total).mean()
            for pool in COARSE_PX:
                pooled = functional.avg_pool2d(own.flatten(0, 1), pool // 2) * (pool // 2) ** 2
                pooled = pooled.unflatten(0, (puzzles, steps))
                column, row = (cells // pool).unbind(dim=-1)
                log_p = pooled[puzzle, step, piece, row, column].clamp_min(1e-12).log()
                losses["coarse"] = losses["coarse"] + self._surprise(log_p, torch.zeros_like(total), allowed)
            losses["loss"] = losses["loss"] + self.params.coarse_weight * losses["coarse"]
        return losses

    def _surprise(self, right: Tensor, total: Tensor, allowed: Tensor) -> Tensor:
        """How surprising the right placements (B, T, N) are, against all (B, T)."""
        if self.params.any_order:
            found = right.masked_fill(~allowed, float("-inf")).logsumexp(dim=2)
        else:
            first = allowed.float().argmax(dim=2, keepdim=True)  # fragments stand in order
            found = right.gather(2, first).squeeze(2)
        return (total - found).mean()

    def encode(self, images: Tensor) -> Spectra:
        """Fragments (B, N, R, C, H, W), bytes, ready to be compared."""
        masks = images[:, :, :, 0].flatten(0, 2)
        few = images.device.type == "cpu" and not torch.is_grad_enabled()
        at_once = AT_ONCE_ON_CPU if few else len(masks)
        with self._autocast():
            parts = [self.model.fragments(as_floats(part)) for part in masks.split(at_once)]
        whole = parts[0] if len(parts) == 1 else Fragments(*map(torch.cat, zip(*parts, strict=True)))
        return fragment_spectra(whole, len(images))

    def scores(self, left: Tensor, target: Tensor, spectra: Spectra, allowed: Tensor) -> Tensor:
        """Scores of all placements on what is left (B, T, H, W) of targets (B, H, W).

        (B, T, N, R, 4, h, h), `NEVER` for fragments that are not ``allowed`` (B, T, N).
        """
        whole = target[:, None].expand_as(left)
        with self._autocast():
            shapes = self.model.shapes(left.flatten(0, 1), whole.flatten(0, 1))
        scores = correlate(shapes.unflatten(0, left.shape[:2]), spectra)
        scores = scores.unflatten(2, (allowed.shape[2], -1))
        return scores.masked_fill(~allowed[..., None, None, None, None], NEVER)

    def assemble(
        self, images: Tensor, target: Tensor, stop: Callable[[int], bool] = lambda steps: False
    ) -> Answer:
        """Place all fragments greedily, the likeliest placement first.

        ``images`` and ``target`` are a `PuzzleBatch`'s; any number of puzzles, a part of them at a time.
        ``stop``, told the steps taken so far, may end it early.
        """
        at_once = max(1, IMAGES_AT_ONCE // (images.shape[1] * images.shape[2]))
        parts = [
            self._assemble_part(images[k : k + at_once], target[k : k + at_once], stop)
            for k in range(0, len(images), at_once)
        ]
        return joined(parts)

    @torch.no_grad()
    def _assemble_part(self, images: Tensor, target: Tensor, stop: Callable[[int], bool]) -> Answer:
        self.eval()
        spectra = self.encode(images)
        state = _State.empty(images, target)
        left_over = torch.arange(images.shape[1], device=images.device)
        for step in range(images.shape[1]):
            if stop(step):
                break
            peaks = find_peaks(self._maps(state, spectra, left_over), 1)
            state = state.placed(images, replace(peaks, fragment=left_over[peaks.fragment]), step)
            if len(images) == 1:  # on a CPU, what is placed already would take half of the time
                kept = left_over != state.chosen[0, step]
                left_over, spectra = left_over[kept], _only(spectra, kept)
        return state.answer

    def _maps(self, state: _State, spectra: Spectra, fragments: Tensor) -> Tensor:
        """Scores of some of the fragments (N,), whose spectra these are: (S, N, R, H, W)."""
        allowed = state.allowed[:, None, fragments]
        return as_images(self.scores(state.left[:, None], state.target, spectra, allowed)[:, 0])

    @torch.no_grad()
    def explain(self, images: Tensor, target: Tensor) -> list[Tensor]:
        """What a greedy assembly of one puzzle (1, N, R, C, H, W) sees, step by step.

        Log-probabilities (N, R, H, W): of each fragment, turned each way, its image's middle at each pixel.
        """
        self.eval()
        spectra, state = self.encode(images), _State.empty(images, target)
        every = torch.arange(images.shape[1], device=images.device)
        seen: list[Tensor] = []
        for step in range(images.shape[1]):
            maps = self._maps(state, spectra, every)
            seen.append((maps - maps.flatten().logsumexp(dim=0))[0])
            state = state.placed(images, find_peaks(maps, 1), step)
        return seen

    @torch.no_grad()
    def beam(
        self,
        images: Tensor,
        target: Tensor,
        params: BeamParams,
        stop: Callable[[int], bool] = lambda steps: False,
    ) -> Answer:
        """The best of several assemblies of one puzzle (1, N, R, C, H, W) that are followed side by side."""
        self.eval()
        spectra = self.encode(images)
        state = _State.empty(images, target)
        worth = torch.zeros(1, device=images.device)
        area = state.target.sum().clamp_min(1.0)
        fragments = torch.arange(images.shape[1], device=images.device)
        for step in range(images.shape[1]):
            if stop(step):
                break
            ways = len(state.left)
            shared = Spectra(*(value.expand(ways, *value.shape[1:]) for value in spectra))
            peaks = find_peaks(self._maps(state, shared, fragments), params.ways)
            every = torch.arange(ways, device=images.device).repeat_interleave(params.ways)
            each = Peaks(*(value.flatten(0, 1)[:, None] for value in vars(peaks).values()))
            then = state[every].placed(images, each, step)
            overlap = (then.overlap - state.overlap[every]) / area
            gain = each.probability[:, 0].clamp_min(1e-12).log() - 100.0 * params.overlap_weight * overlap
            before = state.allowed[every]
            may = before.gather(1, each.fragment).squeeze(1) | ~before.any(dim=1)
            gain = gain.masked_fill(~may, float("-inf"))  # there were fewer peaks than ways
            chosen = _best_different(then, worth[every] + gain, params.width)
            state, worth = then[chosen], (worth[every] + gain)[chosen]
        # What counts in the end is what is covered; of equals, what was likelier.
        best = int((state.left.sum(dim=(1, 2)) / area - 1e-4 * worth).argmin())
        return state[torch.tensor([best], device=images.device)].answer


@dataclass(frozen=True)
class _State:
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
    def empty(cls, images: Tensor, target: Tensor) -> _State:
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

    def __getitem__(self, index: Tensor) -> _State:
        return _State(*(value[index] for value in vars(self).values()))

    def placed(self, images: Tensor, peaks: Peaks, step: int) -> _State:
        """After each state's first peak; all states are of one puzzle, or each of its own."""
        states = len(self.left)
        every = torch.arange(states, device=self.left.device)
        owner = every if len(images) == states else torch.zeros_like(every)
        fragment, turn, centre = peaks.fragment[:, 0], peaks.turn[:, 0], peaks.centre[:, 0]
        # When only absent fragments are left, one of those is taken, which changes nothing.
        taken = torch.zeros_like(self.allowed).scatter(1, self.chosen.clamp_min(0), self.chosen >= 0)
        fragment = torch.where(self.allowed.any(dim=1), fragment, taken.float().argmin(dim=1))
        mask = place_between(as_floats(images[owner, fragment, turn, 0]), centre)
        chosen, centres, turns, certainty = (
            value.clone() for value in (self.chosen, self.centres, self.turns, self.certainty)
        )
        chosen[:, step], centres[:, step], turns[:, step] = fragment, centre, turn
        certainty[:, step] = peaks.probability[:, 0]
        left = (self.left - mask).clamp_min(0.0)
        return replace(
            self,
            left=left,
            allowed=self.allowed.scatter(1, fragment[:, None], False),
            overlap=self.overlap + mask.sum(dim=(1, 2)) - (self.left - left).sum(dim=(1, 2)),
            chosen=chosen,
            centres=centres,
            turns=turns,
            certainty=certainty,
        )

    @property
    def answer(self) -> Answer:
        """The placements so far."""
        return Answer(self.chosen, self.centres, self.turns, self.certainty, self.left)


def _only(spectra: Spectra, kept: Tensor) -> Spectra:
    """The spectra of one puzzle without those fragments that are not ``kept`` (N,)."""
    index = kept.nonzero().squeeze(1)
    fragments = len(kept)
    values = spectra.values.unflatten(3, (fragments, -1)).index_select(3, index).flatten(3)
    return Spectra(values, spectra.bias.unflatten(1, (fragments, -1)).index_select(1, index).flatten(1))


def _best_different(state: _State, worth: Tensor, width: int) -> Tensor:
    """The best states, of those that came to the same by another order only the best."""
    apart = (state.left[:, None] - state.left[None]).abs().sum(dim=(2, 3))
    same = (apart < 0.01 * state.target[0].sum()) & (state.allowed[:, None] == state.allowed[None]).all(dim=2)
    order = worth.argsort(descending=True, stable=True)
    kept: list[int] = []
    possible = worth.isfinite().tolist()
    for k in order.tolist():
        if possible[k] and not any(bool(same[k, other]) for other in kept):
            kept.append(k)
        if len(kept) == width:
            break
    return torch.tensor(kept, device=worth.device)


def joined(parts: list[Answer]) -> Answer:
    """The answers of several parts in one."""
    return Answer(*(torch.cat([vars(part)[name] for part in parts]) for name in vars(parts[0])))


def fine_pixel_coverage(batch: PuzzleBatch, answer: Answer) -> Tensor:
    """How much of what the fragments truly cover is covered, (B,), counted in pixels: for validation."""
    number = torch.arange(batch.pieces, device=batch.images.device)
    every = torch.arange(len(batch), device=batch.images.device)[:, None]

    def covered(which: Tensor, turns: Tensor, centres: Tensor) -> Tensor:
        return (
            place_between(as_floats(batch.images[every, which, turns, 0]), centres).sum(dim=1).clamp_max(1.0)
        )

    truth = covered(number, batch.turns, batch.centres) * as_floats(batch.target[:, 0])
    found = covered(answer.chosen, answer.turns, answer.centres)
    return torch.minimum(found, truth).sum(dim=(1, 2)) / truth.sum(dim=(1, 2))
