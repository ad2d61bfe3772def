"""Assemblies grow without changing."""

from __future__ import annotations

from dataclasses import FrozenInstanceError

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sherd.core.assembly import Assembly, Placement
from sherd.core.geometry import Pose


@given(ids=st.lists(st.text(max_size=4), unique=True, max_size=8))
def test_placements_keep_their_order(ids: list[str]) -> None:
    assembly = Assembly()
    for k, fragment_id in enumerate(ids):
        assert fragment_id not in assembly
        before = assembly
        assembly = before.place(fragment_id, Pose(x=float(k)))
        assert len(before) == k, "an assembly that is placed on stays as it was"
    assert [placement.id for placement in assembly] == ids
    assert len(assembly) == len(ids)
    assert [assembly[fragment_id].x for fragment_id in ids] == [float(k) for k in range(len(ids))]
    assert assembly == Assembly(tuple(Placement(i, Pose(x=float(k))) for k, i in enumerate(ids)))
    assert hash(assembly) == hash(Assembly(assembly.placements))


def test_a_fragment_is_placed_once() -> None:
    once = Assembly().place("f0", Pose())
    with pytest.raises(ValueError, match="placed twice"):
        once.place("f0", Pose(1.0))


def test_an_absent_fragment_is_named() -> None:
    with pytest.raises(KeyError, match="f7"):
        Assembly()["f7"]


def test_assemblies_are_frozen() -> None:
    assembly = Assembly()
    with pytest.raises(FrozenInstanceError):
        assembly.placements = ()  # type: ignore[misc]
