"""Annealing moves and the loops that try them (compiled); see `sherd.solvers.baselines.annealing`.

A state is (x, y, theta, mirrored), relative to the target's size and middle as in `Objective`. All that is
random comes in as ``draws`` (K, DRAWS): uniform numbers in [0, 1), a row for each evaluation.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from sherd.core.compiled import compiled
from sherd.core.geometry import TAU
from sherd.solvers.objective import Parts, TracedUnion, iou_with, rest_of
from sherd.solvers.union_area import Floats, Ints, copy_to, set_edges

DRAWS = 7


class Freedom(NamedTuple):
    """Where a piece may be put: half the sides of the target's bounds, bins of rotation (0: free), flips."""

    half_x: float
    half_y: float
    bins: int
    mirror: bool


class Cooling(NamedTuple):
    """A geometric schedule: temperature in units of IoU, length of a step in units of the target's size."""

    hot: float
    cold: float
    far: float
    near: float


@compiled
def _matrix(state: Floats) -> Floats:
    cos, sin = math.cos(state[2]), math.sin(state[2])
    if state[3] > 0.5:
        return np.array([-cos, -sin, -sin, cos, state[0], state[1]])
    return np.array([cos, sin, -sin, cos, state[0], state[1]])


@compiled
def _at(first: float, last: float, share: float) -> float:
    return first * (last / first) ** share


@compiled
def _normal(first: float, second: float) -> tuple[float, float]:
    """Two normal draws from two uniform ones (Box and Muller)."""
    radius = math.sqrt(-2.0 * math.log(1.0 - first))
    return radius * math.cos(TAU * second), radius * math.sin(TAU * second)


@compiled
def random_state(freedom: Freedom, draw: Floats, state: Floats) -> None:
    """Any place within the target's bounds, any allowed angle."""
    state[0] = (2.0 * draw[0] - 1.0) * freedom.half_x
    state[1] = (2.0 * draw[1] - 1.0) * freedom.half_y
    state[2] = TAU * (draw[2] if freedom.bins == 0 else math.floor(draw[2] * freedom.bins) / freedom.bins)
    state[3] = 1.0 if freedom.mirror and draw[3] < 0.5 else 0.0


@compiled
def _move(freedom: Freedom, step: float, draw: Floats, old: Floats, new: Floats) -> None:
    """A shift, now and then a jump to any place, or a turn where turning is allowed."""
    copy_to(old, new)
    turns = freedom.bins != 1 or freedom.mirror
    if draw[0] < 0.1:
        random_state(freedom, draw[1:], new)
        if draw[5] < 0.5:
            new[2], new[3] = old[2], old[3]
    elif turns and draw[0] < 0.4:
        if freedom.mirror and draw[1] < 0.25:
            new[3] = 1.0 - old[3]
        elif freedom.bins == 0:
            new[2] = (old[2] + math.pi * step * _normal(draw[2], draw[3])[0]) % TAU
        elif freedom.bins > 1:
            by = 1 + math.floor(draw[2] * (freedom.bins - 1))
            new[2] = (round(old[2] / TAU * freedom.bins) + by) % freedom.bins * TAU / freedom.bins
    else:
        x, y = _normal(draw[1], draw[2])
        new[0] = min(freedom.half_x, max(-freedom.half_x, old[0] + step * x))
        new[1] = min(freedom.half_y, max(-freedom.half_y, old[1] + step * y))


@compiled
def _accepts(gain: float, temperature: float, draw: float) -> bool:
    return gain >= 0.0 or draw < math.exp(gain / temperature)


