"""What is drawn, and what is fitted."""

from __future__ import annotations

import pytest

from sherd.core.puzzle import Sample
from sherd.plan import make_plan
from sherd.workshop.job_layout import lay_out_job

from .conftest import draw


def test_kerf_is_not_drawn_on_the_plan(square_of_four: Sample) -> None:
    job, assembly = draw(square_of_four, 200.0, kerf=2.0)
    layout = lay_out_job(job, assembly)
    plan = make_plan(layout)
    assert plan.gaps == ()
    assert {round(hold.share, 6) for hold in plan.holds.values()} == {1.0}
    for piece in layout.placed:
        assert piece.fitted.area == pytest.approx(piece.placed.buffer(1.0, join_style="mitre").area)
