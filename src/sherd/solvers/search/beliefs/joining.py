"""The arithmetic of gluing outlines whose corners are normally distributed (compiled).

An outline is its corners (n, 2), counter-clockwise, and their covariance (2 n, 2 n). Of an edge it is said
how long it is, the angles at its start and its end, and its direction, in this order.
"""

from __future__ import annotations

import math

import numpy as np

from sherd.core.arrays import Floats
from sherd.core.compiled import compiled

# Keeps a matrix of correlations invertible where two misfits say the same.
RIDGE = 1e-6


@compiled
def edge_slopes(corners: Floats, edge: int, slopes: Floats) -> None:
    """Write how the four values of an edge change with the corners before, at and after it, (4, 8)."""
    n = corners.shape[0]
    for i in range(4):
        for j in range(8):
            slopes[i, j] = 0.0
    # The edge before, the edge itself and the one after it, each from one of the four corners to the next.
    for place in range(3):
        start, end = (edge + place - 1) % n, (edge + place) % n
        x, y = corners[end, 0] - corners[start, 0], corners[end, 1] - corners[start, 1]
        square = max(x * x + y * y, 1e-300)
        across_x, across_y = -y / square, x / square  # how its direction changes with its end
        for sign, at in ((-1.0, 2 * place), (1.0, 2 * place + 2)):
            if place < 2:  # the angle at the start is pi less this direction plus the one before
                turn = sign if place == 0 else -sign
                slopes[1, at] += turn * across_x
                slopes[1, at + 1] += turn * across_y
            if place > 0:
                turn = sign if place == 1 else -sign
                slopes[2, at] += turn * across_x
                slopes[2, at + 1] += turn * across_y
            if place == 1:
                length = math.sqrt(square)
                slopes[0, at] += sign * x / length
                slopes[0, at + 1] += sign * y / length
                slopes[3, at] += sign * across_x
                slopes[3, at + 1] += sign * across_y


