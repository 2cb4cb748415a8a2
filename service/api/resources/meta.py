"""What a client needs to know before it plays."""

import hashlib
from functools import cache

import msgspec
from flask import Response

import service
from service.api.auth import GUEST_KEPT_MS
from service.api.limits import POLICIES
from service.api.parameters import MAX_PAGE_SIZE, MAX_WAIT_MS
from service.api.problems import PROBLEMS, Problem, type_of
from service.api.quotas import QUOTAS, scaled
from service.api.rate_limiter import Limiter
from service.api.requests import MAX_BODY_BYTES
from service.api.resource import Resource, ResponseSpec
from service.api.responses import CONTENT_TAG, UNCHANGED, cacheable, json_response
from service.api.schemas.base import Name
from service.api.schemas.meta import ErrorCodeSchema, MetaSchema
from service.api.services import Services
from service.api.sse.event_stream import MAX_ACCOUNT_STREAMS, MAX_GAME_STREAMS
from service.api.versions import IF_NONE_MATCH, Tags
from service.api.views.rule_book import RULE_BOOK_PATH
from service.effects.rating_updates import (
    ESTABLISHED_GAMES,
    ESTABLISHED_OPPONENTS,
    MAX_MEETINGS,
    MEETING_MS,
)
from service.effects.webhook_sender import MAX_WEBHOOKS
from service.games.reactions import REACTIONS
from service.games.seating import MAX_EXPIRIES
from service.games.timing import IDLE_MS, OVER_KEPT_MS, SEEK_MS, WAITING_KEPT_MS
from service.jobs.advice import HINT_KEPT_MS
from service.jobs.levels import LEVELS
from service.rummy.cards import ORDER
from service.rummy.errors import RULE_OF_CODE
from service.rummy.legal_moves import MAX_LEGAL_MOVES
from service.rummy.options import MAX_DEALS, MAX_SEATS, OPTIONS, Option
from service.rummy.presets import PRESETS, Preset
from service.runtime.json_object import Json
from service.runtime.timestamps import rfc3339
from service.scorekeeping.sheet import MAX_CHANGES, SHEET_KEPT_MS
from service.store.answers import ANSWER_MS

meta = Resource("meta", __name__, description="Presets, options, codes and limits.")


@meta.operation(
    "GET /v1/meta",
    "getMeta",
    parameters=(IF_NONE_MATCH,),
    response=ResponseSpec(
        schema=MetaSchema,
        description="Presets, options, levels, cards, codes, limits.",
        headers=CONTENT_TAG,
        other_responses=UNCHANGED,
    ),
)
def get_meta(*, services: Services, if_none_match: Tags | None) -> Response:
    """Get the presets, options and limits.

    Every preset with all its options, the levels of computers, the codes of cards and errors, limits,
    retention times, and the time. The tag leaves out the time, and a response may be kept for a
    minute: for a clock that is right, read the `server_time` of a game.
    """
    lasting = {**_fixed(), "web_push_key": services.web_push_key, "limits": _limits(services.limiter)}
    response = json_response({**lasting, "server_time": rfc3339(services.now())})
    response.set_etag(hashlib.sha256(msgspec.json.encode(lasting)).hexdigest()[:32])
    return cacheable(response, "public, max-age=60", if_none_match)


@meta.operation(
    "GET /problems/<string(maxlength=64):code>",
    "getProblem",
    response=ResponseSpec(schema=ErrorCodeSchema, description="The meaning of the code."),
    errors=("not_found",),
)
def get_problem(*, code: str) -> Response:
    """Get the meaning of an error code.

    The `type` of every problem is the path of this operation.
    """
    if code not in PROBLEMS and code not in RULE_OF_CODE:
        raise Problem("not_found", "Unknown code.")
    return json_response(_code(code))


@cache
def _fixed() -> dict[str, msgspec.Raw]:
    """Return what is constant while the process runs, encoded once."""
    constants: Json = {
        "presets": [_preset(preset) for preset in PRESETS.values()],
        "options": [_option(name, option) for name, option in OPTIONS.items()],
        "levels": [{"name": name, "sentence": sentence} for name, sentence in LEVELS.items()],
        "cards": list(ORDER),
        "reactions": [{"key": key, "text": text} for key, text in REACTIONS.items()],
        "errors": [_code(code) for code in (*PROBLEMS, *RULE_OF_CODE)],
        "ratings": _ratings(),
        "retention": _retention(),
        "build": {"version": service.__version__},
    }
    return {name: msgspec.Raw(msgspec.json.encode(value)) for name, value in constants.items()}


def _preset(preset: Preset) -> Json:
    least, most = preset.players
    return {
        "name": preset.name,
        "title": preset.title,
        "sentence": preset.sentence,
        "players": {"least": least, "most": most},
        "options": dict(preset.options),
    }


def _option(name: str, option: Option) -> Json:
    numbers = option.numbers and {"least": option.numbers[0], "most": option.numbers[1]}
    return {
        "name": name,
        "values": option.values,
        "numbers": numbers,
        "rule": option.rule,
        "meaning": option.meaning,
        "meanings": [{"value": value, "meaning": meaning} for value, meaning in option.meanings.items()],
    }


def _code(code: str) -> Json:
    kind, rule = type_of(code), RULE_OF_CODE.get(code)
    return {
        "code": code,
        "status": kind.status,
        "title": kind.title,
        "rule": rule,
        "rule_path": rule and f"{RULE_BOOK_PATH}#{rule}",
    }


def _limits(limiter: Limiter | None) -> Json:
    return {
        "body_bytes": MAX_BODY_BYTES,
        "wait_ms": MAX_WAIT_MS,
        "page_entries": MAX_PAGE_SIZE,
        "legal_moves": MAX_LEGAL_MOVES,
        "seats": MAX_SEATS,
        "name_characters": Name.MAX_LENGTH,
        "idempotency_key_characters": 64,
        "game_streams": MAX_GAME_STREAMS,
        "account_streams": MAX_ACCOUNT_STREAMS,
        "expired_turns": MAX_EXPIRIES,
        "webhooks": MAX_WEBHOOKS,
        "score_sheet_deals": MAX_DEALS,
        "score_sheet_changes": MAX_CHANGES,
        "requests": _requests(limiter),
        "quotas": _quotas(limiter),
    }


def _quotas(limiter: Limiter | None) -> list[Json]:
    if limiter is None:
        return []
    return [
        {
            "name": quota.name,
            "account": scaled(quota.account, limiter),
            "address": scaled(quota.address, limiter),
            "meaning": quota.meaning,
        }
        for quota in QUOTAS
    ]


def _requests(limiter: Limiter | None) -> list[Json]:
    if limiter is None:
        return []
    return [
        {
            "policy": policy.name,
            "quota": policy.quota,
            "window_ms": policy.window_ms,
            "meaning": policy.meaning,
        }
        for policy in map(limiter.scaled, POLICIES)
    ]


def _ratings() -> Json:
    return {
        "established_games": ESTABLISHED_GAMES,
        "established_opponents": ESTABLISHED_OPPONENTS,
        "meetings": MAX_MEETINGS,
        "meetings_ms": MEETING_MS,
    }


def _retention() -> Json:
    return {
        "finished_game_ms": OVER_KEPT_MS,
        "waiting_game_ms": WAITING_KEPT_MS,
        "idle_game_ms": IDLE_MS,
        "answer_ms": ANSWER_MS,
        "guest_ms": GUEST_KEPT_MS,
        "seek_ms": SEEK_MS,
        "hint_ms": HINT_KEPT_MS,
        "score_sheet_ms": SHEET_KEPT_MS,
    }
