"""Counts in the text format of Prometheus."""

from __future__ import annotations

from sherd.studio.metrics import Metrics


def test_counts_are_told() -> None:
    metrics = Metrics()
    metrics.saw("GET", 200, 0.004)
    metrics.saw("GET", 200, 0.3)
    metrics.ended["done"] += 1
    text = metrics.text({"read": 2}, {"queue_length": 3})
    lines = text.splitlines()
    for line in (
        'sherd_requests_total{method="GET",status="200"} 2',
        'sherd_request_seconds_bucket{le="0.005"} 1',
        'sherd_request_seconds_bucket{le="0.5"} 2',
        'sherd_request_seconds_bucket{le="+Inf"} 2',
        "sherd_request_seconds_sum 0.304",
        'sherd_jobs{state="read"} 2',
        'sherd_solves_ended_total{state="done"} 1',
        "sherd_queue_length 3",
    ):
        assert line in lines
    assert text.endswith("\n") and sum(line.startswith("# TYPE ") for line in lines) == 7
