"""Leaderboards of people, bots and computers, and the public profiles of players."""

import re
from collections.abc import Sequence
from typing import Final

from flask import Response

from service.api.auth import READ, Caller, decode_account
from service.api.parameters import CURSOR, LIMIT
from service.api.problems import Problem, invalid
from service.api.resource import Resource, ResponseSpec
from service.api.resources.players import existing_player, player_view
from service.api.responses import json_response
from service.api.schemas.ratings import LeaderboardSchema, ProfileSchema
from service.api.services import Services
from service.effects.rating_updates import Skill, decode_skill
from service.runtime.json_object import Json
from service.runtime.timestamps import rfc3339
from service.store.contract import Store
from service.store.ratings import POOLS, Pool, Standing

leaderboards = Resource(
    "leaderboards", __name__, url_prefix="/v1", description="Ratings of people, bots and computers."
)

_CURSOR: Final = re.compile(r"(-?[0-9]{1,9})\.([0-9A-Za-z_-]{1,80})")


@leaderboards.operation(
    "GET /leaderboards/<string(maxlength=16):pool>",
    "getLeaderboard",
    scope=READ,
    parameters=(CURSOR, LIMIT),
    response=ResponseSpec(schema=LeaderboardSchema, description="A page of the board, best first."),
    errors=("not_found",),
)
def get_leaderboard(
    *, services: Services, caller: Caller, pool: str, cursor: str | None, limit: int
) -> Response:
    """Get a leaderboard.

    The pools are `people`, `bots` and `computers`. A rated game that is over counts once, in the pool of
    its players: games of people against computers change no rating. Ranks are by `score`, a lower bound
    of the rating. Players are on the board after ten games that counted, against three opponents or
    more. Which games count, and for whom, is at `/docs/ratings`.
    """
    del caller
    if pool not in POOLS:
        raise Problem("not_found", f"Unknown pool. The pools are {', '.join(POOLS)}.")
    standings = services.store.standings(pool, after=_read(cursor), limit=limit)
    entries = _entries(services.store, pool, standings)
    last = standings[-1] if len(standings) == limit else None
    next_cursor = None if last is None else f"{last.score}.{last.player_id}"
    return json_response({"pool": pool, "entries": entries, "next_cursor": next_cursor})


@leaderboards.operation(
    "GET /players/<string(maxlength=80):player_id>",
    "getPlayer",
    scope=READ,
    response=ResponseSpec(schema=ProfileSchema, description="The public profile of the player."),
    errors=("not_found",),
)
def get_player(*, services: Services, caller: Caller, player_id: str) -> Response:
    """Get a player.

    Name and kind, when the player was created, and the ratings with their numbers of games.
    """
    del caller
    account = existing_player(services, player_id)
    return json_response(
        {
            **player_view(account),
            "created_at": rfc3339(account.created_at),
            "ratings": rating_views(services.store, player_id),
        }
    )


def _read(cursor: str | None) -> Standing | None:
    if cursor is None:
        return None
    form = _CURSOR.fullmatch(cursor)
    if form is None:
        raise invalid(CURSOR.name, "Send next_cursor of the previous page.")
    return Standing(score=int(form[1]), player_id=form[2])


def _entries(store: Store, pool: str, standings: Sequence[Standing]) -> list[Json]:
    """Return the entries of the board; a deleted player is removed from it."""
    names = [standing.player_id for standing in standings]
    ranks = store.count_above(pool, [standing.score for standing in standings])
    entries = []
    for name, skill, player, better in zip(
        names, store.ratings(pool, names), _players(store, pool, names), ranks, strict=True
    ):
        if skill is None or player is None:
            store.remove_rating(pool, name)
        else:
            entries.append({"rank": better + 1, **player, **_skill_view(decode_skill(skill))})
    return entries


def _players(store: Store, pool: str, names: Sequence[str]) -> list[Json | None]:
    """Return the players on the board, None for each deleted one."""
    if pool == Pool.COMPUTERS:
        return [{"player": None, "level": name} for name in names]
    bodies = store.players(names)
    return [
        None if body is None else {"player": player_view(decode_account(body)), "level": None}
        for body in bodies
    ]


def rating_views(store: Store, player_id: str) -> list[Json]:
    """Return the ratings of a player, one for each pool in which games counted."""
    found = [(pool, store.ratings(pool, [player_id])[0]) for pool in POOLS if pool is not Pool.COMPUTERS]
    skills = [(pool, decode_skill(body)) for pool, body in found if body is not None]
    return [
        {"pool": pool, "rank": store.count_above(pool, [skill.score])[0] + 1, **_skill_view(skill)}
        for pool, skill in skills
    ]


def _skill_view(skill: Skill) -> Json:
    return {
        "rating": skill.rating,
        "deviation": skill.deviation,
        "score": skill.score,
        "games": skill.games,
        "wins": skill.wins,
    }
