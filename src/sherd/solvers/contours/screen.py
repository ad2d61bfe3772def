"""Every position of every pair of outlines compared at once: where may two stretches lie together?

A stretch is a window of the outline, taken about its mean and written in a few orthonormal polynomials of
the arc length. Two stretches then differ, after the best turn and shift, by R^2 = (e_a + e_b - 2 |G|) / m,
where G is one complex product of their coefficients: a matrix product of two outlines gives it for all pairs
of their positions, and its argument is the turn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sherd.core.compiled import compiled
from sherd.core.threads import in_parts
from sherd.solvers.contours.outlines import Ring


class Windows(NamedTuple):
    """The stretches of all outlines at one length, of ``samples`` points each.

    Stretch w lies about point ``point[w]``; those of piece p are ``starts[p]:starts[p + 1]``. Coefficients
    ``forward`` and ``backward`` (run through the other way, conjugate) are (W, K); ``energy`` and
    ``bend`` are the mean squares of a stretch about its mean and about its straight line.
    """

    starts: NDArray[np.int64]
    point: NDArray[np.int64]
    means: NDArray[np.complex128]
    forward: NDArray[np.complex64]
    backward: NDArray[np.complex64]
    energy: NDArray[np.float32]
    bend: NDArray[np.float32]
    samples: int


class Candidates(NamedTuple):
    """Pairs of stretches that are alike: pieces, points of their outlines, the pose, and how alike (M,)."""

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    first_point: NDArray[np.int64]
    second_point: NDArray[np.int64]
    turns: NDArray[np.complex128]
    shifts: NDArray[np.complex128]
    likeness: NDArray[np.float64]

    def chosen(self, which: NDArray[np.bool_]) -> Candidates:
        """Some of them."""
        return Candidates(
            self.first[which],
            self.second[which],
            self.first_point[which],
            self.second_point[which],
            self.turns[which],
            self.shifts[which],
            self.likeness[which],
        )


def together(found: Sequence[Candidates]) -> Candidates:
    """Several in one."""
    no, none = np.empty(0, dtype=np.int64), np.empty(0, dtype=np.complex128)
    return Candidates(
        np.concatenate([no, *(one.first for one in found)]),
        np.concatenate([no, *(one.second for one in found)]),
        np.concatenate([no, *(one.first_point for one in found)]),
        np.concatenate([no, *(one.second_point for one in found)]),
        np.concatenate([none, *(one.turns for one in found)]),
        np.concatenate([none, *(one.shifts for one in found)]),
        np.concatenate([np.empty(0), *(one.likeness for one in found)]),
    )


def polynomials(samples: int, count: int) -> NDArray[np.float64]:
    """Orthonormal polynomials of degrees 1 to ``count`` on evenly spaced samples, shape (samples, count)."""
    at = np.linspace(-1.0, 1.0, samples)
    basis, _ = np.linalg.qr(np.polynomial.legendre.legvander(at, count))
    return basis[:, 1:]


def make_windows(outlines: list[tuple[Ring, ...]], *, samples: int, degrees: int, stride: int = 1) -> Windows:
    """The stretches of all outlines; rings too short for one are left out."""
    basis = polynomials(samples, degrees)
    odd = np.where(np.arange(1, degrees + 1) % 2 == 1, -1.0, 1.0)
    coefficients: list[NDArray[np.complex128]] = []
    means: list[NDArray[np.complex128]] = []
    points: list[NDArray[np.int64]] = []
    counts, offset = [0], 0
    for outline in outlines:
        count = 0
        for ring in outline:
            size = len(ring.points)
            if size > samples:
                half = samples // 2
                wrapped = np.concatenate([ring.points[-half:], ring.points, ring.points[: samples - half]])
                views = np.lib.stride_tricks.sliding_window_view(wrapped, samples)[:size:stride]
                coefficients.append(views @ basis)
                means.append(views.mean(axis=1))
                points.append(offset + np.arange(0, size, stride))
                count += len(points[-1])
            offset += size
        counts.append(count)
    if not coefficients:
        empty = np.empty((0, degrees), dtype=np.complex128)
        coefficients, means, points = [empty], [empty[:, 0]], [np.empty(0, dtype=np.int64)]
    forward = np.concatenate(coefficients)
    squares = np.abs(forward) ** 2 / samples
    return Windows(
        starts=np.cumsum(counts),
        point=np.concatenate(points),
        means=np.concatenate(means),
        forward=forward.astype(np.complex64),
        backward=np.ascontiguousarray((forward * odd).conj().T).astype(np.complex64),
        energy=squares.sum(axis=1).astype(np.float32),
        bend=squares[:, 1:].sum(axis=1).astype(np.float32),
        samples=samples,
    )


@compiled
def likest(
    windows: Windows, pairs: NDArray[np.int64], softening: float, least: float, most: int
) -> tuple[
    NDArray[np.int64], NDArray[np.int64], NDArray[np.complex64], NDArray[np.float32], NDArray[np.int64]
]:
    """For pairs of pieces (P, 2): up to ``most`` pairs of windows each, more alike than those beside them.

    How alike is the mean bend over the mean square that the two differ by, softened; at least ``least``.
    Gives the windows of the first and the second, the product G, the likeness, and the pair.
    """
    total = len(pairs) * most
    first, second = np.empty(total, dtype=np.int64), np.empty(total, dtype=np.int64)
    product, likeness = np.empty(total, dtype=np.complex64), np.empty(total, dtype=np.float32)
    pair_of = np.empty(total, dtype=np.int64)
    kept = 0
    scale = np.float32(1.0 / windows.samples)
    soft = np.float32(softening * softening)
    floor = np.float32(least)
    half = np.float32(0.5)
    for pair in range(len(pairs)):
        a_low, a_high = windows.starts[pairs[pair, 0]], windows.starts[pairs[pair, 0] + 1]
        b_low, b_high = windows.starts[pairs[pair, 1]], windows.starts[pairs[pair, 1] + 1]
        rows, columns = a_high - a_low, b_high - b_low
        if rows < 3 or columns < 3:
            continue
        products = np.dot(
            windows.forward[a_low:a_high], np.ascontiguousarray(windows.backward[:, b_low:b_high])
        )
        alike = np.empty((rows, columns), dtype=np.float32)
        for i in range(rows):
            energy, bend = windows.energy[a_low + i], windows.bend[a_low + i]
            for j in range(columns):
                g = products[i, j]
                size = np.sqrt(g.real * g.real + g.imag * g.imag)
                square = energy + windows.energy[b_low + j] - np.float32(2.0) * scale * size
                worth = half * (bend + windows.bend[b_low + j])
                alike[i, j] = worth / (max(square, np.float32(0.0)) + soft)
        begin = kept
        lowest = floor
        for i in range(rows):
            above, below = alike[i - 1], alike[(i + 1) % rows]
            here = alike[i]
            for j in range(columns):
                value = here[j]
                if value <= lowest:
                    continue
                left, right = j - 1 if j > 0 else columns - 1, j + 1 if j + 1 < columns else 0
                if (
                    value < here[left]
                    or value <= here[right]
                    or value < above[left]
                    or value < above[j]
                    or value < above[right]
                    or value <= below[left]
                    or value <= below[j]
                    or value <= below[right]
                ):
                    continue
                at = kept
                if kept - begin == most:  # the least of them makes room
                    at = begin
                    for k in range(begin + 1, kept):
                        if likeness[k] < likeness[at]:
                            at = k
                else:
                    kept += 1
                first[at], second[at], pair_of[at] = a_low + i, b_low + j, pair
                product[at], likeness[at] = products[i, j], value
                if kept - begin == most:
                    lowest = likeness[begin]
                    for k in range(begin + 1, kept):
                        lowest = min(lowest, likeness[k])
    return first[:kept], second[:kept], product[:kept], likeness[:kept], pair_of[:kept]


def screen(
    windows: Windows, pairs: NDArray[np.int64], *, softening: float, least: float, most: int
) -> Candidates:
    """The likest positions of each pair of pieces, with the pose of the second in the first's frame."""

    def look(part: slice) -> tuple[NDArray[Any], ...]:
        *found, pair_of = likest(windows, pairs[part], softening, least, most)
        return *found, pair_of + part.start

    # Poses are worked out of all together: in which part of an array a number stands can change its last bit.
    columns = zip(*in_parts(range(len(pairs)), look), strict=True)
    first, second, product, likeness, pair_of = (np.concatenate(column) for column in columns)
    turns = product.astype(np.complex128)
    turns /= np.maximum(np.abs(turns), np.finfo(np.float64).tiny)
    return Candidates(
        first=pairs[pair_of, 0],
        second=pairs[pair_of, 1],
        first_point=windows.point[first],
        second_point=windows.point[second],
        turns=turns,
        shifts=windows.means[first] - turns * windows.means[second],
        likeness=likeness.astype(np.float64),
    )
