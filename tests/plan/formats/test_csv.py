"""The pieces as a table."""

from __future__ import annotations

import csv

from sherd.core.assembly import Assembly
from sherd.plan import make_plan
from sherd.plan.formats import (
    plan_to_csv,
)
from sherd.workshop.job_layout import lay_out_job

from ..conftest import Answered


def test_the_table_has_a_row_a_piece(strewn: Answered) -> None:
    job, assembly = strewn
    plan = make_plan(lay_out_job(job, Assembly(assembly.placements[:3])))
    rows = list(csv.DictReader(plan_to_csv(plan).splitlines()))
    assert [row["name"] for row in rows] == [*(step.id for step in plan.steps), "d"]
    by_name = {row["name"]: row for row in rows}
    assert (by_name["a"]["length"], by_name["a"]["width"], by_name["a"]["area"]) == ("80", "60", "4800")
    assert by_name["a"]["held"] == "280"
    assert by_name["d"]["band"] == "set aside"
