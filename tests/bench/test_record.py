"""Records survive their file, and nothing else does."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from sherd.bench.cell import Cell
from sherd.bench.record import CellResult, Record, Training, read_record, to_json
from sherd.core.errors import FileFormatError
from sherd.core.geometry import Rotations

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


def test_round_trip(record: Record, tmp_path: Path) -> None:
    path = tmp_path / "record.json"
    path.write_text(to_json(record))
    assert read_record(path) == record
    assert to_json(read_record(path)) == path.read_text()


def test_how_puzzles_come_apart_is_remembered(
    make_result: MakeResult, make_record: MakeRecord, tmp_path: Path
) -> None:
    free = Rotations(None)
    cells = [
        Cell(solver="search", shape="star", rotations=free, dissection="merged"),
        Cell(solver="search", shape="arrow", pieces=7, rotations=free, dissection="tangram", mirror=True),
    ]
    path = tmp_path / "unusual.json"
    path.write_text(to_json(make_record(*map(make_result, cells))))
    assert [result.cell for result in read_record(path).cells] == cells


def test_strength_and_resolution_are_said_where_they_are_not_as_usual(
    make_result: MakeResult, make_record: MakeRecord, tmp_path: Path
) -> None:
    cells = [
        Cell(solver="search", degradation="eroded", strength=0.5),
        Cell(solver="search", input="binary", size_px=256),
        Cell(solver="search", degradation="eroded", input="masks"),
    ]
    path = tmp_path / "swept.json"
    path.write_text(to_json(make_record(*map(make_result, cells))))
    assert [result.cell for result in read_record(path).cells] == cells
    said = [{"strength", "size_px"} & set(cell) for cell in json.loads(path.read_text())["cells"]]
    assert said == [{"strength"}, {"size_px"}, set()]


def test_a_shared_encoder_is_remembered(
    make_result: MakeResult, make_record: MakeRecord, tmp_path: Path
) -> None:
    training = Training(train_puzzles=9, train_minutes=1.0, parameters=3, shared_encoder=True)
    path = tmp_path / "shared.json"
    path.write_text(to_json(make_record(make_result(Cell(solver="fan"), training=training))))
    assert read_record(path).cells[0].training == training


def test_the_steps_of_training_are_remembered(
    make_result: MakeResult, make_record: MakeRecord, tmp_path: Path
) -> None:
    training = Training(
        train_puzzles=9,
        train_minutes=1.0,
        parameters=3,
        train_steps=70,
        batch_puzzles=32,
        dropout=0.0,
        weights_sha256="12ab",
        recipe={"training": {"steps": 70, "clip": 0.5, "minutes": None}, "losses": {"pools_px": [1, 2]}},
    )
    path = tmp_path / "steps.json"
    path.write_text(to_json(make_record(make_result(Cell(solver="fan"), training=training))))
    assert read_record(path).cells[0].training == training


def test_decidable_puzzles_are_counted_apart_where_the_truth_was_weighed(
    record: Record, tmp_path: Path
) -> None:
    path, plain = tmp_path / "record.json", record.cells[0]
    assert '"decidable"' not in to_json(record)
    weighed = replace(plain, decidable=0.75, decidable_solved=0.5)
    path.write_text(to_json(replace(record, cells=(weighed,))))
    assert read_record(path).cells[0] == weighed


def test_ambiguous_puzzles_are_counted_where_there_are_any(record: Record, tmp_path: Path) -> None:
    path, plain = tmp_path / "record.json", record.cells[0]
    assert '"ambiguous"' not in to_json(record)
    path.write_text(to_json(replace(record, cells=(replace(plain, ambiguous=0.25),))))
    assert read_record(path).cells[0].ambiguous == 0.25


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


# Texts that would come after every date, or not where their day belongs.
WRONG_DATES = (
    "yesterday",
    "",
    "2026-13-01",
    "2026-2-3",
    "18.11.2026",
    "2026-11-18T09:30",
    "2026-11-18 09:30:00Z",
)


def change(record: Record, edit: Callable[[dict[str, Any]], object]) -> str:
    data = json.loads(to_json(record))
    edit(data)
    return json.dumps(data, indent=1)


@pytest.mark.parametrize(
    ("edit", "message"),
    [
        (lambda data: data.update(colour="red"), 'colour: unknown key "colour"'),
        (lambda data: data.pop("seed"), "the key 'seed' is missing"),
        (lambda data: data.update(seed="7"), 'seed: expected a whole number, not "7"'),
        (lambda data: data.update(seed=True), "seed: expected a whole number, not true"),
        (lambda data: data.update(seed=-1), "seed: expected at least 0, not -1"),
        *(
            (
                lambda data, wrong=wrong: data.update(date=wrong),
                f'date: expected a date such as 2026-11-18 or 2026-11-18T09:30:00Z, not "{wrong}"',
            )
            for wrong in WRONG_DATES
        ),
        (lambda data: data.update(date=20261118), "date: expected a text, not 20261118"),
        (
            lambda data: data["cells"][1].update(shared_encoder=1),
            "shared_encoder: expected true or false, not 1",
        ),
        (lambda data: data["versions"].update(sherd=1), "versions.sherd: expected a text, not 1"),
        (lambda data: data["cells"].append(3), "cells[3]: expected an object, not 3"),
        (lambda data: data["cells"][1].update(score=1.0), 'cells[1].score: unknown key "score"'),
        (lambda data: data["cells"][0].pop("cov95"), "cells[0]: the key 'cov95' is missing"),
        (lambda data: data["cells"][0].update(cov95=None), "cells[0].cov95: expected a number, not null"),
        (
            lambda data: data["cells"][0].update(cov95=1.993),
            "cells[0].cov95: expected a share from 0 to 1, not",
        ),
        (lambda data: data["cells"][0].update(count=0), "cells[0].count: expected at least 1, not 0"),
        (lambda data: data["cells"][1].update(recipe=3), "cells[1].recipe: expected an object, not 3"),
        (
            lambda data: data["cells"][1].update(recipe={"losses": 1}),
            "recipe.losses: expected an object, not 1",
        ),
        (lambda data: data["cells"][0].update(cov95=float("nan")), "cov95: nan is not a finite number"),
        (lambda data: data["cells"][0].update(rotations="some"), "cells[0].rotations: rotations must be"),
        (lambda data: data["cells"][0].update(shape="blob"), "cells[0]: unknown shape 'blob'"),
        (lambda data: data["cells"][0]["published"].update(psnr=1), 'published.psnr: unknown key "psnr"'),
        (lambda data: data["cells"][1].pop("parameters"), "cells[1]: all or none of train_puzzles, "),
    ],
)
def test_anything_else_is_refused(
    record: Record, edit: Callable[[dict[str, Any]], object], message: str, tmp_path: Path
) -> None:
    path = tmp_path / "bad.json"
    path.write_text(change(record, edit))
    with pytest.raises(FileFormatError, match=re.escape(message)) as error:
        read_record(path)
    assert re.match(rf"{re.escape(str(path))}:[0-9]+: ", str(error.value))


@pytest.mark.parametrize("share", [0.0, 0.3, 0.9, 0.999])
def test_what_is_cut_off_is_refused(record: Record, share: float, tmp_path: Path) -> None:
    path = tmp_path / "cut.json"
    text = to_json(record).rstrip()
    path.write_text(text[: int(share * len(text))])
    with pytest.raises(
        FileFormatError, match=rf"^{re.escape(str(path))}:[0-9]+: (not JSON|the file is empty)"
    ):
        read_record(path)
