"""What the folder of a run says of it; the rest is tested with ``sherd train``."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sherd.core.errors import FileFormatError
from sherd.learn.training.runlog import FORMAT, VERSION, RunLog, saved_settings
from sherd.learn.training.settings import NETWORKS, read_settings


def begin(folder: Path, network: str) -> dict[str, Any]:
    settings = read_settings(None, network=network, steps=2)
    RunLog.begin(folder, settings, command="sherd train", about={"commit": "abc", "machine": "m"}).close()
    return json.loads((folder / "config.json").read_text())


@pytest.mark.parametrize("network", NETWORKS)
def test_settings_come_back_from_the_folder(network: str, tmp_path: Path) -> None:
    begun = begin(tmp_path / "run", network)
    assert (begun["format"], begun["version"], begun["network"]) == (FORMAT, VERSION, network)
    assert (begun["command"], begun["commit"]) == ("sherd train", "abc")
    assert saved_settings(tmp_path / "run") == read_settings(None, network=network, steps=2)


def test_what_older_runs_of_fan_do_not_say(tmp_path: Path) -> None:
    begun = begin(tmp_path / "run", "fan")
    del begun["network"], begun["settings"]["network"]["pose_sees_others"]
    del begun["settings"]["losses"]["attention_rate"]
    (tmp_path / "run" / "config.json").write_text(json.dumps(begun))
    settings = saved_settings(tmp_path / "run")
    assert (settings.name, settings.network.pose_sees_others) == ("fan", False)
    assert settings.losses.attention_rate == 1.0


@pytest.mark.parametrize("network", ["abacus", ["fan"], {}, 3, None])
def test_a_run_of_no_network(network: object, tmp_path: Path) -> None:
    begun = begin(tmp_path / "run", "fan")
    (tmp_path / "run" / "config.json").write_text(json.dumps({**begun, "network": network}))
    with pytest.raises(FileFormatError, match=r"config\.json: there is no network"):
        saved_settings(tmp_path / "run")


def test_a_run_with_nothing_to_show_is_taken_back_with_its_folders(tmp_path: Path) -> None:
    settings = read_settings(None, steps=2)
    log = RunLog.begin(tmp_path / "new" / "run", settings, command="", about={})
    log.take_back()
    assert not (tmp_path / "new").exists()
    (tmp_path / "old").mkdir()
    (tmp_path / "old" / "mine").write_text("")
    with pytest.raises(FileFormatError, match="is not empty, and holds no state"):
        RunLog.begin(tmp_path / "old", settings, command="", about={})
    assert (tmp_path / "old" / "mine").exists()
