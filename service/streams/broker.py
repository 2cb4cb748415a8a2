"""Publishes new events to the streams of this process: each log is read once, for all subscribers.

The store reports what changed. The broker reads the new entries of the changed logs that have
subscribers here, and puts them into each subscription. It continues each log where it stopped,
so a lost wake-up loses no event: the next one delivers both.

A stream starts without a gap or a repeat in three steps:

1. It reads the game.
2. It subscribes. From then on new events are queued for it; step 3 reads the earlier ones.
3. It reads the log from its own cursor to the end, then drops queued events that it has
   already read.
"""

import logging
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from service.store.contract import MAX_CURSOR, PLAYER_NOTIFIED, PLAYER_ONLINE, Store, StoreUnavailable
from service.store.ids import is_game_id
from service.streams.subscription import Cursor, LogEntry, Message, PresenceChange, Subscription

log = logging.getLogger(__name__)

PAGE: Final = 256


def end_of_version(version: int) -> Cursor:
    """Return the cursor after every event of a version."""
    return (version, MAX_CURSOR - 1)


class _Topic:
    """A log with subscribers, delivered up to `end`."""

    def __init__(self, end: Cursor) -> None:
        self.end = end
        self.subscriptions: set[Subscription] = set()


class Broker:
    """The subscriptions of this process: to logs, and to the presence of players."""

    def __init__(self, store: Store, now: Callable[[], int]) -> None:
        self._store: Final = store
        self._now: Final = now
        self._lock: Final = threading.Lock()  # never held during a call to the store
        self._delivering: Final = threading.Lock()  # one delivery at a time keeps events in order
        self._topics: Final[dict[str, _Topic]] = {}
        self._watchers: Final[dict[str, set[Subscription]]] = {}
        self._is_closed = False

    @property
    def is_idle(self) -> bool:
        """Whether there is no subscription, to a log or to presence."""
        return not self._topics and not self._watchers

    @property
    def subscriptions(self) -> list[Subscription]:
        """All open subscriptions."""
        with self._lock:
            return self._all()

    def subscribe(self, name: str, *, end: Cursor) -> Subscription:
        """Subscribe to the log of a game or a player, after the cursor `end`.

        `end` must be a position known to be written. Nothing before it is delivered. Events
        after it may be delivered even if they were written before this call.
        """
        self._store.listen(self.on_change)
        self._store.listen_to_messages(self.on_message)
        subscription = Subscription(name)
        with self._lock:
            self._topics.setdefault(name, _Topic(end)).subscriptions.add(subscription)
            if self._is_closed:
                subscription.end("shutdown")
        return subscription

    def unsubscribe(self, subscription: Subscription) -> None:
        """Deliver nothing more to the subscription. May be called twice."""
        with self._lock:
            topic = self._topics.get(subscription.name)
            if topic is not None and subscription in topic.subscriptions:
                topic.subscriptions.remove(subscription)
                if not topic.subscriptions:
                    del self._topics[subscription.name]
            self._unwatch(subscription, subscription.known_online)

    def read_page(self, name: str, after: Cursor | None) -> list[LogEntry]:
        """Return the next page of a log, at most `PAGE` entries."""
        if is_game_id(name):
            events = self._store.events(name, after=after, limit=PAGE)
            return [LogEntry((event.version, event.seq), event.body) for event in events]
        page = self._store.account_events(name, after=after, limit=PAGE)
        return [LogEntry(event.cursor, event.body) for event in page.events]

    # Presence

    def watch_presence(self, subscription: Subscription, online: Mapping[str, bool]) -> None:
        """Deliver presence changes of these players, and no others.

        `online` is the presence that the subscriber knows already.
        """
        with self._lock:
            self._unwatch(subscription, subscription.known_online)
            subscription.known_online.clear()
            subscription.known_online.update(online)
            for player_id in online:
                self._watchers.setdefault(player_id, set()).add(subscription)

    def publish_presence(self, player_ids: Iterable[str] | None = None) -> None:
        """Deliver changes in the presence of these players, or of all watched players."""
        with self._delivering:
            self._publish_presence(player_ids)

    # Delivery

    def on_change(self, changes: Sequence[tuple[str, int]]) -> None:
        """Deliver what is new for the games and players named; the store calls this."""
        relevant = [
            (name, version) for name, version in changes if name in self._topics or name in self._watchers
        ]
        if relevant:
            with self._delivering:
                try:
                    self._dispatch(relevant)
                except StoreUnavailable as error:
                    # Every stream also reads its log by itself, with each heartbeat.
                    log.warning("Streams get no events for now: %s", error)
                except Exception:
                    # The calling thread also wakes waiting requests, and must survive.
                    log.exception("Events could not be delivered to streams.")

    def on_message(self, messages: Sequence[tuple[str, bytes]]) -> None:
        """Deliver messages to the subscriptions of their games; the store calls this."""
        for name, body in messages:
            with self._lock:
                topic = self._topics.get(name)
                subscriptions = () if topic is None else tuple(topic.subscriptions)
            for subscription in subscriptions:
                subscription.put_message(Message(body))

    def close(self) -> None:
        """End all streams and accept no new ones."""
        with self._lock:
            self._is_closed = True
            subscriptions = self._all()
        for subscription in subscriptions:
            subscription.end("shutdown")

    def _all(self) -> list[Subscription]:
        return [subscription for topic in self._topics.values() for subscription in topic.subscriptions]

    def _dispatch(self, changes: Sequence[tuple[str, int]]) -> None:
        arrived = {name for name, version in changes if version == PLAYER_ONLINE and name in self._watchers}
        if arrived:
            self._publish_presence(arrived)
        latest = {name: version for name, version in sorted(changes) if version != PLAYER_ONLINE}
        for name, version in latest.items():
            topic = self._topics.get(name)
            if topic is not None and (version == PLAYER_NOTIFIED or version > topic.end[0]):
                self._deliver(name, topic)

    def _deliver(self, name: str, topic: _Topic) -> None:
        while True:
            page = self.read_page(name, topic.end)
            with self._lock:
                subscriptions = tuple(topic.subscriptions)
            for entry in page:
                for subscription in subscriptions:
                    subscription.put(entry)
                topic.end = entry.cursor
            if len(page) < PAGE:
                return

    def _publish_presence(self, player_ids: Iterable[str] | None) -> None:
        with self._lock:
            watched = list(self._watchers if player_ids is None else player_ids)
        if not watched:
            return
        online = self._store.online(watched, now=self._now())
        with self._lock:
            for player_id, is_online in zip(watched, online, strict=True):
                for subscription in self._watchers.get(player_id, ()):
                    if subscription.known_online.get(player_id) is not is_online:
                        subscription.put_presence(PresenceChange(player_id, is_online))

    def _unwatch(self, subscription: Subscription, player_ids: Iterable[str]) -> None:
        for player_id in player_ids:
            watchers = self._watchers.get(player_id, set())
            watchers.discard(subscription)
            if not watchers:
                self._watchers.pop(player_id, None)
