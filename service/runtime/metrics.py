"""What the service counts of itself, for Prometheus: no player, no game, no card, no token.

The counters belong to the process, as Prometheus means it. Where `PROMETHEUS_MULTIPROC_DIR` names a
folder before this is imported, all processes of a machine count there together, and any of them
can tell for all.
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

# When a series began is of no use to anybody here, and doubles the page.
disable_created_metrics()  # type: ignore[no-untyped-call] # prometheus_client

FOLDER: Final = "PROMETHEUS_MULTIPROC_DIR"
CONTENT_TYPE: Final = "text/plain; version=0.0.4; charset=utf-8"

_SECONDS: Final = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0)

REQUESTS: Final = Counter(
    "rummy500_requests", "Answered requests, by operationId and status.", ["operation", "status"]
)
REQUEST_SECONDS: Final = Histogram(
    "rummy500_request_seconds",
    "Time to answer a request, by operationId; long-polls and the life of streams apart.",
    ["operation"],
    buckets=_SECONDS,
)
LIMITED: Final = Counter("rummy500_rate_limited", "Requests that were one too many, by policy.", ["policy"])
WAITING: Final = Gauge(
    "rummy500_waiting_requests", "Long-polls that hold a thread now.", multiprocess_mode="livesum"
)
STREAMS: Final = Gauge(
    "rummy500_streams", "Open streams now, by what they tell of.", ["kind"], multiprocess_mode="livesum"
)
EVENTS: Final = Counter(
    "rummy500_events", "What happened at the tables: moves, deals and seats, by type of event.", ["type"]
)
COMMITS: Final = Counter(
    "rummy500_commits",
    "Changes of games: `done`, or a `conflict` with one that was quicker.",
    ["outcome"],
)
JOBS_QUEUED: Final = Counter(
    "rummy500_jobs_queued",
    "Computers' turns, hints, reviews and deliveries put into their queue, `done` or `failed`.",
    ["queue", "outcome"],
)
TURN_SECONDS: Final = Histogram(
    "rummy500_turn_seconds", "Time a worker took for a job of computers' turns.", buckets=_SECONDS
)
LATENESS_SECONDS: Final = Histogram(
    "rummy500_clock_lateness_seconds",
    "How long after its time the clock attended to a game.",
    buckets=(0.1, 0.25, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0),
)


def registry() -> CollectorRegistry:
    """Return what is counted: by all processes together where they share a folder, else by this one."""
    if not os.environ.get(FOLDER):
        return REGISTRY
    together = CollectorRegistry()
    MultiProcessCollector(together)  # type: ignore[no-untyped-call] # prometheus_client
    return together


def render(waiting: Mapping[str, int]) -> bytes:
    """Return all metrics in Prometheus' text form, with how many jobs wait in which queue."""
    own = CollectorRegistry()
    jobs = Gauge("rummy500_jobs_waiting", "Jobs that wait for a worker now.", ["queue"], registry=own)
    for queue, count in waiting.items():
        jobs.labels(queue).set(count)
    return generate_latest(registry()) + generate_latest(own)
