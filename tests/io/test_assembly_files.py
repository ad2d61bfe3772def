"""Answers in files."""

from __future__ import annotations

import json
import math
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sherd.core.assembly import Assembly, Group, Joint
from sherd.core.errors import FileFormatError
from sherd.core.geometry import Pose
from sherd.io import SavedAssembly, read_assembly, write_assembly
from sherd.io.assembly_files import assembly_to_json

SAVED = SavedAssembly(
    assembly=Assembly()
    .place("b", Pose(0.25, 0.5, math.pi / 2))
    .place("a", Pose(0.75, 0.1, 2.0, mirrored=True)),
    solver="search",
    seconds=0.25,
    solved=True,
    coverage=1.0,
    iou=0.5,
    overlap=0.0,
)


def test_an_assembly_comes_back_as_it_was(tmp_path: Path) -> None:
    write_assembly(tmp_path / "a.json", SAVED)
    back = read_assembly(tmp_path / "a.json")
    assert [p.id for p in back.assembly] == ["b", "a"]
    assert all(p.pose.is_close(SAVED.assembly[p.id], 1e-13) for p in back.assembly)
    assert (back.solver, back.seconds, back.solved) == ("search", 0.25, True)
    assert (back.coverage, back.iou, back.overlap) == (1.0, 0.5, 0.0)


def test_what_is_said_beside_an_assembly_comes_back(tmp_path: Path) -> None:
    counted = replace(SAVED, assemblies=6, all_found=True)
    unsolved = replace(
        SAVED, solved=False, reason="no piece fits what remains", set_aside={"c": "no area", "d": "no place"}
    )
    for saved in (SAVED, counted, unsolved):
        write_assembly(tmp_path / "a.json", saved)
        assert replace(read_assembly(tmp_path / "a.json"), assembly=saved.assembly) == saved
    assert assembly_to_json(SAVED)["reason"] is None
    assert assembly_to_json(SAVED).keys().isdisjoint({"assemblies", "all_found", "set_aside"})


def test_a_file_from_before_reasons_were_written_is_read(tmp_path: Path) -> None:
    document = assembly_to_json(SAVED)
    del document["reason"]
    (tmp_path / "a.json").write_text(json.dumps(document))
    back = read_assembly(tmp_path / "a.json")
    assert (back.reason, back.assemblies, back.all_found) == ("", None, False)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"reason": 7}, "reason: expected a text, not 7"),
        ({"assemblies": 0}, "assemblies: expected a whole number from 1"),
        ({"all_found": None}, "all_found: expected true or false, not null"),
        ({"set_aside": ["c"]}, "set_aside: expected an object"),
    ],
)
def test_bad_remarks_are_refused(tmp_path: Path, change: dict[str, Any], reason: str) -> None:
    (tmp_path / "a.json").write_text(json.dumps(assembly_to_json(SAVED) | change))
    with pytest.raises(FileFormatError, match=reason):
        read_assembly(tmp_path / "a.json")


def test_the_matrix_is_that_of_svg() -> None:
    first = assembly_to_json(SAVED)["placements"][0]
    assert first["matrix"] == [0.0, 1.0, -1.0, 0.0, 0.25, 0.5]
    assert first["rotation_deg"] == 90.0


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"matrix": [1, 0, 0, 1, 0, 0]}, r"placements\[0\]\.matrix: the matrix is not that of"),
        ({"matrix": [0, 1]}, "the matrix is not that of"),
        ({"id": "a"}, r"placements\[1\]: the fragment 'a' is placed twice"),
        ({"x": None}, r"placements\[0\]\.x: expected a number, not null"),
        ({"z": 1}, r'placements\[0\]\.z: unknown key "z"'),
    ],
)
def test_bad_placements_are_refused(tmp_path: Path, change: dict[str, Any], reason: str) -> None:
    document = assembly_to_json(SAVED)
    document["placements"][0].update(change)
    (tmp_path / "a.json").write_text(json.dumps(document, indent=1))
    with pytest.raises(FileFormatError, match=reason):
        read_assembly(tmp_path / "a.json")


def test_one_assembly_a_file(tmp_path: Path) -> None:
    line = json.dumps(assembly_to_json(SAVED))
    (tmp_path / "a.jsonl").write_text(f"{line}\n{line}\n")
    with pytest.raises(FileFormatError, match=r"a\.jsonl:2: more than one document"):
        read_assembly(tmp_path / "a.jsonl")


JOINT = Joint("a", "b", Pose(0.5, 0.25, 1.0), length=0.4, residual=0.001, likelihood=0.75)
GROUPED = replace(
    SAVED,
    assembly=Assembly().place("a", Pose()).place("b", Pose(1.0, 2.0, math.pi / 2)),
    coverage=0.0,
    iou=0.0,
    has_target=False,
    groups=(
        Group(Assembly().place("a", Pose()).place("b", Pose(1.0, 2.0, math.pi / 2)), (JOINT,)),
        Group(Assembly().place("c", Pose()).place("d", Pose(0.0, 3.0))),
    ),
    joints=(replace(JOINT, second="c", likelihood=0.25),),
)


def test_groups_and_joints_come_back_as_they_were(tmp_path: Path) -> None:
    write_assembly(tmp_path / "a.json", GROUPED)
    written = json.loads((tmp_path / "a.json").read_text())
    assert written["version"] == 2
    assert "coverage" not in written
    assert [(one["id"], one["group"]) for one in written["placements"]] == [
        ("a", 1),
        ("b", 1),
        ("c", 2),
        ("d", 2),
    ]
    assert [one.get("group") for one in written["joints"]] == [1, None]
    back = read_assembly(tmp_path / "a.json")
    assert assembly_to_json(back) == assembly_to_json(GROUPED)
    assert not back.has_target
    assert [len(group) for group in back.groups] == [2, 2]
    assert back.assembly == back.groups[0].assembly
    assert back.joints[0].pose.is_close(JOINT.pose, 1e-12)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda d: d["placements"][0].pop("group"), "placements have a group"),
        (lambda d: d["joints"][0].update(group=3), "there is no group 3"),
        (lambda d: d.update(version=1), "the key 'coverage' is missing"),
        (lambda d: d["joints"][0].pop("length"), "the key 'length' is missing"),
    ],
)
def test_groups_that_make_no_sense_are_refused(change: Any, reason: str, tmp_path: Path) -> None:
    document = assembly_to_json(GROUPED)
    change(document)
    (tmp_path / "a.json").write_text(json.dumps(document))
    with pytest.raises(FileFormatError, match=reason):
        read_assembly(tmp_path / "a.json")
