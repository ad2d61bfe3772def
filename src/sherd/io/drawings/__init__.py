"""Other people's files: SVG, DXF, GeoJSON, WKT, COCO and pictures, read into one kind of drawing.

`read_drawing` gives a `Drawing`, `make_job` turns it into a `Job`: a puzzle, and the way back from its
answer to the shapes, names, layers and unit of the file.
"""

from __future__ import annotations

from sherd.io.drawings.job import Job, SetAside, make_job
from sherd.io.drawings.model import Drawing, Figure, Unit
from sherd.io.drawings.params import JobParams, Pin, read_settings, settings_beside
from sherd.io.drawings.read import is_drawing, read_drawing
from sherd.io.drawings.summary import about_pins, summary, warnings_of
from sherd.io.drawings.target import find_target, plain_target

__all__ = [
    "Drawing",
    "Figure",
    "Job",
    "JobParams",
    "Pin",
    "SetAside",
    "Unit",
    "about_pins",
    "find_target",
    "is_drawing",
    "make_job",
    "plain_target",
    "read_drawing",
    "read_settings",
    "settings_beside",
    "summary",
    "warnings_of",
]
