"""A real server for tests, in a process of its own, and a client that talks to it."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
import requests

from .browsing import opened

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

# Long enough for a machine that compiles, and does much else.
PATIENCE = 240.0
BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")


@dataclass
class Running:
    """A server that runs, and how to ask it."""

    process: subprocess.Popen[str]
    address: str
    folder: Path
    session: requests.Session = field(default_factory=requests.Session)

    def ask(self, method: str, path: str, **more: Any) -> requests.Response:
        """An answer, whatever its status."""
        return self.session.request(method, self.address + path, timeout=PATIENCE, **more)

    def job(self, job_id: str) -> dict[str, Any]:
        """A job as it is now."""
        return self.ask("GET", f"/jobs/{job_id}").json()

    def make(self, **asked: Any) -> dict[str, Any]:
        """A new job from JSON, when it has been read."""
        answer = self.ask("POST", "/jobs", json=asked)
        assert answer.status_code == 201, answer.text
        return self.settled(answer.json()["id"])

    def upload(self, *files: tuple[str, bytes], **fields: str) -> requests.Response:
        """The answer to a form with files."""
        return self.ask("POST", "/jobs", files=[("files", one) for one in files], data=fields)

    def events(self, job_id: str) -> Iterator[tuple[str, dict[str, Any]]]:
        """What happens to a job, until nothing does."""
        with self.ask("GET", f"/jobs/{job_id}/events", stream=True) as stream:
            name = ""
            for line in stream.iter_lines(decode_unicode=True):
                if line.startswith("event: "):
                    name = line.removeprefix("event: ")
                elif line.startswith("data: "):
                    yield name, json.loads(line.removeprefix("data: "))

    def settled(self, job_id: str) -> dict[str, Any]:
        """A job once nothing more happens to it."""
        for _ in self.events(job_id):
            pass
        return self.job(job_id)


def start(folder: Path, *options: str) -> Running:
    """Start a server on a free port."""
    command = [sys.executable, "-m", "sherd", "studio", "--no-open", "--port", "0", "--folder", str(folder)]
    environment = {**os.environ, "PYTHONUNBUFFERED": "1"}
    process = subprocess.Popen([*command, *options], stdout=subprocess.PIPE, text=True, env=environment)
    assert process.stdout is not None
    said = process.stdout.readline()
    found = re.search(r"http://[^/]*", said)
    assert found, f"no address in {said!r}"
    return Running(process, found[0], folder)


def end(server: Running) -> None:
    """Let a server end as it does by itself, and see that it does."""
    server.session.close()
    server.process.terminate()
    try:
        server.process.wait(30)
    finally:
        server.process.kill()
        if server.process.stdout is not None:
            server.process.stdout.close()


@pytest.fixture(scope="session")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Running]:
    """One server for all tests that do not harm it."""
    running = start(tmp_path_factory.mktemp("studio"), "--workers", "1", "--most-bytes", "3000000")
    yield running
    end(running)


@pytest.fixture(scope="module")  # playwright's loop must have ended when other tests start one
def browser() -> Iterator[Browser]:
    """Debian's chromium, or whichever is there."""
    playwright = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if program is None:
        pytest.skip("there is no chromium: make setup-browser installs it")
    options = ["--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"]
    if os.getuid() == 0:  # for whom Chromium refuses to put itself into a sandbox
        options.append("--no-sandbox")
    with playwright.sync_playwright() as running:
        started = running.chromium.launch(executable_path=program, args=options)
        yield started
        started.close()


@pytest.fixture
def page(browser: Browser, server: Running) -> Iterator[Page]:
    """The studio's page; nothing may go wrong in it, and nothing may come from elsewhere."""
    wrong: list[str] = []
    page = opened(browser, server.address, wrong)
    yield page
    page.context.close()
    assert wrong == []
