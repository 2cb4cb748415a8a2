"""Idempotency-Key: a request that is sent again gets the stored response of the first.

A client that gets no response cannot know whether its move was made. With a key it sends the request
again. The key is looked up before the version of the game is compared, because a retry of a success would
otherwise fail as stale. Only successes and illegal moves are stored: after any other error nothing has
changed, and the request may be tried again.
"""

import hashlib
import re
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import Final, NoReturn

from flask import Flask, Response, request

from service.api import problems
from service.api.problems import Problem, invalid, no_such_game
from service.api.requests import client_hash
from service.api.sealing import seal, unseal
from service.rummy.errors import IllegalMove
from service.store.answers import Answer, IdempotencyKey, InProgress, KeyReused, Reservation
from service.store.contract import ReservationLost, Store, StoreUnavailable
from service.store.ids import is_game_id

#: A key that finds a secret without a token must not be one that another person at the address sends, too.
MIN_SECRET_KEY_CHARACTERS: Final = 16

REPLAYED: Final = "Idempotency-Replayed"
#: Headers that are stored with a response and sent again.
_KEPT: Final = ("Content-Type", "ETag", "Location", "Cache-Control", "Vary", "Preference-Applied")


class AnswerReplayed(Exception):  # noqa: N818 - not an error: there is a response already
    """The request was answered before: `answer` is sent again."""

    def __init__(self, answer: Answer) -> None:
        super().__init__()
        self.answer = answer


@dataclass(frozen=True, slots=True, kw_only=True)
class IdempotentRequest:
    """The running request and its reserved Idempotency-Key; no reservation where none was sent.

    `holds_secret` is for responses that show a token once. They are sealed with the client's key, of which
    the store has only the hash, so that the store holds no token.
    """

    store: Store
    reservation: Reservation | None = None
    key: str = ""
    holds_secret: bool = False

    @property
    def shard(self) -> int | None:
        """The shard in which what this request creates is written together with its answer."""
        return None if self.reservation is None else self.reservation.key.shard

    def answer(self, response: Response) -> tuple[Reservation, Answer] | None:
        """Return the response as a commit stores it with its change; None without a key."""
        if self.reservation is None:
            return None
        answer = _as_stored(response)
        if self.holds_secret:
            answer = replace(answer, body=seal(answer.body, self.key, self.reservation.key))
        return self.reservation, answer

    def remember(self, response: Response) -> Response:
        """Store the response of a request without a commit, and return it."""
        answer = self.answer(response)
        if answer is not None:
            self.store.remember(*answer)
        return response


@contextmanager
def idempotent(  # noqa: PLR0913 - what the request is, and how its answer is stored
    store: Store,
    owner: str,
    key: str | None,
    *,
    subject_id: str | None = None,
    holds_secret: bool = False,
    with_commit: bool = False,
) -> Iterator[IdempotentRequest]:
    """Reserve the Idempotency-Key of the running request until it has its answer.

    `owner` is the player, or what stands for a client without one: the same key of another owner is another
    key. `subject_id` is the game or score sheet that the request is about, if it is there already.
    `with_commit` says that the commit of the change writes the answer, or that the change may be made twice:
    then a crash of the first request does not hold up its retry.

    Raises `AnswerReplayed` with the stored answer, or a `Problem` for a key that is in use or was used for
    something else. A refused move is stored as the answer; any other failure frees the key.
    """
    if key is None:
        yield IdempotentRequest(store=store)
        return
    name = IdempotencyKey(
        player_id=owner, name=hashlib.sha256(key.encode()).hexdigest(), subject_id=subject_id
    )
    reserve = partial(_reserve, store, name, key, holds_secret=holds_secret)
    reservation = reserve(with_commit=with_commit)
    try:
        yield IdempotentRequest(store=store, reservation=reservation, key=key, holds_secret=holds_secret)
    except StoreUnavailable:
        # The change may have been written: the reservation stays until it expires or a retry takes it over.
        raise
    except ReservationLost:
        _repeat_retry(store, reserve)
    except IllegalMove as error:
        answer = _as_stored(problems.response_of(problems.from_rules(error)))
        if not store.remember(reservation, answer):
            _repeat_retry(store, reserve)
        raise
    except BaseException as error:
        # The failure may come from the change that the retry has made meanwhile.
        if not store.release(reservation) and isinstance(error, Exception):
            _repeat_retry(store, reserve)
        raise


