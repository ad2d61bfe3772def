"""``sherd train``: train a network and keep it in a run folder."""

from __future__ import annotations

import contextlib
import math
import os
import shlex
import signal
import sys
import time
from collections.abc import Callable, Generator
from contextlib import contextmanager
from datetime import UTC, datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sherd.cli import options
from sherd.cli.console import BAD_INPUT, INTERRUPTED, Terminals, say, say_error
from sherd.core.errors import ArgumentError, LostDeviceError, SherdError

if TYPE_CHECKING:
    from sherd.learn.training.interruption import Work
    from sherd.learn.training.train import Outcome, Report

# Where there is no terminal, a line that often.
SECONDS_A_LINE = 10.0
CURVE = "curve.svg"
# Only where there are terminals that can go away.
HANG_UP: signal.Signals | None = getattr(signal, "SIGHUP", None)
STOPPING = b"sherd: stopping, to save the state; once more ends at once without saving\n"
NO_ACCELERATOR = "no accelerator here: a small network, unless --config names another"
ADVICE = "lower batch_puzzles in [training], or train a smaller network or on fewer pieces or rotations"


class Network(StrEnum):
    """What can be trained."""

    FAN = "fan"
    MATCHER = "matcher"


def train(
    network: Annotated[Network, typer.Argument(help="Which network.")],
    out: Annotated[Path, typer.Option(metavar="DIR", help="The run's folder, new unless it is resumed.")],
    config: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE.toml",
            help="Settings.",
            show_default="8 pieces of the square, small without an accelerator",
        ),
    ] = None,
    minutes: Annotated[float | None, typer.Option(help="How long to train.")] = None,
    steps: Annotated[int | None, typer.Option(help="How long to train, counted in steps.")] = None,
    start: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE|DIR", help="Begin with the weights of this earlier run, not with fresh ones."
        ),
    ] = None,
    device: options.DeviceOption = "auto",
    resume: Annotated[bool, typer.Option("--resume", help="Go on where the folder's run was left.")] = False,
) -> None:
    """Train a network on puzzles that sherd makes.

    The folder receives the settings, metrics (also for TensorBoard), the state to resume from and the
    weights that validated best, and a picture of how it learned. Ctrl-C leaves the step at hand, saves the
    state and says how to go on; before the first step it ends at once. Several accelerators or machines train
    together under torchrun.

    \b
    Examples:
      sherd train fan --minutes 4 --out runs/square
      sherd train fan --config experiments/fan-compact.toml --minutes 20 --out runs/compact
      sherd train matcher --config experiments/matcher.toml --minutes 20 --out runs/matcher
      torchrun --nproc-per-node 2 -m sherd train fan --minutes 4 --out runs/two
    """
    if minutes is not None and steps is not None:
        raise ArgumentError("--minutes and --steps: choose one")
    if resume and start is not None:
        raise ArgumentError("--start and --resume: choose one")
    if config is None and minutes is None and steps is None and not resume:
        raise ArgumentError("say how long to train: --minutes or --steps")

    # Threads that wait for each other should not keep the cores from others meanwhile; read by torch.
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    from sherd.bench.provenance import commit, machine, versions
    from sherd.learn.training.device import choose_device, clear_memory_errors
    from sherd.learn.training.experiment import Experiment
    from sherd.learn.training.processes import joined, rank_in_group
    from sherd.learn.training.runlog import saved_settings
    from sherd.learn.training.settings import read_settings
    from sherd.learn.training.threads import limit_threads

    try:
        if resume and config is None and minutes is None and steps is None:
            settings = saved_settings(out)
        else:
            small = config is None and choose_device(device).type == "cpu"
            settings = read_settings(config, network=network.value, minutes=minutes, steps=steps, small=small)
            if small and rank_in_group() == 0:
                say_error(NO_ACCELERATOR)
        if settings.name != network.value:
            raise ArgumentError(f"{out}: holds a run of {settings.name}, not of {network.value}")
        limit_threads(settings.size_px)
        about: dict[str, Any] = {
            "machine": machine(),
            "versions": versions(),
            "commit": commit(),
            "date": datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ"),
        }
        experiment = Experiment(
            settings=settings,
            folder=out,
            resume=resume,
            start=start,
            command=shlex.join(["sherd", "train", *_words(network, config, minutes, steps, start)]),
            about=about,
        )
        terminals = Terminals()
        with (
            _interruptions(terminals, speaks=rank_in_group() == 0) as interrupted,
            clear_memory_errors(ADVICE),
            joined(device) as process,
            _display(process.is_first, terminals) as show,
        ):
            outcome = experiment.run(process, on_report=show, on_work=show, interrupted=interrupted)
    except (SherdError, ValueError, OSError) as error:
        if isinstance(error, LostDeviceError) and rank_in_group() == 0:
            raise LostDeviceError(f"{error}; {_kept(network, out)}") from None
        if rank_in_group() == 0:
            raise
        raise typer.Exit(BAD_INPUT) from None  # the first process says it for all
    if process.is_first:
        draw_curve(out)
        _say_outcome(outcome, network, out)
    if not outcome.finished:
        raise typer.Exit(INTERRUPTED)


