"""Counts for Prometheus, in its text format."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

# Upper bounds of the classes that request times are counted in, in seconds.
BOUNDS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.2, 0.5, 1.0, 2.5)


@dataclass
class Metrics:
    """What a server has done since it started."""

    requests: Counter[tuple[str, int]] = field(default_factory=Counter[tuple[str, int]])
    request_seconds: float = 0.0
    within: Counter[float] = field(default_factory=Counter[float])
    ended: Counter[str] = field(default_factory=Counter[str])
    solve_seconds: float = 0.0
    worker_deaths: int = 0

    def saw(self, method: str, status: int, seconds: float) -> None:
        """Count a request."""
        self.requests[method, status] += 1
        self.request_seconds += seconds
        for bound in BOUNDS:
            if seconds <= bound:
                self.within[bound] += 1

    def text(self, states: Mapping[str, int], gauges: Mapping[str, float]) -> str:
        """All counts, with the jobs by state and what else is measured now."""
        total = sum(self.requests.values())
        lines = [
            *_metric(
                "sherd_requests_total",
                "counter",
                (
                    (f'{{method="{method}",status="{status}"}}', count)
                    for (method, status), count in self.requests.items()
                ),
            ),
            *_metric(
                "sherd_request_seconds",
                "histogram",
                (
                    *((f'_bucket{{le="{bound:g}"}}', self.within[bound]) for bound in BOUNDS),
                    ('_bucket{le="+Inf"}', total),
                    ("_sum", self.request_seconds),
                    ("_count", total),
                ),
            ),
            *_metric("sherd_jobs", "gauge", ((f'{{state="{state}"}}', n) for state, n in states.items())),
            *_metric(
                "sherd_solves_ended_total",
                "counter",
                ((f'{{state="{state}"}}', n) for state, n in self.ended.items()),
            ),
            *_metric("sherd_solve_seconds_total", "counter", [("", self.solve_seconds)]),
            *_metric("sherd_worker_deaths_total", "counter", [("", self.worker_deaths)]),
        ]
        for name, value in gauges.items():
            lines += _metric(f"sherd_{name}", "gauge", [("", value)])
        return "\n".join(lines) + "\n"


def _metric(name: str, kind: str, rows: Iterable[tuple[str, float]]) -> list[str]:
    return [f"# TYPE {name} {kind}", *(f"{name}{labels} {value:.12g}" for labels, value in rows)]
