"""Builds store, queues, table and scheduler from the settings, alike for every process."""

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from redis import Redis
from redis.backoff import NoBackoff
from redis.retry import Retry

from service.config import SettingError, Settings
from service.effects.background import BackgroundProjector
from service.effects.projector import Projector
from service.effects.web_push import InvalidVapidKey, VapidKey
from service.effects.webhook_sender import WebhookSender
from service.games.scheduler import Scheduler
from service.games.table import Table
from service.jobs.queues import RqAdviceQueue, RqDeliveryQueue, RqTurnQueue
from service.store.contract import Store
from service.store.redis.store import RedisStore

#: Jobs are enqueued while the player of a move waits: a lost message is better than a long wait.
_QUEUE_SECONDS: Final = 1.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Components:
    """The parts of the service without a web framework; `now` returns milliseconds since the epoch."""

    store: Store
    turns: RqTurnQueue
    advice_queue: RqAdviceQueue
    table: Table
    scheduler: Scheduler
    projector: Projector
    webhooks: WebhookSender
    jobs_waiting: Callable[[], dict[str, int]]
    now: Callable[[], int]


def vapid_key_of(settings: Settings) -> VapidKey | None:
    """Return the key for Web Push; raise SettingError for one that cannot be used."""
    if settings.vapid_private_key is None:
        return None
    try:
        return VapidKey.parse(settings.vapid_private_key, settings.vapid_subject)
    except InvalidVapidKey as error:
        raise SettingError("VAPID_PRIVATE_KEY", str(error)) from error


def now_ms() -> int:
    """Return the time in milliseconds since the epoch, UTC."""
    return time.time_ns() // 1_000_000


def build_components(settings: Settings) -> Components:
    """Return the parts; they connect to no server until they are used.

    Raises SettingError if REDIS_URL is not set.
    """
    if settings.redis_url is None:
        raise SettingError("REDIS_URL", "is not set. Set it to the URL of a Redis or Valkey server.")
    store = RedisStore.at(settings.redis_url)
    queues = Redis.from_url(
        settings.queue_redis_url or settings.redis_url,
        socket_connect_timeout=_QUEUE_SECONDS,
        socket_timeout=_QUEUE_SECONDS,
        retry=Retry(NoBackoff(), 0),
    )
    turns, advice_queue = RqTurnQueue(queues), RqAdviceQueue(queues)
    deliveries = RqDeliveryQueue(queues)
    webhooks = WebhookSender(store=store, queue=deliveries, now=now_ms)
    projector = Projector(store=store, now=now_ms, webhooks=webhooks)
    table = Table(store=store, turns=turns, now=now_ms, projector=BackgroundProjector(projector.project))
    scheduler = Scheduler(store=store, table=table, turns=turns, now=now_ms)
    return Components(
        store=store,
        turns=turns,
        advice_queue=advice_queue,
        table=table,
        scheduler=scheduler,
        projector=projector,
        webhooks=webhooks,
        jobs_waiting=lambda: turns.waiting() | advice_queue.waiting() | deliveries.waiting(),
        now=now_ms,
    )
