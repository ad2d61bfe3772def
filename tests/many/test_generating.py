"""Sets made by many workers: the same bytes whatever their number, kept or not, broken off or not."""

from __future__ import annotations

from pathlib import Path

import pytest

from sherd.cli import run
from sherd.core.errors import UnsupportedError
from sherd.generation.dataset import PuzzleKind, make_samples
from sherd.io import puzzle_to_line, read_all
from sherd.many.generating import TO_BE_DRAWN, MakePuzzles, MakeSamples
from sherd.many.share import share

OF = {"arrow": ["--pieces", "4", "--count", "1700"], "jsonl": ["--pieces", "3", "--count", "1100"]}


@pytest.mark.parametrize("ending", OF)
def test_bytes_do_not_depend_on_workers_or_parts(tmp_path: Path, ending: str) -> None:
    generate = [*OF[ending], "--seed", "5", "--rotations", "free"]
    alone, together, merged = (tmp_path / f"{name}.{ending}" for name in ("alone", "together", "merged"))
    assert run(["generate", str(alone), *generate]) == 0
    assert run(["generate", str(together), *generate, "--workers", "2"]) == 0
    assert together.read_bytes() == alone.read_bytes()
    shards = tmp_path / f"run-{ending}"
    for part in ("2/2", "1/2"):
        assert run(["generate", str(merged), *generate, "--shards", str(shards), "--shard", part]) == 0
        assert not merged.exists()
    assert run(["report", "--merge", str(shards), "--out", str(merged)]) == 0
    assert merged.read_bytes() == alone.read_bytes()


@pytest.mark.parametrize("words", [["--dissection", "broken"], ["--noise", "0.01"], ["--split", "test"]])
def test_other_sets_are_the_same_in_both_forms(tmp_path: Path, words: list[str]) -> None:
    files = [str(tmp_path / f"set.{ending}") for ending in ("jsonl", "arrow")]
    for file in files:
        assert run(["generate", file, "--count", "12", "--pieces", "4", *words]) == 0
    lines, rows = ([puzzle_to_line(item) for item in read_all(file)] for file in files)
    assert lines == rows


def test_jobs_are_blocks_as_they_are_cut() -> None:
    cuts, torn = MakePuzzles(PuzzleKind(), 1), MakePuzzles(PuzzleKind(dissection="broken"), 1)
    assert cuts.jobs(range(400, 1200)) == [range(400, 500), range(500, 1000), range(1000, 1200)]
    assert torn.jobs(range(5, 12)) == [range(5, 10), range(10, 12)]


def test_puzzles_that_cannot_be_made_are_not_made_up() -> None:
    with pytest.raises(UnsupportedError, match="puzzles 10 to 19 cannot be made: it died"):
        MakePuzzles(PuzzleKind(), 1).lost(range(10, 20), "it died")


def test_what_is_taught_on_is_the_set_in_parts() -> None:
    kind = PuzzleKind(pieces=3, degradation="missing")
    make, part = MakeSamples(kind, 3), range(480, 480 + TO_BE_DRAWN + 5)
    assert [len(job) for job in make.jobs(part)] == [TO_BE_DRAWN, 5]
    some = [sample for job in share(make, make.jobs(part)) for sample in job]
    assert some == list(make_samples(kind, seed=3, start=part.start, stop=part.stop))
    with pytest.raises(UnsupportedError, match="puzzles 0 to 9 cannot be made: it died"):
        make.lost(range(10), "it died")
