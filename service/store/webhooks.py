"""Webhooks of players, and the queue of deliveries to them.

A delivery is stored under the id that its receiver sees:

    msg_19d52309...  {"player_id": "p5oyS8Yb...", "webhook_id": "wd45b645...", "type": "webhook.test",
                      "body": "{...}", "created_at": 1796080426738, "step": 0, "tries": 0}
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredWebhook:
    """A webhook of a player, with the body that the caller stored."""

    webhook_id: str
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """A message that waits to be delivered."""

    delivery_id: str
    body: bytes


class WebhookStore(Protocol):
    """Stores webhooks and deliveries."""

    def put_webhook(
        self, player_id: str, webhook_id: str, body: bytes, *, replaces: bytes | None, max_webhooks: int
    ) -> bool:
        """Store a webhook by compare-and-set, as `put_player`.

        Also returns False if the player does not exist, or has `max_webhooks` and this would
        be another one. Webhooks expire with their player.
        """
        ...

    def webhooks_of(self, player_ids: Sequence[str]) -> list[list[StoredWebhook]]:
        """Return the webhooks of each player, ordered by id, in one round trip."""
        ...

    def delete_webhook(self, player_id: str, webhook_id: str) -> bool:
        """Delete a webhook; return whether it existed, with the reservation of `delete_player`."""
        ...

    def put_deliveries(self, deliveries: Sequence[tuple[str, bytes]], *, at: int) -> None:
        """Queue deliveries (id, body), due at `at`; those already queued stay as they are."""
        ...

    def delivery(self, delivery_id: str) -> bytes | None:
        """Return the body of a queued delivery, or None."""
        ...

    def deliveries_due(self, *, now: int, limit: int) -> list[Delivery]:
        """Return the deliveries due at `now` or before, the longest due first."""
        ...

    def move_delivery(self, delivery_id: str, *, replaces: bytes, body: bytes | None, at: int = 0) -> bool:
        """Change a delivery and its due time by compare-and-set, or remove it (None).

        `replaces` is the body that was read. Returns whether it was done, with the reservation
        of `delete_player`.
        """
        ...
