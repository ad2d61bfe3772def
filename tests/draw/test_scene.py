"""Frames on a page."""

from __future__ import annotations

from sherd.draw.scene import PAGE, Frame


def test_a_frame_scales_before_it_shifts() -> None:
    assert Frame(10.0, -20.0, 4.0).to_page([[0.0, 0.0], [1.0, -2.0]]).tolist() == [
        [10.0, -20.0],
        [14.0, -28.0],
    ]
    assert PAGE.to_page([3.0, -4.0]).tolist() == [3.0, -4.0]
