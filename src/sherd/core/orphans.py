"""Processes that end with the one that started them, however that ends."""

from __future__ import annotations

import multiprocessing
import os
import threading


def end_with_parent() -> None:
    """End this process, which another one started to share its work, as soon as that one is gone.

    Workers of a pool whose parent was killed would wait for work for ever.
    """
    parent = multiprocessing.parent_process()
    if parent is None:
        return

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
