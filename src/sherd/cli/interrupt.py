"""Ctrl-C as a wish to stop: what was found so far is kept."""

from __future__ import annotations

import signal
import threading
from collections.abc import Generator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType


@dataclass
class Interrupted:
    """A stop rule that says yes once Ctrl-C was pressed."""

    pressed: bool = False

    def __call__(self, evaluations: int) -> bool:
        return self.pressed


@contextmanager
def stopping_on_interrupt() -> Generator[Interrupted, None, None]:
    """Within the block, the first Ctrl-C makes the rule say yes, and the second interrupts as usual."""
    rule = Interrupted()
    if threading.current_thread() is not threading.main_thread():  # only there can signals be caught
        yield rule
        return

    def press(number: int, frame: FrameType | None) -> None:
        if rule.pressed:
            raise KeyboardInterrupt
        rule.pressed = True

    before = signal.signal(signal.SIGINT, press)
    try:
        yield rule
    finally:
        signal.signal(signal.SIGINT, before)
