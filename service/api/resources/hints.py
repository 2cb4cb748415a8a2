"""Hints while a game runs, reviews when it is over: asked for here, thought about by workers."""

from typing import Any, Final

from flask import Response

from service.api.auth import PLAY, READ, Caller
from service.api.idempotency import idempotent_in_game
from service.api.parameters import AS_SEAT, IDEMPOTENCY_KEY, IF_MATCH
from service.api.problems import Problem
from service.api.resource import RULES, Resource, ResponseSpec
from service.api.resources.games import GAME
from service.api.resources.legal_moves import entry
from service.api.responses import PRIVATE, json_response
from service.api.schemas.hints import JobSchema, ReviewSchema
from service.api.schemas.moves import NoMembersSchema
from service.api.services import Services
from service.api.views.visibility import seat_of
from service.games.codec import move_of_json
from service.games.table_moves import check_version
from service.jobs.advice import Job, JobKind, JobStatus
from service.runtime.json_object import Json
from service.runtime.timestamps import rfc3339

hints = Resource("hints", __name__, url_prefix="/v1", description="Advice for those who learn.")

_ASKED: Final = ResponseSpec(
    status=202,
    schema=JobSchema,
    description="The job: read it with getJob until its status is `done` or `failed`.",
    headers={"Location": "The path of the job."},
)


@hints.operation(
    f"POST {GAME}/hints",
    "requestHint",
    scope=PLAY,
    body=NoMembersSchema,
    parameters=(AS_SEAT, IF_MATCH, IDEMPOTENCY_KEY),
    response=_ASKED,
    errors=("not_found", "not_seated", "rated_game", "version_conflict", "hint_in_progress", RULES),
)
def request_hint(  # noqa: PLR0913 - what may be said with it
    body: Json,
    *,
    services: Services,
    caller: Caller,
    game_id: str,
    as_seat: int | None,
    if_match: int | None,
    idempotency_key: str | None,
) -> Response:
    """Ask for a hint.

    The best move for your seat, two alternatives, what each is expected to bring, and why: found from what
    your seat may know and no more. Only when you may act, one at a time, and never in a rated game.
    """
    del body
    with idempotent_in_game(services.store, caller.id, idempotency_key, game_id) as idempotency:
        record = services.table.get(game_id)
        seat = seat_of(record, caller, as_seat)
        check_version(record, if_match)
        return idempotency.remember(_asked(services.advice_jobs.ask_hint(record, seat, caller.id)))


@hints.operation(
    f"POST {GAME}/review",
    "requestReview",
    scope=PLAY,
    body=NoMembersSchema,
    parameters=(IDEMPOTENCY_KEY,),
    response=_ASKED,
    errors=("not_found", "not_seated", "rated_game", "game_running", "hint_in_progress"),
)
def request_review(
    body: Json, *, services: Services, caller: Caller, game_id: str, idempotency_key: str | None
) -> Response:
    """Ask for a review of a game.

    When the game is over: each turn of your seats against the best that was found, from what you could know
    then, and what it cost. It takes a minute or more; `done` of `steps` tells how far it has come.
    """
    del body
    with idempotent_in_game(services.store, caller.id, idempotency_key, game_id) as idempotency:
        record = services.table.get(game_id)
        seat_of(record, caller, None)
        job = services.advice_jobs.ask_review(record, record.seats_of(caller.id), caller.id)
        return idempotency.remember(_asked(job))


@hints.operation(
    f"GET {GAME}/review",
    "getReview",
    scope=READ,
    response=ResponseSpec(schema=ReviewSchema, description="The review."),
    errors=("not_found", "not_seated"),
)
def get_review(*, services: Services, caller: Caller, game_id: str) -> Response:
    """Read the review of a game.

    The one that was asked for with requestReview, once it is done; it is kept as long as the game.
    """
    seat_of(services.table.get(game_id), caller, None)
    job = services.advice_jobs.review(game_id, caller.id)
    if job is None or job.status is not JobStatus.DONE:
        to_be_asked = job is None or job.status is JobStatus.FAILED
        how = "requestReview makes one" if to_be_asked else "getJob tells how far it has come"
        raise Problem("not_found", f"There is no review yet: {how}.")
    return json_response(_review(job.result), headers=PRIVATE)


@hints.operation(
    "GET /jobs/<string(maxlength=64):job_id>",
    "getJob",
    scope=READ,
    response=ResponseSpec(schema=JobSchema, description="The job, and what came of it."),
    errors=("not_found",),
)
def get_job(*, services: Services, caller: Caller, job_id: str) -> Response:
    """Read a job.

    How far a hint or a review has come, and what came of it; only for the player who asked. Look again after
    a second while its status is `queued` or `running`.
    """
    return json_response(_job(services.advice_jobs.job(job_id, caller.id)), headers=PRIVATE)


def _asked(job: Job) -> Response:
    return json_response(_job(job), 202, {**PRIVATE, "Location": f"/v1/jobs/{job.id}"})


def _job(job: Job) -> Json:
    done = job.status is JobStatus.DONE
    return {
        "id": job.id,
        "kind": job.kind,
        "status": job.status,
        "game_id": job.game_id,
        "seats": job.seats,
        "version": job.version,
        "done": job.done,
        "steps": job.steps,
        "asked_at": rfc3339(job.asked_at),
        "expires_at": rfc3339(job.expires_at),
        "reason": job.reason,
        "hint": _hint(job.result) if done and job.kind is JobKind.HINT else None,
        "review": _review(job.result) if done and job.kind is JobKind.REVIEW else None,
    }


def _hint(told: Json) -> Json:
    return {"best": _advice(told["best"]), "alternatives": [_advice(one) for one in told["alternatives"]]}


def _review(told: Json) -> Json:
    return {"turns": [_turn(turn) for turn in told["turns"]], "cost": told["cost"]}


def _turn(told: Json) -> Json:
    moves = [
        {**move, "played": _advice(move["played"]), "best": _advice(move["best"])} for move in told["moves"]
    ]
    return {**told, "moves": moves}


def _advice(told: Json) -> dict[str, Any]:
    """Return advice with its move as listLegalMoves gives it."""
    return {**told, "move": entry(move_of_json(told["move"]))}
