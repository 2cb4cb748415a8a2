"""The RQ queues of turns, advice and webhook deliveries; jobs are enqueued by name.

Every turn goes into the quick queue first. Turns of levels that search move on to a queue
of their own, so quick turns never wait for them; there owners take turns. No turn waits for other people's
servers, whose deliveries have a queue as well.

A message may be lost or arrive twice without harm: the scheduler enqueues what is due
again, and of two workers at one turn the version lets only one commit.
"""

import logging
import time
from typing import Final

from redis import Redis
from redis.exceptions import RedisError
from redis.exceptions import TimeoutError as RedisTimeoutError
from rq import Queue

from service.jobs.fair_queue import FairQueue, TurnOwner
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

#: A job plays up to a dozen quick turns of a second at most, or one search of five seconds. A job that
#: takes a minute is stuck.
_JOB_SECONDS: Final = 60
#: A POST ends after ten seconds; only the name lookup of the system may take longer.
_DELIVERY_SECONDS: Final = 30
#: Failed jobs are kept for an hour, so that operators can look for the reason.
_FAILURE_SECONDS: Final = 3600

#: A queue that timed out is not used for this long. Otherwise every move before a computer's turn would wait
#: for it, and a scheduler with many such games would miss its deadlines.
_BACKOFF_SECONDS: Final = 1.0

log = logging.getLogger(__name__)


class RqQueue:
    """A queue of RQ; if Redis does not answer, jobs are dropped at once and callers never wait."""

    def __init__(self, name: str, connection: Redis, *, content: str) -> None:
        self.content: Final = content
        self._queue: Final = Queue(name, connection=connection)
        self._backoff_until = 0.0

    def put(self, job: str, *args: str | int, job_id: str, seconds: int) -> bool:
        """Enqueue a job by name, with a time limit; return whether the queue accepted it.

        Never raises.
        """
        if self._is_backing_off():
            return False
        try:
            self._queue.enqueue_call(
                job,
                args=args,
                job_id=job_id,
                timeout=seconds,
                # Results are in the store.
                result_ttl=0,
                failure_ttl=_FAILURE_SECONDS,
            )
        except RedisError as error:
            # The change before it is committed and must be answered; the scheduler enqueues it again.
            self._note_failure(error)
            log.warning("A job of %s could not be enqueued (%s).", self.content, type(error).__name__)
            metrics.JOBS_QUEUED.labels(self._queue.name, "failed").inc()
            return False
        metrics.JOBS_QUEUED.labels(self._queue.name, "done").inc()
        return True

    def waiting(self) -> dict[str, int]:
        """Return the number of waiting jobs, by queue; empty if Redis does not answer."""
        if self._is_backing_off():
            return {}
        try:
            return {self._queue.name: self._queue.count}
        except RedisError as error:
            self._note_failure(error)
            return {}

    def ping(self) -> tuple[str, ...]:
        """Return a sentence for each problem of the queue; never raises."""
        try:
            self._queue.connection.ping()
        except RedisError as error:
            return (f"The queue of {self.content} does not answer ({type(error).__name__}).",)
        return ()

    def has(self, job_id: str) -> bool:
        """Return whether the job still waits for a worker; True if Redis does not answer."""
        if self._is_backing_off():
            return True
        try:
            # The list is exact: the status of a job stays "queued" a moment too long.
            return self._queue.get_job_position(job_id) is not None
        except RedisError as error:
            self._note_failure(error)
            return True

    def _is_backing_off(self) -> bool:
        return time.monotonic() < self._backoff_until

    def _note_failure(self, error: RedisError) -> None:
        if isinstance(error, RedisTimeoutError):
            self._backoff_until = time.monotonic() + _BACKOFF_SECONDS


