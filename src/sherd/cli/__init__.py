"""The command line. Only this package prints.

Commands import what they need when they run, so that ``sherd --help`` loads neither torch nor shapely.
"""

from __future__ import annotations

import logging
import os
import signal
import sys
from collections.abc import Sequence
from typing import Annotated

import typer

from sherd.cli import assemble, bench, export, generate, marker, report, score, show, studio, train
from sherd.cli.console import BAD_INPUT, INTERRUPTED, SaysRecords, say, say_error
from sherd.core.errors import SherdError

app = typer.Typer(
    name="sherd",
    help="Put the pieces back together: find each fragment's pose so that together they rebuild a target.",
    epilog="\b\nExample:\n  sherd generate puzzles.jsonl --count 3\n  sherd assemble puzzles.jsonl",
    add_completion=False,
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)
app.command("generate")(generate.generate)
app.command("show")(show.show)
app.command("assemble")(assemble.assemble)
app.command("train")(train.train)
app.command("export")(export.export)
app.command("bench")(bench.bench)
app.command("score")(score.score)
app.command("report")(report.report)
app.command("marker")(marker.marker)
app.command("studio")(studio.studio)


def _print_version(asked: bool) -> None:
    if asked:
        from importlib.metadata import version

        say(f"sherd {version('sherd')}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option("--version", help="Say which sherd this is.", callback=_print_version, is_eager=True),
    ] = False,
) -> None:
    pass


def end_when_told() -> None:
    """Let SIGTERM end the process as an error does, so that unfinished files are cleared up and nothing said.

    Where Python lets no error through, as in the finalizer of an object, the process is ended at once.
    """

    def end_at_once(about: sys.UnraisableHookArgs) -> None:
        if not isinstance(about.exc_value, SystemExit):
            sys.__unraisablehook__(about)
            return
        from sherd.io.atomic import remove_unfinished

        remove_unfinished()
        os._exit(128 + signal.SIGTERM)

    signal.signal(signal.SIGTERM, lambda number, frame: sys.exit(128 + number))
    sys.unraisablehook = end_at_once


def main() -> None:
    """What the command ``sherd`` runs."""
    end_when_told()
    logger = logging.getLogger("sherd")
    logger.addHandler(SaysRecords())
    logger.setLevel(logging.INFO)
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run a command line and return its exit code; what users can mend is said in one line on stderr."""
    command = typer.main.get_command(app)
    try:
        # Not through typer's own main, which would silence interruptions and closed pipes.
        with command.make_context("sherd", list(arguments) or ["--help"]) as context:
            command.invoke(context)
    except typer.Exit as ended:
        return ended.exit_code
    except KeyboardInterrupt:
        say_error("interrupted")
        return INTERRUPTED
    except BrokenPipeError:  # whoever read our output has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # for what is still to be flushed
        return 0
    except OSError as error:
        named = f"{error.filename}: " if error.filename is not None else ""
        say_error(f"{named}{error.strerror or error}")
    except MemoryError:
        say_error("out of memory")
    except (SherdError, ValueError) as error:
        say_error(str(error))
    except Exception as error:
        # What the parser of arguments raises has this method, and no public base class.
        describe = getattr(error, "format_message", None)
        if describe is None:
            raise
        command = getattr(getattr(error, "ctx", None), "command_path", "sherd")
        say_error(f"{describe().rstrip('.')} (see {command} --help)")
    else:
        return 0
    return BAD_INPUT
