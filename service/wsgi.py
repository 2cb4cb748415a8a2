"""The application as gunicorn serves it: `service.wsgi:app`, wired by the environment's settings."""

import gc
from typing import Final

from service.api.rate_limiter import Limiter
from service.api.requests import name_lines
from service.api.services import Parts
from service.app import create_app
from service.bootstrap import build
from service.config import Settings
from service.streams.connections import Streams

#: Threads that no long-poll and no stream may take, so that moves are answered whoever waits.
_FOR_PLAY: Final = 16


def places_to_wait(threads: int) -> int:
    """Return how many of a process's threads may wait for changes: all but 16, of few threads half."""
    return threads - min(_FOR_PLAY, (threads + 1) // 2)


_settings = Settings.from_environment()
_wiring = build(_settings)

app = create_app(
    Parts(
        store=_wiring.store,
        table=_wiring.table,
        now=_wiring.now,
        streams=Streams(store=_wiring.store, now=_wiring.now, places=places_to_wait(_settings.api_threads)),
        else_missing=_wiring.turns.ping,
        webhooks=_wiring.webhooks,
        private_targets=_settings.webhook_private_targets,
        jobs_waiting=_wiring.jobs_waiting,
        metrics_token=_settings.metrics_token,
        thoughts=_wiring.thoughts,
        limiter=(
            Limiter(counts=_wiring.store, now=_wiring.now, factor=_settings.rate_limits)
            if _settings.rate_limits
            else None
        ),
    ),
    trusted_proxies=_settings.trusted_proxies,
)

name_lines()

# What is here now stays: schemas, routes and the document need not be looked through again whenever
# garbage is collected, which is a fifth of the time of a move.
gc.collect()
gc.freeze()
