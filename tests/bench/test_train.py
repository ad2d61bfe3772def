"""What the paper's network is trained on for a row of a table."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from sherd.bench.cell import Cell
from sherd.bench.measure import Watch
from sherd.core.errors import InterruptedTrainingError, UnsupportedError
from sherd.core.geometry import Rotations

torch = pytest.importorskip("torch")
train = pytest.importorskip("sherd.bench.train")
read_settings = pytest.importorskip("sherd.learn.training.settings").read_settings
Outcome = pytest.importorskip("sherd.learn.training.train").Outcome
Report = pytest.importorskip("sherd.learn.training.train").Report
InterruptedWorkError = pytest.importorskip("sherd.learn.training.interruption").InterruptedWorkError


class StoppedError(Exception):
    """Raised in the place of training."""


def test_pieces_that_turn_freely_are_not_for_it() -> None:
    plan = train.TrainingPlan(steps=1, device=torch.device("cpu"))
    with pytest.raises(UnsupportedError, match="rotation bins"):
        train.train_fan(Cell(solver="fan", rotations=Rotations(None)), plan, seed=0)


@pytest.mark.parametrize(("bins", "pieces"), [(1, 8), (4, 16)])
def test_a_step_takes_about_as_many_images_whatever_the_puzzles(
    monkeypatch: pytest.MonkeyPatch, bins: int, pieces: int
) -> None:
    seen: dict[str, Any] = {}

    def require_room(device: object, size_px: int, *, kept: int, taught: int) -> None:
        seen.update(kept=kept, taught=taught)
        raise StoppedError

    monkeypatch.setattr(train, "require_room", require_room)
    cell = Cell(solver="fan", pieces=pieces, rotations=Rotations(bins), aggregation="fram")
    with pytest.raises(StoppedError):
        train.train_fan(cell, train.TrainingPlan(steps=1, device=torch.device("cpu")), seed=0)
    assert 0.8 * train.IMAGES_A_STEP <= seen["taught"] <= train.IMAGES_A_STEP
    kept = seen["kept"]
    with pytest.raises(StoppedError):
        plan = train.TrainingPlan(steps=1, endless=True, batch_puzzles=2, device=torch.device("cpu"))
        train.train_fan(cell, plan, seed=0)
    assert seen["taught"] == 2 * pieces * train.FanConfig().encoded(bins)
    assert seen["kept"] < kept


@pytest.mark.parametrize(("own", "taught"), [("bottom-left", "released"), ("random", "random")])
def test_a_recipe_has_an_order_for_rows_that_have_none_of_their_own(
    monkeypatch: pytest.MonkeyPatch, own: Any, taught: str
) -> None:
    seen: list[str] = []

    def draw(kinds: list[Any], **_: object) -> None:
        seen.extend(kind.order for kind in kinds)
        raise StoppedError

    monkeypatch.setattr(train.FixedSet, "of", draw)
    strict = read_settings(Path(__file__).parents[2] / "experiments" / "fan-strict.toml", steps=1)
    plan = train.TrainingPlan(steps=1, recipe=strict, device=torch.device("cpu"))
    with pytest.raises(StoppedError):
        train.train_fan(Cell(solver="fan", order=own), plan, seed=0)
    assert seen == [taught]


def plan_of(checkpoints: Path | None) -> Any:
    return train.TrainingPlan(steps=3, checkpoints=checkpoints, device=torch.device("cpu"))


@pytest.fixture
def undrawn(monkeypatch: pytest.MonkeyPatch) -> None:
    """Puzzles that take no time, and a network that takes no memory."""
    fixed = train.FixedSet(puzzles=None, seed=0)
    monkeypatch.setattr(train.FixedSet, "of", lambda kinds, **_: fixed)
    monkeypatch.setattr(train, "draw_set", lambda *_, **given: given["on_drawn"](2, 5))
    monkeypatch.setattr(train, "fresh_fan", lambda *_, **given: None)


def left_by(plan: Any, watch: Watch) -> str:
    with pytest.raises(InterruptedTrainingError) as caught:
        train.train_fan(Cell(solver="fan", pieces=4), plan, seed=600, watch=watch)
    return str(caught.value)


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize("kept", [True, False])
def test_whoever_watches_hears_all_and_is_asked_where_there_is_something_to_save(
    kept: bool, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    told, asked = list[Any](), list[bool]()

    def training(*_: object, interrupted: Any, on_report: Any, folder: Path | None, **given: Any) -> Any:
        given["on_work"]("taking the first step")
        on_report(Report(step=1, puzzles=2, progress=0.5, seconds=1.0))
        asked.append(interrupted())
        if folder is not None:
            train_state(folder / "state.safetensors", 7)
        return Outcome(finished=False, steps=7, minutes=1.0, puzzles=2, best={})

    monkeypatch.setattr(train, "train", training)
    watch = Watch(on_report=told.append, on_work=told.append, interrupted=lambda: True)
    said = left_by(plan_of(tmp_path / "kept" if kept else None), watch)
    assert [getattr(one, "what", one) for one in told[:2]] == ["drawing", "taking the first step"]
    assert told[2].step == 1
    assert asked == [kept]
    row = tmp_path / "kept" / "fan-square-4-pieces-seed600-train600"
    assert row.exists() == kept
    what = "training fan on square, 4 pieces"
    assert said == (
        f"{what} is kept in {row} as of step 7, and the same command goes on from it"
        if kept
        else f"nothing is kept of {what}, as no folder for checkpoints was named"
    )


def train_state(path: Path, step: int) -> None:
    from sherd.learn.training.checkpoint import save_tensors
    from sherd.learn.training.state import RunState

    save_tensors(path, {}, {"state": asdict(RunState(step=step))})


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize("where", ["draw_set", "train"])
def test_before_a_step_is_taken_nothing_is_kept(
    where: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    def press(*_: object, **given: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(train, where, press)
    said = left_by(plan_of(tmp_path / "runs" / "kept"), Watch())
    assert said == "training fan on square, 4 pieces had taken no step, and nothing of it is kept"
    assert list(tmp_path.iterdir()) == []