def idempotent_newcomer(store: Store, key: str | None) -> AbstractContextManager[IdempotentRequest]:
    """Reserve the key of a request without a token, whose answer holds one.

    Raises `Problem` validation_failed for a short key.
    """
    require_random_key(key)
    return idempotent(store, client_hash(), key, holds_secret=True)


def require_random_key(key: str | None) -> None:
    """Raise `Problem` validation_failed for a key that another person at the address may send, too.

    Two people whose clients number their requests would get one account.
    """
    if key is not None and len(key) < MIN_SECRET_KEY_CHARACTERS:
        raise invalid(
            "Idempotency-Key",
            f"Send a random key of {MIN_SECRET_KEY_CHARACTERS} characters or more, such as a UUID: a client "
            "that sends it again gets this response, which holds a secret.",
        )


def idempotent_in_game(
    store: Store, owner: str, key: str | None, game_id: str
) -> AbstractContextManager[IdempotentRequest]:
    """Reserve the key of a request about a game; raise `Problem` not_found if it is no id of a game."""
    if not is_game_id(game_id):
        raise no_such_game()
    return idempotent(store, owner, key, subject_id=game_id, with_commit=True)


def _reserve(
    store: Store, name: IdempotencyKey, key: str, *, holds_secret: bool, with_commit: bool
) -> Reservation:
    match store.reserve(name, _fingerprint(), with_commit=with_commit):
        case Reservation() as reservation:
            return reservation
        case Answer() as answer:
            if holds_secret:
                answer = replace(answer, body=unseal(answer.body, key, name))
            raise AnswerReplayed(answer)
        case InProgress():
            raise _still_running()
        case KeyReused():
            raise Problem(
                "idempotency_key_reused",
                "This Idempotency-Key was used with another path or body: send a new one.",
            )


def _repeat_retry(store: Store, reserve: Callable[..., Reservation]) -> NoReturn:
    """Answer as the retry that took the key over; raise `Problem` while it has no answer."""
    store.release(reserve(with_commit=False))
    raise _still_running()


def _fingerprint() -> str:
    """Return a hash of method, path, query and body: another request under the same key differs in it.

    As `If-Match`, `if_version` is no part of it: a request that failed may be sent again for another version.
    """
    query = re.sub(r"(^|&)if_version=[^&]*", "", request.query_string.decode("latin-1")).lstrip("&")
    target = f"{request.method} {request.path}?{query}\n"
    return hashlib.sha256(target.encode() + request.get_data()).hexdigest()


def _still_running() -> Problem:
    return Problem(
        "idempotency_in_progress",
        "The first request with this Idempotency-Key is still in progress: retry in a second.",
        headers={"Retry-After": "1"},
    )


def _as_stored(response: Response) -> Answer:
    """Return the response as it is stored."""
    headers = tuple((name, response.headers[name]) for name in _KEPT if name in response.headers)
    return Answer(status=response.status_code, headers=headers, body=response.get_data())


def _replayed_response(replay: AnswerReplayed) -> Response:
    answer = replay.answer
    response = Response(answer.body, status=answer.status, headers=list(answer.headers))
    if not answer.body:
        response.headers.pop("Content-Type", None)
    response.headers[REPLAYED] = "true"
    return response


def register(app: Flask) -> None:
    """Respond to a repeated request with its stored response."""
    app.register_error_handler(AnswerReplayed, _replayed_response)
