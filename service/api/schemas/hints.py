"""Advice jobs: hints and reviews."""

from typing import Any

from marshmallow import fields

from service.api.schemas.base import Enum, Integer, List, Nested, ResponseSchema, SeatNumber, String, Time
from service.api.schemas.moves import legal_move
from service.api.schemas.problem import Params
from service.jobs.advice import JobKind, JobStatus


class Number(fields.Float):
    """A JSON number that may have a fraction."""

    def __init__(self, description: str, **options: Any) -> None:  # noqa: ANN401 - marshmallow's own options
        super().__init__(metadata={"description": description}, **options)


class ReasonSchema(ResponseSchema):
    """A sentence of a reason, as refusals have them."""

    reason_code = String("A stable key of the sentence.", metadata={"example": "discard_fits_nothing"})
    template = String("The English sentence with the names of `params` in braces.")
    params = Params("The parameters: a `card` is a card's code, `cards` are codes with commas.", {})


class AdviceSchema(ResponseSchema):
    """A move with its estimated value."""

    move = legal_move("The move: send its `body` to its `path`.")
    points = Number("Expected margin of your side over the average of the others in this deal, in points.")
    margin = Number(
        "Half the width of the 95 % confidence interval of `points`; smaller differences are not significant."
    )
    worlds = Integer("Number of sampled deals, consistent with what your seat knows, in which it was tried.")
    reason = String("The reason, in a sentence or more for players.")
    reasons = List(
        Nested(ReasonSchema, "A sentence."),
        "The sentences of `reason`, to be said in another language; empty in jobs of earlier releases.",
    )


class HintSchema(ResponseSchema):
    """The recommended move and its alternatives."""

    best = Nested(AdviceSchema, "The recommended move.")
    alternatives = List(
        Nested(AdviceSchema, "A move."),
        "Up to two other moves considered. One with more points is not significantly better.",
    )


class ReviewedMoveSchema(ResponseSchema):
    """A move that was played, compared with the best move found."""

    version = Integer("The version of the game in which it was played.")
    played = Nested(AdviceSchema, "The move that was played.")
    best = Nested(AdviceSchema, "The best move found; the played move if none was significantly better.")
    cost = Number("Expected points lost against the best move; 0 if none was significantly better.")


class ReviewedTurnSchema(ResponseSchema):
    """A reviewed turn of one of your seats."""

    deal = Integer("Number of the deal, from 1.", minimum=1)
    turn = Integer(
        "Number of the turn in the deal, from 1, as in the replay; for a call, that of the discard.",
        minimum=1,
    )
    seat = SeatNumber("The seat.")
    cost = Number("Expected points lost in this turn.")
    moves = List(Nested(ReviewedMoveSchema, "A move."), "Its moves, without those that had no alternative.")


class ReviewSchema(ResponseSchema):
    """All turns of your seats in a finished game, compared with the best moves found."""

    turns = List(
        Nested(ReviewedTurnSchema, "A turn."), "The turns in which there was a choice, in order of play."
    )
    cost = Number("Expected points lost in all turns.")


class JobSchema(ResponseSchema):
    """An advice job that a worker computes for you."""

    id = String("The job's id.")
    kind = Enum("JobKind", tuple(JobKind), "Whether it computes a hint or a review.")
    status = Enum(
        "JobStatus", tuple(JobStatus), "The status of the job. `failed`: see `reason`, then request it again."
    )
    game_id = String("The game.")
    seats = List(SeatNumber("A seat."), "The seats it advises.")
    version = Integer("The version of the game that it analyses.")
    done = Integer("Number of decisions analysed so far.")
    steps = Integer("Number of decisions to analyse; null until it is known.", allow_none=True)
    asked_at = Time("When it was requested.")
    expires_at = Time("When the job is deleted.")
    reason = String("Why it failed; null otherwise.", allow_none=True)
    hint = Nested(HintSchema, "The hint; null until it is done.", allow_none=True)
    review = Nested(ReviewSchema, "The review; null until it is done.", allow_none=True)
