"""The application as gunicorn serves it: `service.wsgi:app`, wired by the environment's settings."""

import gc
from typing import Final

from service.api.rate_limiter import Limiter
from service.api.requests import add_request_ids_to_logs
from service.api.services import Services
from service.app import create_app
from service.bootstrap import build_components
from service.config import Settings
from service.streams.connections import Connections

#: Threads that no long-poll and no stream may take, so that moves are answered whoever waits.
_FOR_PLAY: Final = 16


def places_to_wait(threads: int) -> int:
    """Return how many of a process's threads may wait for changes: all but 16, of few threads half."""
    return threads - min(_FOR_PLAY, (threads + 1) // 2)


_settings = Settings.from_environment()
_components = build_components(_settings)

app = create_app(
    Services(
        store=_components.store,
        table=_components.table,
        now=_components.now,
        streams=Connections(
            store=_components.store, now=_components.now, slots=places_to_wait(_settings.api_threads)
        ),
        else_missing=_components.turns.ping,
        webhooks=_components.webhooks,
        private_targets=_settings.webhook_private_targets,
        jobs_waiting=_components.jobs_waiting,
        metrics_token=_settings.metrics_token,
        advice_queue=_components.advice_queue,
        limiter=(
            Limiter(counts=_components.store, now=_components.now, factor=_settings.rate_limits)
            if _settings.rate_limits
            else None
        ),
    ),
    trusted_proxies=_settings.trusted_proxies,
)

add_request_ids_to_logs()

# What is here now stays: schemas, routes and the document need not be looked through again whenever
# garbage is collected, which is a fifth of the time of a move.
gc.collect()
gc.freeze()
