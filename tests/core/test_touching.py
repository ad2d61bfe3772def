"""Where outlines touch, and where they go on."""

from __future__ import annotations

import numpy as np
import pytest
import shapely

from sherd.core.touching import contacts_of, continued, directed, sampled

UNIT, NEAR, OFF, BROKEN = 1.0, 0.02, 0.003, 0.0075
LEFT, RIGHT = shapely.box(0, 0, 1, 1), shapely.box(1, 0, 2, 1)


def test_points_lie_at_even_distances_and_know_what_is_outside() -> None:
    with_hole = shapely.Polygon(shapely.box(0, 0, 3, 3).exterior, [shapely.box(1, 1, 2, 2).exterior])
    outlines = sampled([with_hole], UNIT)
    assert len(outlines.starts) == 3
    beside = outlines.points + 1e-4 * outlines.normals
    inside = shapely.contains_xy(with_hole, beside.real, beside.imag)
    near_corner = np.abs(np.abs(outlines.normals.real) - np.abs(outlines.normals.imag)) < 0.99
    assert not inside[~near_corner].any()


def test_contact_runs_along_what_two_pieces_share() -> None:
    outlines = sampled([LEFT, RIGHT], UNIT)
    told = directed(outlines, contacts_of(outlines, NEAR), UNIT)
    assert set(told.first.tolist()) == {0, 1}
    assert told.points.real == pytest.approx(np.ones(len(told.points)))
    assert np.abs(told.normals.imag).max() < 1e-9
    assert (told.normals * told.facing.conj()).real == pytest.approx(np.ones(len(told.points)))


@pytest.mark.parametrize(("up", "count"), [(0.0, 4), (0.005, 4), (0.02, 0)])
def test_outlines_go_on_that_are_broken_by_little(up: float, count: int) -> None:
    outlines = sampled([LEFT, shapely.affinity.translate(RIGHT, yoff=up)], UNIT)
    ends = continued(outlines, contacts_of(outlines, NEAR), UNIT, OFF, BROKEN)
    assert len(ends.points) == count  # both ends, from either side
    assert np.abs(ends.normals.real).max(initial=0.0) < 0.05


def test_outlines_that_turn_do_not_go_on() -> None:
    roof = shapely.Polygon([(1, 0), (2, 0.5), (2, 1.5), (1, 1)])
    outlines = sampled([LEFT, roof], UNIT)
    assert len(continued(outlines, contacts_of(outlines, NEAR), UNIT, OFF, BROKEN).points) == 0


def test_nothing_touches_apart() -> None:
    outlines = sampled([LEFT, shapely.affinity.translate(RIGHT, 1.0)], UNIT)
    assert len(contacts_of(outlines, NEAR).one) == 0
