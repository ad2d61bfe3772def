"""How two outlines lie against each other at a given pose, and the pose at which they lie best (compiled)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sherd.core.compiled import compiled
from sherd.solvers.contours.shapes import DEEP, Shapes, nearest_to
from sherd.solvers.paint.rims import evidence_of

FACING = -0.6  # cosine between normals, at most, of points that touch
RUN_POINTS = 5  # shorter touches are chance
STRAIGHT_WORTH = 0.12  # what a straight stretch counts, against one that bends
# What it counts besides for how bent it is over a longer way, and a run for how bent it is as a whole, in
# logarithms: fitted to 48,000 joints of wavy, jagged, worn and mixed squares, seeds 300 to 306.
BEND_WORTH, RUN_WORTH = 0.055, 0.035
MOST_RUN = 3.0  # a run is not worth more for being bent more: knobs are all alike
GAP_COST = 0.3  # of a stretch that nearly touches
NEAR = 3.0  # tolerances: a gap up to here is near
OVERLAP_COST = 1.0  # of a stretch that lies inside, more where deeper
DEEP_TOLERANCES = 6.0  # lying deeper than this counts as wholly inside
INSIDE_COST = 4.0  # of a point wholly inside, in spacings
# Spacings of outline that run along the other's on the same side, as beside corners: with more, a piece lies
# on another of its shape.
MOST_SAME_SIDE = 10.0
CORNER_WORTH = 0.15  # of every straight stretch that ends in corners of both pieces, but for one corner
CORNER_TOLERANCES, CORNER_SPACINGS = 1.5, 0.25  # how far apart corners may lie that are one
PAINT_WORTH = 0.35  # what a stretch counts whose colours go on, for each unit of evidence


class Contact(NamedTuple):
    """What a pose is worth, in units of length.

    ``worth`` is the telling contact less overlap and near gaps; ``length`` the touching stretch;
    ``telling`` the weight of that; ``square`` its mean squared distance; ``inside`` how much outline of the
    second lies inside the first; ``near`` how much stands just off it; ``corners`` how many ends of touching
    stretches are corners of straight edges of both.
    """

    worth: float
    length: float
    telling: float
    square: float
    inside: float
    near: float
    corners: float


@compiled
def corner_worth(corners: float) -> float:
    """What corners that meet are worth: the first says nothing, straight edges are laid so."""
    return CORNER_WORTH * max(0.0, corners - 1.0)


@compiled
def meeting(shapes: Shapes, turn: complex, shift: complex, k: int, at: int, tolerance: float) -> float:
    """How well the corners that two touching points lie beside are one, from 0 to 1."""
    mine, other = shapes.corners[k], shapes.corners[at]
    if not (np.isfinite(mine.real) and np.isfinite(other.real)):
        return 0.0
    reach = CORNER_TOLERANCES * tolerance + CORNER_SPACINGS * shapes.spacing
    return max(0.0, 1.0 - (abs(turn * mine + shift - other) / reach) ** 2)


@compiled
def bend_of(weights: float, middle: complex, spread: float, turned: complex, tolerance: float) -> float:
    """What a run is worth for being bent, by the sums of 1, z, |z|^2 and z^2 over its weighted points."""
    if weights <= 0.0:
        return 0.0
    middle /= weights
    round_about = spread / weights - (middle.real * middle.real + middle.imag * middle.imag)
    aside = 0.5 * (round_about - abs(turned / weights - middle * middle))  # the squares off its line
    return RUN_WORTH * min(np.log1p(max(aside, 0.0) / tolerance**2), MOST_RUN)


@compiled
def contact(
    shapes: Shapes, first: int, second: int, turn: complex, shift: complex, tolerance: float, stride: int
) -> Contact:
    """Contact of the second piece, turned and shifted into the first's frame, with the first.

    Only every ``stride``-th point is looked at.
    """
    step = shapes.spacing * stride
    least_run = max(2, RUN_POINTS // stride)
    worth, length, telling, squares, inside, near = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
    run, run_worth, run_telling, run_squares = 0, 0.0, 0.0, 0.0
    weights, middle, spread, turned = 0.0, 0.0 + 0.0j, 0.0, 0.0 + 0.0j
    corners, run_corners, last, last_at = 0.0, 0.0, 0, 0
    same_side = 0.0
    for k in range(shapes.starts[second], shapes.starts[second + 1], stride):
        z = turn * shapes.points[k] + shift
        at = nearest_to(shapes, first, z)
        touches = False
        if at == DEEP:
            inside += INSIDE_COST * step
        elif at >= 0:
            off = z - shapes.points[at]
            normal = shapes.normals[at]
            depth = off.real * normal.real + off.imag * normal.imag
            other = turn * shapes.normals[k]
            towards = other.real * normal.real + other.imag * normal.imag
            facing = towards < FACING
            aside = off.real * normal.imag - off.imag * normal.real
            if abs(depth) < tolerance and towards > -FACING and abs(aside) < shapes.spacing:
                same_side += step
            if facing and abs(depth) < tolerance:
                if abs(aside) < 2.0 * shapes.spacing + tolerance:
                    touches = True
                    if run == 0:
                        run_corners = meeting(shapes, turn, shift, k, at, tolerance)
                    last, last_at = k, at
                    bend = max(shapes.telling[k], shapes.telling[at])
                    weight = min(max(bend / (1.5 * tolerance), STRAIGHT_WORTH), 1.0)
                    run += 1
                    run_telling += weight * step
                    near_by = 1.0 - (depth / tolerance) ** 2
                    weight += BEND_WORTH * max(shapes.bending[k], shapes.bending[at])
                    run_worth += weight * step * near_by
                    weights += near_by
                    middle += near_by * z
                    spread += near_by * (z.real * z.real + z.imag * z.imag)
                    turned += near_by * z * z
                    if shapes.chance > 0.0 and not shapes.outer[first]:
                        run_worth += (
                            PAINT_WORTH
                            * step
                            * evidence_of(
                                shapes.colours[k],
                                shapes.colours[at],
                                shapes.doubts[k] + shapes.doubts[at],
                                shapes.chance,
                            )
                        )
                    run_squares += depth * depth
            elif depth < -tolerance:
                inside += step * min(-depth / tolerance - 1.0, DEEP_TOLERANCES) * OVERLAP_COST / 2.0
            elif facing and depth < NEAR * tolerance:
                near += step
        if not touches and run > 0:
            if run >= least_run:
                run_worth += bend_of(weights, middle, spread, turned, tolerance)
                worth, telling, squares = worth + run_worth, telling + run_telling, squares + run_squares
                length += run * step
                corners += run_corners + meeting(shapes, turn, shift, last, last_at, tolerance)
            run, run_worth, run_telling, run_squares = 0, 0.0, 0.0, 0.0
            weights, middle, spread, turned = 0.0, 0.0 + 0.0j, 0.0, 0.0 + 0.0j
    if run >= least_run:
        run_worth += bend_of(weights, middle, spread, turned, tolerance)
        worth, telling, squares = worth + run_worth, telling + run_telling, squares + run_squares
        length += run * step
        corners += run_corners + meeting(shapes, turn, shift, last, last_at, tolerance)
    inside += INSIDE_COST * max(0.0, same_side - MOST_SAME_SIDE * shapes.spacing)
    square = squares * step / length if length > 0.0 else 0.0
    return Contact(worth - inside - GAP_COST * near, length, telling, square, inside, near, corners)


@compiled
def pull(
    shapes: Shapes,
    first: int,
    second: int,
    turn: complex,
    shift: complex,
    frame: complex,
    origin: complex,
    tolerance: float,
    stride: int,
    matrix: NDArray[np.float64],
    right: NDArray[np.float64],
) -> tuple[int, complex]:
    """Add what the first piece says of the second's pose to equations of least squares in another frame.

    The second's pose is given in the first's frame, which lies at ``frame`` * z + ``origin``. Unknowns are
    a turn about the other frame's origin and a shift. Gives how many points touch, and the sum of these.
    """
    count, middle = 0, 0.0 + 0.0j
    for k in range(shapes.starts[second], shapes.starts[second + 1], stride):
        z = turn * shapes.points[k] + shift
        at = nearest_to(shapes, first, z)
        if at < 0:
            continue
        normal = shapes.normals[at]
        off = z - shapes.points[at]
        depth = off.real * normal.real + off.imag * normal.imag
        if abs(depth) >= tolerance:
            continue
        other = turn * shapes.normals[k]
        if other.real * normal.real + other.imag * normal.imag >= FACING:
            continue
        weight = 1.0 - (depth / tolerance) ** 2
        normal, z = frame * normal, frame * z + origin
        lever = z.real * normal.imag - z.imag * normal.real
        matrix[0, 0] += weight * lever * lever
        matrix[0, 1] += weight * lever * normal.real
        matrix[0, 2] += weight * lever * normal.imag
        matrix[1, 1] += weight * normal.real * normal.real
        matrix[1, 2] += weight * normal.real * normal.imag
        matrix[2, 2] += weight * normal.imag * normal.imag
        right[0] -= weight * depth * lever
        right[1] -= weight * depth * normal.real
        right[2] -= weight * depth * normal.imag
        count += 1
        middle += z
    return count, middle


@compiled
def pulled(
    turn: complex,
    shift: complex,
    count: int,
    middle: complex,
    matrix: NDArray[np.float64],
    right: NDArray[np.float64],
) -> tuple[complex, complex]:
    """The pose after a step of least squares, given what pulls and the sum of points that do."""
    middle /= count
    # A little resistance keeps a straight contact from sliding; it acts about the contact's middle.
    hold = 0.02 * count
    m = middle
    matrix[0, 0] += hold * (m.real * m.real + m.imag * m.imag) + 0.02 * count * 0.01
    matrix[0, 1] -= hold * m.imag
    matrix[0, 2] += hold * m.real
    matrix[1, 1] += hold
    matrix[2, 2] += hold
    matrix[1, 0], matrix[2, 0], matrix[2, 1] = matrix[0, 1], matrix[0, 2], matrix[1, 2]
    step = np.linalg.solve(matrix, right)
    small = complex(np.cos(step[0]), np.sin(step[0]))
    turn, shift = small * turn, small * shift + complex(step[1], step[2])
    return turn / abs(turn), shift


@compiled
def fitted(
    shapes: Shapes,
    first: int,
    second: int,
    turn: complex,
    shift: complex,
    tolerances: NDArray[np.float64],
    stride: int,
) -> tuple[complex, complex]:
    """The pose after a step of point-to-line least squares for each tolerance, of what touches within it."""
    for tolerance in tolerances:
        matrix, right = np.zeros((3, 3)), np.zeros(3)
        count, middle = pull(
            shapes, first, second, turn, shift, 1.0 + 0.0j, 0.0j, tolerance, stride, matrix, right
        )
        if count * stride < RUN_POINTS:
            break
        turn, shift = pulled(turn, shift, count, middle, matrix, right)
    return turn, shift


@compiled
def fit_all(
    shapes: Shapes,
    first: NDArray[np.int64],
    second: NDArray[np.int64],
    turns: NDArray[np.complex128],
    shifts: NDArray[np.complex128],
    tolerances: NDArray[np.float64],
    tolerance: float,
    stride: int,
) -> NDArray[np.float64]:
    """Fit every pose in place, and what each is worth then: columns as in `Contact`, shape (M, 7).

    Corners are what they are worth, and part of the worth.
    """
    found = np.empty((len(first), 7))
    for k in range(len(first)):
        turns[k], shifts[k] = fitted(shapes, first[k], second[k], turns[k], shifts[k], tolerances, stride)
        what = contact(shapes, first[k], second[k], turns[k], shifts[k], tolerance, stride)
        corners = corner_worth(what.corners)
        found[k, 0], found[k, 1], found[k, 2] = what.worth + corners, what.length, what.telling
        found[k, 3], found[k, 4], found[k, 5] = what.square, what.inside, what.near
        found[k, 6] = corners
    return found
