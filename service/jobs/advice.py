"""Jobs that think for a player: a hint for his turn, a review of his game.

A request only asks; a worker thinks, and the player reads what came of it. What a job
knows lies in the store: who asked, for which seat and version, how far it has come. Nothing
waits for a job that never ends: one that is not done when it should be counts as failed, and
may be asked for again.
"""

import secrets
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from enum import StrEnum
from typing import Any, Final, Protocol

import msgspec

from service.games.record import GameRecord, Status
from service.games.refusals import Refusal
from service.rummy.errors import IllegalMove
from service.runtime.durations import HOUR_MS, MINUTE_MS
from service.runtime.json_object import Json
from service.store.contract import Store, StoreUnavailable
from service.store.schema import StoredCodec, StoredValue

#: A hint that takes longer, waiting for a worker included, is of no use to a turn.
HINT_MS: Final = MINUTE_MS
#: A review may wait behind others; each time it goes on it has so long again.
REVIEW_MS: Final = 10 * MINUTE_MS
#: So long hints are kept; reviews as long as their games.
HINT_KEPT_MS: Final = HOUR_MS
_LOST: Final = "It got lost on the way: ask again."
_ID_BYTES: Final = 24


class JobKind(StrEnum):
    """What is thought about."""

    HINT = "hint"
    REVIEW = "review"


class JobStatus(StrEnum):
    """How far a job has come."""

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


