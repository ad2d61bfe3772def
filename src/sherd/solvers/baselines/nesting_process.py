"""Runs the nesting engine in a process of its own: ``python -m sherd.solvers.baselines.nesting_process``.

The engine keeps its own clock and cannot be told to stop, but a process can be ended. It reads one JSON
object (``height``, ``seconds``, ``seed``, ``items``: id, shape and angles in degrees or null for any) and
writes a line of JSON for each packing that the engine reports: ``feasible``, ``width``, ``items``: id, x, y,
rotation in degrees. An empty line says that there is nothing new, so that the reader can ask whether to stop.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from importlib import import_module

# How often to look for reports.
PAUSE_SECONDS = 0.01


def main() -> None:
    """Pack what standard input describes; reports go to standard output."""
    spyrrow = import_module("spyrrow")  # an optional extra
    job = json.load(sys.stdin)
    items = [
        spyrrow.Item(item["id"], [(x, y) for x, y in item["shape"]], 1, item["angles_deg"])
        for item in job["items"]
    ]
    instance = spyrrow.StripPackingInstance("", job["height"], items)
    # One thread, for with several the order of the reports depends on the machine.
    config = spyrrow.StripPackingConfig(
        total_computation_time=job["seconds"], num_workers=1, seed=job["seed"], early_termination=True
    )
    queue = spyrrow.ProgressQueue()
    overlapping = {int(spyrrow.ReportType.ExplInfeas), int(spyrrow.ReportType.ExplImproving)}
    failures: list[str] = []

    def pack() -> None:
        try:
            instance.solve(config, queue)
        except BaseException as failure:  # a panic of the engine is no Exception
            failures.append(str(failure))

    def write() -> None:
        reports = queue.drain()
        if not reports:
            sys.stdout.write("\n")
        for kind, packing in reports:
            items = [(item.id, *item.translation, item.rotation) for item in packing.placed_items]
            report = {"feasible": int(kind) not in overlapping, "width": packing.width, "items": items}
            sys.stdout.write(json.dumps(report) + "\n")
        sys.stdout.flush()

    engine = threading.Thread(target=pack)
    engine.start()
    while engine.is_alive():
        write()
        time.sleep(PAUSE_SECONDS)
    write()
    if failures:
        sys.exit(failures[0])


if __name__ == "__main__":
    main()
