"""The queue of computers' turns: RQ jobs, asked for by name.

A message may get lost, or come twice. Neither harms: the clock finds what is due, and
of two workers at one turn only one can commit (house rule: the version decides).
"""

import logging
import time
from typing import Final

from redis import Redis
from redis.exceptions import RedisError
from redis.exceptions import TimeoutError as NoAnswerInTime
from rq import Queue

QUEUE: Final = "turns"
JOB: Final = "workers.jobs.play_turn"

#: Turns take a second at most, and a job a dozen of them; whoever needs a minute is stuck.
_JOB_SECONDS: Final = 60
#: A turn that failed is kept for an hour, for somebody who looks for the reason.
_FAILURE_SECONDS: Final = 3600

#: A queue that did not answer in time is left alone for so long. Otherwise every move before a computer's
#: turn would wait for it, and a clock with many such games would keep no deadline any more.
_LEFT_ALONE_SECONDS: Final = 1.0

log = logging.getLogger(__name__)


class RqTurns:
    """Puts computers' turns into the queue that `rummy500 worker` empties."""

    def __init__(self, connection: Redis) -> None:
        self._queue: Final = Queue(QUEUE, connection=connection)
        self._left_alone_until = 0.0

    def enqueue(self, game_id: str, version: int, attempt: int) -> None:
        """Ask for the computer's turn that began at the version; never raises."""
        if self._is_left_alone():
            return
        try:
            self._queue.enqueue_call(
                JOB,
                args=(game_id, version, attempt),
                job_id=job_id(game_id, version, attempt),
                timeout=_JOB_SECONDS,
                # What came of it stands in the game.
                result_ttl=0,
                failure_ttl=_FAILURE_SECONDS,
            )
        except RedisError as error:
            # The move before it is committed and must be answered; the clock asks again.
            self._note(error)
            log.warning("A computer's turn could not be queued (%s).", type(error).__name__)

    def ping(self) -> tuple[str, ...]:
        """Return what keeps computers' turns from being queued, a sentence each; never raises."""
        try:
            self._queue.connection.ping()
        except RedisError as error:
            return (f"The queue of computers' turns does not answer ({type(error).__name__}).",)
        return ()

    def is_waiting(self, game_id: str, version: int, attempt: int) -> bool:
        """Tell whether the turn still waits for a worker; so too while nobody can tell."""
        if self._is_left_alone():
            return True
        try:
            # By the list itself: a job's status says "queued" a moment longer than it is.
            return self._queue.get_job_position(job_id(game_id, version, attempt)) is not None
        except RedisError as error:
            self._note(error)
            return True

    def _is_left_alone(self) -> bool:
        return time.monotonic() < self._left_alone_until

    def _note(self, error: RedisError) -> None:
        if isinstance(error, NoAnswerInTime):
            self._left_alone_until = time.monotonic() + _LEFT_ALONE_SECONDS


def job_id(game_id: str, version: int, attempt: int) -> str:
    """Return the id of a turn's job: the same for whoever asks for it."""
    return f"turn-{game_id}-{version}-{attempt}"
