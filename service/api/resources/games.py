"""Games: create, list and read them, and wait for changes."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from flask import Response

from service.api.auth import PLAY, READ, Caller
from service.api.idempotency import idempotent
from service.api.new_games import new_game
from service.api.parameters import (
    AS_SEAT,
    BRIEF,
    CURSOR,
    FREE_SEATS,
    IDEMPOTENCY_KEY,
    INCLUDE,
    INVITE_CODE,
    LIMIT,
    MY_TURN,
    ORDER,
    PRESET,
    RATED,
    SANDBOX,
    SPECTATORS,
    STATUS,
    WAIT_MS,
)
from service.api.problems import Problem, invalid
from service.api.quotas import check_game
from service.api.resource import Resource, ResponseSpec
from service.api.resources.players import as_player
from service.api.responses import (
    NO_CONTENT,
    NOT_MODIFIED,
    PRIVATE,
    game_headers,
    json_response,
    no_content,
    not_modified,
)
from service.api.schemas.game_lists import GamesSchema
from service.api.schemas.games import GameViewSchema
from service.api.schemas.new_games import NewGameSchema
from service.api.schemas.rules import RulesSchema
from service.api.services import Services
from service.api.versions import IF_NONE_MATCH, NEWER_THAN, Tags, holds_version, is_known
from service.api.views.game_pages import GameFilter, GamePage, games_page
from service.api.views.rule_book import variant_rule_book
from service.api.views.visibility import VisibleGame, current_game_view, viewer_after, visible_game
from service.games.record import GameRecord, Status
from service.runtime import metrics
from service.runtime.json_object import Json
from service.store.lists import GameList

games = Resource("games", __name__, url_prefix="/v1", description="Games: create, find and follow them.")

GAME: Final = "/games/<string(maxlength=80):game_id>"
ETAG: Final = {"ETag": 'The version as a strong tag, such as `"41"`.'}
NO_NEWS: Final = {
    NO_CONTENT: ("There is no version newer than `newer_than`.", None),
    NOT_MODIFIED: ("The version is still the one whose ETag you have.", None),
}


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
        description="The game; it has started if every seat is taken.",
        headers={**ETAG, "Location": "The path of the game."},
    ),
    errors=(
        "variant_contradiction",
        "impossible_position",
        "sandbox_only",
        "seats_empty",
        "not_found",
        "not_seated",
        "game_running",
        "quota_exceeded",
    ),
)
def create_game(body: Json, *, services: Services, caller: Caller, idempotency_key: str | None) -> Response:
    """Create a game.

    If computers take all other seats, the game starts at once. Otherwise other players join, and you
    start it. In a sandbox you may set the seed or a whole position, such as a game that you saw, or start
    from a game that is over at one of its versions (`position_of`), and hold every seat yourself.
    """
    with idempotent(services.store, caller.id, idempotency_key, with_commit=True) as idempotency:
        new, creator = new_game(services, caller, body), as_player(caller)
        change = services.table.prepare_game(new, creator, shard=idempotency.shard)
        record = change.record
        check_game(services, record)
        viewer = viewer_after(record, caller, None)
        response = game_response(services, record, viewer, 201, Location=f"/v1/games/{record.id}")
        services.table.commit(change, idempotency.answer(response))
        return response


@games.operation(
    "GET /games",
    "listGames",
    scope=READ,
    parameters=(STATUS, PRESET, RATED, SPECTATORS, FREE_SEATS, SANDBOX, BRIEF, CURSOR, LIMIT),
    response=ResponseSpec(schema=GamesSchema, description="A page of public games, newest first."),
)
def list_games(  # noqa: PLR0913 - an argument for each parameter
    *,
    services: Services,
    caller: Caller,
    status: str | None,
    preset: str | None,
    rated: bool | None,
    spectators: str | None,
    free_seats: int | None,
    sandbox: bool,
    brief: bool,
    cursor: str | None,
    limit: int,
) -> Response:
    """List public games.

    Use `free_seats=1` to find tables to join. Private games appear only in listMyGames of their players.
    A page may hold fewer games than `limit` although there is a next page.
    """
    game_filter = GameFilter(
        status=status,
        preset=preset,
        rated=rated,
        spectators=spectators,
        free_seats=free_seats,
        reader=caller.id,
    )
    if status == Status.WAITING or free_seats is not None:
        listing = GameList.open(sandbox=sandbox)
    elif game_filter.excludes_finished:
        listing = GameList.unfinished(sandbox=sandbox)
    else:
        listing = GameList.public(sandbox=sandbox)
    page = games_page(services, listing, game_filter, cursor=cursor, limit=limit)
    return _page_response(services, page, caller, brief=brief)


@games.operation(
    "GET /me/games",
    "listMyGames",
    scope=READ,
    parameters=(STATUS, MY_TURN, SANDBOX, ORDER, BRIEF, CURSOR, LIMIT),
    response=ResponseSpec(schema=GamesSchema, description="A page of the player's games."),
)
def list_my_games(  # noqa: PLR0913 - an argument for each parameter
    *,
    services: Services,
    caller: Caller,
    status: str | None,
    my_turn: bool | None,
    sandbox: bool,
    order: str,
    brief: bool,
    cursor: str | None,
    limit: int,
) -> Response:
    """List my games.

    The games in which you have a seat, public or private, and rematches that reserve a seat for you, each
    with how it stands. `my_turn=true&order=deadline` lists those that wait for you, the most urgent first.
    Sandbox games have a list of their own.
    """
    game_filter = GameFilter(status=status, my_turn=my_turn, player_id=caller.id)
    named = GameList.unfinished if game_filter.excludes_finished else GameList.of_player
    listing = named(caller.id, sandbox=sandbox)
    page = games_page(services, listing, game_filter, cursor=cursor, limit=limit, order=order)
    return _page_response(services, page, caller, brief=brief)


@games.operation(
    f"GET {GAME}",
    "getGame",
    scope=READ,
    parameters=(AS_SEAT, INVITE_CODE, INCLUDE, WAIT_MS, NEWER_THAN, IF_NONE_MATCH),
    response=ResponseSpec(
        schema=GameViewSchema,
        description="The game as you see it.",
        headers=ETAG,
        other_responses=NO_NEWS,
    ),
    errors=("not_found", "not_seated", "stream_capacity"),
)
def get_game(  # noqa: PLR0913 - an argument for each parameter
    *,
    services: Services,
    caller: Caller,
    game_id: str,
    as_seat: int | None,
    invite_code: str | None,
    include: frozenset[str],
    wait_ms: int,
    newer_than: int | None,
    if_none_match: Tags | None,
) -> Response:
    """Get a game.

    You see your own hand and everything that is face up. Send the version you have as `newer_than`: if
    nothing has changed the response is 204, at once or after `wait_ms`, so that you learn of a change as
    soon as it happens. Or send its ETag as `If-None-Match`: then the response is 304.
    `include=legal_moves` saves a request for listLegalMoves. For spectators with a
    delay (`spectator_delay_ms`), version, ETag and events are those of the delayed view.
    """
    if wait_ms and newer_than is None and if_none_match is not None and not holds_version(if_none_match):
        # The response would come at once, and again at once: the client asks for nothing else.
        raise invalid("If-None-Match", 'To wait, send the ETag that you read, such as "41".')

    def without_news(record: GameRecord) -> bool:
        return is_known(record.version, if_none_match) if newer_than is None else record.version <= newer_than

    seen = _wait_for_news(
        services,
        lambda: visible_game(services, game_id, caller, as_seat=as_seat, invite_code=invite_code),
        wait_ms,
        without_news=without_news,
    )
    headers = game_headers(seen.record)
    if newer_than is not None and without_news(seen.record):
        return no_content(headers)
    if is_known(seen.record.version, if_none_match):
        return not_modified(headers)
    view = current_game_view(services, seen.record, seen.viewer, include=include, player_id=caller.id)
    return json_response(view, headers=headers)


@games.operation(
    f"GET {GAME}/rules",
    "getGameRules",
    scope=READ,
    parameters=(INVITE_CODE,),
    response=ResponseSpec(schema=RulesSchema, description="The rules, by chapter."),
    errors=("not_found", "not_seated"),
)
def get_game_rules(*, services: Services, caller: Caller, game_id: str, invite_code: str | None) -> Response:
    """Get the rules of a game.

    As getRules, with the options of this game.
    """
    record = visible_game(services, game_id, caller, invite_code=invite_code).record
    return json_response(variant_rule_book(record.variant, seats=len(record.seats)), headers=PRIVATE)


def _page_response(services: Services, page: GamePage, caller: Caller, *, brief: bool) -> Response:
    games = page.render(services, caller, brief=brief)
    return json_response({**games, "next_cursor": page.next_cursor})


def _wait_for_news(
    services: Services,
    see: Callable[[], VisibleGame],
    wait_ms: int,
    *,
    without_news: Callable[[GameRecord], bool],
) -> VisibleGame:
    """Read the game, and while it has no news for the client, wait for a change and read it again."""
    seen = see()
    if wait_ms == 0 or not without_news(seen.record):
        return seen
    until = time.monotonic() + wait_ms / 1000
    with _waiting_slot(services):
        while (left_ms := int((until - time.monotonic()) * 1000)) > 0 and without_news(seen.record):
            if not _may_have_changed(services, seen, left_ms):
                break
            seen = see()
    return seen


def _may_have_changed(services: Services, seen: VisibleGame, left_ms: int) -> bool:
    """Wait for a change of the game, or until a delayed spectator is shown an earlier one."""
    shown_in_ms = left_ms if seen.next_at is None else max(1, seen.next_at - services.now())
    is_shown = shown_in_ms < left_ms
    began = time.monotonic()
    if services.store.wait(seen.record.id, version=seen.latest, timeout_ms=min(left_ms, shown_in_ms)):
        return True
    # A wait that ends early was released by a server that shuts down: do not wait again.
    return is_shown and (time.monotonic() - began) * 1000 >= shown_in_ms - 1


@contextmanager
def _waiting_slot(services: Services) -> Iterator[None]:
    """Hold one of the slots for waiting requests, so that threads stay free for moves."""
    slots = services.streams.slots
    if not slots.acquire(blocking=False):
        raise Problem(
            "stream_capacity",
            "Too many clients are waiting: retry without wait_ms.",
            headers={"Retry-After": "1"},
        )
    try:
        with metrics.WAITING.track_inprogress():
            yield
    finally:
        slots.release()