@compiled
def anneal_piece(
    target: TracedUnion,
    parts: Parts,
    edges: Floats,
    placed: Ints,
    waiting: Ints,
    freedom: Freedom,
    cooling: Cooling,
    draws: Floats,
    begin: float,
    end: float,
    now: Floats,
    best: Floats,
) -> None:
    """Anneal which waiting piece comes next and where, from share ``begin`` to ``end`` of the schedule.

    ``now`` and ``best`` are (index into ``waiting``, x, y, theta, mirrored, IoU) and are changed in place.
    ``edges`` (M, V, 5) are those of the pieces that are ``placed``.
    """
    rest = rest_of(target, edges, parts.counts, parts.starts, placed, target.area)
    new = np.empty(6)
    for k in range(len(draws)):
        share = begin + (end - begin) * k / len(draws)
        step = _at(cooling.far, cooling.near, share)
        copy_to(now, new)
        if len(waiting) > 1 and draws[k, 6] < 0.2:
            new[0] = (now[0] + 1 + math.floor(draws[k, 0] * (len(waiting) - 1))) % len(waiting)
        else:
            _move(freedom, step, draws[k], now[1:5], new[1:5])
        new[5] = iou_with(rest, parts, waiting[int(new[0])], _matrix(new[1:5]))
        if _accepts(new[5] - now[5], _at(cooling.hot, cooling.cold, share), draws[k, 5]):
            copy_to(new, now)
            if now[5] > best[5]:
                copy_to(now, best)


@compiled
def lay(parts: Parts, piece: int, state: Floats, edges: Floats) -> None:
    """Write the edges of a piece, as it lies, to its rows of ``edges`` (M, V, 5)."""
    for m in range(parts.starts[piece], parts.starts[piece + 1]):
        set_edges(parts.vertices[m], parts.counts[m], _matrix(state), edges[m])


@compiled
def anneal_all(
    target: TracedUnion,
    parts: Parts,
    edges: Floats,
    freedom: Freedom,
    cooling: Cooling,
    draws: Floats,
    burst: int,
    begin: float,
    end: float,
    states: Floats,
    value: float,
    best: Floats,
    best_value: float,
) -> tuple[float, float]:
    """Anneal the poses of all N pieces together; returns the IoU now and the best so far.

    A piece is lifted and tried in ``burst`` places while the others stay, or two pieces change places.
    ``states`` (N, 4), ``best`` (N, 4) and ``edges`` are changed in place.
    """
    pieces = len(states)
    new = np.empty(4)
    others = np.empty(pieces - 1, dtype=np.int64)
    k = 0
    while k < len(draws):
        share = begin + (end - begin) * k / len(draws)
        step, temperature = _at(cooling.far, cooling.near, share), _at(cooling.hot, cooling.cold, share)
        piece = math.floor(draws[k, 6] * pieces)
        swaps = pieces > 1 and draws[k, 5] < 0.3
        other = (piece + 1 + math.floor(draws[k, 4] * (pieces - 1))) % pieces if swaps else piece
        for n in range(pieces - 1):
            others[n] = n if n < piece else n + 1
        if swaps:
            copy_to(states[other], new)
            new[0], new[1] = states[piece, 0], states[piece, 1]
            lay(parts, other, new, edges)
        rest = rest_of(target, edges, parts.counts, parts.starts, others, target.area)
        if swaps:
            copy_to(states[piece], new)
            new[0], new[1] = states[other, 0], states[other, 1]
            found = iou_with(rest, parts, piece, _matrix(new))
            if _accepts(found - value, temperature, draws[k, 3]):
                value = found
                states[other, 0], states[other, 1] = states[piece, 0], states[piece, 1]
                copy_to(new, states[piece])
                lay(parts, piece, new, edges)
                if value > best_value:
                    best_value = value
                    copy_to(states, best)
            else:
                lay(parts, other, states[other], edges)
            k += 1
            continue
        for _ in range(min(burst, len(draws) - k)):
            _move(freedom, step, draws[k], states[piece], new)
            found = iou_with(rest, parts, piece, _matrix(new))
            if _accepts(found - value, temperature, draws[k, 5]):
                value = found
                copy_to(new, states[piece])
                if value > best_value:
                    best_value = value
                    copy_to(states, best)
            k += 1
        lay(parts, piece, states[piece], edges)
    return value, best_value
