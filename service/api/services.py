"""The services that endpoints use. `create_app` stores them in the app: none is global."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, cast

from flask import Flask, current_app

from service.api.rate_limiter import Limiter
from service.effects.webhook_sender import WebhookSender
from service.games.table import Table
from service.jobs.advice import AdviceJobs, AdviceQueue, NullAdviceQueue
from service.scorekeeping.score_keeper import ScoreKeeper
from service.store.contract import Store
from service.streams.connections import Connections

_EXTENSION: Final = "rummy500"


@dataclass(frozen=True, slots=True, kw_only=True)
class Services:
    """Everything that an endpoint needs beside its request.

    `now` returns milliseconds since the epoch. `streams` holds the open streams of this process
    and limits how many threads may wait. `else_missing` returns one sentence for each dependency
    beside the store that does not answer. Without a `limiter` nothing is rate limited. Without
    `webhooks` the scheduler sends the tests of webhooks. `private_targets` allows webhooks to
    private addresses, for development. `jobs_waiting` returns the number of waiting jobs by queue.
    With a `metrics_token`, only requests that carry it may read the metrics. `advice_queue` takes
    the jobs of hints and reviews. With a `web_push_key`, a public one, browsers can subscribe.
    """

    store: Store
    table: Table
    now: Callable[[], int]
    streams: Connections
    else_missing: Callable[[], tuple[str, ...]] = tuple
    limiter: Limiter | None = None
    webhooks: WebhookSender | None = None
    private_targets: bool = False
    jobs_waiting: Callable[[], Mapping[str, int]] = dict
    metrics_token: str | None = field(default=None, repr=False)
    web_push_key: str | None = None
    advice_queue: AdviceQueue = field(default_factory=NullAdviceQueue)

    @property
    def advice_jobs(self) -> AdviceJobs:
        """The hints and reviews that workers compute."""
        return AdviceJobs(store=self.store, queue=self.advice_queue, now=self.now)

    @property
    def score_keeper(self) -> ScoreKeeper:
        """The score sheets of games with real cards."""
        return ScoreKeeper(self.store)


def current_services() -> Services:
    """Return the services of the app that handles the running request."""
    return cast("Services", current_app.extensions[_EXTENSION])


def init_app(app: Flask, services: Services) -> None:
    """Store the services in the app."""
    app.extensions[_EXTENSION] = services
