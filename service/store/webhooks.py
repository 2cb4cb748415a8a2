"""Webhooks, and what is to be delivered to them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredWebhook:
    """A webhook of a player, and what the caller keeps about it."""

    webhook_id: str
    body: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Delivery:
    """Something that is to be delivered."""

    delivery_id: str
    body: bytes


class Webhooks(Protocol):
    """Keeps webhooks and deliveries."""

    def put_webhook(
        self, player_id: str, webhook_id: str, body: bytes, *, replaces: bytes | None, most: int
    ) -> bool:
        """Store a webhook, unless another writer was there first; tell whether it was done.

        As `put_player`. A player who does not exist, or has `most` of them already, gets no new one.
        Webhooks end with their player.
        """
        ...

    def webhooks_of(self, player_ids: Sequence[str]) -> list[list[StoredWebhook]]:
        """Return the webhooks of each player, ordered by id, in one round trip."""
        ...

    def delete_webhook(self, player_id: str, webhook_id: str) -> bool:
        """Forget a webhook; tell whether it was there. As `delete_player`, False may be a second time."""
        ...

    def put_deliveries(self, deliveries: Sequence[tuple[str, bytes]], *, at: int) -> None:
        """Put deliveries (id, body) on the list, due at `at`, but for those that are there already."""
        ...

    def delivery(self, delivery_id: str) -> bytes | None:
        """Return what is to be delivered; None where nothing is any more."""
        ...

    def deliveries_due(self, *, now: int, limit: int) -> list[Delivery]:
        """Return the deliveries due at `now` or before, the longest due first."""
        ...

    def move_delivery(self, delivery_id: str, *, replaces: bytes, body: bytes | None, at: int = 0) -> bool:
        """Change a delivery and when it is due, or drop it (None), unless another did first.

        `replaces` is the body that was read. Tells whether it was done; as `delete_player`,
        False may be a second time.
        """
        ...
