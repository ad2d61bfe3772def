"""What a command costs, whatever the process has that asks for it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np

from sherd.bench import launch

MIB = 2**20 if sys.platform == "darwin" else 2**10


def cost_of(code: str, folder: Path) -> dict[str, Any]:
    report = folder / "cost.json"
    words = [sys.executable, launch.__file__, str(report), sys.executable, "-c", code]
    subprocess.run(words, check=True)
    return json.loads(report.read_text())


def test_memory_is_that_of_the_command_alone(tmp_path: Path) -> None:
    here = np.ones(2**25)  # 256 MiB that a process started from this one would count as its own
    little, much = (cost_of(code, tmp_path) for code in ("pass", "bytearray(2**27)"))
    assert here.sum() == 2**25
    assert little["peak"] < 60 * MIB
    assert 128 * MIB < much["peak"] < 200 * MIB


def test_the_exit_code_and_the_work_are_told(tmp_path: Path) -> None:
    busy = "import sys, time\nwhile time.process_time() < 0.2: pass\nsys.exit(3)"
    cost = cost_of(busy, tmp_path)
    assert cost["code"] == 3
    assert 0.2 <= cost["cpu_seconds"] < 5.0
