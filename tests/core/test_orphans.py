from __future__ import annotations

import subprocess
import sys
from pathlib import Path

# Starts a pool of one worker, says its number, and waits to be killed.
PARENT = """
import multiprocessing, os, sys, time
from concurrent.futures import ProcessPoolExecutor
from sherd.core.orphans import end_with_parent
if __name__ == "__main__":
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(1, context, end_with_parent) as pool:
        print(pool.submit(os.getpid).result(), flush=True)
        sys.stdin.read()
"""


def test_a_worker_whose_parent_is_killed_ends(tmp_path: Path) -> None:
    program = tmp_path / "parent.py"
    program.write_text(PARENT)
    parent = subprocess.Popen([sys.executable, str(program)], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    assert parent.stdin and parent.stdout
    assert int(parent.stdout.readline()) > 0
    parent.kill()
    parent.wait()
    assert parent.stdout.read() == b""  # which ends only when the worker, too, has let go of it
    parent.stdin.close()
    parent.stdout.close()