@dataclass(frozen=True, slots=True, kw_only=True)
class Job(StoredValue):
    """Something to think about, and what came of it; times are milliseconds since the epoch.

    `version` is that of the game it was asked for. `give_up_at` is when it counts as lost
    unless it is done. `done` and `steps` tell how far a review has come. `result` is JSON
    as the worker made it, whole only when the status is done. `stored` are the bytes that it was read
    from: what another release wrote, this one might not write alike.
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
        """Tell whether somebody waits for it: a turn does, a game that is over does not."""
        return self.kind is JobKind.HINT

    @property
    def is_over(self) -> bool:
        """Tell whether nothing more will come of it."""
        return self.status in {JobStatus.DONE, JobStatus.FAILED}


class AdviceQueue(Protocol):
    """Hands jobs to those who think."""

    def enqueue(self, job_id: str, step: int, *, urgent: bool) -> bool:
        """Ask a worker to go on with the job; tell whether the queue took it. Never raises.

        What is urgent comes before all that is not.
        """
        ...


class NullAdviceQueue:
    """A queue that nobody empties: whoever asks is told at once."""

    def enqueue(self, _job_id: str, _step: int, *, urgent: bool) -> bool:
        """Take nothing."""
        del urgent
        return False


_JOBS: Final = StoredCodec(Job)


class AdviceJobs:
    """Jobs of players: asked for, gone on with, and read."""

    def __init__(self, *, store: Store, queue: AdviceQueue, now: Callable[[], int]) -> None:
        self._store: Final = store
        self._queue: Final = queue
        self._now: Final = now

    # What players ask for

    def ask_hint(self, record: GameRecord, seat: int, player_id: str) -> Job:
        """Return the job of a hint for a seat that may act; asked twice for one version it is one job.

        Raises `Refusal` in a rated game, IllegalMove where it is not the seat's turn, and `Refusal`
        hint_in_progress while an older one is thought about.
        """
        if record.rated:
            raise Refusal("rated_game", "In a rated game everybody thinks for himself.")
        _check_turn(record, seat)
        job = self._new(JobKind.HINT, record, (seat,), player_id)
        return self._begun(f"hint-of:{record.id}:{seat}", job)

    def ask_review(self, record: GameRecord, seats: Sequence[int], player_id: str) -> Job:
        """Return the job of a review of what a player's seats did in a game that is over.

        One that was made already is not made again. Raises `Refusal` rated_game or game_running before
        the end.
        """
        if not record.status.is_over:
            if record.rated:
                raise Refusal("rated_game", "In a rated game everybody thinks for himself until it is over.")
            raise Refusal("game_running", "The game is not over yet: it can be reviewed afterwards.")
        job = self._new(JobKind.REVIEW, record, tuple(seats), player_id)
        return self._begun(_review_of(record.id, player_id), job)

    def job(self, job_id: str, player_id: str) -> Job:
        """Return a job as it stands; raise `Refusal` not_found for one that another asked for."""
        job = self._load(job_id)
        if job is None or job.player_id != player_id:
            raise Refusal("not_found", "There is no such job, or it was too long ago.")
        return self._as_it_stands(job)

    def review(self, game_id: str, player_id: str) -> Job | None:
        """Return the job of the player's last review of a game, None where he asked for none."""
        name = self._store.work(_review_of(game_id, player_id))
        job = None if name is None else self._load(name.decode())
        return None if job is None else self._as_it_stands(job)

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

    def _begun(self, place: str, job: Job) -> Job:
        """Put the job into its place, where one at a time may be, and hand it to a worker."""
        there, same = self._asked_before(place, job)
        if same is not None:
            return same
        new = self._put(job, replaces=None)
        if new is None:
            raise StoreUnavailable("A job could not be kept.")
        while not self._store.put_work(place, job.id.encode(), replaces=there, expires_at=job.expires_at):
            # Somebody who asked at the same moment was quicker: it is his job that counts, while it is good
            # for anything. Ours then stays unread and vanishes.
            there, same = self._asked_before(place, job)
            if same is not None:
                return same
        if not self._queue.enqueue(job.id, job.done, urgent=job.is_urgent):
            self._change(new, status=JobStatus.FAILED, reason=_LOST)
            raise StoreUnavailable("The queue of hints and reviews does not answer.")
        return job

    def _asked_before(self, place: str, job: Job) -> tuple[bytes | None, Job | None]:
        """Return what stands in the place, and the job there if it answers the same question.

        Raises `Refusal` hint_in_progress where another question is still thought about.
        """
        there = self._store.work(place)
        last = None if there is None else self._load(there.decode())
        if last is None:
            return there, None
        last = self._as_it_stands(last)
        if last.status is not JobStatus.FAILED and _asks_the_same(last, job):
            return there, last
        if not last.is_over:
            raise _in_progress(last)
        return there, None

    # What workers do

    def begin(self, job_id: str, step: int) -> Job | None:
        """Take up a job at a step; None where it is over, or somebody else has taken up this step."""
        job = self._load(job_id)
        if job is None or self._as_it_stands(job).is_over or job.done != step:
            return None
        return self._change(job, status=JobStatus.RUNNING, give_up_at=self._give_up_at(job))

    def go_on_later(self, job: Job, *, done: int, steps: int, result: Json) -> None:
        """Keep what came of the job so far, and put it behind those who wait."""
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
        """Keep what came of the job."""
        self._change(job, status=JobStatus.DONE, done=steps, steps=steps, result=result)

    def fail(self, job: Job, reason: str) -> None:
        """Keep why nothing came of the job: a sentence for the player."""
        self._change(job, status=JobStatus.FAILED, reason=reason, result={})

    # The store

    def _give_up_at(self, job: Job) -> int:
        return self._now() + (HINT_MS if job.kind is JobKind.HINT else REVIEW_MS)

    def _load(self, job_id: str) -> Job | None:
        body = self._store.work(_key(job_id))
        return None if body is None else replace(_JOBS.decode(body), stored=body)

    def _as_it_stands(self, job: Job) -> Job:
        """Return the job; one that is not done in its time has failed, whoever died with it."""
        if job.is_over or self._now() < job.give_up_at:
            return job
        return replace(job, status=JobStatus.FAILED, reason=_LOST, result={})

    def _change(self, job: Job, **members: Any) -> Job | None:  # noqa: ANN401 - members of a job
        """Keep the job as changed, unless another worker went on with it; None then."""
        assert job.stored is not msgspec.UNSET  # noqa: S101 - it was read, or put before
        return self._put(replace(job, **members), replaces=job.stored)

    def _put(self, job: Job, *, replaces: bytes | None) -> Job | None:
        """Store the job in the place of the bytes that were read; None where other bytes stand there now."""
        body = _JOBS.encode(replace(job, stored=msgspec.UNSET))
        stands = self._store.put_work(_key(job.id), body, replaces=replaces, expires_at=job.expires_at)
        return replace(job, stored=body) if stands else None


def _key(job_id: str) -> str:
    return f"job:{job_id}"


def _review_of(game_id: str, player_id: str) -> str:
    return f"review-of:{game_id}:{player_id}"


def _asks_the_same(job: Job, other: Job) -> bool:
    """Tell whether two jobs of one place ask the same.

    What was played does not change any more when it is reviewed, whatever becomes of the game: a rematch
    raises its version.
    """
    is_same_position = job.kind is JobKind.REVIEW or job.version == other.version
    return job.player_id == other.player_id and is_same_position


def _in_progress(job: Job) -> Refusal:
    return Refusal(
        "hint_in_progress",
        "One hint at a time: wait for the one you asked for, or read what came of it.",
        job_id=job.id,
    )


def _check_turn(record: GameRecord, seat: int) -> None:
    if record.status.is_over:
        raise IllegalMove("game_over", "The game is over; its review tells what could have been done.")
    if record.status is Status.DEAL_OVER:
        raise IllegalMove("deal_over", "The deal is over: there is nothing to decide.")
    if record.status is Status.WAITING:
        raise IllegalMove("wrong_phase", "The game has not begun.")
    if seat not in record.may_act():
        raise IllegalMove("not_your_turn", "It is not your turn: ask when it is.")
