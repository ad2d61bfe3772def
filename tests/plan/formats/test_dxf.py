"""Assemblies as DXF."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import ezdxf

from sherd.plan.formats import (
    layout_to_dxf,
)
from sherd.workshop.job_layout import lay_out_job

from ..conftest import NASTY, Answered


def test_dxf_keeps_layers_units_and_exact_names(strewn: Answered, tmp_path: Path) -> None:
    job, assembly = strewn
    layout = lay_out_job(job, assembly)
    odd = tuple(replace(piece, id=name) for piece, name in zip(layout.pieces, NASTY, strict=False))
    path = tmp_path / "a.dxf"
    path.write_text(layout_to_dxf(replace(layout, pieces=odd)))
    document = ezdxf.readfile(path)
    assert document.audit().errors == []
    assert document.header["$INSUNITS"] == 4
    inserts = document.modelspace().query("INSERT")
    assert [insert.dxf.layer for insert in inserts] == [piece.layer for piece in odd]
    assert [insert.get_xdata("SHERD")[0].value for insert in inserts] == [piece.id for piece in odd]
