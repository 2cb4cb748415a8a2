"""What the endpoints work with, handed in by `create_app`: nothing here is global."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, cast

from flask import Flask, current_app

from service.api.rate_limiter import Limiter
from service.effects.webhooks import WebhookSender
from service.games.table import Table
from service.jobs.advice import AdviceJobs, AdviceQueue, NullAdviceQueue
from service.store.contract import Store
from service.streams.connections import Streams

_NAME: Final = "rummy500"


@dataclass(frozen=True, slots=True, kw_only=True)
class Parts:
    """The store, the table that commits moves to it, the time, and the streams.

    `now` answers milliseconds since the epoch. `streams` are the open ones of
    this process, with the places for all that hold a thread for long. `else_missing` answers
    what beside the store keeps games from being played, a sentence each. Without a `limiter`
    everybody may ask as often as he likes. Without `webhooks` tests of webhooks are left to the
    clock; `private_targets` lets webhooks go to one's own network, for development. `jobs_waiting`
    answers how many jobs wait in which queue; with a `metrics_token` only who sends it reads metrics.
    `advice_queue` takes hints and reviews to be thought about.
    """

    store: Store
    table: Table
    now: Callable[[], int]
    streams: Streams
    else_missing: Callable[[], tuple[str, ...]] = tuple
    limiter: Limiter | None = None
    webhooks: WebhookSender | None = None
    private_targets: bool = False
    jobs_waiting: Callable[[], Mapping[str, int]] = dict
    metrics_token: str | None = None
    advice_queue: AdviceQueue = field(default_factory=NullAdviceQueue)

    @property
    def advice_jobs(self) -> AdviceJobs:
        """The jobs that think for players."""
        return AdviceJobs(store=self.store, queue=self.advice_queue, now=self.now)


def parts() -> Parts:
    """Return the parts of the app that answers the running request."""
    return cast("Parts", current_app.extensions[_NAME])


def install(app: Flask, given: Parts) -> None:
    """Give the app its parts."""
    app.extensions[_NAME] = given
