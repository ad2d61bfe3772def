"""What is said about a job before it is solved."""

from __future__ import annotations

import pytest
import shapely

from sherd.io.drawings import Drawing, Figure
from sherd.workshop.job import Job, make_job
from sherd.workshop.params import JobParams
from sherd.workshop.summary import summary, warnings_of

from .conftest import HALVES, LEFT, RIGHT, TARGET


def test_the_summary() -> None:
    assert summary(make_job(HALVES)) == (
        "halves.svg: 2 pieces, 100 to 100 mm across; target 100 x 100 mm; "
        "the pieces' area is 100.0% of the target's (10,000 of 10,000 mm²)"
    )


def scaled(factor: float, unit: str = "mm") -> Job:
    drawing = Drawing("a", (LEFT, RIGHT), "mm").scaled(factor, unit)  # pyright: ignore
    return make_job(drawing, JobParams(target="square:100"))


def test_warnings() -> None:
    short = make_job(HALVES, JobParams(target="rect:100x110"))
    assert "9.1% of the target's area is not there: a piece may be missing, or worn" in warnings_of(short)
    over = make_job(Drawing("a", (*HALVES.figures, Figure("c", shapely.box(0, 0, 10, 10))), "mm"))
    assert any(line.startswith("there is 1.0% more than fits") for line in warnings_of(over))
    inches = warnings_of(scaled(1 / 25.4))
    assert inches == ["the unit looks wrong: sizes of pieces and target differ as inches and millimetres do"]
    assert any("the setting unit" in line for line in warnings_of(scaled(1.0, "unknown")))
    assert any("mm_per_px" in line for line in warnings_of(scaled(1.0, "px")))
    giant = make_job(HALVES.scaled(100.0, "mm"))
    assert "a piece is 10,000 mm long: is the unit right?" in warnings_of(giant)
    dwarf = make_job(HALVES.scaled(0.001, "mm"))
    assert "no piece is longer than 0.1 mm: is the unit right?" in warnings_of(dwarf)


@pytest.mark.parametrize("kerf", [0.05, 0.2, 0.8])
def test_a_forgotten_kerf_is_guessed(kerf: float) -> None:
    cut = tuple(
        Figure(f.id, f.polygon.buffer(-kerf / 2.0, join_style="mitre"))  # pyright: ignore[reportArgumentType]
        for f in HALVES.pieces
    )
    drawing = Drawing("cut.svg", (TARGET, *cut), "mm")
    assert any(f"try a kerf of {kerf:g}" in line for line in warnings_of(make_job(drawing))) == (kerf > 0.1)
    assert not any("--kerf" in line for line in warnings_of(make_job(drawing, JobParams(kerf=kerf))))
    lost = Drawing("lost.svg", (TARGET, cut[0]), "mm")
    assert not any("--kerf" in line for line in warnings_of(make_job(lost)))
