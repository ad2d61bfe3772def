"""What is said while pieces are put together, and at the end."""

from __future__ import annotations

from pathlib import Path

import pytest

from sherd.cli import run
from sherd.cli.assemble_drawing import progress_in_words
from sherd.core.assembly import Assembly, Placement
from sherd.core.geometry import Pose
from sherd.solvers import Progress

STRIPS = "".join(
    f'<rect id="a strip with a long name {k}" x="{60 + 12 * k}" y="0" width="10" height="{20 + 5 * k}"/>'
    for k in range(4)
)


def _so_far(placed: int, trying: str = "") -> Progress:
    assembly = Assembly(tuple(Placement(str(k), Pose()) for k in range(placed)))
    return Progress(assembly=assembly, objective=0.0, evaluations=1, trying=trying)


def test_progress_tells_the_limit_what_is_tried_and_how_many_are_placed() -> None:
    said = progress_in_words(_so_far(3, "gluing"), 8, 20.0, has_target=True)
    assert said == "3 of 8 pieces are placed; trying gluing; limit 20 s"
    assert progress_in_words(_so_far(0), 8, 2.5, has_target=True) == "0 of 8 pieces are placed; limit 2.5 s"
    everything = progress_in_words(_so_far(8), 8, 20.0, has_target=True)
    assert everything.startswith("all 8 pieces are placed; looking for other assemblies")
    assert "limit 20 s" in everything


def test_the_table_fits_80_columns_and_the_end_is_one_line(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    drawing = tmp_path / "strips.svg"
    drawing.write_text(
        '<svg xmlns="http://www.w3.org/2000/svg" width="200mm" height="120mm" viewBox="0 0 200 120">'
        f'<rect id="target" width="10" height="110"/>{STRIPS}</svg>'
    )
    out = tmp_path / "out"
    assert run(["assemble", str(drawing), "--out", str(out), "--time-limit", "5"]) == 0
    lines = capsys.readouterr().out.splitlines()
    table = [line for line in lines if line[:1] in "┏┃┡│└"]
    assert len(table) >= 8
    assert max(map(len, table)) <= 80
    assert lines[-1].startswith("strips: solved, 4 of 4 pieces, ")
    assert lines[-1].endswith(f"see {out}/strips.plan.pdf")