def _words(
    network: Network, config: Path | None, minutes: float | None, steps: int | None, start: Path | None
) -> list[str]:
    """The command line, but for the machine's device and folders."""
    options = {"--config": config, "--minutes": minutes, "--steps": steps, "--start": start}
    given = [[name, f"{value}"] for name, value in options.items() if value is not None]
    return [network.value, *(word for pair in given for word in pair)]


def draw_curve(folder: Path) -> None:
    """Write the learning curve of the run in a folder beside its metrics, if it has any yet."""
    from sherd import draw
    from sherd.draw.learning_curve import draw_learning
    from sherd.learn.training.runlog import read_metrics

    picture = draw_learning(read_metrics(folder))
    if picture is not None:
        draw.write(picture, folder / CURVE)


def _say_outcome(outcome: Outcome, network: Network, out: Path) -> None:
    done = f"{outcome.steps:,} steps, {outcome.puzzles:,} puzzles, {outcome.minutes:.1f} minutes"
    if outcome.finished:
        say(f"{out}: {done}; best validation {_figures(outcome.best)}; {out / CURVE} shows how it learned")
    else:
        say_error(f"interrupted after {done}; {_again(network, out)}")


def _again(network: Network, out: Path) -> str:
    return f"go on with: {shlex.join(['sherd', 'train', network.value, '--out', str(out), '--resume'])}"


def _kept(network: Network, out: Path) -> str:
    """What is left of a run that failed."""
    from sherd.learn.training.runlog import STATE

    if not (out / STATE).exists():
        return "nothing had been saved yet"
    return f"what was saved before is kept: {_again(network, out)}"


@contextmanager
def _interruptions(terminals: Terminals, *, speaks: bool) -> Generator[Callable[[], bool], None, None]:
    """Whether Ctrl-C was pressed or the process told to end, which then only is noted; twice ends at once.

    Until it is asked for the first time there is nothing to save, and once ends at once. A terminal that
    goes away may say so several times: that counts as once.
    """
    heard: list[int] = []
    is_asked = False

    def note(number: int, frame: object) -> None:
        again = bool(heard)
        heard.append(number)
        if number == HANG_UP:
            terminals.leave_gone()
            if again:
                return
        if again or not is_asked:
            raise KeyboardInterrupt
        if speaks and number != HANG_UP:
            with contextlib.suppress(OSError):  # not through sys.stderr, which may be in the midst of a line
                os.write(2, (b"\n" if os.isatty(2) else b"") + STOPPING)

    def ask() -> bool:
        nonlocal is_asked
        is_asked = True
        return bool(heard)

    numbers = [signal.SIGINT, signal.SIGTERM]
    if HANG_UP is not None and signal.getsignal(HANG_UP) is not signal.SIG_IGN:  # as nohup asks for
        numbers.append(HANG_UP)
    before = {number: signal.signal(number, note) for number in numbers}
    try:
        yield ask
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def _display(speaks: bool, terminals: Terminals) -> Generator[Callable[[Report | Work], None], None, None]:
    """A function that shows reports: a bar with the time left on a terminal, else a line now and then."""
    if not speaks:
        yield lambda report: None
    elif sys.stderr.isatty():
        with _bar() as show:

            def show_if_seen(report: Report | Work) -> None:
                try:
                    show(report)
                except OSError:
                    terminals.leave_gone()

            yield show_if_seen
    else:
        yield _lines()


def _lines() -> Callable[[Report | Work], None]:
    from sherd.learn.training.interruption import Work

    last = -math.inf  # the first at once

    def show(report: Report | Work) -> None:
        nonlocal last
        now = time.monotonic()
        urgent = not isinstance(report, Work) and report.validation is not None
        if not urgent and now - last < SECONDS_A_LINE:
            return
        last = now
        say_error(_line(report))

    return show


@contextmanager
def _bar() -> Generator[Callable[[Report | Work], None], None, None]:
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

    from sherd.learn.training.interruption import Work

    columns = (TextColumn("{task.description}"), BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("training", total=1.0)

        def show(report: Report | Work) -> None:
            if isinstance(report, Work):
                bar.update(task, description=_line(report))
                return
            if report.validation is not None:
                bar.console.print(_line(report), markup=False, highlight=False)
                return
            loss = f"loss {report.losses['loss']:.3f}, {report.puzzles / report.seconds:,.0f} puzzles/s"
            bar.update(task, completed=report.progress, description=loss)

        yield show


def _line(report: Report | Work) -> str:
    from sherd.learn.training.interruption import Work

    if isinstance(report, Work):
        return f"{report.what}, {report.done:,} of {report.total:,}"
    left = report.seconds / report.progress - report.seconds if report.progress > 0.0 else 0.0
    figures = _figures(report.losses if report.validation is None else report.validation)
    what = "training" if report.validation is None else "validation"
    return f"step {report.step:,}, {report.seconds:.0f} s, {max(0.0, left):.0f} s left: {what} {figures}"


def _figures(figures: Any) -> str:
    return ", ".join(f"{name} {value:.3f}" for name, value in figures.items())
