"""What the paper's network is trained on for a row of a table."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from sherd.bench.cell import Cell
from sherd.core.errors import UnsupportedError
from sherd.core.geometry import Rotations

torch = pytest.importorskip("torch")
train = pytest.importorskip("sherd.bench.train")
read_settings = pytest.importorskip("sherd.learn.training.settings").read_settings


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
