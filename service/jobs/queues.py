"""The queues of computers' turns, of hints and of webhooks' deliveries: RQ jobs, asked for by name.

Every turn comes into the quick queue. A turn that somebody thinks about goes on into a queue
of its own, so that however many are thought about, the quick ones never wait for them.

A message may get lost, or come twice. Neither harms: the clock finds what is due, and
of two workers at one turn only one can commit (house rule: the version decides).
A queue each, for turns must not wait for other people's servers.
"""

import logging
import time
from typing import Final

from redis import Redis
from redis.exceptions import RedisError
from redis.exceptions import TimeoutError as NoAnswerInTime
from rq import Queue

from service.runtime import metrics

QUEUE: Final = "turns"
JOB: Final = "workers.jobs.play_turn"
HINTS: Final = "hints"
REVIEWS: Final = "reviews"
ADVISE: Final = "workers.advising.advise"
THINKING_QUEUE: Final = "thinking"
THINKING_JOB: Final = "workers.jobs.think_turn"
WEBHOOKS: Final = "webhooks"
DELIVER: Final = "workers.deliveries.deliver"

#: Quick turns take a second at most, and a job a dozen of them; of those that are thought about, for five
#: seconds each, a job has one. Whoever needs a minute is stuck.
_JOB_SECONDS: Final = 60
#: A post ends after ten seconds, but for the lookup of a name, which the system may take longer for.
_DELIVERY_SECONDS: Final = 30
#: A job that failed is kept for an hour, for somebody who looks for the reason.
_FAILURE_SECONDS: Final = 3600

#: A queue that did not answer in time is left alone for so long. Otherwise every move before a computer's
#: turn would wait for it, and a clock with many such games would keep no deadline any more.
_LEFT_ALONE_SECONDS: Final = 1.0

log = logging.getLogger(__name__)


class RqQueue:
    """Puts jobs into a queue that workers empty; a queue that does not answer holds nobody up."""

    def __init__(self, name: str, connection: Redis, *, what: str) -> None:
        self.what: Final = what
        self._queue: Final = Queue(name, connection=connection)
        self._left_alone_until = 0.0

    def put(self, job: str, *args: str | int, job_id: str, seconds: int) -> bool:
        """Ask for a job by its name, to be ended after so many seconds; tell whether it was taken.

        Never raises.
        """
        if self._is_left_alone():
            return False
        try:
            self._queue.enqueue_call(
                job,
                args=args,
                job_id=job_id,
                timeout=seconds,
                # What came of it stands in the store.
                result_ttl=0,
                failure_ttl=_FAILURE_SECONDS,
            )
        except RedisError as error:
            # What it follows from is committed and must be answered; the clock asks again.
            self._note(error)
            log.warning("One of %s could not be queued (%s).", self.what, type(error).__name__)
            metrics.JOBS_QUEUED.labels(self._queue.name, "failed").inc()
            return False
        metrics.JOBS_QUEUED.labels(self._queue.name, "done").inc()
        return True

    def waiting(self) -> dict[str, int]:
        """Return how many jobs wait for a worker, by the name of the queue; nothing while nobody can tell."""
        if self._is_left_alone():
            return {}
        try:
            return {self._queue.name: self._queue.count}
        except RedisError as error:
            self._note(error)
            return {}

    def ping(self) -> tuple[str, ...]:
        """Return what keeps jobs from being queued, a sentence each; never raises."""
        try:
            self._queue.connection.ping()
        except RedisError as error:
            return (f"The queue of {self.what} does not answer ({type(error).__name__}).",)
        return ()

    def has(self, job_id: str) -> bool:
        """Tell whether the job still waits for a worker; so too while nobody can tell."""
        if self._is_left_alone():
            return True
        try:
            # By the list itself: a job's status says "queued" a moment longer than it is.
            return self._queue.get_job_position(job_id) is not None
        except RedisError as error:
            self._note(error)
            return True

    def _is_left_alone(self) -> bool:
        return time.monotonic() < self._left_alone_until

    def _note(self, error: RedisError) -> None:
        if isinstance(error, NoAnswerInTime):
            self._left_alone_until = time.monotonic() + _LEFT_ALONE_SECONDS


