"""How well edges fit each other, for very many pairs (compiled)."""

from __future__ import annotations

import math

import numpy as np

from sherd.core.arrays import Floats, Ints
from sherd.core.compiled import compiled
from sherd.solvers.search.beliefs.joining import RIDGE
from sherd.solvers.search.constants.beliefs import MOST_ANGLE_MISFIT

# A word of bits says which pieces a part has; the sign is not used.
BITS = 62


@compiled
def find_matches(
    values: Floats,
    covariances: Floats,
    words: Ints,
    all_values: Floats,
    all_covariances: Floats,
    all_words: Ints,
    count: int,
    step: float,
    counted: int,
    farthest: float,
    pairs: Ints,
    costs: Floats,
) -> int:
    """Compare the edges of one part with the first ``count`` edges of others; returns how many pairs match.

    An edge is its values (4,) as in `belief`, their covariance (4, 4), and the pieces of its part as bits
    of some words. Parts that share a piece never match. the first ``counted`` misfits count, 4 where allowed
    angles are multiples of ``step``. Of the pairs whose chi-squared is at most ``farthest``, ``pairs``
    (P, 2) gets the edges and ``costs`` (P, 2) half their chi-squared, and half the logarithm of the
    determinant of the misfits' covariance. Pairs beyond P are counted but not kept.
    """
    found = 0
    misfit = np.empty(4)
    lower = np.empty((4, 4))
    scale = np.empty(4)
    for other in range(count):
        shared = False
        for w in range(words.size):
            if words[w] & all_words[other, w]:
                shared = True
                break
        if shared:
            continue
        b, vb = all_values[other], all_covariances[other]
        for own in range(values.shape[0]):
            a, va = values[own], covariances[own]
            misfit[0] = a[0] - b[0]
            scale[0] = va[0, 0] + vb[0, 0]
            if misfit[0] * misfit[0] > farthest * scale[0]:
                continue
            misfit[1] = a[1] + b[2] - math.pi
            scale[1] = va[1, 1] + vb[2, 2]
            if misfit[1] * misfit[1] > farthest * scale[1] or abs(misfit[1]) > MOST_ANGLE_MISFIT:
                continue
            misfit[2] = a[2] + b[1] - math.pi
            scale[2] = va[2, 2] + vb[1, 1]
            if misfit[2] * misfit[2] > farthest * scale[2] or abs(misfit[2]) > MOST_ANGLE_MISFIT:
                continue
            if counted == 4:
                turn = a[3] + math.pi - b[3]
                misfit[3] = turn - round(turn / step) * step
                scale[3] = va[3, 3] + vb[3, 3]
                if misfit[3] * misfit[3] > farthest * scale[3]:
                    continue
            # Cholesky's factor of the correlations, and with it the squared length of the whitened misfit.
            chi, logarithm = 0.0, 0.0
            for i in range(counted):
                bi = i if i == 0 or i == 3 else 3 - i
                for j in range(i + 1):
                    bj = j if j == 0 or j == 3 else 3 - j
                    sign = -1.0 if (i == 0 or i == 3) != (j == 0 or j == 3) else 1.0
                    value = (va[i, j] + sign * vb[bi, bj]) / math.sqrt(scale[i] * scale[j])
                    if i == j:
                        value += RIDGE
                    for k in range(j):
                        value -= lower[i, k] * lower[j, k]
                    lower[i, j] = math.sqrt(max(value, RIDGE)) if i == j else value / lower[j, j]
                logarithm += math.log(lower[i, i]) + 0.5 * math.log(scale[i])
            for i in range(counted):
                value = misfit[i] / math.sqrt(scale[i])
                for k in range(i):
                    value -= lower[i, k] * misfit[k]
                misfit[i] = value / lower[i, i]
                chi += misfit[i] * misfit[i]
            if chi <= farthest:
                if found < pairs.shape[0]:
                    pairs[found, 0], pairs[found, 1] = own, other
                    costs[found, 0], costs[found, 1] = 0.5 * chi, logarithm
                found += 1
    return found


@compiled
def has_room(
    corners: Floats, values: Floats, longest: float, room: Floats, fixed: bool, most_reflex: float
) -> bool:
    """Whether corners (n, 2) are no farther apart than ``longest``, and no angle is too reflex.

    If ``fixed``, they must also fit into a box of size ``room`` (2,) as they stand.
    """
    n = corners.shape[0]
    for k in range(n):
        if values[k, 0] <= 0.0 or values[k, 1] > math.pi + most_reflex:
            return False
        for j in range(k):
            x, y = abs(corners[k, 0] - corners[j, 0]), abs(corners[k, 1] - corners[j, 1])
            if x * x + y * y > longest * longest or (fixed and (x > room[0] or y > room[1])):
                return False
    return True


@compiled
def same_outline(values: Floats, covariances: Floats, other: Floats, length: float, angle: float) -> bool:
    """Whether two outlines, as the values (n, 4) of their edges, are the same but for where they begin.

    Lengths may differ by their uncertainty and ``length``, angles by ``angle``.
    """
    n = values.shape[0]
    if other.shape[0] != n:
        return False
    for shift in range(n):
        alike = True
        for k in range(n):
            j = (k + shift) % n
            doubt = math.sqrt(covariances[k, 0, 0]) + length
            if abs(values[k, 0] - other[j, 0]) > doubt or abs(values[k, 1] - other[j, 1]) > angle:
                alike = False
                break
        if alike:
            return True
    return False
