"""Options that describe one's own pieces."""

from __future__ import annotations

from pathlib import Path

import pytest
import shapely

from sherd.cli.pieces import PieceOptions, are_drawn, read_pieces
from sherd.workshop import make_job

DRAWING = """<svg xmlns="http://www.w3.org/2000/svg" width="30mm" height="20mm" viewBox="0 0 30 20">
<rect id="target" width="10" height="10"/>
<rect id="a" x="12" width="5" height="10"/><rect id="b" x="20" width="5" height="10"/></svg>"""


def test_any_option_for_drawings_is_refused_for_puzzles() -> None:
    PieceOptions(no_target=True).refuse_any()
    with pytest.raises(ValueError, match="--mirror-piece goes with drawings"):
        PieceOptions(mirror_piece=("a",)).refuse_any()
    with pytest.raises(ValueError, match="--kerf goes with drawings"):
        PieceOptions(kerf=0.0).refuse_any()


def test_puzzles_and_drawings_are_told_apart(tmp_path: Path) -> None:
    for name, text, drawn in (("a.svg", DRAWING, True), ("b.jsonl", "", False)):
        (tmp_path / name).write_text(text)
        assert are_drawn(tmp_path / name) is drawn


def test_options_go_before_the_settings_beside_the_drawing(tmp_path: Path) -> None:
    (tmp_path / "a.svg").write_text(DRAWING)
    (tmp_path / "a.toml").write_text("kerf = 0.5\nmirror = true\n")
    settled = make_job(*read_pieces(tmp_path / "a.svg", PieceOptions()))
    assert settled.puzzle.mirror is True
    grown = [fragment.polygon.area for fragment in settled.puzzle.fragments]
    assert grown == pytest.approx([5.5 * 10.5] * 2)
    options = PieceOptions(kerf=0.1, mirror_piece=("a",), rotations="4")
    chosen = make_job(*read_pieces(tmp_path / "a.svg", options))
    assert chosen.puzzle.mirror == frozenset({"a"})
    assert chosen.puzzle.rotations.bins == 4
    assert chosen.puzzle.fragments[0].polygon.area == pytest.approx(5.1 * 10.1)


def test_without_a_target_every_figure_is_a_piece(tmp_path: Path) -> None:
    (tmp_path / "a.svg").write_text(DRAWING)
    job = make_job(*read_pieces(tmp_path / "a.svg", PieceOptions(no_target=True)))
    assert not job.puzzle.has_target
    assert shapely.area([fragment.polygon for fragment in job.puzzle.fragments]).sum() == pytest.approx(200.0)
