"""The worked examples: the command in each README does what the README says."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import re
import shlex
import shutil
import textwrap
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pypdfium2
import pytest
import shapely
from PIL import Image
from shapely import Polygon

import sherd
from sherd.cli import run
from sherd.core.geometry import TAU, Pose, is_convex, union
from sherd.io import SavedAssembly, read_assembly
from sherd.io.drawings import read_drawing
from sherd.workshop import JobParams, make_job, summary, warnings_of

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
COMMAND = re.compile(r"^    sherd (assemble .*) --out (\S+)$", re.MULTILINE)
# The drawings of the examples, and how many pages their plans have.
PAGES = {
    "tangram/tangram.svg": 3,
    "tile/tile.dxf": 3,
    "sheet/scan.png": 4,
    "glass/glass.svg": 4,
    "puzzle/puzzle.geojson": 4,
    "mixed/mixed.csv": 4,
}
# What the commands say of the drawings, as Python does.
PARAMS: dict[str, dict[str, Any]] = {
    "sheet/scan.png": {"target": "rect:105x148"},
    "glass/glass.svg": {"kerf": 1.6},
    "puzzle/puzzle.geojson": {"unit": "mm"},
    "mixed/mixed.csv": {"unit": "cm"},
}
LARGEST_FOLDER = 300_000


@dataclass(frozen=True)
class Ran:
    """What an example's command said and wrote."""

    said: str
    saved: SavedAssembly
    stem: Path  # of the files that were written

    def placed(self) -> dict[str, Polygon]:
        """The pieces as drawn, without kerf, where they lie; the target begins at 0, 0."""
        drawing = read_drawing(self.stem.with_name(f"{self.stem.name}.assembled.svg"))
        (target,) = drawing.targets
        home = Pose(-target.polygon.bounds[0], -target.polygon.bounds[1], 0.0)
        return {figure.id: home.apply(figure.polygon) for figure in drawing.pieces}


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Ran]:
    """Runs the command of an example's README, once, into a folder of its own."""

    @cache
    def once(drawing: str) -> Ran:
        out = tmp_path_factory.mktemp("example")
        said = io.StringIO()
        words, folder = command(drawing)
        assert folder == f"examples/{Path(drawing).parent}"
        with contextlib.chdir(ROOT), contextlib.redirect_stdout(said):
            assert run([*words, "--out", str(out), "--check"]) == 0, said.getvalue()
        stem = out / Path(drawing).stem
        return Ran(said.getvalue(), read_assembly(f"{stem}.assembly.json"), stem)

    return once


