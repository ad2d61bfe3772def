"""The process in which the nesting engine runs."""

from __future__ import annotations

import io
import json
import sys

import pytest

from sherd.solvers.baselines import nesting_process


def test_two_squares_are_packed_beside_each_other(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    pytest.importorskip("spyrrow")
    shape = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]]
    items = [{"id": name, "shape": shape, "angles_deg": [0.0]} for name in ("a", "b")]
    job = {"height": 1.001, "seconds": 1, "seed": 0, "items": items}
    monkeypatch.setattr(sys, "stdin", io.StringIO(json.dumps(job)))
    nesting_process.main()
    reports = [json.loads(line) for line in capsys.readouterr().out.splitlines() if line]
    best = min((one for one in reports if one["feasible"]), key=lambda one: one["width"])
    assert best["width"] == pytest.approx(2.0, rel=0.01)
    assert sorted(item[0] for item in best["items"]) == ["a", "b"]
    places = sorted(item[1] for item in best["items"])
    assert places[1] - places[0] == pytest.approx(1.0, rel=0.01)