@compiled
def edge_statistics(corners: Floats, covariance: Floats, values: Floats, covariances: Floats) -> None:
    """Write the values (n, 4) of all edges and their covariances (n, 4, 4)."""
    n = corners.shape[0]
    slopes, shared = np.empty((4, 8)), np.empty((4, 8))
    for k in range(n):
        after = (k + 1) % n
        x, y = corners[after, 0] - corners[k, 0], corners[after, 1] - corners[k, 1]
        values[k, 0] = math.sqrt(x * x + y * y)
        values[k, 3] = math.atan2(y, x)
    for k in range(n):
        after = (k + 1) % n
        values[k, 1] = (math.pi - values[k, 3] + values[k - 1, 3]) % (2.0 * math.pi)
        values[k, 2] = (math.pi - values[after, 3] + values[k, 3]) % (2.0 * math.pi)
        edge_slopes(corners, k, slopes)
        for i in range(4):
            for j in range(8):
                total = 0.0
                column = 2 * ((k + j // 2 - 1) % n) + j % 2
                for m in range(8):
                    total += slopes[i, m] * covariance[2 * ((k + m // 2 - 1) % n) + m % 2, column]
                shared[i, j] = total
        for i in range(4):
            for j in range(4):
                total = 0.0
                for m in range(8):
                    total += shared[i, m] * slopes[j, m]
                covariances[k, i, j] = total


@compiled
def condition(
    corners: Floats, covariance: Floats, n: int, edge: int, other_edge: int, misfit: Floats, counted: int
) -> None:
    """Move the corners of two outlines, the first ``n`` and the rest, so that an edge of each fits.

    ``misfit`` (4,) is by how much lengths, angles and directions are off; the first ``counted`` of these
    count. The covariance of all corners is changed to what it is then.
    """
    total = corners.shape[0]
    m = total - n
    slopes = np.zeros((4, 2 * total))
    block = np.empty((4, 8))
    edge_slopes(corners[:n], edge, block)
    for i in range(4):
        for j in range(8):
            slopes[i, 2 * ((edge + j // 2 - 1) % n) + j % 2] += block[i, j]
    edge_slopes(corners[n:], other_edge, block)
    for i in range(4):
        # The other edge is walked backwards: its end meets this one's start.
        of, sign = (i, -1.0) if i == 0 or i == 3 else (3 - i, 1.0)
        for j in range(8):
            slopes[i, 2 * (n + (other_edge + j // 2 - 1) % m) + j % 2] += sign * block[of, j]
    size = 2 * total
    shared = np.zeros((size, counted))
    for i in range(counted):
        for column in range(size):
            slope = slopes[i, column]
            if slope != 0.0:
                for row in range(size):
                    shared[row, i] += slope * covariance[row, column]
    lower, scale = np.zeros((counted, counted)), np.empty(counted)
    for i in range(counted):
        for j in range(i + 1):
            value = 0.0
            for column in range(size):
                value += slopes[i, column] * shared[column, j]
            if i == j:
                scale[i] = math.sqrt(value) + 1e-150
            lower[i, j] = value
    for i in range(counted):
        for j in range(i + 1):
            value = lower[i, j] / (scale[i] * scale[j])
            if i == j:
                value += RIDGE
            for k in range(j):
                value -= lower[i, k] * lower[j, k]
            lower[i, j] = math.sqrt(max(value, RIDGE)) if i == j else value / lower[j, j]
    # Whitened by the factor, the gain is the same matrix on both sides.
    white = np.empty(counted)
    for i in range(counted):
        value = misfit[i] / scale[i]
        for k in range(i):
            value -= lower[i, k] * white[k]
        white[i] = value / lower[i, i]
    for row in range(size):
        for i in range(counted):
            value = shared[row, i] / scale[i]
            for k in range(i):
                value -= lower[i, k] * shared[row, k]
            shared[row, i] = value / lower[i, i]
            corners[row // 2, row % 2] -= shared[row, i] * white[i]
    for row in range(size):
        for column in range(size):
            value = 0.0
            for i in range(counted):
                value += shared[row, i] * shared[column, i]
            covariance[row, column] -= value


@compiled
def merge(
    corners: Floats,
    covariance: Floats,
    n: int,
    edge: int,
    other_edge: int,
    theta: float,
    whole: Floats,
    whole_covariance: Floats,
    pose: Floats,
) -> None:
    """Lay the second of two outlines onto the first along an edge each, and write what they make together.

    ``theta`` is by how much it turns, or nan: then that is read off the longest of three pairs of edges,
    those glued and those beside them, which are in line. ``pose`` gets x, y and theta.
    """
    m = corners.shape[0] - n
    a, b = edge, (edge + 1) % n  # ends of the first's edge; the second's are d and c, the other way round
    c, d = n + other_edge, n + (other_edge + 1) % m
    size, kept = 2 * (n + m), n + m - 4
    by_theta = np.zeros(size)
    if math.isnan(theta):
        longest = -1.0
        ends = (a, b, d, c)
        for pair in (
            (a, b, d, c),
            ((edge - 1) % n, a, d, n + (other_edge + 2) % m),
            (b, (edge + 2) % n, n + (other_edge - 1) % m, c),
        ):
            x, y = corners[pair[1], 0] - corners[pair[0], 0], corners[pair[1], 1] - corners[pair[0], 1]
            u, v = corners[pair[3], 0] - corners[pair[2], 0], corners[pair[3], 1] - corners[pair[2], 1]
            shorter = min(x * x + y * y, u * u + v * v)
            if shorter > longest:
                longest, ends = shorter, pair
        x, y = corners[ends[1], 0] - corners[ends[0], 0], corners[ends[1], 1] - corners[ends[0], 1]
        u, v = corners[ends[3], 0] - corners[ends[2], 0], corners[ends[3], 1] - corners[ends[2], 1]
        theta = math.atan2(y, x) - math.atan2(v, u)
        first, second = max(x * x + y * y, 1e-300), max(u * u + v * v, 1e-300)
        by_theta[2 * ends[1]] -= y / first
        by_theta[2 * ends[1] + 1] += x / first
        by_theta[2 * ends[0]] += y / first
        by_theta[2 * ends[0] + 1] -= x / first
        by_theta[2 * ends[3]] += v / second
        by_theta[2 * ends[3] + 1] -= u / second
        by_theta[2 * ends[2]] -= v / second
        by_theta[2 * ends[2] + 1] += u / second
    cos, sin = math.cos(theta), math.sin(theta)
    middle_x, middle_y = (corners[c, 0] + corners[d, 0]) / 2.0, (corners[c, 1] + corners[d, 1]) / 2.0
    pose[0] = (corners[a, 0] + corners[b, 0]) / 2.0 - cos * middle_x + sin * middle_y
    pose[1] = (corners[a, 1] + corners[b, 1]) / 2.0 - sin * middle_x - cos * middle_y
    pose[2] = theta

    slopes = np.zeros((2 * kept, size))
    for r in range(n - 2):
        k = (edge + 2 + r) % n
        whole[r, 0], whole[r, 1] = corners[k, 0], corners[k, 1]
        slopes[2 * r, 2 * k] = slopes[2 * r + 1, 2 * k + 1] = 1.0
    for r in range(n - 2, kept):
        k = n + (other_edge + 2 + r - (n - 2)) % m
        x, y = corners[k, 0], corners[k, 1]
        whole[r, 0] = cos * x - sin * y + pose[0]
        whole[r, 1] = sin * x + cos * y + pose[1]
        for place, weight in ((k, 1.0), (c, -0.5), (d, -0.5)):
            slopes[2 * r, 2 * place] += weight * cos
            slopes[2 * r, 2 * place + 1] -= weight * sin
            slopes[2 * r + 1, 2 * place] += weight * sin
            slopes[2 * r + 1, 2 * place + 1] += weight * cos
        for place in (a, b):
            slopes[2 * r, 2 * place] += 0.5
            slopes[2 * r + 1, 2 * place + 1] += 0.5
        x, y = x - middle_x, y - middle_y
        for column in range(size):
            slopes[2 * r, column] -= (sin * x + cos * y) * by_theta[column]
            slopes[2 * r + 1, column] += (cos * x - sin * y) * by_theta[column]
    half = np.zeros((2 * kept, size))
    for row in range(2 * kept):
        for column in range(size):
            slope = slopes[row, column]
            if slope != 0.0:
                for other in range(size):
                    half[row, other] += slope * covariance[column, other]
    for other in range(2 * kept):
        for row in range(2 * kept):
            whole_covariance[row, other] = 0.0
        for column in range(size):
            slope = slopes[other, column]
            if slope != 0.0:
                for row in range(2 * kept):
                    whole_covariance[row, other] += slope * half[row, column]
