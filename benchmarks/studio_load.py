"""How the studio's server bears up: many clients, many small jobs, and processes that are killed.

The load: clients post small puzzles to be solved, wait for each, and fetch its answer, while another one asks
for the page, the list of jobs and a job all the time. Nothing may be lost; the 95th percentile of what the
page is answered in, and the memory and the processor's time that server and workers took, are told. With
--kill, jobs that take longer are begun; a worker is killed with SIGKILL every so often, and the server itself
in the middle; all jobs must be finished or marked afterwards. With --check it exits with 1 if anything was
lost, or the 95th percentile is above 200 ms: to be asked on a machine with nothing else to do.

    python benchmarks/studio_load.py [--clients 100] [--jobs 1000] [--kill 50] [--check]
"""

from __future__ import annotations

import argparse
import contextlib
import itertools
import os
import random
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from multiprocessing import Process, Queue
from pathlib import Path
from queue import Empty
from typing import Any

import requests

PAGE_MS = 200.0
ENDED = ("done", "stopped", "failed", "interrupted")
PIECES = 4
# Between two questions of the page, in seconds.
PAUSE = 0.05


def start(folder: Path, *options: str) -> tuple[subprocess.Popen[str], str]:
    """A server on a free port, and its address."""
    command = [sys.executable, "-m", "sherd", "studio", "--no-open", "--port", "0", "--folder", str(folder)]
    process = subprocess.Popen([*command, *options], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    found = re.search(r"http://[^/ ]*", process.stdout.readline())
    assert found is not None
    return process, found[0]


def follow(session: requests.Session, address: str, job_id: str) -> dict[str, Any]:
    """The same by its events, as the page does."""
    with session.get(f"{address}/jobs/{job_id}/events", stream=True, timeout=600) as stream:
        for _ in stream.iter_lines():
            pass
    return session.get(f"{address}/jobs/{job_id}", timeout=600).json()


def settle(session: requests.Session, address: str, job_id: str) -> dict[str, Any]:
    """A job when nothing more happens to it."""
    while True:
        job: dict[str, Any] = session.get(f"{address}/jobs/{job_id}", timeout=600).json()
        if job["state"] in (*ENDED, "read"):
            return job
        time.sleep(0.2)


def children(pid: int) -> list[int]:
    """The processes that a process has started."""
    return [int(one) for one in Path(f"/proc/{pid}/task/{pid}/children").read_text().split()]


def megabytes(pid: int) -> float:
    """The memory that a process holds."""
    found = re.search(r"VmRSS:\s+(\d+)", Path(f"/proc/{pid}/status").read_text())
    return int(found[1]) / 1024.0 if found else 0.0


def worked(pid: int) -> float:
    """For how many seconds a process has worked."""
    user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


def ask_as_a_page(address: str, waits: Queue[float]) -> None:
    """Ask for what a page shows, all the time, in a process that does nothing else; milliseconds each."""
    session, last = requests.Session(), ""
    while True:
        for path in ("/", "/jobs?most=50", f"/jobs/{last}" if last else "/health"):
            before = time.perf_counter()
            answer = session.get(address + path, timeout=600)
            waits.put(1000.0 * (time.perf_counter() - before))
            if path.startswith("/jobs?") and answer.json():
                last = answer.json()[0]["id"]
        time.sleep(PAUSE)


def load(address: str, pid: int, clients: int, jobs: int) -> bool:
    """Post the jobs, and say what became of them; whether nothing was lost and the page was quick."""
    numbers = itertools.count()
    states: Counter[str] = Counter()
    verdicts: Counter[str] = Counter()
    retries = 0
    lock = threading.Lock()

    def client() -> None:
        nonlocal retries
        session = requests.Session()
        while (number := next(numbers)) < jobs:
            asked = {"generate": {"pieces": PIECES, "rotations": 4, "seed": number}, "solve": {"seconds": 5}}
            while (answer := session.post(f"{address}/jobs", json=asked, timeout=600)).status_code == 429:
                with lock:
                    retries += 1
                time.sleep(0.5)
            job = follow(session, address, answer.json()["id"])
            has_file = session.get(f"{address}/jobs/{job['id']}/answer.json", timeout=600).status_code == 200
            with lock:
                states[job["state"] if has_file else "without a file"] += 1
                verdicts[job["answer"]["verdict"]["word"] if job["answer"] else "none"] += 1

    threads = [threading.Thread(target=client) for _ in range(clients)]
    started = time.perf_counter()
    for thread in threads:
        thread.start()
    answered: Queue[float] = Queue()
    page = Process(target=ask_as_a_page, args=(address, answered), daemon=True)
    page.start()
    waits: list[float] = []
    memory = {"server": 0.0, "workers": 0.0}
    while any(thread.is_alive() for thread in threads):
        memory["server"] = max(memory["server"], megabytes(pid))
        memory["workers"] = max([memory["workers"], *map(megabytes, children(pid))])
        with contextlib.suppress(Empty):
            for _ in range(20):
                waits.append(answered.get(timeout=0.2))
    page.kill()
    busy = f"server {worked(pid):.1f} s, workers {sum(map(worked, children(pid))):.1f} s"
    seconds = time.perf_counter() - started
    p95 = statistics.quantiles(waits, n=20)[18]
    print(f"{jobs:,} jobs of {PIECES} pieces by {clients} clients in {seconds:.0f} s:", end=" ")
    print(dict(states), dict(verdicts))
    print(f"asked again because the queue was full: {retries:,}")
    print(
        f"the page: {len(waits):,} answers, median {statistics.median(waits):.0f} ms, 95th percentile "
        f"{p95:.0f} ms, longest {max(waits):.0f} ms"
    )
    print(f"the processor's time: {busy}")
    print(f"memory: server {memory['server']:.0f} MiB, the largest worker {memory['workers']:.0f} MiB")
    return states["done"] == jobs and p95 <= PAGE_MS


def kill(folder: Path, count: int) -> bool:
    """Kill workers and the server in the middle of jobs; whether all are finished or marked afterwards."""
    chance = random.Random(0)
    process, address = start(folder)
    session = requests.Session()
    ids: list[str] = []
    for number in range(count):
        asked = {
            "generate": {"pieces": 12, "rotations": "free", "seed": number},
            "solve": {"seconds": 3, "solver": "annealing"},
        }
        ids.append(session.post(f"{address}/jobs", json=asked, timeout=600).json()["id"])
    while session.get(f"{address}/jobs/{ids[0]}", timeout=600).json()["state"] not in ("solving", *ENDED):
        time.sleep(0.2)
    workers = 0
    for turn in range(10):
        time.sleep(3.0)
        if turn == 5:
            process.kill()
            process.wait()
            process, address = start(folder)
            continue
        if running := children(process.pid):
            os.kill(chance.choice(running), signal.SIGKILL)
            workers += 1
    ended = Counter(settle(session, address, job_id)["state"] for job_id in ids)
    errors = Counter(str(session.get(f"{address}/jobs/{one}", timeout=600).json()["error"]) for one in ids)
    print(f"{count} jobs, {workers} workers and the server killed: {dict(ended)}")
    for said, times in errors.most_common():
        print(f"  {times:3d} x {said}")
    again = [
        one for one in ids if session.get(f"{address}/jobs/{one}", timeout=600).json()["state"] != "done"
    ]
    for job_id in again:
        session.post(
            f"{address}/jobs/{job_id}/solve", json={"seconds": 1, "solver": "annealing"}, timeout=600
        )
    after = Counter(settle(session, address, job_id)["state"] for job_id in ids)
    print(f"gone on with: {dict(after)}")
    process.terminate()
    process.wait()
    return sum(ended.values()) == count and after["done"] == count


def main() -> None:
    """Run both."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--clients", type=int, default=100)
    parser.add_argument("--jobs", type=int, default=1000)
    parser.add_argument("--kill", type=int, default=50)
    parser.add_argument("--check", action="store_true")
    asked = parser.parse_args()
    is_good = True
    with tempfile.TemporaryDirectory() as folder:
        if asked.jobs:
            process, address = start(Path(folder) / "load")
            try:
                is_good = load(address, process.pid, asked.clients, asked.jobs)
            finally:
                process.terminate()
                process.wait()
        if asked.kill:
            is_good = kill(Path(folder) / "kill", asked.kill) and is_good
    if asked.check and not is_good:
        sys.exit("something was lost, or the page was slow")


if __name__ == "__main__":
    main()
