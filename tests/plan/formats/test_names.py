"""Names that are safe in files and folders."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sherd.plan import Plan
from sherd.plan.files import export
from sherd.plan.formats import (
    safe_file_name,
)
from sherd.plan.formats.names import path_inside

from ..conftest import saved_of


@given(text=st.text(max_size=200))
def test_any_text_makes_a_safe_file_name(text: str) -> None:
    name = safe_file_name(text)
    assert 0 < len(name.encode()) <= 90
    assert name == Path(name).name
    assert name.strip(". ") == name
    assert not set(name) & set('<>:"/\\|?*\0\n')


def test_links_do_not_lead_out_of_the_folder(nasty_plan: Plan, tmp_path: Path) -> None:
    outside, folder = tmp_path / "outside.csv", tmp_path / "out"
    folder.mkdir()
    outside.write_text("mine")
    (folder / "a_nasty_name.pieces.csv").symlink_to(outside)
    with pytest.raises(OSError, match="leads out of the folder"):
        export(nasty_plan, saved_of(nasty_plan.layout.assembly), folder, ["csv"])
    assert outside.read_text() == "mine"
    for name in ("../x", "a/b", "..", ""):
        with pytest.raises(OSError, match="leads out of the folder"):
            path_inside(folder, name)
