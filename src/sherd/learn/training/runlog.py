"""The folder of a training run: settings, metrics, training state and the best weights.

config.json            all settings, the command, machine, versions and commit
metrics.jsonl          losses every few steps and every validation, one object a line
events.out.tfevents.*  the same for TensorBoard
state.safetensors      all that is needed to go on
weights.safetensors    the weights that validated best, their config and record in weights.json
curve.svg              the metrics as plots, drawn by the command
"""

from __future__ import annotations

import contextlib
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from torch.utils.tensorboard import SummaryWriter  # pyright: ignore[reportPrivateImportUsage]

from sherd.core.errors import FileFormatError
from sherd.io.atomic import write_atomically
from sherd.io.folder_lock import held
from sherd.learn.training.checkpoint import STATE, WEIGHTS, check_training, save_network
from sherd.learn.training.learner import TrainableNetwork
from sherd.learn.training.settings import NETWORKS, TrainingSettings, settings_from
from sherd.learn.training.state import saved_step, settings_in_state
from sherd.learn.training.toml_tables import difference
from sherd.learn.training.train import Outcome, Report

FORMAT, VERSION = "sherd.run", 1
CONFIG, METRICS = "config.json", "metrics.jsonl"
# What a run's weights say, too, about where they come from.
ORIGIN = ("commit", "machine", "device", "date")
# From one line of losses that is kept to the next.
STEPS_A_LINE = 10


@dataclass
class RunLog:
    """Writes down what a run reports."""

    folder: Path
    settings: TrainingSettings
    command: str
    origin: Mapping[str, Any] = field(default_factory=dict[str, Any])  # of `ORIGIN` what was given
    start: Mapping[str, Any] | None = None  # the record of the weights that it began with
    _events: SummaryWriter = field(init=False)
    _best: dict[str, Any] = field(default_factory=dict[str, Any], init=False)
    _begun_now: bool = field(default=False, init=False)
    _made: list[Path] = field(default_factory=list[Path], init=False)  # folders, the innermost first
    _lock: contextlib.ExitStack = field(default_factory=contextlib.ExitStack, init=False)  # on the folder

    @classmethod
    def begin(
        cls, folder: Path, settings: TrainingSettings, *, command: str, about: Mapping[str, Any]
    ) -> RunLog:
        """A new folder; `FileFormatError` if there is something in it already."""
        made = [part for part in (folder, *folder.parents) if not part.exists()]
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except (FileExistsError, NotADirectoryError):
            raise FileFormatError(f"{folder}: there is a file in the way") from None
        lock = _held(folder)
        if any(folder.iterdir()):
            lock.close()
            if (folder / STATE).exists():
                raise FileFormatError(f"{folder}: is not empty: resume the run in it, or name another folder")
            raise FileFormatError(
                f"{folder}: is not empty, and holds no state to go on from: remove it or choose another"
            )
        document = {
            "format": FORMAT,
            "version": VERSION,
            "network": settings.name,
            "command": command,
            **about,
            "settings": settings.to_json(),
        }
        write_atomically(folder / CONFIG, json.dumps(document, indent=2) + "\n")
        (folder / METRICS).touch()
        log = cls(folder, settings, command, _origin(about), about.get("start"))
        log._events = SummaryWriter(str(folder))
        log._begun_now, log._made, log._lock = True, made, lock
        return log

    @classmethod
    def resume(cls, folder: Path, settings: TrainingSettings) -> RunLog:
        """An old folder, back at the step of its saved state; what was reported after it is dropped."""
        begun_with = saved_settings(folder)
        if (folder / STATE).exists():
            _check_unchanged(folder, begun_with)
        if (ours := begun_with.training.duration) != (asked := settings.training.duration):
            raise FileFormatError(f"{folder / CONFIG}: the run was begun for {ours}, not for {asked}")
        if begun_with != settings:
            what = difference(begun_with.to_json(), settings.to_json())
            raise FileFormatError(f"{folder / CONFIG}: the run was begun with other settings: {what}")
        if not (folder / STATE).exists():
            raise FileFormatError(
                f"{folder}: holds no state to go on from, since the run ended before it saved one: remove it "
                "or choose another, and begin anew"
            )
        lock = _held(folder)
        step = saved_step(folder / STATE)
        begun = _document(folder)
        start = begun.get("start")
        if start is not None:
            check_training(start, f"{folder / CONFIG}: start")
        log = cls(folder, settings, str(begun.get("command", "")), _origin(begun), start)
        log._lock = lock
        log._drop_after(step)
        log._events = SummaryWriter(str(folder), purge_step=step + 1)
        return log

    def report(self, report: Report, model: TrainableNetwork) -> None:
        """Write down a report; the model's weights are kept if they are the best so far."""
        line: dict[str, Any] = {"step": report.step, "seconds": round(report.seconds, 3)}
        if report.validation is None:
            if report.step % STEPS_A_LINE:
                return
            line |= report.losses
            self._chart("training", report.losses, report.step)
        else:
            line |= {"validation": dict(report.validation), "best": report.improved}
            self._chart("validation", report.validation, report.step)
        self._append(line)
        if report.improved:
            self._best = {"best_step": report.step, "validation": dict(report.validation or {})}
            self._save(model, report.step, report.puzzles, report.seconds / 60.0)

    def finish(self, outcome: Outcome, model: TrainableNetwork) -> None:
        """Keep the model, which holds the best weights, with the whole run's record."""
        self._save(model, outcome.steps, outcome.puzzles, outcome.minutes)

    def close(self) -> None:
        """Write out what TensorBoard's writer still holds, and let others write here."""
        self._events.close()
        self._lock.close()

    def take_back(self) -> None:
        """After a failure: leave no trace of a run that has nothing to show but its settings.

        The same command then works again. Only what this very run made is removed.
        """
        self.close()
        if not self._begun_now:
            return
        own = {self.folder / CONFIG, self.folder / METRICS, *self.folder.glob("events.out.tfevents.*")}
        with contextlib.suppress(OSError):  # whatever is in the way: the failure itself must be heard
            if set(self.folder.iterdir()) != own or (self.folder / METRICS).stat().st_size > 0:
                return
            for path in own:
                path.unlink()
            for made in self._made:
                made.rmdir()

    def _save(self, model: TrainableNetwork, steps: int, puzzles_seen: int, minutes: float) -> None:
        before = 0.0 if self.start is None else float(self.start.get("train_minutes", 0.0))
        training = {
            "train_puzzles": self.settings.drawn,
            "train_minutes": round(before + minutes, 3),
            "steps": steps,
            "puzzles": puzzles_seen,
            **self._best,
            "seed": self.settings.training.seed,
            "command": self.command,
            **self.origin,
            "settings": self.settings.to_json(),
        }
        if self.start is not None:
            training["start"] = dict(self.start)
        save_network(self.folder / WEIGHTS, self.settings.name, model, asdict(model.config), training)

    def _chart(self, group: str, figures: Mapping[str, float], step: int) -> None:
        for name, value in figures.items():
            self._events.add_scalar(f"{group}/{name}", value, step)

    def _append(self, line: Mapping[str, Any]) -> None:
        with (self.folder / METRICS).open("a", encoding="utf-8") as file:
            file.write(json.dumps(line) + "\n")

    def _drop_after(self, step: int) -> None:
        """Keep the whole lines of metrics up to a step, and remember the best validation among them."""
        kept: list[dict[str, Any]] = []
        for line in read_metrics(self.folder):
            if line["step"] <= step:
                kept.append(line)
                if line.get("best") and isinstance(line.get("validation"), dict):
                    self._best = {"best_step": line["step"], "validation": line["validation"]}
        write_atomically(self.folder / METRICS, "".join(json.dumps(line) + "\n" for line in kept))


