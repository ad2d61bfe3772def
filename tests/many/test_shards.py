"""Outcomes kept in files, each written once and whole."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as some

from sherd.core.errors import FileFormatError
from sherd.many.shards import (
    Keeping,
    Shards,
    frames,
    json_lines,
    name_run,
    open_shards,
    parse_shard,
    read_about,
)

PLAIN = json_lines(lambda outcome: outcome, lambda row: row)


def opened(
    folder: Path, *, seed: int = 1, shard: tuple[int, int] = (1, 1), whole: bool = False
) -> Shards[int]:
    keeping = Keeping(folder=folder, shard=shard, whole=whole, arguments=("bench",))
    return open_shards(keeping, {"seed": seed}, PLAIN, total=10)


def test_what_is_kept_is_found_again_up_to_a_gap(tmp_path: Path) -> None:
    opened(tmp_path).keep(0, [0, 1, 2])
    opened(tmp_path).keep(5, [5, 6])
    shards = opened(tmp_path)
    assert list(shards.following(0)) == [[0, 1, 2]]
    assert shards.missing() == [range(3, 5), range(7, 10)]
    shards.keep(3, [3, 4])
    assert list(shards.following(0)) == [[0, 1, 2], [3, 4], [5, 6]]


def test_shards_in_other_chunks_cover_each_other(tmp_path: Path) -> None:
    for first, stop in ((0, 4), (2, 7), (3, 5), (7, 10)):
        opened(tmp_path).keep(first, list(range(first, stop)))
    shards = opened(tmp_path, whole=True)
    assert [one for outcomes in shards.following(0) for one in outcomes] == list(range(10))


def test_a_part_needs_its_own_jobs_alone(tmp_path: Path) -> None:
    opened(tmp_path).keep(0, list(range(6)))
    part = opened(tmp_path, shard=(2, 3))
    assert part.part == range(3, 6)
    assert list(part.following(0)) == [[3, 4, 5]]
    assert not part.missing()
    assert {number for numbers in part.done() for number in numbers} == set(range(10))


def test_a_shard_is_written_once(tmp_path: Path) -> None:
    opened(tmp_path).keep(0, [1])
    opened(tmp_path).keep(0, [2])
    assert list(opened(tmp_path).following(0)) == [[1]]


def test_shards_of_another_run_are_refused(tmp_path: Path) -> None:
    opened(tmp_path).keep(0, [1])
    with pytest.raises(FileFormatError, match="another run: it differs in seed"):
        opened(tmp_path, seed=2)
    (tmp_path / f"{'0' * 16}-000000000-000000001.shard").write_text("1\n")
    with pytest.raises(FileFormatError, match="is a shard of another run"):
        opened(tmp_path)


def test_what_is_installed_makes_another_run(tmp_path: Path) -> None:
    opened(tmp_path)
    path = tmp_path / "run.json"
    document = json.loads(path.read_text())
    document["about"]["installed"]["numpy"] = "1.0"
    path.write_text(json.dumps(document | {"run": "0" * 16}))
    with pytest.raises(FileFormatError, match="it differs in numpy"):
        opened(tmp_path)


def test_a_run_with_gaps_is_not_whole(tmp_path: Path) -> None:
    opened(tmp_path).keep(2, [2, 3])
    with pytest.raises(FileFormatError, match="8 of 10 jobs are missing, 0 to 1, 4 to 9"):
        opened(tmp_path, whole=True)


@given(some.data())
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_shard_with_other_bytes_is_told_whatever_they_are(
    tmp_path_factory: pytest.TempPathFactory, data: some.DataObject
) -> None:
    folder = tmp_path_factory.mktemp("run")
    shards = opened(folder)
    shards.keep(0, [7, 8])
    path = next(folder.glob("*.shard"))
    written = path.read_bytes()
    at = data.draw(some.integers(0, len(written) - 1))
    changed = written[:at] + bytes([written[at] ^ data.draw(some.integers(1, 255))]) + written[at + 1 :]
    path.write_bytes(data.draw(some.sampled_from([changed, written[:at]])))
    with pytest.raises(FileFormatError, match="is not as it was written: remove it"):
        list(shards.following(0))


def test_a_shard_of_other_jobs_is_told(tmp_path: Path) -> None:
    opened(tmp_path).keep(0, [0, 1])
    path = next(tmp_path.glob("*.shard"))
    path.rename(path.with_name(path.name.replace("000000000-000000002", "000000002-000000004")))
    with pytest.raises(FileFormatError, match="is not as it was written"):
        list(opened(tmp_path).following(2))


def test_a_full_disk_leaves_what_was_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    shards = opened(tmp_path)
    shards.keep(0, [0])

    def full(descriptor: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left on device") as caught:
        shards.keep(1, [1])
    assert str(caught.value.filename).startswith(str(tmp_path))
    assert list(opened(tmp_path).following(0)) == [[0]]
    assert len(list(tmp_path.iterdir())) == 2


def test_folders_without_shards_say_so(tmp_path: Path) -> None:
    with pytest.raises(FileFormatError, match=r"there is no run\.json"):
        read_about(tmp_path)
    about = {"format": "sherd.run", "version": 1, "run": "a", "about": {}, "arguments": []}
    for broken in ({}, about | {"about": []}, about | {"arguments": "bench"}):
        (tmp_path / "run.json").write_text(json.dumps(broken))
        with pytest.raises(FileFormatError, match="is not what sherd writes"):
            read_about(tmp_path)


def test_the_arguments_are_kept_and_do_not_name_the_run(tmp_path: Path) -> None:
    one = name_run(tmp_path / "a", {"seed": 1}, ["bench", "--seed", "1"])
    assert one == name_run(tmp_path / "b", {"seed": 1})
    assert read_about(tmp_path / "a")["arguments"] == ["bench", "--seed", "1"]


def test_bytes_are_kept_as_they_are() -> None:
    codec = frames()
    some = [b"", b"one\n", bytes(300)]
    assert codec.decode(codec.encode(some)) == some


@pytest.mark.parametrize("text", ["", "3", "0/4", "5/4", "a/b", "1/2/3", "-1/2"])
def test_bad_parts_are_refused(text: str) -> None:
    with pytest.raises(ValueError, match="such as 3/16"):
        parse_shard(text)
