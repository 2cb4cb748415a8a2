"""The same request sent again gets the same answer again.

A client that hears nothing back cannot know whether its move was made. With an
Idempotency-Key it simply sends the request again. The key is looked up before
the version of the game is compared, or a retry of a success would be refused as
stale. Only successes and refused moves are kept: anything else changes nothing
and may be tried anew.
"""

import hashlib
import secrets
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from typing import Final

from flask import Flask, Response, request

from service.api import problems
from service.api.auth import Caller
from service.api.problems import Problem, no_such_game
from service.api.services import current_services
from service.games.table import Outcome
from service.rummy.errors import IllegalMove
from service.store.contract import (
    Answer,
    IdempotencyKey,
    InProgress,
    KeyReused,
    Reservation,
    ReservationLost,
    StoreUnavailable,
)
from service.store.ids import is_game_id

REPLAYED: Final = "Idempotency-Replayed"
#: Headers of an answer that are given again with it.
_KEPT: Final = ("Content-Type", "ETag", "Location", "Cache-Control", "Vary")
_NONCE_BYTES: Final = 16


class AnswerReplayed(Exception):  # noqa: N818 - not an error: the answer is there already
    """The request was answered before; `answer` is to be given again."""

    def __init__(self, answer: Answer) -> None:
        super().__init__()
        self.answer = answer


@dataclass(frozen=True, slots=True)
class IdempotentRequest:
    """The key of the running request while it is worked on; empty where none was sent.

    `secret` is for answers that show a token once. They are sealed with the key
    itself, of which the store has only the hash, so that it holds no token.
    """

    reservation: Reservation | None
    key: str
    secret: bool

    @property
    def shard(self) -> int | None:
        """Where a game made by this request must lie, to be written together with its answer."""
        return None if self.reservation is None else self.reservation.key.shard

    def commit(self, change: Callable[..., object], render: Callable[[Outcome], Response]) -> Response:
        """Make a change that stores its own answer, all or nothing, and return that answer.

        `change` is one of the table's, which takes an `Answering` and may ask for the answer anew when
        somebody else was quicker. What is stored is what is sent.
        """
        made: list[Response] = []

        def answering(outcome: Outcome) -> tuple[Reservation, Answer] | None:
            made.append(render(outcome))
            return None if self.reservation is None else (self.reservation, as_stored(made[-1]))

        change(answering=answering)
        return made[-1]

    def keep(self, response: Response) -> Response:
        """Store the answer of a request that commits no game, and return it."""
        if self.reservation is not None:
            answer = as_stored(response)
            if self.secret:
                nonce = secrets.token_bytes(_NONCE_BYTES)
                answer = replace(answer, body=nonce + _sealed(answer.body, self.key, nonce))
            current_services().store.remember(self.reservation, answer)
        return response


@contextmanager
def idempotent(
    player_id: str, key: str | None, *, game_id: str | None = None, secret: bool = False
) -> Iterator[IdempotentRequest]:
    """Hold the key of the running request while it is worked on.

    Raises `AnswerReplayed` with the stored answer, or a `Problem` for a key that is
    still in use or was used for something else. A refused move is stored on the
    way out; after any other failure the key is free again.
    """
    if key is None:
        yield IdempotentRequest(None, "", secret)
        return
    name = hashlib.sha256(key.encode()).hexdigest()
    reservation = _reserve(IdempotencyKey(player_id=player_id, name=name, game_id=game_id), key, secret)
    try:
        yield IdempotentRequest(reservation, key, secret)
    except ReservationLost as error:
        raise _still_running() from error
    except StoreUnavailable:
        # What was done is unknown. The hold lapses by itself; until then no second request may try.
        raise
    except IllegalMove as error:
        refusal = problems.response_of(problems.from_rules(error))
        current_services().store.remember(reservation, as_stored(refusal))
        raise
    except BaseException:
        current_services().store.release(reservation)
        raise


def idempotent_in_game(
    caller: Caller, key: str | None, game_id: str
) -> AbstractContextManager[IdempotentRequest]:
    """Hold the key for a request about a game; raise `Problem` not_found for what is no game's id."""
    if not is_game_id(game_id):
        raise no_such_game()
    return idempotent(caller.id, key, game_id=game_id)


def _reserve(name: IdempotencyKey, key: str, secret: bool) -> Reservation:  # noqa: FBT001 - as Hold's
    match current_services().store.reserve(name, _fingerprint()):
        case Reservation() as reservation:
            return reservation
        case Answer() as answer:
            if secret:
                nonce, sealed = answer.body[:_NONCE_BYTES], answer.body[_NONCE_BYTES:]
                answer = replace(answer, body=_sealed(sealed, key, nonce))
            raise AnswerReplayed(answer)
        case InProgress():
            raise _still_running()
        case KeyReused():
            raise Problem(
                "idempotency_key_reused",
                "This Idempotency-Key was sent with another path or body; take a new one.",
            )


def _fingerprint() -> str:
    """Return what tells the running request from another: method, path, query and body."""
    target = f"{request.method} {request.path}?{request.query_string.decode('latin-1')}\n"
    return hashlib.sha256(target.encode() + request.get_data()).hexdigest()


def _still_running() -> Problem:
    return Problem(
        "idempotency_in_progress",
        "The first request with this Idempotency-Key is still running; ask again in a second.",
        headers={"Retry-After": "1"},
    )


def _sealed(text: bytes, key: str, nonce: bytes) -> bytes:
    """Return the text sealed, or opened again: an exclusive or with what SHAKE-256 makes of nonce and key."""
    stream = hashlib.shake_256(nonce + key.encode()).digest(len(text))
    return bytes(a ^ b for a, b in zip(text, stream, strict=True))


def as_stored(response: Response) -> Answer:
    """Return an answer as it is kept."""
    headers = tuple((name, response.headers[name]) for name in _KEPT if name in response.headers)
    return Answer(status=response.status_code, headers=headers, body=response.get_data())


def _again(replay: AnswerReplayed) -> Response:
    answer = replay.answer
    response = Response(answer.body, status=answer.status, headers=list(answer.headers))
    response.headers[REPLAYED] = "true"
    return response


def register(app: Flask) -> None:
    """Answer a repeated request from what was stored."""
    app.register_error_handler(AnswerReplayed, _again)
