"""How a piece is held."""

from __future__ import annotations

from dataclasses import replace

from sherd.core.hold import Hold


def test_the_share_held_is_never_more_than_all() -> None:
    hold = Hold(
        outline=4.0, contact=3.0, edge=1.0, gap=0.0, overlap=0.0, slides=False, elsewhere=None, band="likely"
    )
    assert hold.share == 0.75
    assert replace(hold, contact=4.001).share == 1.0
