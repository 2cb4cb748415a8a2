"""Webhooks in Redis: a player's webhooks in their slot, and one queue of all deliveries."""

from collections.abc import Sequence

from service.store.contract import check_page
from service.store.redis import keys
from service.store.redis.connection import Argument, Connection, script
from service.store.webhooks import Delivery, StoredWebhook, WebhookStore


class RedisWebhookStore(WebhookStore):
    """Stores webhooks and deliveries."""

    _redis: Connection

    def put_webhook(
        self, player_id: str, webhook_id: str, body: bytes, *, replaces: bytes | None, max_webhooks: int
    ) -> bool:
        names = [keys.player(player_id), keys.webhooks(player_id)]
        return bool(
            self._redis.run(script("put_webhook"), names, webhook_id, body, replaces or "", max_webhooks)
        )

    def webhooks_of(self, player_ids: Sequence[str]) -> list[list[StoredWebhook]]:
        replies = self._redis.call_all([("HGETALL", keys.webhooks(player_id)) for player_id in player_ids])
        return [
            sorted(
                (
                    StoredWebhook(webhook_id=webhook_id.decode(), body=body)
                    for webhook_id, body in zip(reply[::2], reply[1::2], strict=True)
                ),
                key=lambda stored: stored.webhook_id,
            )
            for reply in replies
        ]

    def delete_webhook(self, player_id: str, webhook_id: str) -> bool:
        return bool(self._redis.call("HDEL", keys.webhooks(player_id), webhook_id))

    def put_deliveries(self, deliveries: Sequence[tuple[str, bytes]], *, at: int) -> None:
        if deliveries:
            arguments: list[Argument] = [at]
            for delivery_id, body in deliveries:
                arguments += [delivery_id, body]
            self._redis.run(script("put_deliveries"), [keys.DELIVERIES, keys.DELIVERIES_DUE], *arguments)

    def delivery(self, delivery_id: str) -> bytes | None:
        body: bytes | None = self._redis.call("HGET", keys.DELIVERIES, delivery_id)
        return body

    def deliveries_due(self, *, now: int, limit: int) -> list[Delivery]:
        check_page(limit=limit)
        due = self._redis.call("ZRANGEBYSCORE", keys.DELIVERIES_DUE, "-inf", now, "LIMIT", 0, limit)
        if not due:
            return []
        bodies = self._redis.call("HMGET", keys.DELIVERIES, *due)
        return [
            Delivery(delivery_id=delivery_id.decode(), body=body)
            for delivery_id, body in zip(due, bodies, strict=True)
            # Removed between the two reads.
            if body is not None
        ]

    def move_delivery(self, delivery_id: str, *, replaces: bytes, body: bytes | None, at: int = 0) -> bool:
        names = [keys.DELIVERIES, keys.DELIVERIES_DUE]
        return bool(self._redis.run(script("move_delivery"), names, delivery_id, replaces, body or "", at))