@pytest.fixture(scope="module")
def maker() -> ModuleType:
    """The script that makes the drawings."""
    spec = importlib.util.spec_from_file_location("make_drawings", EXAMPLES / "make_drawings.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def command(drawing: str) -> tuple[list[str], str]:
    """The words of the one command in an example's README, and the folder into which it writes."""
    ((words, folder),) = COMMAND.findall((EXAMPLES / drawing).with_name("README.md").read_text())
    return shlex.split(words), folder


def test_the_script_makes_these_drawings(maker: ModuleType) -> None:
    made = maker.drawings()
    assert set(made) == set(PAGES)
    for name, data in made.items():
        if name.endswith(".png"):  # compressed otherwise by other versions of the library
            with Image.open(io.BytesIO(data)) as new, Image.open(EXAMPLES / name) as kept:
                assert new.info["dpi"] == kept.info["dpi"]
                assert np.array_equal(np.asarray(new), np.asarray(kept))
        else:
            assert data == (EXAMPLES / name).read_bytes(), name


@pytest.mark.parametrize("drawing", PAGES)
def test_the_documentation_gives_the_same_command(drawing: str) -> None:
    words, folder = command(drawing)
    line = f"`sherd {shlex.join(words)} --out {folder}`"
    assert line in (ROOT / "docs/your-own-pieces.md").read_text()


@pytest.mark.parametrize("drawing", PAGES)
def test_the_command_solves_it_and_fills_the_target(drawing: str, ran: Callable[[str], Ran]) -> None:
    found = ran(drawing)
    assert found.said.startswith(f"{Path(drawing).name}: ")
    assert found.saved.solved
    assert found.saved.units == "mm"
    assert found.saved.overlap < 1e-3
    if drawing != "tile/tile.dxf":
        assert found.saved.coverage == pytest.approx(1.0, abs=1e-3 if drawing.endswith(".png") else 1e-6)
        assert not found.saved.gaps


@pytest.mark.parametrize("drawing", PAGES)
def test_python_writes_what_the_command_writes(
    drawing: str, ran: Callable[[str], Ran], tmp_path: Path
) -> None:
    params = JobParams(**PARAMS.get(drawing, {}))
    job = sherd.make_job(sherd.read_drawing(EXAMPLES / drawing, params), params)
    found = sherd.assemble_job(job)
    files = sherd.export_plan(found, tmp_path)
    commands = ran(drawing).stem.parent
    assert {path.name for path in files} == {path.name for path in commands.iterdir() if shows_answer(path)}
    for path in files:
        assert timeless(path) == timeless(commands / path.name), path.name


def shows_answer(path: Path) -> bool:
    """Whether a file is of the answer, not of what the command read."""
    return not path.name.endswith(".read.png")


def timeless(path: Path) -> bytes:
    """What a file holds, without what another run makes otherwise: times, and the marks of DXF files."""
    data = path.read_bytes()
    if path.suffix == ".json":
        return re.sub(rb'^ "seconds": [^\n]*$', b"", data, count=1, flags=re.MULTILINE)
    if path.suffix == ".dxf":
        data = re.sub(rb"(\$TD\w+\s+40\s+)[\d.]+", rb"\1", data)
        data = re.sub(rb"\{[0-9A-F]{8}(-[0-9A-F]{4}){3}-[0-9A-F]{12}\}", b"", data)
        return re.sub(rb"[\d.]+ @ \d{4}-\d\d-\d\dT[\d:.+]+", b"", data)
    return data


def test_the_documented_python_solves_the_mixed_sets_as_the_command_does(
    ran: Callable[[str], Ran], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    guide = (ROOT / "docs/your-own-pieces.md").read_text()
    code = textwrap.dedent(re.findall(r"### From Python\n\n((?: {4}.*\n|\n)+)", guide)[0])
    folder = tmp_path / "examples/mixed"
    folder.mkdir(parents=True)
    shutil.copy(EXAMPLES / "mixed/mixed.csv", folder)
    monkeypatch.chdir(tmp_path)
    exec(compile(code, "your-own-pieces.md", "exec"), {})
    commands = ran("mixed/mixed.csv").stem.parent
    written = {path.name: timeless(path) for path in (tmp_path / "plan").iterdir()}
    assert written == {path.name: timeless(path) for path in commands.iterdir() if shows_answer(path)}


@pytest.mark.parametrize("drawing", PAGES)
def test_picture_and_plan_are_those_in_the_folder(drawing: str, ran: Callable[[str], Ran]) -> None:
    new, kept = ran(drawing).stem, (EXAMPLES / drawing).with_suffix("")
    for stem in (new, kept):
        with contextlib.closing(pypdfium2.PdfDocument(f"{stem}.plan.pdf")) as plan:
            assert len(plan) == PAGES[drawing]
    with Image.open(f"{new}.assembled.png") as one, Image.open(f"{kept}.assembled.png") as other:
        assert one.size == other.size
    text = kept.with_name("README.md").read_text()
    for name in re.findall(r"\]\(([^)]+)\)", text):
        assert kept.with_name(name).is_file(), name


@pytest.mark.parametrize("drawing", PAGES)
def test_the_folder_is_small_and_the_overview_names_it(drawing: str) -> None:
    folder = (EXAMPLES / drawing).parent
    kept = [path for path in folder.iterdir() if path.suffix in (".md", ".pdf", ".png", Path(drawing).suffix)]
    assert sum(path.stat().st_size for path in kept) < LARGEST_FOLDER
    assert f"({folder.name}/README.md)" in (EXAMPLES / "README.md").read_text()


@pytest.mark.parametrize("drawing", PAGES)
def test_the_figures_in_the_readme_are_those_that_are_said(drawing: str, ran: Callable[[str], Ran]) -> None:
    said = ran(drawing).said
    if drawing == "glass/glass.svg":  # its README tells what is said without --kerf too
        job = make_job(read_drawing(EXAMPLES / drawing))
        said += "".join([summary(job), *warnings_of(job)])
        assert "try a kerf of 1.6" in said
    text = (EXAMPLES / drawing).with_name("README.md").read_text()
    for figure in re.findall(r"[\d,.]+(?:%| mm²)", text):
        assert figure in said


def test_the_swans_tail_has_two_answers(ran: Callable[[str], Ran]) -> None:
    found = ran("tangram/tangram.svg")
    loose = {name for name, hold in found.saved.holds.items() if hold.band == "loose"}
    assert "medium" in loose
    assert loose - {"medium"} in ({"large 1"}, {"large 2"})
    assert all(found.saved.holds[name].elsewhere for name in loose)
    assert all(hold.band == "certain" for name, hold in found.saved.holds.items() if name not in loose)


def test_the_gap_in_the_tile_is_the_lost_piece(ran: Callable[[str], Ran], maker: ModuleType) -> None:
    tile, left, lost = maker.broken_tile()
    found = ran("tile/tile.dxf")
    assert {placement.id for placement in found.saved.assembly} == set(left)
    assert f"open: 1 gap of {lost.area:,.0f} mm²" in found.said
    (target,) = read_drawing(EXAMPLES / "tile/tile.dxf").targets
    (gap,) = found.saved.gaps
    assert _distance(gap, lost, tile, target.polygon) < 1e-3
    (cut,) = read_drawing(f"{found.stem}.gaps.dxf").figures
    assert _distance(cut.polygon, lost, tile, target.polygon) < 1e-3
    (drawn,) = read_drawing(f"{found.stem}.gaps.svg").figures  # on a page with an origin of its own
    assert drawn.polygon.area == pytest.approx(lost.area, abs=1e-2)
    assert drawn.polygon.length == pytest.approx(lost.length, abs=1e-2)


def _distance(gap: Polygon, lost: Polygon, tile: Polygon, target: Polygon) -> float:
    """How far a gap's outline is from that of the lost piece; the whole may lie by quarter turns."""
    here, there = tile.centroid, target.centroid
    turned = [
        (Pose(there.x, there.y, quarter * TAU / 4.0) @ Pose(-here.x, -here.y, 0.0)).apply(lost)
        for quarter in range(4)
    ]
    return min(shapely.hausdorff_distance(gap, piece) for piece in turned)


def test_the_torn_pieces_lie_as_they_were(ran: Callable[[str], Ran], maker: ModuleType) -> None:
    placed = list(ran("sheet/scan.png").placed().values())
    torn = maker.torn_sheet()
    width, height = maker.SHEET_MM
    half_turn = Pose(width, height, TAU / 2.0)
    turned = [half_turn.apply(piece) for piece in torn]
    assert len(placed) == len(torn)

    def farthest(truth: list[Polygon]) -> float:
        """How far outlines are from those of the pieces nearest to them, at most."""
        return max(min(shapely.hausdorff_distance(piece, other) for other in truth) for piece in placed)

    assert min(farthest(torn), farthest(turned)) < 0.3


def test_a_scan_is_not_overwritten_by_its_picture(tmp_path: Path) -> None:
    scan = Path(shutil.copy(EXAMPLES / "sheet/scan.png", tmp_path))
    words, _ = command("sheet/scan.png")
    words[1] = str(scan)
    with contextlib.redirect_stdout(io.StringIO()):
        assert run([*words, "--out", str(tmp_path), "--export", "png"]) == 0
    assert scan.read_bytes() == (EXAMPLES / "sheet/scan.png").read_bytes()
    assert (tmp_path / "scan.assembled.png").is_file()


def test_kerf_closes_the_window_and_leaves_room_for_the_lead(
    ran: Callable[[str], Ran], maker: ModuleType
) -> None:
    words, _ = command("glass/glass.svg")
    assert words[words.index("--kerf") + 1] == str(maker.KERF_MM)
    drawing = read_drawing(EXAMPLES / "glass/glass.svg")
    without = make_job(drawing, JobParams()).puzzle
    assert sum(f.polygon.area for f in without.fragments) < 0.96 * without.target.area
    found = ran("glass/glass.svg")
    assert "the pieces' area is 100.0% of the target's" in found.said
    panes = list(found.placed().values())
    assert len(panes) == 13
    for k, pane in enumerate(panes):
        others = union([*panes[:k], *panes[k + 1 :]])
        assert pane.distance(others) == pytest.approx(maker.KERF_MM, abs=2e-3)


def test_the_puzzle_has_thirty_pieces_most_of_them_not_convex(ran: Callable[[str], Ran]) -> None:
    placed = ran("puzzle/puzzle.geojson").placed()
    assert len(placed) == 30
    assert sum(not is_convex(piece) for piece in placed.values()) == 19


def test_the_foreign_pieces_are_set_aside_by_name(ran: Callable[[str], Ran], maker: ModuleType) -> None:
    found = ran("mixed/mixed.csv")
    assert set(found.saved.set_aside) == set(maker.FOREIGN)
    assert {placement.id for placement in found.saved.assembly} == set(maker.OWN)
    assert "set aside" in found.said
    assert all(name in found.said for name in maker.FOREIGN)
