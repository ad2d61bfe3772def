"""The arithmetic of fitting cuts to all corners of pieces at once (compiled).

A line is the direction of its normal and how far it lies along that; a pose is x, y and a turn. Corners are
in the frames of their pieces, (C, 2), whose first ones are at ``begins``, (N + 1,); edge k of a piece leaves
its corner k and lies on line ``after``. Weights of all pieces are in one row.
"""

from __future__ import annotations

import math

import numpy as np

from sherd.core.arrays import Floats, Ints
from sherd.core.compiled import compiled

# Lines whose directions differ by less, as a sine, meet nowhere.
PARALLEL = 0.02
# Added to the diagonal, as shares of it: the least, and the first where a round has made it worse.
LEAST_DAMPED, DAMPED = 1e-8, 1e-3
# Keeps what nothing holds where it is.
STEADY = 1e-12


@compiled
def piece_table(
    corners: Floats,
    first: int,
    count: int,
    after: Ints,
    pose: Floats,
    cuts: Floats,
    each: int,
    weights: Floats,
    first_weight: int,
    table: Floats,
) -> bool:
    """Write how far a piece's corners are from where lines meet, and how that changes; False if some do not.

    A row of the table is x or y of a corner; its columns are how far that is off, its slopes by the pose
    (``each`` of them) and then by both numbers of the line of each edge. Only the first if ``each`` is 0.
    """
    width = 1 + each + 2 * count if each else 1
    cos, sin = math.cos(pose[2]), math.sin(pose[2])
    for row in range(2 * count):
        for column in range(width):
            table[row, column] = 0.0
    for j in range(count):
        before_edge = j - 1 if j else count - 1
        a, b = after[first + before_edge], after[first + j]
        ax, ay, bx, by = (
            math.cos(cuts[a, 0]),
            math.sin(cuts[a, 0]),
            math.cos(cuts[b, 0]),
            math.sin(cuts[b, 0]),
        )
        cross = ax * by - ay * bx
        if abs(cross) < PARALLEL:
            return False
        met_x = (cuts[a, 1] * by - cuts[b, 1] * ay) / cross
        met_y = (cuts[b, 1] * ax - cuts[a, 1] * bx) / cross
        x, y = corners[first + j, 0], corners[first + j, 1]
        # All in the frame of the piece: turned back by its pose.
        off_x, off_y = met_x - pose[0], met_y - pose[1]
        table[2 * j, 0] = x - (cos * off_x + sin * off_y)
        table[2 * j + 1, 0] = y - (cos * off_y - sin * off_x)
        if not each:
            continue
        table[2 * j, 1], table[2 * j, 2] = cos, sin
        table[2 * j + 1, 1], table[2 * j + 1, 2] = -sin, cos
        if each == 3:
            table[2 * j, 3] = -(cos * off_y - sin * off_x)
            table[2 * j + 1, 3] = cos * off_x + sin * off_y
        for which in range(2):
            line, edge = (a, before_edge) if which == 0 else (b, j)
            # How the place moves with the line's distance, and how the distance changes with its direction.
            along_x, along_y = (by, -bx) if which == 0 else (-ay, ax)
            along_x, along_y = along_x / cross, along_y / cross
            turned = -math.sin(cuts[line, 0]) * met_x + math.cos(cuts[line, 0]) * met_y
            own_x, own_y = cos * along_x + sin * along_y, cos * along_y - sin * along_x
            column = 1 + each + 2 * edge
            table[2 * j, column] += own_x * turned
            table[2 * j + 1, column] += own_y * turned
            table[2 * j, column + 1] -= own_x
            table[2 * j + 1, column + 1] -= own_y
    if len(weights):
        size = 2 * count
        # Weights are lower triangles, so that rows are done from the last on.
        for row in range(size - 1, -1, -1):
            for column in range(width):
                total = 0.0
                for k in range(row + 1):
                    total += weights[first_weight + row * size + k] * table[k, column]
                table[row, column] = total
    return True


@compiled
def solve(matrix: Floats, size: int, values: Floats, columns: int) -> None:
    """Solve a positive definite system in place: values (size, columns) become the answers."""
    for i in range(size):
        for j in range(i + 1):
            total = matrix[i, j]
            for k in range(j):
                total -= matrix[i, k] * matrix[j, k]
            matrix[i, j] = math.sqrt(max(total, 1e-300)) if i == j else total / matrix[j, j]
    for column in range(columns):
        for i in range(size):
            total = values[i, column]
            for k in range(i):
                total -= matrix[i, k] * values[k, column]
            values[i, column] = total / matrix[i, i]
        for i in range(size - 1, -1, -1):
            total = values[i, column]
            for k in range(i + 1, size):
                total -= matrix[k, i] * values[k, column]
            values[i, column] = total / matrix[i, i]


