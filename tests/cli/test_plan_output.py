"""What assemble is to write and say about a drawing."""

from __future__ import annotations

import contextlib
from pathlib import Path

import pypdfium2
import pytest
import shapely

from sherd.cli import run
from sherd.cli.plan_output import say_found
from sherd.core.geometry import Pose
from sherd.core.metrics import measure
from sherd.io import read_assembly
from sherd.io.assembly_files import assembly_from_json
from sherd.io.document import documents
from sherd.io.drawings import Drawing, Figure, read_drawing
from sherd.plan import DrawnPiece, Layout
from sherd.plan.formats import layout_to_svg
from sherd.workshop import Job, JobParams, JobResult, assemble_job, make_job
from sherd.workshop.result import check_export


def job(*names: str, lies: dict[str, shapely.Polygon] | None = None, **params: object) -> Job:
    """Strips of a square of 100 mm, of widths 10, 20, 30 and 40, strewn; "giant" is no strip of it."""
    figures = [Figure("target", shapely.box(0, 0, 100, 100))]
    for k, name in enumerate(names):
        strip = shapely.box(0, 0, 10 * (k + 1), 100) if name != "giant" else shapely.box(0, 0, 900, 900)
        outline = (lies or {}).get(name, Pose(150.0 + 60.0 * k, 20.0, 0.4 * k).apply(strip))
        figures.append(Figure(name, outline, ("cut",)))
    return make_job(Drawing("strips.svg", tuple(figures), "mm"), JobParams(**params))  # type: ignore[arg-type]


def solve_and_export(job: Job, out: Path, formats: str = "all") -> JobResult:
    found = assemble_job(job, solver="search", seconds=5.0, most=30)
    found.export(out, formats)
    say_found(found, 30)
    return found


def test_everything_is_written_and_said(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    strips = job("a", "b", "c", '"d"/🏺')
    solve_and_export(strips, tmp_path)
    said = capsys.readouterr().out
    assert "elsewhere" in said  # strips can lie in any order
    assert (tmp_path / "strips.plan.pdf").is_file()
    saved = read_assembly(tmp_path / "strips.assembly.json")
    assert saved.solved
    assert saved.units == "mm"
    assert {hold.band for hold in saved.holds.values()} == {"loose"}


def test_all_assemblies_of_a_drawing_are_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    strips = [shapely.box(0, 0, width, 100) for width in (10, 20, 30, 40)]
    pieces = tuple(DrawnPiece(f"p{k}", strip, Pose(200.0 * (k + 1), 0.0)) for k, strip in enumerate(strips))
    drawn = Layout("strips", shapely.box(0, 0, 100, 100), pieces, "mm")
    (tmp_path / "strips.svg").write_text(layout_to_svg(drawn))
    command = [
        "assemble",
        str(tmp_path / "strips.svg"),
        "--export",
        "json,png",
        "--out",
        str(tmp_path / "out"),
    ]
    assert run([*command, "--all", "3", "--check"]) == 0
    said = capsys.readouterr().out
    assert "there are at least 3 assemblies" in said
    assert "the others: strips.others.jsonl, strips.others.png" in said
    names = ["strips.assembly.json", "strips.assembled.png", "strips.others.jsonl", "strips.others.png"]
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted([*names, "strips.read.png"])
    read = read_drawing(tmp_path / "strips.svg")
    first = read_assembly(tmp_path / "out" / "strips.assembly.json")
    others = [document.read(assembly_from_json) for document in documents(tmp_path / "out" / names[2])]
    assert len(others) == 2
    for saved in (first, *others):
        assert saved.coverage == pytest.approx(1.0)
        assert (saved.solved, saved.units, saved.assemblies, saved.all_found) == (True, "mm", 3, False)
        moved = [saved.assembly[figure.id].apply(figure.polygon) for figure in read.pieces]
        assert shapely.union_all(moved).symmetric_difference(read.targets[0].polygon).area < 1e-6
    assert len({saved.assembly for saved in (first, *others)}) == 3


def test_pieces_set_aside_are_named_and_gaps_counted(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    solve_and_export(job("a", "b", "c", "d", "giant", forbid=frozenset("b")), tmp_path, "json,gaps,pdf")
    said = capsys.readouterr().out
    assert "set aside (forbidden): b" in said
    assert "set aside (larger than the target): giant" in said
    assert "open: 1 gap of 2,000 mm²" in said or "open: 2 gaps of" in said
    assert {path.name for path in tmp_path.iterdir()} == {
        "strips.assembly.json",
        "strips.gaps.svg",
        "strips.gaps.dxf",
        "strips.plan.pdf",
    }
    aside = read_assembly(tmp_path / "strips.assembly.json").set_aside
    assert aside == {"b": "forbidden", "giant": "larger than the target"}


def test_pinned_pieces_are_part_of_what_is_written(tmp_path: Path) -> None:
    pinned = job("a", "b", "c", "d", lies={"d": shapely.box(60, 0, 100, 100)}, pins={"d": None})
    solve_and_export(pinned, tmp_path, "json")
    saved = read_assembly(tmp_path / "strips.assembly.json")
    assert {placement.id for placement in saved.assembly} == {"a", "b", "c", "d"}
    # Poses refer to the drawing, in which the pinned piece lies where it must.
    assert saved.assembly["d"].is_close(Pose(), 1e-9)
    assert saved.coverage == pytest.approx(1.0)
    assert measure(saved.assembly, pinned.puzzle).coverage < 1.0


def test_what_is_not_solved_says_so_everywhere(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    # Both strips are 60 wide: one fits, and leaves a gap that the other could not fill, but explain.
    lies = {name: shapely.box(x, 0, x + 60, 100) for name, x in (("a", 150), ("b", 250))}
    found = solve_and_export(job("a", "b", lies=lies), tmp_path, "json,png,pdf")
    assert not found.solved
    (line,) = (one for one in capsys.readouterr().out.splitlines() if "solved: " in one)
    state = found.verdict.in_words
    assert line == f"{state}: {found.result.reason}"
    assert found.plan.warning == state.upper()
    saved = read_assembly(tmp_path / "strips.assembly.json")
    assert saved.verdict is not None
    assert (saved.verdict.state, saved.verdict.against) == (found.verdict.state, found.verdict.against)
    assert saved.verdict.left_over == found.verdict.left_over
    with contextlib.closing(pypdfium2.PdfDocument(tmp_path / "strips.plan.pdf")) as plan:
        assert all(state.upper() in page.get_textpage().get_text_bounded() for page in plan)


def test_a_solution_whose_pieces_overlap_says_how_far(capsys: pytest.CaptureFixture[str]) -> None:
    # Two halves of 50.2 each, one pinned to either side.
    lies = {"a": shapely.box(0, 0, 50.2, 100), "b": shapely.box(49.8, 0, 100, 100)}
    found = assemble_job(job("a", "b", lies=lies, pins={"a": None, "b": None}), solver="search", seconds=1.0)
    say_found(found, 1)
    said = capsys.readouterr().out
    assert "solved: all 2 pieces placed; they fill the target, and overlap by up to 0.4 mm" in said


def test_capitals_in_options_do_not_matter() -> None:
    assert check_export("PDF", "A3") == (("pdf",), "a3")


@pytest.mark.parametrize(
    ("export", "paper", "said"),
    [("all", "b5", "paper must be one of a4, letter, a3, not 'b5'"), ("pdf,x", "a4", "unknown format 'x'")],
)
def test_bad_options_are_refused_before_any_work(export: str, paper: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        check_export(export, paper)
