"""Somebody's own pieces, from a drawing to a plan: read, `make_job`, `assemble_job`, `export_plan`.

Command line, Python and notebooks all take this path.
"""

from __future__ import annotations

from sherd.workshop.assembling import ASSEMBLIES, assemble_job
from sherd.workshop.job import Job, SetAside, make_job
from sherd.workshop.job_layout import lay_out_job
from sherd.workshop.params import JobParams, Pin, read_settings, settings_beside
from sherd.workshop.result import JobResult, export_plan
from sherd.workshop.solve import solve
from sherd.workshop.summary import summary, warnings_of

__all__ = [
    "ASSEMBLIES",
    "Job",
    "JobParams",
    "JobResult",
    "Pin",
    "SetAside",
    "assemble_job",
    "export_plan",
    "lay_out_job",
    "make_job",
    "read_settings",
    "settings_beside",
    "solve",
    "summary",
    "warnings_of",
]
