"""A training run in a folder, alone or among several processes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sherd.core.errors import TrainingError
from sherd.learn.training.checkpoint import start_from
from sherd.learn.training.device import device_name
from sherd.learn.training.interruption import Work, drawing
from sherd.learn.training.processes import Process
from sherd.learn.training.runlog import RunLog
from sherd.learn.training.settings import TrainingSettings
from sherd.learn.training.train import Outcome, Report, train


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """What to train and where to keep it; ``command`` and ``about`` are written down for the record.

    A new run may ``start`` with the weights of an earlier one, of the same network and config.
    """

    settings: TrainingSettings
    folder: Path
    resume: bool = False
    start: Path | None = None
    command: str = ""
    about: Mapping[str, Any]

    def run(
        self,
        process: Process,
        *,
        on_report: Callable[[Report], None] = lambda report: None,
        on_work: Callable[[Work], None] = lambda work: None,
        interrupted: Callable[[], bool] = lambda: False,
    ) -> Outcome:
        """Train to the end or until ``interrupted``; the folder then holds the state and the best weights.

        ``interrupted`` is not asked before a first step is taken. A run that fails before it has anything to
        show leaves no folder behind.
        """
        self.settings.check_room(process.device, world=process.world)
        learner = self.settings.make_learner(process.device)
        about = {**self.about, "device": device_name(process.device)}
        if self.start is not None:
            about["start"] = start_from(self.start, learner.model)
        log = self._open(process, about)
        heard: Callable[[Work], None] = on_work if process.is_first else lambda work: None
        begun = False

        def report(report: Report) -> None:
            nonlocal begun
            begun = True
            if log is not None:
                log.report(report, learner.model)
                on_report(report)

        try:
            on_drawn = drawing(heard, lambda: begun and process.world == 1 and interrupted())
            data, validation = self.settings.make_data(process.device, on_drawn)

            outcome = train(
                learner,
                data,
                validation,
                self.settings.training,
                folder=self.folder,
                resume=self.resume,
                settings=self.settings.to_json(),
                on_report=report,
                on_work=heard,
                interrupted=interrupted,
            )
            if log is not None and outcome.finished:
                log.finish(outcome, learner.model)
            return outcome
        except BaseException:
            if log is not None:
                log.take_back()
            raise
        finally:
            if log is not None:
                log.close()

    def _open(self, process: Process, about: Mapping[str, Any]) -> RunLog | None:
        """The log, which only the first process keeps; the others wait until it is known to be sound."""
        log = None
        if process.is_first:
            try:
                if self.resume:
                    log = RunLog.resume(self.folder, self.settings)
                else:
                    log = RunLog.begin(self.folder, self.settings, command=self.command, about=about)
            except BaseException:
                process.first_alone(succeeded=False)
                raise
        if not process.first_alone():
            raise TrainingError("the first process could not open the run's folder")
        return log
