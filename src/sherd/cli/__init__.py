"""The command line. Only this package prints.

A command is loaded when it is asked for, and imports what it needs when it runs, so that ``sherd --help``
loads next to nothing.
"""

from __future__ import annotations

import atexit
import logging
import os
import signal
import sys
import warnings
from _thread import interrupt_main
from collections.abc import Sequence
from contextlib import suppress
from importlib import import_module
from typing import Annotated

import typer

from sherd.cli.console import BAD_INPUT, INTERRUPTED, UNFORESEEN, SaysRecords, say, say_error
from sherd.cli.deadline import TimeIsUp
from sherd.core.errors import SherdError

# What each command does; the function and its module have its name.
COMMANDS = {
    "generate": "Make a set of puzzles with their answers.",
    "show": "Draw a puzzle, an answer, or what was read of a drawing.",
    "assemble": "Put puzzles, or your own pieces, together.",
    "train": "Train a network on puzzles that sherd makes.",
    "export": "Write a network as ONNX files, to be run without torch.",
    "bench": "Measure solvers on sets of puzzles.",
    "score": "Check and measure answers, whichever solver wrote them.",
    "report": "Write the paper's rows with our figures beside them.",
    "marker": "Write the marker page, to be printed at 100 %.",
    "studio": "Open the studio, or serve it to others.",
}
# The shell that asks how a line may go on sets this.
COMPLETE = "_SHERD_COMPLETE"
# How long after a Ctrl-C that was lost it is pressed again: what lost it should be over.
PRESSED_AGAIN_S = 0.05
MEMORY_ADVICE = "give it smaller pictures, fewer pieces or puzzles at a time, or fewer --workers"
HELP = "Put the pieces back together: find each fragment's pose so that together they rebuild a target."
EPILOG = "\b\nExample:\n  sherd generate puzzles.jsonl --count 3\n  sherd assemble puzzles.jsonl"


def make_app(wanted: str | None = None) -> typer.Typer:
    """All commands by name and line of help; only the one that is ``wanted``, or "*" all, can be run."""
    app = typer.Typer(
        name="sherd",
        help=HELP,
        epilog=EPILOG,
        add_completion=COMPLETE in os.environ,
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
    )
    app.callback()(_options)
    for name, says in COMMANDS.items():
        run_it = _not_loaded
        if wanted in (name, "*"):
            run_it = getattr(import_module(f"sherd.cli.{name}"), name)
        app.command(name, short_help=says)(run_it)
    return app


def _not_loaded() -> None:
    raise RuntimeError("a command is run that was not loaded")


def _print_version(asked: bool) -> None:
    if asked:
        from sherd.core.about import versions

        for line in versions().splitlines():
            say(line)
        raise typer.Exit


def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version",
            help="Say which sherd this is, and what it runs with.",
            callback=_print_version,
            is_eager=True,
        ),
    ] = False,
) -> None:
    pass


def end_when_told() -> None:
    """Let SIGTERM and SIGHUP end the process as an error does: unfinished files go, and nothing is said.

    Where Python lets no error through, as in the finalizer of an object, the process is ended at once, and a
    Ctrl-C is pressed again.
    """

    def end_at_once(about: sys.UnraisableHookArgs) -> None:
        if isinstance(about.exc_value, KeyboardInterrupt):
            from threading import Timer

            Timer(PRESSED_AGAIN_S, interrupt_main).start()
            return
        if isinstance(about.exc_value, TimeIsUp):  # rings again
            return
        if not isinstance(about.exc_value, SystemExit):
            sys.__unraisablehook__(about)
            return
        from sherd.io.atomic import remove_unfinished

        remove_unfinished()
        code = about.exc_value.code
        os._exit(code if isinstance(code, int) else 128 + signal.SIGTERM)

    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    hung_up = getattr(signal, "SIGHUP", None)
    if hung_up is not None and signal.getsignal(hung_up) is not signal.SIG_IGN:  # as under nohup
        signal.signal(hung_up, lambda number, frame: sys.exit(128 + number))
    sys.unraisablehook = end_at_once


def main() -> None:
    """What the command ``sherd`` runs."""
    if COMPLETE in os.environ:  # a shell asks, and typer answers it
        make_app("*")(prog_name="sherd")
    end_when_told()
    if not sys.warnoptions:  # of libraries, which are no words for users; in workers, too
        warnings.simplefilter("ignore")
        os.environ.setdefault("PYTHONWARNINGS", "ignore")
    logger = logging.getLogger("sherd")
    logger.addHandler(SaysRecords())
    logger.setLevel(logging.INFO)
    try:
        code = run(sys.argv[1:])
    except KeyboardInterrupt:  # pressed while commands were loaded, or a second time while the first was told
        code = INTERRUPTED
    if code == INTERRUPTED:
        _leave_at_once(code)
    sys.exit(code)


def _leave_at_once(code: int) -> None:
    """End without taking all modules down one by one, which takes seconds with torch on a busy machine.

    What is to be done at the end is done; memory and threads the system takes back by itself.
    """
    atexit._run_exitfuncs()  # pyright: ignore[reportPrivateUsage]
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # gone, or closed
            stream.flush()
    os._exit(code)


def run(arguments: Sequence[str]) -> int:
    """Run a command line and return its exit code; what users can mend is said in one line on stderr."""
    arguments = list(arguments) or ["--help"]
    named = next((word for word in arguments if not word.startswith("-")), None)
    command = typer.main.get_command(make_app(named))
    try:
        # Not through typer's own main, which would silence interruptions and closed pipes.
        with command.make_context("sherd", list(arguments)) as context:
            command.invoke(context)
    except typer.Exit as ended:
        return ended.exit_code
    except KeyboardInterrupt:
        say_error("interrupted")
        return INTERRUPTED
    except BrokenPipeError:  # whoever read our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for what is still to be flushed
        return 0
    except MemoryError:
        say_error(f"there is not enough memory for this: {MEMORY_ADVICE}")
    except SherdError as error:
        say_error(str(error))
    except OSError as error:
        if error.errno is None:  # not said by the file system
            return _caught(error, arguments)
        named = f"{error.filename}: " if error.filename is not None else ""
        say_error(f"{named}{error.strerror or error}")
    except Exception as error:
        # What the parser of arguments raises has this method, and no public base class.
        describe = getattr(error, "format_message", None)
        if describe is None:
            return _caught(error, arguments)
        command = getattr(getattr(error, "ctx", None), "command_path", "sherd")
        say_error(f"{describe().rstrip('.')} (see {command} --help)")
    else:
        return 0
    return BAD_INPUT


def _caught(error: Exception, arguments: Sequence[str]) -> int:
    """Say what nobody foresaw in one line, never as a traceback, and return the exit code."""
    from sherd.core.unforeseen import told

    say_error(told(error, f"sherd {' '.join(map(repr, arguments))}"))
    return UNFORESEEN
