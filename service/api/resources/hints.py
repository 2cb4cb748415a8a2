"""Hints while a game runs, reviews after it: requested here, computed by workers."""

from typing import Any, Final

from flask import Response

from service.api.auth import PLAY, READ, Caller
from service.api.idempotency import idempotent_in_game
from service.api.parameters import AS_SEAT, IDEMPOTENCY_KEY
from service.api.problems import Problem
from service.api.resource import RULES, Resource, ResponseSpec
from service.api.resources.games import GAME
from service.api.responses import PRIVATE, json_response
from service.api.schemas.hints import JobSchema, ReviewSchema
from service.api.schemas.moves import NoMembersSchema
from service.api.services import Services
from service.api.versions import IF_MATCH
from service.api.views.move_entries import move_entry
from service.api.views.visibility import seat_of
from service.games.codec import move_of_json
from service.games.table_moves import check_version
from service.jobs.advice import Job, JobKind, JobStatus
from service.runtime.json_object import Json
from service.runtime.timestamps import rfc3339

hints = Resource("hints", __name__, url_prefix="/v1", description="Hints and reviews.")

_ACCEPTED: Final = ResponseSpec(
    status=202,
    schema=JobSchema,
    description="The job: poll getJob until its status is `done` or `failed`.",
    headers={"Location": "The path of the job."},
)


@hints.operation(
    f"POST {GAME}/hints",
    "requestHint",
    scope=PLAY,
    body=NoMembersSchema,
    parameters=(AS_SEAT, IF_MATCH, IDEMPOTENCY_KEY),
    response=_ACCEPTED,
    errors=("not_found", "not_seated", "rated_game", "version_conflict", "hint_in_progress", RULES),
)
def request_hint(  # noqa: PLR0913 - an argument for each parameter
    body: Json,
    *,
    services: Services,
    caller: Caller,
    game_id: str,
    as_seat: int | None,
    if_match: int | None,
    idempotency_key: str | None,
) -> Response:
    """Request a hint.

    The best move for your seat, two alternatives, the expected result of each, and the reason: computed
    from what your seat may know and nothing else. Only when your seat may act, one hint at a time, and
    never in a rated game.
    """
    del body
    with idempotent_in_game(services.store, caller.id, idempotency_key, game_id) as idempotency:
        record = services.table.get(game_id)
        seat = seat_of(record, caller, as_seat)
        check_version(record, if_match)
        return idempotency.remember(_accepted(services.advice_jobs.ask_hint(record, seat, caller.id)))


@hints.operation(
    f"POST {GAME}/review",
    "requestReview",
    scope=PLAY,
    body=NoMembersSchema,
    parameters=(IDEMPOTENCY_KEY,),
    response=_ACCEPTED,
    errors=("not_found", "not_seated", "rated_game", "game_running", "hint_in_progress"),
)
def request_review(
    body: Json, *, services: Services, caller: Caller, game_id: str, idempotency_key: str | None
) -> Response:
    """Request a review of a game.

    After the game: each turn of your seats compared with the best one found, from what you could know at
    that time, and what it cost. It takes a minute or more; `done` of `steps` shows the progress.
    """
    del body
    with idempotent_in_game(services.store, caller.id, idempotency_key, game_id) as idempotency:
        record = services.table.get(game_id)
        seat_of(record, caller, None)
        job = services.advice_jobs.ask_review(record, record.seats_of(caller.id), caller.id)
        return idempotency.remember(_accepted(job))


@hints.operation(
    f"GET {GAME}/review",
    "getReview",
    scope=READ,
    response=ResponseSpec(schema=ReviewSchema, description="The review."),
    errors=("not_found", "not_seated"),
)
def get_review(*, services: Services, caller: Caller, game_id: str) -> Response:
    """Get the review of a game.

    The result of requestReview, once it is done. It is stored as long as the game.
    """
    seat_of(services.table.get(game_id), caller, None)
    job = services.advice_jobs.review(game_id, caller.id)
    if job is None or job.status is not JobStatus.DONE:
        is_missing = job is None or job.status is JobStatus.FAILED
        how = "request one with requestReview" if is_missing else "getJob shows its progress"
        raise Problem("not_found", f"There is no review yet: {how}.")
    return json_response(_review_view(job), headers=PRIVATE)


@hints.operation(
    "GET /jobs/<string(maxlength=64):job_id>",
    "getJob",
    scope=READ,
    response=ResponseSpec(schema=JobSchema, description="The job and its result."),
    errors=("not_found",),
)
def get_job(*, services: Services, caller: Caller, job_id: str) -> Response:
    """Get a job.

    The progress and the result of a hint or a review, for the player who requested it. An open stream of the
    game delivers `advice.ready` when it ends; without one poll once a second while its status is `queued` or
    `running`.
    """
    return json_response(_job_view(services.advice_jobs.job(job_id, caller.id)), headers=PRIVATE)


def _accepted(job: Job) -> Response:
    return json_response(_job_view(job), 202, {**PRIVATE, "Location": f"/v1/jobs/{job.id}"})


def _job_view(job: Job) -> Json:
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
        "hint": _hint_view(job) if done and job.kind is JobKind.HINT else None,
        "review": _review_view(job) if done and job.kind is JobKind.REVIEW else None,
    }


def _hint_view(job: Job) -> Json:
    return {
        "best": _advice_view(job.result["best"], job.game_id),
        "alternatives": [_advice_view(advice, job.game_id) for advice in job.result["alternatives"]],
    }


def _review_view(job: Job) -> Json:
    turns = [_turn_view(turn, job.game_id) for turn in job.result["turns"]]
    return {"turns": turns, "cost": job.result["cost"]}


def _turn_view(turn: Json, game_id: str) -> Json:
    moves = [
        {
            **move,
            "played": _advice_view(move["played"], game_id),
            "best": _advice_view(move["best"], game_id),
        }
        for move in turn["moves"]
    ]
    return {**turn, "moves": moves}


def _advice_view(advice: Json, game_id: str) -> dict[str, Any]:
    """Return advice with its move in the form of listLegalMoves."""
    return {"reasons": [], **advice, "move": move_entry(move_of_json(advice["move"]), game_id)}
