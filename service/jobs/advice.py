"""Advice jobs: a hint for a player's turn, a review of a player's game.

A request creates a job, a worker computes it, and the player polls for the result. The
state of a job is in the store: who asked, for which seat and version, and its progress.
A job that misses its deadline counts as failed, and the player may ask again.
"""

import secrets
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Final, Literal, Protocol

import msgspec

from service.games.record import GameRecord, Status
from service.games.refusals import Refusal
from service.games.seating import game_over
from service.rummy.errors import IllegalMove
from service.runtime.durations import HOUR_MS, MINUTE_MS
from service.runtime.json_object import Json
from service.store.contract import Store, StoreUnavailable
from service.store.schema import StoredCodec, StoredValue

#: A hint that takes longer than this, with the time in the queue, is too late for the turn.
HINT_MS: Final = MINUTE_MS
#: A review may wait behind others; each step of it gets this time again.
REVIEW_MS: Final = 10 * MINUTE_MS
#: How long hints are kept. Reviews are kept as long as their games.
HINT_KEPT_MS: Final = HOUR_MS
_LOST: Final = "The job was lost: ask again."
_ID_BYTES: Final = 24


class JobKind(StrEnum):
    """The kinds of advice."""

    HINT = "hint"
    REVIEW = "review"


class JobStatus(StrEnum):
    """The progress of a job."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Job(StoredValue):
    """A request for advice and its result; times are milliseconds since the epoch.

    `version` is the version of the game. At `give_up_at` an unfinished job counts as lost.
    `done` of `steps` is the progress of a review. `result` is JSON from the worker, complete
    only when the status is done. `stored` are the bytes that the job was read from: another
    release may have written them, and this one could encode them differently.
    """

    id: str
    kind: JobKind
    status: JobStatus
    player_id: str
    game_id: str
    seats: tuple[int, ...]
    version: int
    asked_at: int
    give_up_at: int
    expires_at: int
    done: int = 0
    steps: int | None = None
    reason: str | None = None
    result: Json = field(default_factory=dict)
    stored: bytes | msgspec.UnsetType = field(default=msgspec.UNSET, compare=False, repr=False)

    @property
    def is_urgent(self) -> bool:
        """Whether the job goes first: a player on turn waits for a hint, no game waits for a review."""
        return self.kind is JobKind.HINT

    @property
    def is_over(self) -> bool:
        """Whether the job has ended, with a result or without."""
        return self.status in {JobStatus.DONE, JobStatus.FAILED}


@dataclass(frozen=True, slots=True, kw_only=True)
class AdviceReady(StoredValue):
    """A message to the player who asked: the job has ended. `type` tells it from a reaction."""

    job_id: str
    kind: JobKind
    status: JobStatus
    player_id: str
    type: Literal["advice.ready"] = "advice.ready"


class AdviceQueue(Protocol):
    """Hands jobs to advisers."""

    def enqueue(self, job_id: str, step: int, *, urgent: bool) -> bool:
        """Enqueue the next step of a job; return whether the queue accepted it. Never raises.

        Urgent jobs go before all others.
        """
        ...


class NullAdviceQueue:
    """A queue without workers: it accepts no job, so requests fail at once."""

    def enqueue(self, _job_id: str, _step: int, *, urgent: bool) -> bool:
        """Accept nothing."""
        del urgent
        return False


_JOBS: Final = StoredCodec(Job)
_READY: Final = StoredCodec(AdviceReady)


class _MessageType(msgspec.Struct):
    """The type of a message; reactions have none."""

    type: str | None = None


def decode_advice_ready(body: bytes) -> AdviceReady | None:
    """Return the message that a job has ended; None for a message of another kind."""
    is_ready = msgspec.json.decode(body, type=_MessageType).type == "advice.ready"
    return _READY.decode(body) if is_ready else None


def require_can_ask_hint(record: GameRecord, seat: int) -> None:
    """Raise `Refusal` in a rated game, and IllegalMove if it is not the seat's turn."""
    if record.rated:
        raise Refusal("rated_game", "Rated games have no hints.")
    _check_turn(record, seat)


