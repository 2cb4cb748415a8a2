"""Webhooks and deliveries in memory."""

import threading
from abc import ABC, abstractmethod
from collections.abc import Sequence

from service.store.contract import check_page
from service.store.webhooks import Delivery, StoredWebhook


class MemoryWebhookStore(ABC):
    """Webhooks and deliveries in memory."""

    _changed: threading.Condition
    _webhooks: dict[str, dict[str, bytes]]
    _deliveries: dict[str, tuple[int, bytes]]

    @abstractmethod
    def player(self, player_id: str) -> bytes | None:
        """Return the player's body."""

    def put_webhook(
        self, player_id: str, webhook_id: str, body: bytes, *, replaces: bytes | None, max_webhooks: int
    ) -> bool:
        with self._changed:
            kept = self._kept(player_id)
            stored = kept.get(webhook_id)
            if self.player(player_id) is None or stored not in {replaces, body}:
                return False
            if stored is None and len(kept) >= max_webhooks:
                return False
            self._webhooks[player_id] = {**kept, webhook_id: body}
            return True

    def webhooks_of(self, player_ids: Sequence[str]) -> list[list[StoredWebhook]]:
        with self._changed:
            return [
                [
                    StoredWebhook(webhook_id=webhook_id, body=body)
                    for webhook_id, body in sorted(self._kept(player_id).items())
                ]
                for player_id in player_ids
            ]

    def delete_webhook(self, player_id: str, webhook_id: str) -> bool:
        with self._changed:
            return self._kept(player_id).pop(webhook_id, None) is not None

    def put_deliveries(self, deliveries: Sequence[tuple[str, bytes]], *, at: int) -> None:
        with self._changed:
            for delivery_id, body in deliveries:
                self._deliveries.setdefault(delivery_id, (at, body))

    def delivery(self, delivery_id: str) -> bytes | None:
        with self._changed:
            found = self._deliveries.get(delivery_id)
            return None if found is None else found[1]

    def deliveries_due(self, *, now: int, limit: int) -> list[Delivery]:
        check_page(limit=limit)
        with self._changed:
            due = sorted(
                (at, delivery_id, body) for delivery_id, (at, body) in self._deliveries.items() if at <= now
            )
            return [Delivery(delivery_id=delivery_id, body=body) for _, delivery_id, body in due[:limit]]

    def move_delivery(self, delivery_id: str, *, replaces: bytes, body: bytes | None, at: int = 0) -> bool:
        with self._changed:
            found = self._deliveries.get(delivery_id)
            if found is None or found[1] != replaces:
                return False
            if body is None:
                del self._deliveries[delivery_id]
            else:
                self._deliveries[delivery_id] = (at, body)
            return True

    def _kept(self, player_id: str) -> dict[str, bytes]:
        if self.player(player_id) is None:
            # Webhooks expire with their player.
            self._webhooks.pop(player_id, None)
        return self._webhooks.get(player_id, {})