class RqTurnQueue:
    """The queues of computers' turns, for `rummy500 turns` and `rummy500 thinker`."""

    def __init__(self, connection: Redis) -> None:
        self._quick: Final = RqQueue(QUEUE, connection, content="computers' turns")
        self._thinking: Final = RqQueue(THINKING_QUEUE, connection, content="computers' turns")
        self._fair: Final = FairQueue(THINKING_QUEUE, connection)

    def enqueue(self, game_id: str, version: int, attempt: int) -> None:
        """Enqueue the computer's turn that began at the version; never raises."""
        self._quick.put(
            JOB,
            *(game_id, version, attempt),
            job_id=job_id(game_id, version, attempt),
            seconds=_JOB_SECONDS,
        )

    def waiting(self) -> dict[str, int]:
        """Return the number of waiting jobs, by queue."""
        return {**self._quick.waiting(), **self._thinking.waiting()}

    def think(self, game_id: str, version: int, attempt: int, owner: TurnOwner) -> None:
        """Enqueue the same turn for a thinker, behind other turns of its owner; never raises."""
        try:
            self._fair.add(thinking_job_id(game_id, version, attempt), owner)
        except RedisError as error:
            log.warning("A turn could not be put in order (%s).", type(error).__name__)
        self._permit(game_id, version, attempt)

    def thinking_waits(self) -> bool:
        """Return whether a turn waits for a thinker; False if Redis does not answer."""
        try:
            return self._fair.count() > 0
        except RedisError:
            return False

    def take_turn(self) -> tuple[str, int, int] | None:
        """Take the turn to search for next; None if none waits or Redis does not answer."""
        try:
            turn = self._fair.take()
        except RedisError:
            return None
        return None if turn is None else _parse_thinking_job_id(turn)

    def _permit(self, game_id: str, version: int, attempt: int) -> None:
        """Enqueue a job, which takes the turn that is next; that may be another one."""
        self._thinking.put(
            THINKING_JOB,
            *(game_id, version, attempt),
            job_id=thinking_job_id(game_id, version, attempt),
            seconds=_JOB_SECONDS,
        )

    def ping(self) -> tuple[str, ...]:
        """Return a sentence for each problem of the queue; never raises."""
        return self._quick.ping()

    def is_waiting(self, game_id: str, version: int, attempt: int) -> bool:
        """Return whether the turn still waits for a worker; True if Redis does not answer."""
        if self._quick.has(job_id(game_id, version, attempt)):
            return True
        try:
            if not self._fair.has(thinking_job_id(game_id, version, attempt)):
                return self._thinking.has(thinking_job_id(game_id, version, attempt))
            if sum(self._thinking.waiting().values()) < self._fair.count():
                # A job was lost, with its worker or before it was stored.
                self._permit(game_id, version, attempt)
        except RedisError:
            return True
        return True


def job_id(game_id: str, version: int, attempt: int) -> str:
    """Return the id of a turn's job, which makes enqueueing idempotent."""
    return f"turn-{game_id}-{version}-{attempt}"


def thinking_job_id(game_id: str, version: int, attempt: int) -> str:
    """Return the id of the job that searches for a turn."""
    return f"think-{game_id}-{version}-{attempt}"


def _parse_thinking_job_id(turn: str) -> tuple[str, int, int]:
    """Return game, version and attempt; an id of a game may contain hyphens."""
    game_id, version, attempt = turn.removeprefix("think-").rsplit("-", 2)
    return game_id, int(version), int(attempt)


def delivery_job_id(delivery_id: str, step: int) -> str:
    """Return the id of the job for a step of a delivery."""
    return f"webhook-{delivery_id}-{step}"


def advice_job_id(job_id: str, step: int) -> str:
    """Return the id of the job for a step of a hint or a review."""
    return f"advice-{job_id}-{step}"


class RqDeliveryQueue:
    """The queue of webhook deliveries, for `rummy500 webhooks`."""

    def __init__(self, connection: Redis) -> None:
        self._jobs: Final = RqQueue(WEBHOOKS, connection, content="webhooks")

    def enqueue(self, delivery_id: str, step: int) -> None:
        """Enqueue the step of a delivery; never raises."""
        self._jobs.put(
            DELIVER,
            *(delivery_id, step),
            job_id=delivery_job_id(delivery_id, step),
            seconds=_DELIVERY_SECONDS,
        )

    def waiting(self) -> dict[str, int]:
        """Return the number of waiting jobs, by queue."""
        return self._jobs.waiting()

    def is_waiting(self, delivery_id: str, step: int) -> bool:
        """Return whether the step still waits for a worker; True if Redis does not answer."""
        return self._jobs.has(delivery_job_id(delivery_id, step))


class RqAdviceQueue:
    """The queues of hints and reviews, for `rummy500 adviser`, which takes hints first."""

    def __init__(self, connection: Redis) -> None:
        self._hints: Final = RqQueue(HINTS, connection, content="hints")
        self._reviews: Final = RqQueue(REVIEWS, connection, content="reviews")

    def enqueue(self, job_id: str, step: int, *, urgent: bool) -> bool:
        """Enqueue the next step of a job; return whether the queue accepted it. Never raises."""
        jobs = self._hints if urgent else self._reviews
        return jobs.put(ADVISE, *(job_id, step), job_id=advice_job_id(job_id, step), seconds=_JOB_SECONDS)

    def waiting(self) -> dict[str, int]:
        """Return the number of waiting jobs, by queue."""
        return {**self._hints.waiting(), **self._reviews.waiting()}
