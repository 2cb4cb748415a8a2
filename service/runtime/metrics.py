"""Prometheus metrics of the service, without any player, game, card or token.

Counters belong to a process. If `PROMETHEUS_MULTIPROC_DIR` names a folder before this module is
imported, all processes of a machine share their metrics there, and any of them can render all.
"""

import os
from collections.abc import Mapping
from typing import Final

from prometheus_client import (
    REGISTRY,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    disable_created_metrics,
    generate_latest,
)
from prometheus_client.multiprocess import MultiProcessCollector

# The creation time of a series is not used here, and would double the page.
disable_created_metrics()  # type: ignore[no-untyped-call] # prometheus_client

FOLDER: Final = "PROMETHEUS_MULTIPROC_DIR"
CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"

_SECONDS: Final = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)

REQUESTS: Final = Counter(
    "rummy500_requests", "Requests, by operationId and status.", ["operation", "status"]
)
REQUEST_SECONDS: Final = Histogram(
    "rummy500_request_seconds",
    "Duration of requests, by operationId; without long-polls and streams.",
    ["operation"],
    buckets=_SECONDS,
)
LIMITED: Final = Counter("rummy500_rate_limited", "Requests over a rate limit, by policy.", ["policy"])
WAITING: Final = Gauge(
    "rummy500_waiting_requests", "Long-polls that occupy a thread now.", multiprocess_mode="livesum"
)
STREAMS: Final = Gauge(
    "rummy500_streams", "Open streams now, by kind.", ["kind"], multiprocess_mode="livesum"
)
EVENTS: Final = Counter("rummy500_events", "Events of games, by type.", ["type"])
COMMITS: Final = Counter(
    "rummy500_commits",
    "Commits of games: `done`, or `conflict` with a concurrent change.",
    ["outcome"],
)
JOBS_QUEUED: Final = Counter(
    "rummy500_jobs_queued",
    "Jobs enqueued (turns, hints, reviews, deliveries): `done` or `failed`.",
    ["queue", "outcome"],
)
TURN_SECONDS: Final = Histogram(
    "rummy500_turn_seconds", "Duration of a job with computers' turns.", buckets=_SECONDS
)
LATENESS_SECONDS: Final = Histogram(
    "rummy500_clock_lateness_seconds",
    "Delay between the due time of a game and the scheduler's action.",
    buckets=(0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0),
)


def registry() -> CollectorRegistry:
    """Return the metrics of all processes that share a folder, else of this process."""
    if not os.environ.get(FOLDER):
        return REGISTRY
    together = CollectorRegistry()
    MultiProcessCollector(together)  # type: ignore[no-untyped-call] # prometheus_client
    return together


def render(waiting: Mapping[str, int]) -> bytes:
    """Return all metrics in the Prometheus text format, with the waiting jobs by queue."""
    own = CollectorRegistry()
    jobs = Gauge("rummy500_jobs_waiting", "Jobs waiting for a worker now.", ["queue"], registry=own)
    for queue, count in waiting.items():
        jobs.labels(queue).set(count)
    return generate_latest(registry()) + generate_latest(own)