@compiled
def squares_of(
    corners: Floats, begins: Ints, after: Ints, placed: Floats, cuts: Floats, weights: Floats, table: Floats
) -> float:
    """The sum of squares by which corners are off; infinite if some lines do not meet."""
    total, at = 0.0, 0
    for i in range(len(placed)):
        first, count = begins[i], begins[i + 1] - begins[i]
        if not piece_table(corners, first, count, after, placed[i], cuts, 0, weights, at, table):
            return math.inf
        for row in range(2 * count):
            total += table[row, 0] * table[row, 0]
        at += 4 * count * count
    return total


@compiled
def fit_rounds(
    corners: Floats,
    begins: Ints,
    after: Ints,
    placed: Floats,
    cuts: Floats,
    sides: int,
    each: int,
    weights: Floats,
    most: float,
    rounds: int,
    soon: int,
    at_rest: float,
) -> float:
    """Move poses and all lines but the first ``sides`` until corners are off least; the squares then.

    Poses are done away with piece by piece, so that only cuts are solved for. It ends early where squares
    will not be ``most`` or less.
    """
    pieces, unknown = len(placed), 2 * (len(cuts) - sides)
    widest = 0
    for i in range(pieces):
        widest = max(widest, begins[i + 1] - begins[i])
    table = np.empty((2 * widest, 4 + 2 * widest))
    square, shared = np.empty((3, 3)), np.empty((3, 1 + 2 * widest))
    back = np.empty((pieces, 3, 1 + 2 * widest))
    whole, slope = np.empty((unknown, unknown)), np.empty((unknown, 1))
    damped_whole = np.empty((unknown, unknown))
    moved, turned = np.empty_like(placed), np.empty_like(cuts)
    squares = squares_of(corners, begins, after, placed, cuts, weights, table)
    if squares == math.inf:
        return squares
    damped = LEAST_DAMPED
    is_known = False
    for this in range(rounds):
        if not is_known:
            whole[:] = 0.0
            slope[:] = 0.0
            at = 0
            for i in range(pieces):
                first, count = begins[i], begins[i + 1] - begins[i]
                piece_table(corners, first, count, after, placed[i], cuts, each, weights, at, table)
                at += 4 * count * count
                # What the pose takes up: the square of its slopes, and what these share with all others.
                for p in range(each):
                    for q in range(each):
                        total = STEADY if p == q else 0.0
                        for row in range(2 * count):
                            total += table[row, 1 + p] * table[row, 1 + q]
                        square[p, q] = total
                    for column in range(1 + 2 * count):
                        other = column if column == 0 else column + each
                        total = 0.0
                        for row in range(2 * count):
                            total += table[row, 1 + p] * table[row, other]
                        shared[p, column] = total
                        back[i, p, column] = total
                solve(square, each, back[i], 1 + 2 * count)
                for m in range(2 * count):
                    line = after[first + m // 2] - sides
                    if line < 0:
                        continue
                    here = 2 * line + m % 2
                    for n in range(1 + 2 * count):
                        other = n if n == 0 else n + each
                        total = 0.0
                        for row in range(2 * count):
                            total += table[row, 1 + each + m] * table[row, other]
                        for p in range(each):
                            total -= shared[p, 1 + m] * back[i, p, n]
                        if n == 0:
                            slope[here, 0] -= total
                        else:
                            other_line = after[first + (n - 1) // 2] - sides
                            if other_line >= 0:
                                whole[here, 2 * other_line + (n - 1) % 2] += total
            is_known = True
        damped_whole[:] = whole
        step = slope.copy()
        for k in range(unknown):
            damped_whole[k, k] = whole[k, k] * (1.0 + damped) + STEADY
        solve(damped_whole, unknown, step, 1)
        turned[:] = cuts
        for k in range(unknown):
            turned[sides + k // 2, k % 2] += step[k, 0]
        moved[:] = placed
        for i in range(pieces):
            first, count = begins[i], begins[i + 1] - begins[i]
            for p in range(each):
                change = back[i, p, 0]
                for m in range(2 * count):
                    line = after[first + m // 2] - sides
                    if line >= 0:
                        change += back[i, p, 1 + m] * step[2 * line + m % 2, 0]
                moved[i, p] -= change
        squares_then = squares_of(corners, begins, after, moved, turned, weights, table)
        if squares_then > squares:
            damped = max(10.0 * damped, DAMPED)
            continue
        gained = squares - squares_then
        placed[:], cuts[:], squares, is_known = moved, turned, squares_then, False
        damped = max(damped / 10.0, LEAST_DAMPED)
        if gained <= at_rest * squares or (this >= soon and squares - rounds * gained > most):
            break
    return squares
