"""Project files hold a job as it was left, and nothing that would lead out of their folder is unpacked."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest

from sherd.cli import run
from sherd.core.errors import FileFormatError
from sherd.workshop import make_job
from sherd.workshop.params import Pin
from sherd.workshop.project import Project, read_project, write_project

WKT = """POLYGON((0 0, 9 0, 9 9, 0 9, 0 0))
POLYGON((20 0, 23 0, 23 9, 20 9, 20 0))
POLYGON((30 0, 36 0, 36 9, 30 9, 30 0))
"""
POSE = {"x": 1.5, "y": 4.5, "angle_deg": 0.0, "flipped": False}


def made(folder: Path) -> Project:
    (folder / "source").mkdir()
    (folder / "source" / "parts.wkt").write_text(WKT)
    return Project(
        name="parts",
        source="source/parts.wkt",
        folder=folder,
        params={"unit": "mm", "kerf": 0.0},
        roles={"line 1": "target"},
        board={"placements": [{"id": "line 2", "pose": POSE}], "pinned": ["line 2"]},
    )


def test_it_opens_as_it_was_left(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "old").mkdir()
    project = made(tmp_path / "old")
    path = tmp_path / "parts.sherd"
    write_project(project, path, {"puzzle.json": "{}"})
    opened = read_project(path, tmp_path / "new")
    assert {**vars(opened), "folder": 0} == {**vars(project), "folder": 0}
    drawing, params = opened.read()
    assert params.pins == {"line 2": Pin(1.5, 4.5, 0.0)} and params.unit == "mm"
    assert len(make_job(drawing, params).puzzle.fragments) == 2
    assert run(["assemble", str(path), "--out", str(tmp_path / "out"), "--export", "json", "--check"]) == 0
    assert "2 of 2 pieces" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"format": "other"}, "not that of a project"),
        ({"version": 2}, "version 2 is not known here"),
        ({"source": "source/none.wkt"}, "is not in it"),
        ({"source": "../parts.wkt"}, "is not in it"),
        ({"roles": {"line 1": "king"}}, "choose piece, target, aside"),
        ({"roles": []}, "roles must be an object"),
        ({"params": {"target": "/etc/passwd"}}, "no file that was given"),
        ({"params": {"colour": 3}}, "unknown key 'colour'"),
        ({"name": 3}, "a name or a source is missing"),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, change: dict[str, object], said: str) -> None:
    about = {"format": "sherd.project", "version": 1, "name": "a", "source": "source/parts.wkt", **change}
    path = tmp_path / "bad.sherd"
    with zipfile.ZipFile(path, "w") as packed:
        packed.writestr("project.json", json.dumps(about))
        packed.writestr("source/parts.wkt", WKT)
    with pytest.raises(FileFormatError, match=said):
        read_project(path, tmp_path / "new")


def test_nothing_leads_out_and_nothing_is_too_large(tmp_path: Path) -> None:
    about = {"format": "sherd.project", "version": 1, "name": "a", "source": "source/a.wkt"}
    for number, name in enumerate(("source/../../evil", "source/a/b/c", "source/.hidden", "source/a b")):
        path = tmp_path / f"{number}.sherd"
        with zipfile.ZipFile(path, "w") as packed:
            packed.writestr("project.json", json.dumps(about))
            packed.writestr(name, WKT)
        with pytest.raises(FileFormatError, match="no name of a source file"):
            read_project(path, tmp_path / "new" / "inside")
    write_project(made(tmp_path), tmp_path / "good.sherd")
    with pytest.raises(FileFormatError, match="longer than"):
        read_project(tmp_path / "good.sherd", tmp_path / "new", most_bytes=100)
    assert not (tmp_path / "new").exists()
    (tmp_path / "text.sherd").write_text("text")
    with pytest.raises(FileFormatError, match="not a project file"):
        read_project(tmp_path / "text.sherd", tmp_path)


def test_a_description_of_many_mebibytes_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sherd.workshop.project.MOST_ABOUT_BYTES", 2**20)
    with zipfile.ZipFile(tmp_path / "a.sherd", "w", zipfile.ZIP_DEFLATED) as packed:
        packed.writestr("project.json", b" " * (2**20 + 1))
    with pytest.raises(FileFormatError, match=r"project\.json is longer than 1 MiB"):
        read_project(tmp_path / "a.sherd", tmp_path / "new")


def test_a_broken_archive_is_refused(tmp_path: Path) -> None:
    (tmp_path / "old").mkdir()
    path = tmp_path / "parts.sherd"
    write_project(made(tmp_path / "old"), path)
    data = bytearray(path.read_bytes())
    begin = data.index(b"project.json") + len(b"project.json")
    data[begin : begin + 8] = b"\xff" * 8
    path.write_bytes(data)
    with pytest.raises(FileFormatError, match="not a project file"):
        read_project(path, tmp_path / "new")
