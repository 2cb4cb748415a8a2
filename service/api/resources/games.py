"""Games: open a table, find games, look at one and wait for it to change."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from flask import Response, request

from service.api.auth import PLAY, READ, Caller
from service.api.idempotency import idempotent
from service.api.new_games import new_game
from service.api.parameters import (
    AS_SEAT,
    CURSOR,
    FREE_SEATS,
    IDEMPOTENCY_KEY,
    IF_NONE_MATCH,
    INVITE_CODE,
    LIMIT,
    PRESET,
    RATED,
    SANDBOX,
    SPECTATORS,
    STATUS,
    WAIT_MS,
)
from service.api.problems import Problem
from service.api.resource import Resource, ResponseSpec
from service.api.resources.players import as_player
from service.api.responses import NOT_MODIFIED, PRIVATE, game_headers, json_response, not_modified
from service.api.schemas.games import GamesSchema, GameViewSchema, NewGameSchema
from service.api.schemas.rules import RulesSchema
from service.api.services import Services
from service.api.views.game_pages import GameFilter, games_page
from service.api.views.rule_book import variant_rule_book
from service.api.views.visibility import VisibleGame, current_game_view, viewer_after, visible_game
from service.games.record import GameRecord, Status
from service.runtime import metrics
from service.runtime.json_object import Json
from service.store.lists import GameList

games = Resource("games", __name__, url_prefix="/v1", description="Tables: who plays, and how it stands.")

GAME: Final = "/games/<string(maxlength=80):game_id>"
ETAG: Final = {"ETag": 'The version as a strong tag, such as `"41"`.'}


def game_response(
    services: Services, record: GameRecord, viewer: int | None, status: int = 200, **headers: str
) -> Response:
    """Return the view of a game as a response."""
    return json_response(
        current_game_view(services, record, viewer), status, {**game_headers(record), **headers}
    )


@games.operation(
    "POST /games",
    "createGame",
    scope=PLAY,
    body=NewGameSchema,
    parameters=(IDEMPOTENCY_KEY,),
    response=ResponseSpec(
        status=201,
        schema=GameViewSchema,
        description="The game; it has begun if every seat is taken.",
        headers={**ETAG, "Location": "The path of the game."},
    ),
    errors=("variant_contradiction", "impossible_position", "sandbox_only", "seats_empty"),
)
def create_game(body: Json, *, services: Services, caller: Caller, idempotency_key: str | None) -> Response:
    """Open a table.

    With computers on all other seats the game begins at once. Otherwise others join, and you start it. In a
    sandbox you may give the seed or a whole position, and hold every seat yourself.
    """
    with idempotent(services.store, caller.id, idempotency_key) as idempotency:
        new, creator = new_game(body), as_player(caller)
        change = services.table.prepare_game(new, creator, shard=idempotency.shard)
        record = change.record
        viewer = viewer_after(record, caller, None)
        response = game_response(services, record, viewer, 201, Location=f"/v1/games/{record.id}")
        services.table.commit(change, idempotency.answer(response))
        return response


@games.operation(
    "GET /games",
    "listGames",
    scope=READ,
    parameters=(STATUS, PRESET, RATED, SPECTATORS, FREE_SEATS, SANDBOX, CURSOR, LIMIT),
    response=ResponseSpec(schema=GamesSchema, description="A page of public games, newest first."),
)
def list_games(  # noqa: PLR0913 - what may be said with it
    *,
    services: Services,
    caller: Caller,
    status: str | None,
    preset: str | None,
    rated: bool | None,
    spectators: str | None,
    free_seats: int | None,
    sandbox: bool,
    cursor: str | None,
    limit: int,
) -> Response:
    """List public games.

    Take `free_seats=1` for tables to join. Private games are in nobody's list but their players'. A page may
    hold fewer games than `limit` and still have a next one.
    """
    del caller
    game_filter = GameFilter(
        status=status, preset=preset, rated=rated, spectators=spectators, free_seats=free_seats
    )
    if status == Status.WAITING or free_seats is not None:
        listing = GameList.open(sandbox=sandbox)
    elif game_filter.excludes_finished:
        listing = GameList.unfinished(sandbox=sandbox)
    else:
        listing = GameList.public(sandbox=sandbox)
    return json_response(games_page(services, listing, game_filter, cursor=cursor, limit=limit))


@games.operation(
    "GET /me/games",
    "listMyGames",
    scope=READ,
    parameters=(STATUS, SANDBOX, CURSOR, LIMIT),
    response=ResponseSpec(schema=GamesSchema, description="A page of the player's games, newest first."),
)
def list_my_games(  # noqa: PLR0913 - what may be said with it
    *, services: Services, caller: Caller, status: str | None, sandbox: bool, cursor: str | None, limit: int
) -> Response:
    """List my games.

    Those you sit at, public or private, and rematches that keep a seat for you. Sandbox games are a list of
    their own.
    """
    game_filter = GameFilter(status=status)
    named = GameList.unfinished if game_filter.excludes_finished else GameList.of_player
    return json_response(
        games_page(services, named(caller.id, sandbox=sandbox), game_filter, cursor=cursor, limit=limit)
    )


@games.operation(
    f"GET {GAME}",
    "getGame",
    scope=READ,
    parameters=(AS_SEAT, INVITE_CODE, WAIT_MS, IF_NONE_MATCH),
    response=ResponseSpec(
        schema=GameViewSchema,
        description="The game as you may see it.",
        headers=ETAG,
        other_responses={NOT_MODIFIED: ("Nothing has changed since the version you have.", None)},
    ),
    errors=("not_found", "not_seated", "stream_capacity"),
)
def get_game(  # noqa: PLR0913 - what may be said with it
    *,
    services: Services,
    caller: Caller,
    game_id: str,
    as_seat: int | None,
    invite_code: str | None,
    wait_ms: int,
    if_none_match: str | None,
) -> Response:
    """Look at a game.

    You see your own hand and what lies open. Send the ETag you have as `If-None-Match`: nothing new answers
    304, at once or after `wait_ms`, which makes a change reach you the moment it happens. Where spectators
    see the game late (`spectator_delay_ms`), version, tag and events are those of what they see.
    """
    del if_none_match  # Read by `_is_known`, which knows lists of tags and weak ones.
    seen = _wait_for_news(
        services,
        lambda: visible_game(services, game_id, caller, as_seat=as_seat, invite_code=invite_code),
        wait_ms,
    )
    if _is_known(seen.record):
        return not_modified(game_headers(seen.record))
    return game_response(services, seen.record, seen.viewer)


@games.operation(
    f"GET {GAME}/rules",
    "getGameRules",
    scope=READ,
    parameters=(INVITE_CODE,),
    response=ResponseSpec(schema=RulesSchema, description="The rules, by chapter."),
    errors=("not_found", "not_seated"),
)
def get_game_rules(*, services: Services, caller: Caller, game_id: str, invite_code: str | None) -> Response:
    """Read the rules of a game.

    As getRules, with what this table plays otherwise.
    """
    record = visible_game(services, game_id, caller, invite_code=invite_code).record
    return json_response(variant_rule_book(record.variant, seats=len(record.seats)), headers=PRIVATE)


def _wait_for_news(services: Services, see: Callable[[], VisibleGame], wait_ms: int) -> VisibleGame:
    """Look, and as long as the client knows what there is, wait for it to change and look again."""
    seen = see()
    if wait_ms == 0 or not _is_known(seen.record):
        return seen
    until = time.monotonic() + wait_ms / 1000
    with _place_to_wait(services):
        while (left_ms := int((until - time.monotonic()) * 1000)) > 0 and _is_known(seen.record):
            if not _may_have_changed(services, seen, left_ms):
                break
            seen = see()
    return seen


def _may_have_changed(services: Services, seen: VisibleGame, left_ms: int) -> bool:
    """Wait for a change of the game, or for the time when a spectator is shown one made before."""
    shown_in_ms = left_ms if seen.next_at is None else max(1, seen.next_at - services.now())
    is_shown = shown_in_ms < left_ms
    began = time.monotonic()
    if services.store.wait(seen.record.id, version=seen.latest, timeout_ms=min(left_ms, shown_in_ms)):
        return True
    # Sent home before the time, by a server that drains, nobody waits any more.
    return is_shown and (time.monotonic() - began) * 1000 >= shown_in_ms - 1


def _is_known(record: GameRecord) -> bool:
    return request.if_none_match.contains_weak(str(record.version))


@contextmanager
def _place_to_wait(services: Services) -> Iterator[None]:
    """Hold one of the places for those who wait, so that threads are left for those who play."""
    places = services.streams.slots
    if not places.acquire(blocking=False):
        raise Problem(
            "stream_capacity",
            "Too many clients wait here; ask again without wait_ms.",
            headers={"Retry-After": "1"},
        )
    try:
        with metrics.WAITING.track_inprogress():
            yield
    finally:
        places.release()
