"""Parts that no paint joins, since what lay between them is lost, are not taken for decided."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import shapely

from sherd import Puzzle, Rotations, assemble
from sherd.core.assembly import Assembly
from sherd.core.geometry import Pose
from sherd.core.puzzle import Fragment, Sample
from sherd.generation.painting import paint
from sherd.generation.patterns import PROCEDURAL
from sherd.solvers.paint.apart import other_orders
from sherd.solvers.paint.seams import Seams


def strips(*, lost: int) -> Sample:
    """Five painted strips, one of them lost; the picture of the whole is not known."""
    edges = (0.0, 0.17, 0.4, 0.53, 0.82, 1.0)
    middles = [(low + high) / 2 for low, high in itertools.pairwise(edges)]
    fragments = tuple(
        Fragment(f"f{k}", shapely.box(low - middles[k], -0.5, high - middles[k], 0.5))
        for k, (low, high) in enumerate(itertools.pairwise(edges))
        if k != lost
    )
    truth = Assembly()
    for one in fragments:
        truth = truth.place(one.id, Pose(middles[int(one.id[1:])], 0.5))
    puzzle = Puzzle(shapely.box(0, 0, 1, 1), fragments, Rotations(1))
    sample = paint(Sample(puzzle, truth), PROCEDURAL["marble"](128, np.random.default_rng(1)), size_px=128)
    return replace(sample, puzzle=replace(sample.puzzle, texture=None))


def test_a_strip_lost_in_the_middle_leaves_two_orders():
    found = assemble(strips(lost=2).puzzle, "search", seconds=60.0)
    assert found.by_paint == "undecided"
    assert set(found.elsewhere) == {"f0", "f1", "f3", "f4"}


def test_the_other_orders_of_two_parts_and_a_gap():
    sample = strips(lost=2)
    seams = Seams.of(sample.puzzle)
    poses = {k: sample.truth[one.id] for k, one in enumerate(sample.puzzle.fragments)}
    found = [way for way in other_orders(seams, poses) if np.isfinite(seams.worth(way))]
    assert len(found) == 6  # either first, and what is open at any of three places
    assert any(all(way[k].is_close(pose, 1e-9) for k, pose in poses.items()) for way in found)


def test_what_hangs_together_has_no_other_order():
    sample = strips(lost=0)
    poses = {k: sample.truth[one.id] for k, one in enumerate(sample.puzzle.fragments)}
    assert not list(other_orders(Seams.of(sample.puzzle), poses))