def _held(folder: Path) -> contextlib.ExitStack:
    """The lock on a run's folder, until it is closed; `UnsupportedError` while another trains in it."""
    lock = contextlib.ExitStack()
    lock.enter_context(held(folder))
    return lock


def read_metrics(folder: Path) -> list[dict[str, Any]]:
    """The whole lines of a run's metrics; none where there is no such file."""
    path = folder / METRICS
    text = path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""
    return [line for line in map(_metrics, text.splitlines()) if line is not None]


def _metrics(text: str) -> dict[str, Any] | None:
    """A line of metrics; None for what a crash left of one, or whatever else does not tell its step."""
    try:
        line = json.loads(text)
    except ValueError:
        return None
    return line if isinstance(line, dict) and isinstance(line.get("step"), int) else None


def _origin(about: Mapping[str, Any]) -> dict[str, Any]:
    return {name: about[name] for name in ORIGIN if name in about}


def saved_settings(folder: Path) -> TrainingSettings:
    """The settings that the run in this folder was begun with."""
    path, document = folder / CONFIG, _document(folder)
    settings = document.get("settings")
    if not isinstance(settings, dict):
        raise FileFormatError(f"{path}: has no settings")
    network = document.get("network", "fan")  # which older runs do not say
    if not isinstance(network, str) or network not in NETWORKS:
        raise FileFormatError(f"{path}: there is no network {network!r}")
    return _settings_of(settings, network, f"{path}: ")


def _check_unchanged(folder: Path, settings: TrainingSettings) -> None:
    """`FileFormatError` if the settings written down are not those that the state was saved with."""
    saved = settings_in_state(folder / STATE)
    if saved and (before := _settings_of(saved, settings.name, f"{folder / STATE}: ")) != settings:
        what = difference(before.to_json(), settings.to_json())
        raise FileFormatError(f"{folder / CONFIG}: was changed since {STATE} was saved: {what}")


def _settings_of(settings: dict[str, Any], network: str, source: str) -> TrainingSettings:
    """Settings as they were written down, by whichever sherd."""
    for section, unsaid in NETWORKS[network].unsaid.items():
        if isinstance(settings.get(section), dict):
            settings[section] = {**unsaid, **settings[section]}
    return settings_from(settings, network=network, source=source)


def _document(folder: Path) -> dict[str, Any]:
    """What was written down when the run in this folder was begun."""
    path = folder / CONFIG
    try:
        document = json.loads(path.read_text(encoding="utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        raise FileFormatError(f"{folder}: holds no training run to resume") from None
    except ValueError:
        raise FileFormatError(f"{path}: not JSON") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise FileFormatError(f"{path}: not the settings of a training run")
    if document.get("version") != VERSION:
        raise FileFormatError(f"{path}: version {document.get('version')!r}, but this sherd reads {VERSION}")
    return document
