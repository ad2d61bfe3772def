"""The broken things among the examples: files that the script makes, and answers that come out right."""

from __future__ import annotations

import contextlib
import importlib
import io
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
import shapely
from PIL import Image

from sherd.cli import run
from sherd.io import read_assembly
from sherd.io.drawings import read_drawing
from sherd.solvers.stop import MaxEvaluations
from sherd.workshop import JobParams, JobResult, assemble_job, make_job

ROOT = Path(__file__).parents[1]
EXAMPLES = ROOT / "examples"
PIECES = {"letter": 16, "plate": 12, "jigsaw": 24, "box": 15}
NAMES = tuple(PIECES)
COMMAND = re.compile(r"^    (sherd assemble (\S+) .*--out (\S+))$", re.MULTILINE)
LARGEST_FOLDER = 400_000
STEPS = 60
MORE_TIME = 5


@pytest.fixture(scope="module")
def maker() -> Iterator[ModuleType]:
    """The script that makes the drawings and scans."""
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(str(EXAMPLES))
        yield importlib.import_module("make_broken")


def test_the_script_makes_these_files(maker: ModuleType) -> None:
    made = maker.drawings()
    assert set(made) == {f"{name}/{name}{ending}" for name in NAMES for ending in (".svg", "-scan.png")}
    for name, data in made.items():
        if name.endswith(".png"):  # compressed otherwise by other versions of the library
            with Image.open(io.BytesIO(data)) as new, Image.open(EXAMPLES / name) as kept:
                assert new.info["dpi"] == kept.info["dpi"]
                assert np.array_equal(np.asarray(new), np.asarray(kept))
        else:
            assert data == (EXAMPLES / name).read_bytes(), name


@pytest.mark.parametrize("name", NAMES)
def test_the_readme_gives_both_commands_and_the_guide_the_first(name: str) -> None:
    text = (EXAMPLES / name / "README.md").read_text()
    commands = COMMAND.findall(text)
    assert [file for _, file, _ in commands] == [
        f"examples/{name}/{name}-scan.png",
        f"examples/{name}/{name}.svg",
    ]
    assert {folder for *_, folder in commands} == {f"examples/{name}"}
    assert f"`{commands[0][0]}`" in (ROOT / "docs/your-own-pieces.md").read_text()
    assert f"({name}/README.md)" in (EXAMPLES / "README.md").read_text()
    for link in re.findall(r"\]\(([^)]+)\)", text):
        assert (EXAMPLES / name / link).exists(), link
    assert sum(path.stat().st_size for path in (EXAMPLES / name).iterdir()) < LARGEST_FOLDER


@pytest.mark.parametrize("file", [f"{name}{ending}" for name in NAMES for ending in ("-scan.png", ".svg")])
def test_the_commands_of_a_page_give_what_it_shows(file: str, tmp_path: Path) -> None:
    """By the page's own words, with more time: how long it takes hangs on what else the machine does."""
    name = file.partition(".")[0].removesuffix("-scan")
    page = (EXAMPLES / name / "README.md").read_text()
    ((command, _, _),) = [found for found in COMMAND.findall(page) if found[1].endswith(f"/{file}")]
    words = shlex.split(command)[1:]
    limit = words.index("--time-limit") + 1
    words[limit] = f"{MORE_TIME * int(words[limit])}"
    words[words.index("--out") + 1] = str(tmp_path)
    with contextlib.chdir(ROOT), contextlib.redirect_stdout(io.StringIO()) as said:
        code = run([*words, "--export", "json", "--check"])
    assert code == (1 if name == "box" else 0), said.getvalue()
    saved = read_assembly(tmp_path / f"{Path(file).stem}.assembly.json")
    assert len(saved.assembly) == PIECES[name]
    assert name in ("box", "plate") or saved.coverage > 0.995


def assembled(name: str, params: JobParams) -> JobResult:
    job = make_job(read_drawing(EXAMPLES / name / f"{name}.svg", params), params)
    return assemble_job(job, seconds=600.0, stop=MaxEvaluations(STEPS))


def test_the_plate_is_whole_but_for_the_lost_sherd(maker: ModuleType) -> None:
    found = assembled("plate", JobParams())
    assert found.solved, found.result.reason
    plate = maker.broken_things()["plate"]
    lost = plate.target.area - sum(piece.area for piece in plate.pieces.values())
    assert [gap.area for gap in found.plan.gaps] == [pytest.approx(lost, rel=0.01)]


def test_every_knob_of_the_jigsaw_finds_its_neighbour() -> None:
    found = assembled("jigsaw", JobParams())
    assert found.solved, found.result.reason
    assert found.measures.coverage > 0.995


def test_the_box_holds_two_tiles(maker: ModuleType) -> None:
    found = assembled("box", JobParams(no_target=True))
    assert found.verdict.in_words == "partly solved"
    assert [len(group) for group in found.result.groups] == [8, 7]
    for group, size in zip(found.result.groups, ((200.0, 100.0), (150.0, 150.0)), strict=True):
        whole = shapely.union_all(found.job.puzzle.placed(group.assembly))
        box = shapely.oriented_envelope(whole)
        assert box.area == pytest.approx(size[0] * size[1], rel=0.01)
        assert whole.area == pytest.approx(box.area, rel=0.01)