class RqTurnQueue:
    """Puts computers' turns into the queues that `rummy500 turns` and `rummy500 thinker` empty."""

    def __init__(self, connection: Redis) -> None:
        self._quick: Final = RqQueue(QUEUE, connection, what="computers' turns")
        self._thinking: Final = RqQueue(THINKING_QUEUE, connection, what="computers' turns")

    def enqueue(self, game_id: str, version: int, attempt: int) -> None:
        """Ask for the computer's turn that began at the version; never raises."""
        self._quick.put(
            JOB,
            *(game_id, version, attempt),
            job_id=job_id(game_id, version, attempt),
            seconds=_JOB_SECONDS,
        )

    def waiting(self) -> dict[str, int]:
        """Return how many of them wait for a worker, as `RqQueue` does."""
        return {**self._quick.waiting(), **self._thinking.waiting()}

    def think(self, game_id: str, version: int, attempt: int) -> None:
        """Ask for the same turn where there is time to think about it; never raises."""
        self._thinking.put(
            THINKING_JOB,
            *(game_id, version, attempt),
            job_id=thinking_job_id(game_id, version, attempt),
            seconds=_JOB_SECONDS,
        )

    def ping(self) -> tuple[str, ...]:
        """Return what keeps computers' turns from being queued, a sentence each; never raises."""
        return self._quick.ping()

    def is_waiting(self, game_id: str, version: int, attempt: int) -> bool:
        """Tell whether the turn still waits for a worker; so too while nobody can tell."""
        return self._quick.has(job_id(game_id, version, attempt)) or self._thinking.has(
            thinking_job_id(game_id, version, attempt)
        )


def job_id(game_id: str, version: int, attempt: int) -> str:
    """Return the id of a turn's job: the same for whoever asks for it."""
    return f"turn-{game_id}-{version}-{attempt}"


def thinking_job_id(game_id: str, version: int, attempt: int) -> str:
    """Return the id of the job that thinks about a turn."""
    return f"think-{game_id}-{version}-{attempt}"


def delivery_job_id(delivery_id: str, step: int) -> str:
    """Return the id of the job that does a step of a delivery."""
    return f"webhook-{delivery_id}-{step}"


def advice_job_id(thought_id: str, step: int) -> str:
    """Return the id of the job that does a step of a hint or a review."""
    return f"advice-{thought_id}-{step}"


class RqDeliveryQueue:
    """Puts steps of webhooks' deliveries into the queue that `rummy500 webhooks` empties."""

    def __init__(self, connection: Redis) -> None:
        self._jobs: Final = RqQueue(WEBHOOKS, connection, what="webhooks")

    def enqueue(self, delivery_id: str, step: int) -> None:
        """Ask for the step of a delivery; never raises."""
        self._jobs.put(
            DELIVER,
            *(delivery_id, step),
            job_id=delivery_job_id(delivery_id, step),
            seconds=_DELIVERY_SECONDS,
        )

    def waiting(self) -> dict[str, int]:
        """Return how many of them wait for a worker, as `RqQueue` does."""
        return self._jobs.waiting()

    def is_waiting(self, delivery_id: str, step: int) -> bool:
        """Tell whether the step still waits for a worker; so too while nobody can tell."""
        return self._jobs.has(delivery_job_id(delivery_id, step))


class RqAdviceQueue:
    """Puts hints and reviews into the queues that `rummy500 adviser` empties, hints first."""

    def __init__(self, connection: Redis) -> None:
        self._hints: Final = RqQueue(HINTS, connection, what="hints")
        self._reviews: Final = RqQueue(REVIEWS, connection, what="reviews")

    def enqueue(self, job_id: str, step: int, *, urgent: bool) -> bool:
        """Ask for the next step of a job; tell whether the queue took it. Never raises."""
        jobs = self._hints if urgent else self._reviews
        return jobs.put(ADVISE, *(job_id, step), job_id=advice_job_id(job_id, step), seconds=_JOB_SECONDS)

    def waiting(self) -> dict[str, int]:
        """Return how many jobs wait for an adviser, by the name of the queue."""
        return {**self._hints.waiting(), **self._reviews.waiting()}
