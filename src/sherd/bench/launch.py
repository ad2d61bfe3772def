"""Run a command and write what it cost: ``python launch.py REPORT COMMAND ...``.

A process counts the memory of the one that it was started from as its own, so that a command is started from
this one, which has hardly any. Nothing of sherd is imported here.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path


def main() -> None:
    """Write exit code, CPU seconds and peak memory, in units of the system's own, as JSON."""
    report, *words = sys.argv[1:]
    child = subprocess.Popen(words)
    _, status, usage = os.wait4(child.pid, 0)
    child.returncode = os.waitstatus_to_exitcode(status)
    cost = {
        "code": child.returncode,
        "cpu_seconds": usage.ru_utime + usage.ru_stime,
        "peak": usage.ru_maxrss,
    }
    Path(report).write_text(json.dumps(cost), encoding="utf-8")


if __name__ == "__main__":
    main()
