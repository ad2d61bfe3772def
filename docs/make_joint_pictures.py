"""Draws joints as the contour solver finds them: ``python docs/make_joint_pictures.py``, some seconds.

Broken squares of a tuning seed, without a target; of each the likeliest joints, one a pair.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from sherd.bench.contour_suites import ContourCell, make_sample
from sherd.core.assembly import Joint, likeliest
from sherd.core.geometry import angle_between
from sherd.draw import draw_hints, write
from sherd.generation.observed import Observed
from sherd.solvers.run import make_solver, run
from sherd.solvers.stop import MaxEvaluations

PICTURES = Path(__file__).parent / "pictures"
SEED, STEPS = 1, 120
# What is drawn, how many joints of it, and which of its groups.
SHOWN = {
    "jagged": (ContourCell(kind="jagged", pieces=(8, 8), input="binary-300"), 7, 1),
    "worn": (ContourCell(kind="wavy", pieces=(8, 8), input="worn-0.5"), 8, 0),
    "straight": (ContourCell(kind="y-cracks", pieces=(8, 8), input="moved-0.1"), 8, 0),
}
# A joint is right if its pieces lie so in truth, within this share of the side and this angle.
NEAR, ANGLE = 0.02, np.radians(4.0)


def main() -> None:
    """Write the pictures, and say how many joints of each are right."""
    for name, (cell, most, groups) in SHOWN.items():
        observed = make_sample(cell, SEED, 0)
        puzzle = observed.puzzle.without_target()
        rng = np.random.default_rng(0)
        result = run(make_solver("contours"), puzzle, stop=MaxEvaluations(STEPS), rng=rng)
        joints = likeliest(result.joints, most)
        right = sum(is_right(observed, joint) for joint in joints)
        title = (
            f"{cell.kind}, 8 pieces, {cell.input}: the {most} likeliest joints, of which {right} are right"
        )
        picture = draw_hints(puzzle, joints, groups=result.groups[:groups], title=title)
        write(picture, PICTURES / f"joints-{name}.png", zoom=1.0)


def is_right(observed: Observed, joint: Joint) -> bool:
    """Whether two pieces lie to each other as in the truth."""
    assert joint.first is not None
    true = observed.truth[joint.first].inverse() @ observed.truth[joint.second]
    apart = np.hypot(true.x - joint.pose.x, true.y - joint.pose.y)
    return bool(apart <= NEAR and angle_between(true.theta, joint.pose.theta) <= ANGLE)


if __name__ == "__main__":
    main()
