"""Projects effects in a background thread, so that requests do not wait for them."""

import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final

from service.games.record import GameLogEntry, GameRecord
from service.runtime.after_fork import reset_after_fork

Project = Callable[[GameRecord, Sequence[GameLogEntry] | None], None]

#: With this many commits waiting, further ones are left to the scheduler.
_MAX_WAITING: Final = 1000


class BackgroundProjector:
    """Projects effects after the response, in the order of the commits.

    The thread starts with the first commit and ends after some idle seconds. Commits that
    do not fit, or are lost with the process, are found by the scheduler in the outbox.
    """

    def __init__(self, project: Project, *, idle_seconds: float = 5.0) -> None:
        self._project: Final = project
        self._idle_seconds: Final = idle_seconds
        self.reset()
        reset_after_fork(self)

    def reset(self) -> None:
        """Start with no work and no thread, as after a fork."""
        self._waiting: deque[tuple[GameRecord, Sequence[GameLogEntry] | None]] = deque()
        self._changed = threading.Condition()
        self._worker: threading.Thread | None = None
        self._is_over = False

    def project(self, record: GameRecord, events: Sequence[GameLogEntry] | None) -> None:
        """Enqueue the effects of a commit and return at once."""
        with self._changed:
            if self._is_over or len(self._waiting) >= _MAX_WAITING:
                return
            self._waiting.append((record, events))
            if self._worker is None:
                self._worker = threading.Thread(target=self._work, name="projector", daemon=True)
                self._worker.start()
            self._changed.notify_all()

    def close(self) -> None:
        """Finish the current commit, drop the rest, and end the thread."""
        with self._changed:
            self._is_over = True
            self._waiting.clear()
            self._changed.notify_all()
            worker = self._worker
        if worker is not None:
            worker.join()

    def _work(self) -> None:
        while True:
            with self._changed:
                self._changed.wait_for(lambda: self._waiting or self._is_over, self._idle_seconds)
                if not self._waiting:
                    self._worker = None
                    return
                commit = self._waiting.popleft()
            self._project(*commit)
