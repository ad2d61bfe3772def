"""An answer to a job, laid out as it was drawn."""

from __future__ import annotations

import pytest
import shapely

from sherd.core.assembly import Assembly
from sherd.core.geometry import Pose
from sherd.layout.layout import NO_PLACE
from sherd.workshop.job import make_job
from sherd.workshop.job_layout import lay_out_job
from sherd.workshop.params import JobParams

from .conftest import HALVES


def test_pieces_are_taken_from_where_they_are_drawn_to_their_places() -> None:
    layout = lay_out_job(make_job(HALVES), Assembly().place("left", Pose(20, 50)))
    assert (layout.name, layout.unit) == ("halves.svg", "mm")
    (left,) = layout.placed
    assert left.placed.equals_exact(shapely.box(0, 0, 40, 100), 1e-9, normalize=True)
    assert layout.assembly["left"].is_close(Pose(-200, 0), 1e-9)
    assert layout.set_aside == {"right": NO_PLACE}


def test_reasons_are_those_that_are_known() -> None:
    job = make_job(HALVES, JobParams(forbid=frozenset(["left"])))
    layout = lay_out_job(job, Assembly(), name="other", reasons={"right": "foreign", "left": "not asked"})
    assert layout.name == "other"
    assert layout.set_aside == {"right": "foreign", "left": "forbidden"}


@pytest.mark.parametrize("kerf", [0.0, 0.4])
def test_pieces_are_fitted_as_before_the_cut_and_drawn_as_they_are(kerf: float) -> None:
    job = make_job(HALVES, JobParams(kerf=kerf))
    (left,) = lay_out_job(job, Assembly().place("left", Pose(20, 50))).placed
    grown = shapely.box(-kerf / 2, -kerf / 2, 40 + kerf / 2, 100 + kerf / 2)
    assert left.fitted.equals_exact(grown, 1e-9, normalize=True)
    assert left.placed.equals_exact(shapely.box(0, 0, 40, 100), 1e-9, normalize=True)
