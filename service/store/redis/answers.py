"""Stored answers in Redis: a string for each key, first the reservation and then the answer."""

import secrets

import msgspec
from msgspec import structs

from service.store.answers import (
    ANSWER_MS,
    COMMIT_RESERVATION_MS,
    RESERVATION_MS,
    Answer,
    AnswerStore,
    IdempotencyKey,
    InProgress,
    KeyReused,
    Reservation,
    ReserveResult,
)
from service.store.redis import keys
from service.store.redis.connection import Connection, script
from service.store.schema import FIRST_SCHEMA, SCHEMA


class RedisAnswerStore(AnswerStore):
    """Stores answers to requests with an Idempotency-Key."""

    _redis: Connection

    def reserve(self, key: IdempotencyKey, fingerprint: str, *, with_commit: bool = False) -> ReserveResult:
        reservation = Reservation(key=key, fingerprint=fingerprint, holder=secrets.token_urlsafe(12))
        ours = held(reservation)
        lifetime = COMMIT_RESERVATION_MS if with_commit else RESERVATION_MS
        found = self._redis.call("SET", keys.answer(key), ours, "NX", "GET", "PX", lifetime)
        if found is None or found == ours:
            return reservation
        head, separator, body = found.partition(b"\n")
        record = msgspec.json.decode(head, type=AnswerHead)
        if record.fingerprint != fingerprint:
            return KeyReused()
        if not separator:
            if with_commit and self._take_over(key, found, ours):
                return reservation
            return InProgress()
        return Answer(status=record.status, headers=record.headers, body=body)

    def _take_over(self, key: IdempotencyKey, theirs: bytes, ours: bytes) -> bool:
        names = [keys.answer(key)]
        return bool(self._redis.run(script("take_over"), names, theirs, ours, COMMIT_RESERVATION_MS))

    def remember(self, reservation: Reservation, answer: Answer) -> bool:
        names = [keys.answer(reservation.key)]
        if reservation.key.subject_id is not None:
            names.append(keys.subject(reservation.key.subject_id))
        done = self._redis.run(
            script("remember"), names, held(reservation), answered(reservation, answer), ANSWER_MS
        )
        return bool(done)

    def release(self, reservation: Reservation) -> bool:
        return bool(self._redis.run(script("release"), [keys.answer(reservation.key)], held(reservation)))


class AnswerHead(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """The first line of an idempotency record. A reservation consists of it alone."""

    schema: int = FIRST_SCHEMA
    fingerprint: str
    holder: str
    status: int = 0
    headers: tuple[tuple[str, str], ...] = ()


def _head(reservation: Reservation) -> AnswerHead:
    return AnswerHead(schema=SCHEMA, fingerprint=reservation.fingerprint, holder=reservation.holder)


def held(reservation: Reservation) -> bytes:
    """Return the record of a reservation."""
    return msgspec.json.encode(_head(reservation))


def answered(reservation: Reservation, answer: Answer) -> bytes:
    """Return the record of an answer: a line of JSON, then the body."""
    head = structs.replace(_head(reservation), status=answer.status, headers=answer.headers)
    return msgspec.json.encode(head) + b"\n" + answer.body
