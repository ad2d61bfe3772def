"""Records survive their file, and nothing else does."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sherd.bench.cell import Cell
from sherd.bench.record import CellResult, Record, Training, from_json, read_record, to_json
from sherd.errors import FileFormatError
from sherd.geometry import Rotations

MakeResult = Callable[..., CellResult]
MakeRecord = Callable[..., Record]


@pytest.fixture
def record(make_result: MakeResult, make_record: MakeRecord) -> Record:
    """A plain cell, a learned one, and one that the paper lacks."""
    free = Cell(
        solver="random", pieces=5, rotations=Rotations(None), noise=0.01, texture="marble", input="binary"
    )
    learned = Cell(solver="fan", aggregation="avg")
    training = Training(train_puzzles=0, train_minutes=4.5, parameters=48_600_000)
    return make_record(
        make_result(Cell(solver="random")), make_result(learned, training=training), make_result(free)
    )


def test_round_trip(record: Record) -> None:
    text = to_json(record)
    assert from_json(text) == record
    assert to_json(from_json(text)) == text


def test_the_keys_are_those_of_the_design(record: Record) -> None:
    data = json.loads(to_json(record))
    assert set(data) == {"machine", "commit", "versions", "seed", "date", "command", "cells"}
    plain, learned, free = data["cells"]
    always = set(plain)
    assert always == {
        *("solver", "shape", "pieces", "rotations", "degradation", "input", "order", "noise", "texture"),
        *("first", "count", "time_limit", "cov95", "cov90", "cov", "iou", "solved", "overlap"),
        *("coverage_whole", "posed_right", "position_error", "rotation_error_deg"),
        *("seconds_median", "seconds_p95", "published"),
    }
    assert set(learned) - always == {"aggregation", "train_puzzles", "train_minutes", "parameters"}
    assert (plain["rotations"], free["rotations"], free["published"]) == (1, "free", None)
    assert plain["published"]["cov95"] == 0.470
    assert learned["published"]["cov95"] == 0.431


def change(record: Record, edit: Callable[[dict[str, Any]], object]) -> str:
    data = json.loads(to_json(record))
    edit(data)
    return json.dumps(data)


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda data: data.update(colour="red"), "the record has an unknown key 'colour'"),
        (lambda data: data.pop("seed"), "the record lacks 'seed'"),
        (lambda data: data.update(seed="7"), "'seed' cannot be '7'"),
        (lambda data: data.update(seed=True), "'seed' cannot be True"),
        (lambda data: data["versions"].update(sherd=1), "versions must be texts"),
        (lambda data: data["cells"].append(3), "cell 3 must be an object"),
        (lambda data: data["cells"][1].update(score=1.0), "cell 1 has an unknown key 'score'"),
        (lambda data: data["cells"][0].pop("cov95"), "cell 0 lacks 'cov95'"),
        (lambda data: data["cells"][0].update(cov95=None), "'cov95' cannot be None"),
        (lambda data: data["cells"][0].update(cov95=float("nan")), "not JSON: NaN is not a number"),
        (lambda data: data["cells"][0].update(rotations="some"), "cell 0: rotations must be"),
        (lambda data: data["cells"][0].update(shape="blob"), "cell 0: unknown shape 'blob'"),
        (lambda data: data["cells"][0]["published"].update(psnr=1), "published has an unknown key 'psnr'"),
        (lambda data: data["cells"][1].pop("parameters"), "cell 1 must have all or none"),
    ],
)
def test_anything_else_is_refused(
    record: Record, edit: Callable[[dict[str, Any]], object], message: str
) -> None:
    with pytest.raises(FileFormatError, match=message):
        from_json(change(record, edit))


def test_errors_name_the_file(tmp_path: Path) -> None:
    path = tmp_path / "bad.json"
    with pytest.raises(FileFormatError, match=r"bad\.json: No such file"):
        read_record(path)
    path.write_text("[]")
    with pytest.raises(FileFormatError, match=r"bad\.json: the record must be an object"):
        read_record(path)
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(FileFormatError, match=r"bad\.json: .*decode"):
        read_record(path)
