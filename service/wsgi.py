"""The application for gunicorn, `service.wsgi:app`, built from the settings in the environment."""

import gc
from typing import Final

from service.api.rate_limiter import Limiter
from service.api.requests import add_request_ids_to_logs
from service.api.services import Services
from service.app import create_app
from service.bootstrap import build_components, vapid_key_of
from service.config import Settings
from service.streams.connections import Connections

#: Threads reserved for short requests: long-polls and streams may not take them.
_RESERVED_THREADS: Final = 16


def max_waiting_threads(threads: int) -> int:
    """Return how many threads of a process may wait for changes: all but 16, or half of fewer than 32."""
    return threads - min(_RESERVED_THREADS, (threads + 1) // 2)


_settings = Settings.from_environment()
_components = build_components(_settings)
_vapid_key = vapid_key_of(_settings)

app = create_app(
    Services(
        store=_components.store,
        table=_components.table,
        now=_components.now,
        streams=Connections(
            store=_components.store, now=_components.now, slots=max_waiting_threads(_settings.api_threads)
        ),
        else_missing=_components.turns.ping,
        webhooks=_components.webhooks,
        private_targets=_settings.webhook_private_targets,
        jobs_waiting=_components.jobs_waiting,
        metrics_token=_settings.metrics_token,
        web_push_key=_vapid_key.public if _vapid_key else None,
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

# Schemas, routes and the document live as long as the process: frozen, they are not scanned at every
# garbage collection, which took a fifth of the time of a move.
gc.collect()
gc.freeze()