def require_can_be_reviewed(record: GameRecord) -> None:
    """Raise `Refusal` rated_game or game_running before the end of the game."""
    if not record.status.is_over:
        if record.rated:
            raise Refusal("rated_game", "A rated game can be reviewed only when it is over.")
        raise Refusal("game_running", "A game can be reviewed only when it is over.")


class AdviceJobs:
    """Creates, runs and reads advice jobs."""

    def __init__(self, *, store: Store, queue: AdviceQueue, now: Callable[[], int]) -> None:
        self._store: Final = store
        self._queue: Final = queue
        self._now: Final = now

    # For players

    def ask_hint(self, record: GameRecord, seat: int, player_id: str) -> Job:
        """Return the job of a hint for a seat that may act; requests for one version share a job.

        Raises `Refusal` in a rated game, IllegalMove if it is not the seat's turn, and `Refusal`
        hint_in_progress while a hint for an earlier version is computed.
        """
        require_can_ask_hint(record, seat)
        job = self._new(JobKind.HINT, record, (seat,), player_id)
        return self._enqueue(f"hint-of:{record.id}:{seat}", job)

    def ask_review(self, record: GameRecord, seats: Sequence[int], player_id: str) -> Job:
        """Return the job of a review of a player's decisions in a game that is over.

        A finished review is returned again. Raises `Refusal` rated_game or game_running before
        the end of the game.
        """
        require_can_be_reviewed(record)
        job = self._new(JobKind.REVIEW, record, tuple(seats), player_id)
        return self._enqueue(_review_of(record.id, player_id), job)

    def job(self, job_id: str, player_id: str) -> Job:
        """Return a job of the player; raise `Refusal` not_found for any other."""
        job = self._load(job_id)
        if job is None or job.player_id != player_id:
            raise Refusal("not_found", "You have no such job, or it has expired.")
        return self._expire(job)

    def review(self, game_id: str, player_id: str) -> Job | None:
        """Return the job of the player's last review of a game, None if there is none."""
        name = self._store.advice_job(_review_of(game_id, player_id))
        job = None if name is None else self._load(name.decode())
        return None if job is None else self._expire(job)

    def _new(self, kind: JobKind, record: GameRecord, seats: tuple[int, ...], player_id: str) -> Job:
        now = self._now()
        hint = kind is JobKind.HINT
        kept_until = now + HINT_KEPT_MS if hint else max(record.expires_at or 0, now + HINT_KEPT_MS)
        return Job(
            id=f"j{secrets.token_urlsafe(_ID_BYTES)}",
            kind=kind,
            status=JobStatus.QUEUED,
            player_id=player_id,
            game_id=record.id,
            seats=seats,
            version=record.version,
            asked_at=now,
            give_up_at=now + (HINT_MS if hint else REVIEW_MS),
            expires_at=kept_until,
        )

    def _enqueue(self, place: str, job: Job) -> Job:
        """Enqueue the job, unless a job for the same question holds its place; one holds it at a time."""
        there, same = self._same_job(place, job)
        if same is not None:
            return same
        new = self._put(job, replaces=None)
        if new is None:
            raise StoreUnavailable("A job could not be stored.")
        while not self._store.put_advice_job(
            place, job.id.encode(), replaces=there, expires_at=job.expires_at
        ):
            # A concurrent request was faster: its job counts, unless it has failed. This one then stays
            # unread and expires.
            there, same = self._same_job(place, job)
            if same is not None:
                return same
        if not self._queue.enqueue(job.id, job.done, urgent=job.is_urgent):
            self._change(new, status=JobStatus.FAILED, reason=_LOST)
            raise StoreUnavailable("The queue of hints and reviews does not answer.")
        return job

    def _same_job(self, place: str, job: Job) -> tuple[bytes | None, Job | None]:
        """Return the entry of the place, and its job if that answers the same question.

        Raises `Refusal` hint_in_progress while a job for another question is computed.
        """
        there = self._store.advice_job(place)
        last = None if there is None else self._load(there.decode())
        if last is None:
            return there, None
        last = self._expire(last)
        if last.status is not JobStatus.FAILED and _asks_the_same(last, job):
            return there, last
        if not last.is_over:
            raise _in_progress(last)
        return there, None

    # For workers

    def begin(self, job_id: str, step: int) -> Job | None:
        """Start a step of a job; None if the job has ended or another worker has this step."""
        job = self._load(job_id)
        if job is None or self._expire(job).is_over or job.done != step:
            return None
        return self._change(job, status=JobStatus.RUNNING, give_up_at=self._give_up_at(job))

    def continue_later(self, job: Job, *, done: int, steps: int, result: Json) -> None:
        """Store an intermediate result, and enqueue the next step behind the waiting jobs."""
        kept = self._change(
            job,
            status=JobStatus.QUEUED,
            done=done,
            steps=steps,
            result=result,
            give_up_at=self._give_up_at(job),
        )
        if kept is not None and not self._queue.enqueue(job.id, done, urgent=job.is_urgent):
            self._change(kept, status=JobStatus.FAILED, reason=_LOST)

    def finish(self, job: Job, *, steps: int, result: Json) -> None:
        """Store the result of a job."""
        self._change(job, status=JobStatus.DONE, done=steps, steps=steps, result=result)

    def fail(self, job: Job, reason: str) -> None:
        """Store why a job failed: a sentence for the player."""
        self._change(job, status=JobStatus.FAILED, reason=reason, result={})

    # The store

    def _give_up_at(self, job: Job) -> int:
        return self._now() + (HINT_MS if job.kind is JobKind.HINT else REVIEW_MS)

    def _load(self, job_id: str) -> Job | None:
        body = self._store.advice_job(_key(job_id))
        return None if body is None else replace(_JOBS.decode(body), stored=body)

    def _expire(self, job: Job) -> Job:
        """Return the job; one that missed its deadline counts as failed."""
        if job.is_over or self._now() < job.give_up_at:
            return job
        return replace(job, status=JobStatus.FAILED, reason=_LOST, result={})

    def _change(self, job: Job, **members: Any) -> Job | None:  # noqa: ANN401 - members of a job
        """Store a change of the job; None if another worker has changed it."""
        assert job.stored is not msgspec.UNSET  # noqa: S101 - it was read, or put before
        changed = self._put(replace(job, **members), replaces=job.stored)
        if changed is not None and changed.is_over:
            self._announce(changed)
        return changed

    def _announce(self, job: Job) -> None:
        """Send the asker's streams of the game a message; without the store they poll."""
        ready = AdviceReady(job_id=job.id, kind=job.kind, status=job.status, player_id=job.player_id)
        with suppress(StoreUnavailable):
            self._store.send_message(job.game_id, _READY.encode(ready))

    def _put(self, job: Job, *, replaces: bytes | None) -> Job | None:
        """Store the job if the stored bytes are still those that were read; else return None."""
        body = _JOBS.encode(replace(job, stored=msgspec.UNSET))
        stands = self._store.put_advice_job(_key(job.id), body, replaces=replaces, expires_at=job.expires_at)
        return replace(job, stored=body) if stands else None


def _key(job_id: str) -> str:
    return f"job:{job_id}"


def _review_of(game_id: str, player_id: str) -> str:
    return f"review-of:{game_id}:{player_id}"


def _asks_the_same(job: Job, other: Job) -> bool:
    """Return whether two jobs of one place ask the same question.

    The version does not matter for a review: the game is over, and only a rematch raises its version.
    """
    is_same_position = job.kind is JobKind.REVIEW or job.version == other.version
    return job.player_id == other.player_id and is_same_position


def _in_progress(job: Job) -> Refusal:
    return Refusal(
        "hint_in_progress",
        "One hint at a time: your earlier request is still in progress.",
        job_id=job.id,
    )


def _check_turn(record: GameRecord, seat: int) -> None:
    if record.status is Status.ABORTED:
        raise game_over(record)
    if record.status.is_over:
        raise IllegalMove("game_over", "The game is over: ask for a review instead.")
    if record.status is Status.DEAL_OVER:
        raise IllegalMove("deal_over", "The deal is over: there is nothing to decide.")
    if record.status is Status.WAITING:
        raise IllegalMove("wrong_phase", "The game has not begun.")
    if seat not in record.may_act():
        raise IllegalMove("not_your_turn", "It is not your turn: ask for a hint when it is.")
