# ruff: noqa: T201  (a program: it prints what it finds)
"""Runs commands in processes of their own that need not load anything: sherd is loaded once, then it forks.

A line of JSON on the input is a command line; the process number comes back, and its exit code in the end.
"""

from __future__ import annotations

import json
import os
import signal
import sys
from importlib import import_module

import sherd.cli


def command(arguments: list[str]) -> None:
    """Be the command from here on, as the program would."""
    os.setsid()  # so that whatever it leaves running can be found
    for stream in (0, 1, 2):
        os.dup2(os.open(os.devnull, os.O_RDWR), stream)
    signal.signal(signal.SIGINT, signal.default_int_handler)
    sys.argv = ["sherd", *arguments]
    code = 1
    try:
        sherd.cli.main()
    except SystemExit as ended:
        code = ended.code if isinstance(ended.code, int) else 0 if ended.code is None else 1
    except BaseException:
        code = 99  # a traceback
    finally:
        os._exit(code)


def serve() -> None:
    """Run one command after the other."""
    for name in ("numpy", "shapely", "sherd.workshop", "sherd.draw", "sherd.bench.run", "sherd.solvers"):
        import_module(name)
    for line in sys.stdin:
        process = os.fork()
        if process == 0:
            command(json.loads(line))
        print(process, flush=True)
        _, status = os.waitpid(process, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)


if __name__ == "__main__":
    serve()
