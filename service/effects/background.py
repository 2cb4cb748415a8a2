"""Work that nobody should wait for, done one piece after the other by a thread of its own."""

import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Final

from service.games.record import GameRecord, Logged
from service.runtime.after_fork import reset_after_fork

Project = Callable[[GameRecord, Sequence[Logged] | None], None]

#: A process that is so far behind leaves the rest to the clock.
_MOST_WAITING: Final = 1000


class BackgroundProjector:
    """Derives behind the back of whoever committed, in the order of the commits.

    The thread starts with the first piece of work and ends when it has had none for some
    seconds. What does not fit, or is lost with the process, is found by the clock.
    """

    def __init__(self, project: Project, *, idle_seconds: float = 5.0) -> None:
        self._project: Final = project
        self._idle_seconds: Final = idle_seconds
        self.reset()
        reset_after_fork(self)

    def reset(self) -> None:
        """Begin with no work and no thread."""
        self._waiting: deque[tuple[GameRecord, Sequence[Logged] | None]] = deque()
        self._changed = threading.Condition()
        self._worker: threading.Thread | None = None
        self._is_over = False

    def project(self, record: GameRecord, happened: Sequence[Logged] | None) -> None:
        """Take note of what is to be derived, and return at once."""
        with self._changed:
            if self._is_over or len(self._waiting) >= _MOST_WAITING:
                return
            self._waiting.append((record, happened))
            if self._worker is None:
                self._worker = threading.Thread(target=self._work, name="projector", daemon=True)
                self._worker.start()
            self._changed.notify_all()

    def close(self) -> None:
        """Finish what was begun, drop the rest, and let the thread end."""
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
                piece = self._waiting.popleft()
            self._project(*piece)
