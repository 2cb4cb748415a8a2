"""One reader for all streams of a process: a log is read once, whoever follows it.

The store tells what changed; the hub reads what is new in the logs that somebody here
follows, and puts it into the feed of everyone who does. It goes on in each log where it
stopped, so that a lost word from the store loses no event: the next one brings both.

A stream begins without gap or repeat in three steps. It looks at the game; it follows,
from which moment on everything later than what it saw is put into its feed; and it reads
the log behind its own cursor until the end. What it then finds in the feed and has read
already, it drops.
"""

import logging
import threading
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Final

from service.store.contract import CAME, MAX_CURSOR, TOLD, Store, StoreUnavailable
from service.store.ids import is_game_id
from service.streams.subscription import Cursor, Entry, Feed, Presence

log = logging.getLogger(__name__)

PAGE: Final = 256


def behind(version: int) -> Cursor:
    """Return the cursor behind everything that a version holds."""
    return (version, MAX_CURSOR - 1)


class _Followed:
    """A log that somebody follows, handed over up to `end`."""

    def __init__(self, end: Cursor) -> None:
        self.end = end
        self.feeds: set[Feed] = set()


class Hub:
    """Who follows what in this process."""

    def __init__(self, store: Store, now: Callable[[], int]) -> None:
        self._store: Final = store
        self._now: Final = now
        self._lock: Final = threading.Lock()  # never held while the store is asked
        self._handing_over: Final = threading.Lock()  # one at a time, or events would change places
        self._followed: Final[dict[str, _Followed]] = {}
        self._watched: Final[dict[str, set[Feed]]] = {}
        self._is_over = False

    def follow(self, name: str, *, end: Cursor) -> Feed:
        """Return a feed of all that comes behind `end` in the log of a game or a player.

        `end` is a place that is known to be written: what lies before it is not handed over,
        what lies behind may be handed over though it was written before.
        """
        self._store.listen(self.hear)
        feed = Feed(name)
        with self._lock:
            self._followed.setdefault(name, _Followed(end)).feeds.add(feed)
            if self._is_over:
                feed.end("shutdown")
        return feed

    def leave(self, feed: Feed) -> None:
        """Hand nothing more to the feed."""
        with self._lock:
            followed = self._followed.get(feed.name)
            if followed is not None and feed in followed.feeds:
                followed.feeds.remove(feed)
                if not followed.feeds:
                    del self._followed[feed.name]
            self._unwatch(feed, feed.told_online)

    def read(self, name: str, after: Cursor | None) -> list[Entry]:
        """Return the next page of a log, `PAGE` entries at most."""
        if is_game_id(name):
            events = self._store.events(name, after=after, limit=PAGE)
            return [Entry((event.version, event.seq), event.body) for event in events]
        page = self._store.account_events(name, after=after, limit=PAGE)
        return [Entry(event.cursor, event.body) for event in page.events]

    # Who is here

    def watch(self, feed: Feed, online: Mapping[str, bool]) -> None:
        """Tell the feed when one of these players, and no other, comes or goes; it knows how it is now."""
        with self._lock:
            self._unwatch(feed, feed.told_online)
            feed.told_online.clear()
            feed.told_online.update(online)
            for player_id in online:
                self._watched.setdefault(player_id, set()).add(feed)

    def look_who_is_here(self, player_ids: Iterable[str] | None = None) -> None:
        """Tell those who watch these players, or any at all, whether they came or went."""
        with self._handing_over:
            self._look_who_is_here(player_ids)

    # Handing over

    def hear(self, heard: Sequence[tuple[str, int]]) -> None:
        """Hand over what is new in the games and to the players named."""
        news = [(name, version) for name, version in heard if name in self._followed or name in self._watched]
        if news:
            with self._handing_over:
                try:
                    self._spread(news)
                except StoreUnavailable as error:
                    # Every stream looks into its log by itself, now and then.
                    log.warning("Streams get no events for the moment: %s", error)
                except Exception:
                    # The thread that calls wakes others, too, and must go on.
                    log.exception("Streams did not get what they should have.")

    def end(self) -> None:
        """End all streams, and let none begin."""
        with self._lock:
            self._is_over = True
            feeds = [feed for followed in self._followed.values() for feed in followed.feeds]
        for feed in feeds:
            feed.end("shutdown")

    def _spread(self, news: Sequence[tuple[str, int]]) -> None:
        came = {name for name, version in news if version == CAME and name in self._watched}
        if came:
            self._look_who_is_here(came)
        latest = {name: version for name, version in sorted(news) if version != CAME}
        for name, version in latest.items():
            followed = self._followed.get(name)
            if followed is not None and (version == TOLD or version > followed.end[0]):
                self._hand_over(name, followed)

    def _hand_over(self, name: str, followed: _Followed) -> None:
        while True:
            page = self.read(name, followed.end)
            with self._lock:
                feeds = tuple(followed.feeds)
            for entry in page:
                for feed in feeds:
                    feed.put(entry)
                followed.end = entry.cursor
            if len(page) < PAGE:
                return

    def _look_who_is_here(self, player_ids: Iterable[str] | None) -> None:
        with self._lock:
            asked = list(self._watched if player_ids is None else player_ids)
        if not asked:
            return
        online = self._store.online(asked, now=self._now())
        with self._lock:
            for player_id, is_online in zip(asked, online, strict=True):
                for feed in self._watched.get(player_id, ()):
                    if feed.told_online.get(player_id) is not is_online:
                        feed.say(Presence(player_id, is_online))

    def _unwatch(self, feed: Feed, player_ids: Iterable[str]) -> None:
        for player_id in player_ids:
            watchers = self._watched.get(player_id, set())
            watchers.discard(feed)
            if not watchers:
                self._watched.pop(player_id, None)
