"""``sherd assemble --explain``: what a network held likely, as a picture."""

from __future__ import annotations

import re
from dataclasses import asdict
from pathlib import Path

import pytest
import torch

from sherd.cli import run
from sherd.core.geometry import Rotations
from sherd.generation.dataset import PuzzleKind, make_samples
from sherd.io import write_samples
from sherd.learn.fan.network import Fan, FanConfig
from sherd.learn.fan.weights import save_fan
from sherd.learn.matcher.network import Matcher, MatcherConfig
from sherd.learn.training.checkpoint import save_network

ASSEMBLE = ["assemble", "four.jsonl", "--out", "out", "--explain"]
MATCHER = ["--solver", "matcher", "--weights", "w.safetensors"]
FAN = ["--solver", "fan", "--weights", "f.safetensors"]


@pytest.fixture(autouse=True)
def _weights_and_puzzles(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    torch.set_num_threads(1)
    torch.manual_seed(0)
    model = Matcher(MatcherConfig(size_px=32, features=4, widths=(8, 12), judge_widths=(6, 8)))
    torch.nn.init.normal_(model.shape_head.weight, std=0.2)  # or every pixel would be as likely
    save_network(Path("w.safetensors"), "matcher", model, asdict(model.config), {})
    tiny = FanConfig(
        size_px=32, features=16, hidden=32, heads=2, code_channels=4, map_channels=4, rotates=True
    )
    fan = Fan(tiny)
    torch.nn.init.normal_(fan.decoder.logits.weight)
    save_fan(Path("f.safetensors"), fan, {})
    write_samples("four.jsonl", make_samples(PuzzleKind(pieces=4), seed=2, stop=2))
    write_samples("turned.jsonl", make_samples(PuzzleKind(pieces=4, rotations=Rotations(4)), seed=2, stop=1))


@pytest.mark.parametrize("network", [MATCHER, FAN])
def test_a_picture_of_each_puzzle_with_a_map_of_each_step(network: list[str]) -> None:
    assert run([*ASSEMBLE, *network]) == 0
    pictures = sorted(Path("out").glob("*.explain.svg"))
    assert [path.name for path in pictures] == ["four-0.explain.svg", "four-1.explain.svg"]
    assert all(path.read_text().count("<image") == 4 for path in pictures)


@pytest.mark.parametrize(("file", "named"), [("four", "piece, pixel"), ("turned", "piece, angle, pixel")])
def test_fan_says_how_sure_it_was_of_each_choice(file: str, named: str) -> None:
    assert run(["assemble", f"{file}.jsonl", "--out", "out", "--explain", *FAN]) == 0
    picture = Path(f"out/{file}-0.explain.svg" if file == "four" else f"out/{file}.explain.svg").read_text()
    said = re.findall(r">(piece \d[^<]*)<", picture)
    assert len(said) == 4
    assert {re.sub(r" \d+%", "", line) for line in said} == {named}


def test_it_shows_what_was_held_likely_before_refining() -> None:
    assert run([*ASSEMBLE, *MATCHER, "--index", "1", "--refine"]) == 0
    assert Path("out/four-1.explain.svg").read_text().count("<image") == 4


def test_no_step_no_picture() -> None:
    assert run([*ASSEMBLE, *MATCHER, "--time-limit", "0"]) == 0
    assert not list(Path("out").glob("*.explain.svg"))


@pytest.mark.parametrize("solver", ["auto", "search", "matcher-beam"])
def test_others_do_not_explain(solver: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert run([*ASSEMBLE, "--solver", solver]) == 2
    said = f"sherd: --explain goes with --solver fan or matcher, not with {solver}\n"
    assert capsys.readouterr().err == said
    assert not Path("out").exists()


def test_drawings_are_not_explained(capsys: pytest.CaptureFixture[str]) -> None:
    Path("pieces.wkt").write_text("POLYGON ((0 0, 1 0, 1 1, 0 0))\n")
    assert run(["assemble", "pieces.wkt", *MATCHER, "--explain"]) == 2
    assert "--explain goes with files of puzzles only" in capsys.readouterr().err
